package main

import (
	"net"
	"os"
	"strings"
	"testing"
)

func TestTheDemoDoesTheMainJobAndLeavesNothingBehind(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	code, out, errOut := command(t, []string{"TYPUS_NONSENSE=ignored"}, "demo", "--once", "--fast", "--addr", "127.0.0.1:0")
	if code != 0 {
		t.Fatalf("exit %d: %s\n%s", code, errOut, out)
	}
	for _, want := range []string{
		"with 25 credits and 60 candidates", "4 of 4", "✓ X-Service-Signature", "✓ webhook-signature", `"status": "abgeschlossen"`, "Leistungsantrieb", "24 left",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the demo does not say %q:\n%s", want, out)
		}
	}
	if left, _ := os.ReadDir(tmp); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTheDemoTakesAFreePortAndSaysSo(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	code, out, errOut := command(t, nil, "demo", "--once", "--fast", "--addr", ln.Addr().String())
	if code != 0 || !strings.Contains(out, "Port "+port+" is taken") {
		t.Errorf("exit %d: %s\n%s", code, errOut, out)
	}
}
