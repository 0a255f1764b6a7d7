// Package mailpittest runs Mailpit, a mail server that is not ours, for tests.
package mailpittest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"typus/internal/porttest"
)

// Server is a running Mailpit. It keeps every letter it accepts.
type Server struct {
	Addr string // host:port of SMTP

	t      testing.TB
	api    string // origin of the HTTP API
	client *http.Client
	log    bytes.Buffer // what it printed; read after done
	done   chan struct{}
}

// Start runs a server with an empty database until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	file := program(t)
	s := &Server{Addr: porttest.Free(t), t: t, api: "http://" + porttest.Free(t), client: &http.Client{Transport: &http.Transport{}}, done: make(chan struct{})}
	s.run(file)
	if !s.ready() {
		t.Fatalf("Mailpit does not start:\n%s", &s.log)
	}
	return s
}

// URL is the server's address as a setting.
func (s *Server) URL() string { return "smtp://" + s.Addr }

// watch runs the server until standard input ends, which the kernel sees to when
// the test process is gone, however it went.
const watch = `
exec 3<&0
"$@" 3<&- </dev/null &
server=$!
(read -r _ <&3; kill $server) &
wait $server`

func (s *Server) run(file string) {
	s.t.Helper()
	cmd := exec.CommandContext(context.Background(), "sh", "-c", watch, "sh", file, //nolint:gosec // the tests' own tool
		"--smtp", s.Addr, "--listen", strings.TrimPrefix(s.api, "http://"), "--database", filepath.Join(s.t.TempDir(), "mailpit.db"),
		"--max", "0", "--enable-chaos", "--disable-version-check", "--smtp-disable-rdns", "--smtp-strict-rfc-headers", "--quiet")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")} // MP_ variables are settings
	cmd.Stdout, cmd.Stderr = &s.log, &s.log
	alive, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		defer close(s.done)
		_ = cmd.Wait() // the log says more than the exit code
	}()
	s.t.Cleanup(func() {
		_ = alive.Close() // already closed: the server is gone
		<-s.done
		s.client.CloseIdleConnections()
	})
}

// ready waits until the server answers, and reports whether it does.
func (s *Server) ready() bool {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		select {
		case <-s.done:
			return false
		default:
		}
		resp, err := s.client.Get(s.api + "/readyz")
		if err != nil {
			continue
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return true
		}
	}
	s.t.Fatal("Mailpit runs but does not answer")
	return false
}

// program finds Mailpit on the PATH or where scripts/mailpit puts it. Where
// nobody has installed it, that is done now, but not in CI: there the list of
// tools must be complete.
func program(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("Mailpit: not with -short")
	}
	if path, err := exec.LookPath("mailpit"); err == nil {
		return path
	}
	root := root(t)
	path := filepath.Join(root, ".cache", "bin", "mailpit")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatal("Mailpit is missing; scripts/tools installs it")
	}
	if out, err := exec.CommandContext(t.Context(), filepath.Join(root, "scripts", "mailpit")).CombinedOutput(); err != nil { //nolint:gosec // the repository's own script
		t.Fatalf("Mailpit is missing and cannot be installed: %v\n%s", err, out)
	}
	return path
}

// root is the repository's directory.
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
		if dir == filepath.Dir(dir) {
			t.Fatal("this test does not run inside the repository")
		}
		dir = filepath.Dir(dir)
	}
}
