package browsertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// axeVersion is the version of axe-core, the accessibility checker.
const axeVersion = "4.14.1"

// axeRun checks the page against everything that axe knows of WCAG 2.2 A and AA
// and its own good practices, and names each violation with its first place.
const axeRun = `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v =>
	v.id + ": " + v.help + " (" + v.nodes.length + "x, " + v.nodes[0].target.join(" ") + ") " + (v.nodes[0].failureSummary || "")))`

// Axe loads axe-core into the page and returns what it objects to. The checker
// lives in the page from then on; messages are better read before.
func (tab *Tab) Axe() []string {
	tab.t.Helper()
	source, err := os.ReadFile(axe(tab.t))
	if err != nil {
		tab.t.Fatal(err)
	}
	Eval[bool](tab, string(source)+"\n;true")
	return Eval[[]string](tab, axeRun)
}

// axe returns the path of axe-core, fetching it with npm into the module's
// .cache if it is not there yet. Without npm the test is skipped, except in CI.
func axe(t testing.TB) string {
	t.Helper()
	home := filepath.Join(root(t), ".cache", "npm", "axe-core-"+axeVersion)
	script := filepath.Join(home, "node_modules", "axe-core", "axe.min.js")
	if _, err := os.Stat(script); err == nil {
		return script
	}
	npm, err := exec.LookPath("npm")
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal("no npm on the PATH: install Node.js")
	} else if err != nil {
		t.Skip("no npm on the PATH: install Node.js to run this test")
	}
	install(t, npm, home)
	return script
}

// install fetches into a directory of its own and renames it, so that tests of
// several packages may do it at once.
func install(t testing.TB, npm, home string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(home), 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(home), "axe-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	out, err := exec.Command(npm, "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", "axe-core@"+axeVersion).CombinedOutput()
	if err != nil {
		t.Fatalf("npm install axe-core: %v\n%s", err, out)
	}
	if err := os.Rename(dir, home); err != nil {
		if _, there := os.Stat(home); there != nil {
			t.Fatal(err)
		}
	}
}

// root is the directory of go.mod, found upwards from the test's.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}
