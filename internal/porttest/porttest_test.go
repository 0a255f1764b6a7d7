package porttest

import (
	"net"
	"testing"
)

func TestAPortIsGivenToOneTestAlone(t *testing.T) {
	addr := Free(t)
	if claim, err := take(addr); err == nil {
		claim.Close()
		t.Error("it is given twice")
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatalf("the program cannot listen: %v", err)
	}
	l.Close()
	taken := map[string]bool{}
	for range 50 {
		if addr := Free(t); taken[addr] {
			t.Errorf("%s is given twice", addr)
		} else {
			taken[addr] = true
		}
	}
}
