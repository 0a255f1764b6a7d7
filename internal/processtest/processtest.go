// Package processtest runs the program as processes of its own, for tests: with signals,
// exit codes and nothing shared.
package processtest

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"typus/internal/porttest"
	"typus/internal/waittest"
	"typus/internal/web/logtest"
)

// Running is a process that a test has started. It ends with the test at the latest.
type Running struct {
	*exec.Cmd
	Addr string       // of a server: 127.0.0.1:port
	Base string       // of a server: http://localhost:port, as in its links
	Log  *logtest.Log // what it has written to both outputs
}

// Start starts a program with nothing in its environment but environ, PATH and an empty
// HOME. With -short the test is skipped.
func Start(t testing.TB, program string, environ []string, args ...string) *Running {
	t.Helper()
	if testing.Short() {
		t.Skip("processes: not with -short")
	}
	p := &Running{Cmd: exec.Command(program, args...), Log: new(logtest.Log)}
	p.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GORACE=" + os.Getenv("GORACE")}, environ...)
	p.Stdout, p.Stderr = p.Log, p.Log
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.ProcessState == nil {
			_ = p.Process.Kill() // it may have ended
			_ = p.Wait()         // says how
		}
	})
	return p
}

// Serve starts "serve" at a port of its own and waits until it answers.
func Serve(t testing.TB, program string, environ []string, args ...string) *Running {
	t.Helper()
	return ServeAt(t, program, porttest.Free(t), environ, args...)
}

// ServeAt is Serve at an address, "127.0.0.1:port", that the caller holds: so that a server
// comes back where it was.
func ServeAt(t testing.TB, program, addr string, environ []string, args ...string) *Running {
	t.Helper()
	p := Start(t, program, append(slices.Clip(environ), "TYPUS_ADDR="+addr), append([]string{"serve"}, args...)...)
	_, port, _ := net.SplitHostPort(addr)
	p.Addr, p.Base = addr, "http://localhost:"+port
	var err error
	waittest.So(time.Minute, func() bool {
		err = p.healthy()
		return err == nil || strings.Contains(p.Log.String(), "typus: ")
	})
	if err != nil {
		t.Fatalf("the server does not answer: %v, %s", err, p.Log)
	}
	return p
}

func (p *Running) healthy() error {
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}
	resp, err := c.Get("http://" + p.Addr + "/healthz")
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Says waits until the process has written what a regular expression finds, and returns
// what its groups found. The answers of a server may come before what it writes.
func (p *Running) Says(t testing.TB, expression string) []string {
	t.Helper()
	var found []string
	waittest.Until(t, expression, func() bool {
		found = regexp.MustCompile(expression).FindStringSubmatch(p.Log.String())
		return found != nil
	})
	return found
}

// Stop sends SIGTERM, waits for the end, which must be in order, and says how long that took.
func (p *Running) Stop(t testing.TB) time.Duration {
	t.Helper()
	begun := time.Now()
	p.signal(t, syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the server ended with %v: %s", err, p.Log)
		}
	case <-time.After(2 * time.Minute):
		t.Fatalf("the server does not stop: %s", p.Log)
	}
	return time.Since(begun)
}

// Kill ends the process as kill -9 does; when it returns, it is gone.
func (p *Running) Kill(t testing.TB) {
	t.Helper()
	p.signal(t, syscall.SIGKILL)
	_ = p.Wait() // it was killed
	if state, ok := p.ProcessState.Sys().(syscall.WaitStatus); !ok || state.Signal() != syscall.SIGKILL {
		t.Errorf("the process had ended by itself, with %v: %s", p.ProcessState, p.Log)
	}
}

// Freeze stops the process, as a machine that is halted; when it returns, it stands. Thaw
// lets it go on.
func (p *Running) Freeze(t testing.TB) {
	t.Helper()
	p.signal(t, syscall.SIGSTOP)
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(p.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("the process does not stand still: %v, %v", status, err)
	}
}

// Thaw lets a frozen process go on.
func (p *Running) Thaw(t testing.TB) {
	t.Helper()
	p.signal(t, syscall.SIGCONT)
}

func (p *Running) signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	if err := p.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(fmt.Errorf("signal %v: %w", s, err))
	}
}
