package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"typus/internal/processtest"
	"typus/internal/store/storetest"
	"typus/internal/web/logtest"
)

// asTypus makes the test binary behave as the program, so that tests run real
// processes: with signals, exit codes and nothing shared.
const asTypus = "RUN_AS_THE_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asTypus) != "" {
		main()
		return
	}
	code := m.Run()
	if ownDir != "" {
		if err := os.RemoveAll(ownDir); err != nil {
			panic(err)
		}
	}
	os.Exit(code)
}

// both runs a test against the settings of each database.
func both(t *testing.T, test func(t *testing.T, environ []string)) {
	t.Run("sqlite", func(t *testing.T) {
		test(t, []string{"TYPUS_DATABASE=" + migrated(t)})
	})
	t.Run("postgres", func(t *testing.T) {
		test(t, []string{"TYPUS_DATABASE=" + storetest.Postgres(t), "TYPUS_SECRET_KEY=" + strings.Repeat("s", 40)})
	})
}

// migrated is the path of an SQLite database that nobody has begun with: its tables are
// there, made once for all tests, its key and its list of erasures are not. No other file
// lies in its directory.
func migrated(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data", "typus.db")
	file, err := os.ReadFile(storetest.SQLite(t))
	if err := errors.Join(err, os.Mkdir(filepath.Dir(path), 0o700), os.WriteFile(path, file, 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// command runs a command in this process and returns what it printed.
func command(t *testing.T, environ []string, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), args, environ, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// must runs a command with --json and decodes its answer.
func must[T any](t *testing.T, environ []string, args ...string) T {
	t.Helper()
	code, out, errOut := command(t, environ, append(args, "--json")...)
	if code != 0 {
		t.Fatalf("typus %s: exit %d: %s", strings.Join(args, " "), code, errOut)
	}
	var v T
	if err := json.Unmarshal([]byte(out), &v); err != nil || strings.Count(out, "\n") != 1 {
		t.Fatalf("typus %s printed %q: %v", strings.Join(args, " "), out, err)
	}
	return v
}

// process is a running `typus serve`.
type process struct {
	*processtest.Running
	base string
	log  *logtest.Log
}

// serve starts a server process and waits until it answers.
func serve(t *testing.T, environ []string, args ...string) *process {
	t.Helper()
	p := processtest.Serve(t, os.Args[0], append([]string{asTypus + "=1"}, environ...), args...)
	return &process{Running: p, base: p.Base, log: p.Log}
}

func startProcess(t *testing.T, environ []string, args ...string) *process {
	t.Helper()
	p := processtest.Start(t, os.Args[0], append([]string{asTypus + "=1"}, environ...), args...)
	return &process{Running: p, base: p.Base, log: p.Log}
}

// says waits until the process has written what a regular expression finds, and returns
// what its groups found.
func (p *process) says(t *testing.T, expression string) []string {
	t.Helper()
	return p.Says(t, expression)
}

// stop sends SIGTERM and waits for the end.
func (p *process) stop(t *testing.T) {
	t.Helper()
	p.Stop(t)
}

type id struct {
	ID int64 `json:"id"`
}

type newKey struct {
	ID  int64  `json:"id"`
	Key string `json:"key"`
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func discard() io.Writer { return io.Discard }
