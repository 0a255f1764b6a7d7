package main

import (
	"database/sql"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"typus/internal/porttest"
)

// ended runs a command line as a process of its own to its end and returns the exit
// code and what it printed.
func ended(t *testing.T, environ []string, args ...string) (int, string) {
	t.Helper()
	p := startProcess(t, environ, args...)
	patience := time.AfterFunc(time.Minute, func() { p.Process.Kill() }) // it serves
	defer patience.Stop()
	err := p.Wait()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatal(err)
	}
	return p.ProcessState.ExitCode(), p.log.String()
}

// oneSentence wants an exit code and one line that says every word and no secret.
func oneSentence(t *testing.T, code, want int, said string, words ...string) {
	t.Helper()
	if code != want || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "typus: ") {
		t.Errorf("exit %d (want %d), said: %s", code, want, said)
	}
	for _, word := range words {
		if !strings.Contains(said, word) {
			t.Errorf("%q is not said: %s", word, said)
		}
	}
	for _, word := range []string{"geheim", "SQLSTATE", "dial tcp", "server is running on"} {
		if strings.Contains(said, word) && !slices.Contains(words, word) {
			t.Errorf("%q is said: %s", word, said)
		}
	}
}

func TestNoCommandTakesAnotherProgramsFile(t *testing.T) {
	for _, args := range [][]string{{"serve"}, {"migrate"}, {"account", "create", "--name", "A"}, {"account", "list"}} {
		t.Run(args[0], func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "shop.db")
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(`create table orders (id integer)`); err != nil {
				t.Fatal(err)
			}
			db.Close()
			before := files(t, dir)
			code, said := ended(t, []string{"TYPUS_DATABASE=" + path, "TYPUS_ADDR=" + porttest.Free(t)}, args...)
			oneSentence(t, code, 2, said, path, "another program", "orders", "TYPUS_DATABASE")
			if after := files(t, dir); !maps.Equal(before, after) {
				t.Errorf("before %d files, after %v", len(before), slices.Collect(maps.Keys(after)))
			}
		})
	}
}

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[e.Name()] = string(text)
	}
	return found
}
