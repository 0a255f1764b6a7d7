package typus_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// A test that the race detector's own fault ended runs once more; one that failed does not.
func TestOnlyTheDetectorsOwnFaultRunsATestAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("starts bash")
	}
	const fault = `ThreadSanitizer: CHECK failed: tsan_rtl.cpp:346 "epoch"`
	for name, c := range map[string]struct {
		says   []string // by run
		status []int    // of each run
		want   int      // the status at last
	}{
		"passed":           {[]string{"ok"}, []int{0}, 0},
		"fault":            {[]string{fault, "ok"}, []int{66, 0}, 0},
		"fault twice":      {[]string{fault, fault}, []int{66, 65}, 65},
		"fault, then fail": {[]string{fault, "--- FAIL: TestX"}, []int{66, 1}, 1},
		"failed":           {[]string{"--- FAIL: TestX"}, []int{1}, 1},
		"failed and fault": {[]string{"    --- FAIL: TestX/y\n" + fault}, []int{66}, 66},
		"race and fault":   {[]string{"WARNING: DATA RACE\n" + fault}, []int{66}, 66},
		"panic":            {[]string{"panic: oh"}, []int{2}, 2},
		"fault only named": {[]string{"it said: " + fault}, []int{1}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for i, said := range c.says {
				run := filepath.Join(dir, strconv.Itoa(i+1))
				if err := os.WriteFile(run, []byte(said+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(run+".status", []byte(strconv.Itoa(c.status[i])), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			test := `cd "$1"; printf x >> runs; run=$(wc -c < runs | tr -d ' '); cat "$run"; exit "$(cat "$run.status")"`
			err := exec.CommandContext(t.Context(), "scripts/detected", "bash", "-c", test, "test", dir).Run()
			status := 0
			if exit, ok := errors.AsType[*exec.ExitError](err); ok {
				status = exit.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			runs, err := os.ReadFile(filepath.Join(dir, "runs")) //nolint:gosec // the test's own directory
			if err != nil {
				t.Fatal(err)
			}
			if status != c.want || len(runs) != len(c.says) {
				t.Errorf("ended with %d after %d runs, want %d after %d", status, len(runs), c.want, len(c.says))
			}
		})
	}
}
