// Package porttest finds ports for programs that tests start and that have to be told
// one.
package porttest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// The ports lie below those that the system hands out by itself (from 32768 on Linux,
// from 49152 elsewhere): a port that it has just given to a test and got back may be
// that of somebody's connection a moment later.
const (
	first = 20000
	count = 10000
)

// Free is Take until the test ends.
func Free(t testing.TB) string {
	t.Helper()
	addr, release, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return addr
}

// Take returns an address of this machine, "127.0.0.1:port", at which a program can
// listen. Until release is called no other test is given the same one, whatever process
// it runs in.
func Take() (addr string, release func(), err error) {
	for range count {
		addr = fmt.Sprint("127.0.0.1:", first+rand.IntN(count)) //nolint:gosec // any will do
		var claim net.PacketConn
		if claim, err = take(addr); err == nil {
			return addr, func() { _ = claim.Close() }, nil
		}
	}
	return "", nil, errors.Join(errors.New("no port is free"), err)
}

// take claims the port among tests, by that of UDP with the same number, which the
// programs leave alone, and sees that nobody listens there.
func take(addr string) (net.PacketConn, error) {
	claim, err := net.ListenPacket("udp4", addr) //nolint:noctx // at once or not
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp4", addr)
	if err != nil {
		return nil, errors.Join(err, claim.Close())
	}
	return claim, l.Close()
}
