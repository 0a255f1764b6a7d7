package operation

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The unit is one that systemd understands whole, and its sandbox stays as tight as it is.
func TestTheUnitIsSoundAndTight(t *testing.T) {
	if testing.Short() {
		t.Skip("systemd-analyze: not with -short")
	}
	unit := filepath.Join(t.TempDir(), "typus.service")
	write(t, unit, strings.Replace(read(t, "typus.service"), "ExecStart=/usr/local/bin/typus", "ExecStart=/bin/true", 1))
	verify := exec.Command("systemd-analyze", "verify", unit)
	if out, err := verify.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%s: %v\n%s", verify, err, out)
	}
	// 0.0 is the tightest, 10.0 the loosest.
	security := exec.Command("systemd-analyze", "security", "--offline=true", "--threshold=15", unit)
	if out, err := security.CombinedOutput(); err != nil {
		t.Errorf("more exposed than 1.5: %v\n%s", err, out)
	}
}
