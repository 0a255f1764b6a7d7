package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus/internal/porttest"
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
	os.Exit(m.Run())
}

// both runs a test against the settings of each database.
func both(t *testing.T, test func(t *testing.T, environ []string)) {
	t.Run("sqlite", func(t *testing.T) {
		test(t, []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "data", "typus.db")})
	})
	t.Run("postgres", func(t *testing.T) {
		test(t, []string{"TYPUS_DATABASE=" + storetest.Postgres(t), "TYPUS_SECRET_KEY=" + strings.Repeat("s", 40)})
	})
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
	*exec.Cmd
	base string
	log  *logtest.Log
}

// serve starts a server process and waits until it answers.
func serve(t *testing.T, environ []string, args ...string) *process {
	t.Helper()
	addr := porttest.Free(t)
	p := startProcess(t, append(environ, "TYPUS_ADDR="+addr), append([]string{"serve"}, args...)...)
	_, port, _ := net.SplitHostPort(addr)
	p.base = "http://localhost:" + port
	deadline := time.Now().Add(60 * time.Second)
	for {
		if resp, err := http.Get(p.base + "/healthz"); err == nil {
			resp.Body.Close()
			return p
		}
		if time.Now().After(deadline) || strings.Contains(p.log.String(), "typus: ") {
			t.Fatalf("the server does not answer: %s", p.log)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func startProcess(t *testing.T, environ []string, args ...string) *process {
	t.Helper()
	if testing.Short() {
		t.Skip("processes: not with -short")
	}
	p := &process{Cmd: exec.Command(os.Args[0], args...), log: new(logtest.Log)}
	p.Env = append([]string{asTypus + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GORACE=" + os.Getenv("GORACE")}, environ...)
	p.Stdout, p.Stderr = p.log, p.log
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.ProcessState == nil {
			p.Process.Kill()
			p.Wait()
		}
	})
	return p
}

// says waits until the process has written what a regular expression finds, and returns
// what its groups found. The answers of a server may come before what it writes.
func (p *process) says(t *testing.T, expression string) []string {
	t.Helper()
	var found []string
	until(t, time.Minute, expression, func() bool {
		found = regexp.MustCompile(expression).FindStringSubmatch(p.log.String())
		return found != nil
	})
	return found
}

// stop sends SIGTERM and waits for the end.
func (p *process) stop(t *testing.T) {
	t.Helper()
	p.Process.Signal(syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the server ended with %v: %s", err, p.log)
		}
	case <-time.After(2 * time.Minute):
		t.Fatalf("the server does not stop: %s", p.log)
	}
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
