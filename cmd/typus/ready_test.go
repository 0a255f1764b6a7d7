package main

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"typus/internal/db/dbtest"
	"typus/internal/waittest"
)

// asked is what a server says to whoever asks whether requests should come to it; 0 if it
// takes none any more.
func (p *process) asked(t *testing.T, path string) (int, string) {
	t.Helper()
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}
	resp, err := c.Get(p.base + path)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s: %v, %v", path, resp.Header, err)
	}
	return resp.StatusCode, string(body)
}

// A balancer that looks at intervals sees a server go while it still answers, and what is
// under way is finished.
func TestAServerThatStopsSaysThatItIsNotReadyFirst(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	must[id](t, environ, "account", "create", "--name", "A")
	key := must[newKey](t, environ, "key", "create", "--account", "1", "--name", "k").Key
	const body = `{"name":"Jana","email":"jana@example.com","send_email":false}`
	p := serve(t, environ)
	if status, said := p.asked(t, "/readyz"); status != http.StatusOK || said != "ready\n" {
		t.Fatalf("%d %s", status, said)
	}
	conn, answer := beingRead(t, p, key, body)
	p.Process.Signal(syscall.SIGTERM)
	var status int
	var said string
	waittest.Until(t, "no", func() bool {
		status, said = p.asked(t, "/readyz")
		return status != http.StatusOK
	})
	if status != http.StatusServiceUnavailable || said != "not ready: this server stops, and finishes what it has begun\n" {
		t.Errorf("after SIGTERM: %d %s", status, said)
	}
	if status, said := p.asked(t, "/healthz"); status != http.StatusOK {
		t.Errorf("a server that stops works all the same: %d %s", status, said)
	}
	io.WriteString(conn, body)
	if got, err := io.ReadAll(answer); err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 201 ") {
		t.Errorf("the request under way got %.100q, %v", got, err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("the server ended with %v: %s", err, p.log)
	}
}

func TestAServerIsReadyAgainWhenItsDatabaseIs(t *testing.T) {
	if testing.Short() {
		t.Skip("PostgreSQL: not with -short")
	}
	database, err := dbtest.StartPostgres()
	if err != nil {
		t.Fatal(err)
	}
	defer database.Stop()
	p := serve(t, []string{"TYPUS_DATABASE=" + database.URL, "TYPUS_SECRET_KEY=" + strings.Repeat("s", 40)})
	says := func(want int, words string) {
		t.Helper()
		waittest.Until(t, words, func() bool {
			status, said := p.asked(t, "/readyz")
			return status == want && said == words+"\n"
		})
	}
	says(http.StatusOK, "ready")
	database.Freeze(t)
	says(http.StatusServiceUnavailable, "not ready: the database does not answer")
	database.Thaw(t)
	says(http.StatusOK, "ready")
}

// A newer version has changed the tables beside this server.
func TestAServerOfAnOlderVersionIsNotReady(t *testing.T) {
	database := filepath.Join(t.TempDir(), "typus.db")
	p := serve(t, []string{"TYPUS_DATABASE=" + database})
	if status, said := p.asked(t, "/readyz"); status != http.StatusOK {
		t.Errorf("%d %s", status, said)
	}
	change(t, database, `pragma busy_timeout = 30000; insert into schema_migrations (name, applied_at) values ('9999_future.sql', 1)`)
	if status, said := p.asked(t, "/readyz"); status != http.StatusServiceUnavailable || said != "not ready: the tables of the database are those of another version of Typus\n" {
		t.Errorf("%d %s", status, said)
	}
	if status, said := p.asked(t, "/healthz"); status != http.StatusOK {
		t.Errorf("it works all the same: %d %s", status, said)
	}
	p.stop(t)
}
