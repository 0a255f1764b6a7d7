package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"typus/internal/waittest"
)

// handed is an account of which a person has handed in, beside a server or before it.
func handed(t *testing.T, environ []string, url string) (s *site, account, hook int64) {
	t.Helper()
	account = must[id](t, environ, "account", "create", "--name", "A", "--plan", "business").ID
	hook = must[newHook](t, environ, "webhook", "create", "--account="+itoa(account), "--url", url).ID
	s = beside(t, environ)
	t.Cleanup(func() { _ = s.store.Close() })
	if err := s.steps.Finish(t.Context(), readyTests(t, s, account, 0, 1)[0]); err != nil {
		t.Fatal(err)
	}
	return s, account, hook
}

// A receiver in a network that the operator opens at last gets at once what waits for
// it; a start that changes nothing tries nothing.
func TestWhatCouldNotBeReachedIsTriedAgainAfterAStartWithOtherSettings(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		receiver := newAnswering(t)
		s, account, hook := handed(t, environ, receiver.URL)
		closed := append(environ, "TYPUS_BASE_URL=https://typus.example.com")
		p := serve(t, closed)
		waittest.Until(t, "two failures", func() bool {
			d, found, err := s.store.FailingDelivery(t.Context(), account, hook)
			if err != nil {
				t.Fatal(err)
			}
			return found && d.Failures == 2 && d.LastError == "blocked_address"
		})
		p.stop(t)
		const said = "is tried again"
		p = serve(t, closed)
		p.stop(t)
		if log := p.log.String(); strings.Contains(log, said) {
			t.Errorf("with the same settings: %s", log)
		}
		if receiver.requests() > 0 {
			t.Fatal("the network is open")
		}
		p = serve(t, append(closed, "TYPUS_WEBHOOK_ALLOW_HTTP=true", "TYPUS_WEBHOOK_ALLOW_NETS=127.0.0.0/24"))
		p.says(t, said)
		waittest.Until(t, "what waited arrives", func() bool { return receiver.requests() > 0 })
	})
}

// The server is killed while a receiver lets it wait; what was under way goes out again
// when it is there again, long before its lease is over.
func TestWhatWasUnderWayAtAKill9GoesOutAgainAtOnce(t *testing.T) {
	began, hang := make(chan time.Time, 2), make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		began <- time.Now()
		<-hang
	}))
	defer receiver.Close()
	defer close(hang)
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	handed(t, environ, receiver.URL)
	p := serve(t, environ)
	next := func() time.Time {
		t.Helper()
		select {
		case at := <-began:
			return at
		case <-time.After(2 * time.Minute):
			t.Fatal("nothing came")
			return time.Time{}
		}
	}
	first := next()
	p.Process.Kill()
	p.Wait()
	serve(t, environ)
	if took := next().Sub(first); took > 50*time.Second { // the lease has 60
		t.Errorf("it came again %s after the first attempt had begun", took)
	}
}
