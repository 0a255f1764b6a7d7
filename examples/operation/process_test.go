package operation

import (
	"net/http"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"typus/internal/web/logtest"
)

// process is a program that serves until the test ends.
type process struct {
	*exec.Cmd
	log   *logtest.Log
	ended chan error
}

// start runs a program and waits until somebody answers at its address.
func start(t *testing.T, cmd *exec.Cmd, addr string) *process {
	t.Helper()
	p := &process{Cmd: cmd, log: new(logtest.Log), ended: make(chan error, 1)}
	p.Stdout, p.Stderr = p.log, p.log
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.Wait() }()
	t.Cleanup(func() { p.Process.Kill() })
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		select {
		case err := <-p.ended:
			t.Fatalf("%s ended: %v: %s", cmd, err, p.log)
		default:
		}
		if resp, err := http.Get("http://" + addr + "/healthz"); err == nil { // whatever it says: a server takes connections before it answers
			resp.Body.Close()
			return p
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not answer: %s", cmd, p.log)
		}
	}
}

// stop ends it as an engine does, and expects that it agrees.
func (p *process) stop(t *testing.T) {
	t.Helper()
	p.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-p.ended:
		if err != nil {
			t.Errorf("ended with %v: %s", err, p.log)
		}
	case <-time.After(time.Minute):
		t.Fatalf("does not stop: %s", p.log)
	}
}
