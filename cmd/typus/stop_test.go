package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"typus/internal/waittest"
)

// beingRead sends the beginning of an invitation, with which the server is busy until
// the rest of it comes.
func beingRead(t *testing.T, p *process, key, body string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", "127.0.0.1"+strings.TrimPrefix(p.base, "http://localhost"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "POST /api/v1/invites HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: %d\r\n\r\n", key, len(body))
	answer := bufio.NewReader(conn)
	for range 2 { // the status line and the empty one behind it
		if line, err := answer.ReadString('\n'); err != nil || line != "\r\n" && !strings.HasPrefix(line, "HTTP/1.1 100 ") {
			t.Fatalf("got %q, %v", line, err)
		}
	}
	return conn, answer
}

// stopping sends a signal and waits until nobody is let in any more.
func stopping(t *testing.T, p *process, signal syscall.Signal) {
	t.Helper()
	p.Process.Signal(signal)
	waittest.Until(t, "the server takes no more connections", func() bool {
		conn, err := net.DialTimeout("tcp", "127.0.0.1"+strings.TrimPrefix(p.base, "http://localhost"), time.Second)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
}

func TestASecondSIGTERMCutsNothingShortAndASecondInterruptDoes(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	must[id](t, environ, "account", "create", "--name", "A")
	key := must[newKey](t, environ, "key", "create", "--account", "1", "--name", "k").Key
	const body = `{"name":"Jana","email":"jana@example.com","send_email":false}`

	p := serve(t, environ)
	conn, answer := beingRead(t, p, key, body)
	stopping(t, p, syscall.SIGTERM)
	for range 3 {
		p.Process.Signal(syscall.SIGTERM)
	}
	io.WriteString(conn, body)
	if got, err := io.ReadAll(answer); err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 201 ") {
		t.Errorf("the request under way got %.100q, %v", got, err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("the server ended with %v: %s", err, p.log)
	}

	p = serve(t, environ)
	beingRead(t, p, key, body)
	stopping(t, p, syscall.SIGINT)
	p.Process.Signal(syscall.SIGINT)
	_ = p.Wait()
	if state, ok := p.ProcessState.Sys().(syscall.WaitStatus); !ok || state.Signal() != syscall.SIGINT {
		t.Errorf("the server ended with %v", p.ProcessState)
	}
}
