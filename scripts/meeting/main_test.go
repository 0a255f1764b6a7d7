package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const tests = `package p

func TestMain(m *testing.M) { go m.Run() }

func TestStarts(t *testing.T) { go func() {}() }
func TestNames(t *testing.T) { each(t, t.Run) }
func TestNamesWhoNames(t *testing.T) { var w world; w.further() }
func TestGroup(t *testing.T) { var g sync.WaitGroup; g.Go(func() {}) }
func TestParallel(t *testing.T) { t.Run("a", func(t *testing.T) { t.Parallel() }) }
func TestAlone(t *testing.T) { alone() }

func each(t *testing.T, run any) { go run() }
func (w world) further() { each(nil, nil) }
func alone() { TestGone() }
func BenchmarkMany(b *testing.B) { go alone() }
`

func TestGoroutinesMeetWhereATestStartsOneByItselfOrBySomethingItNames(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a_test.go"), []byte(tests), 0o600); err != nil {
		t.Fatal(err)
	}
	functions, err := read(dir)
	if err != nil {
		t.Fatal(err)
	}
	meet, others := parted(functions)
	slices.Sort(meet)
	if got, want := strings.Join(meet, " "), "TestGroup TestNames TestNamesWhoNames TestParallel TestStarts"; got != want {
		t.Errorf("they meet in %s, want %s", got, want)
	}
	if got := strings.Join(others, " "); got != "TestAlone" {
		t.Errorf("and not in %s", got)
	}
}

func TestEachSeedDrawsAnEighthAndSomeSeedEachTest(t *testing.T) {
	var names []string
	for n := range 50 {
		names = append(names, fmt.Sprint("Test", n))
	}
	seen := map[string]bool{}
	for seed := range 100 {
		drawn := eighth(names, fmt.Sprint(seed))
		slices.Reverse(names)
		if again := eighth(names, fmt.Sprint(seed)); len(drawn) != 7 || !slices.Equal(drawn, again) {
			t.Fatalf("drew %v, and then %v", drawn, again)
		}
		for _, name := range drawn {
			seen[name] = true
		}
	}
	if len(seen) != len(names) {
		t.Errorf("100 seeds drew %d of %d", len(seen), len(names))
	}
	if got := eighth(names[:1], ""); len(got) != 1 {
		t.Errorf("of one test, %v is drawn", got)
	}
	if got := eighth(nil, ""); len(got) != 0 {
		t.Errorf("of none, %v is drawn", got)
	}
}

func TestThePatternIsHandedToTheProgram(t *testing.T) {
	program, dir := filepath.Join(t.TempDir(), "meeting"), t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := "package p\nfunc TestA(t *testing.T) { go a() }\nfunc TestB(t *testing.T) { b() }\n"
	if err := os.WriteFile(filepath.Join(dir, "a_test.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), program, "/bin/echo", "-test.short")
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil || string(out) != "-test.short -test.run=^(TestA|TestB)$\n" {
		t.Errorf("%v: %s", err, out)
	}
}
