package server

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/web"
)

const (
	// readyPatience is how long the database may take to say that it is there: less than
	// those who ask usually wait.
	readyPatience = 2 * time.Second
	// askedLately is how long ago somebody who looks at intervals may have asked last.
	askedLately = 30 * time.Second
	// linger is how long a server that stops still takes requests, so that whoever looks at
	// intervals can see it go.
	linger = 5 * time.Second
)

// readiness says whether new requests should come to this instance (decision 0080).
type readiness struct {
	store *store.Store
	log   *slog.Logger

	mu       sync.Mutex
	stopping bool
	asked    time.Time // last; zero before
	said     string    // last
}

const ready = "ready"

// answer is /readyz: 200 with "ready", or 503 with the reason in words.
func (s *readiness) answer(w http.ResponseWriter, r *http.Request) error {
	said := s.say(r.Context())
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", web.DataPolicy)
	if said != ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	w.Write([]byte(said + "\n")) // a client who has gone is no fault
	return nil
}

// say notes that somebody asks, and logs when the answer is another one than before.
func (s *readiness) say(ctx context.Context) string {
	said, err := s.state(ctx)
	s.mu.Lock()
	changed := said != s.said && (s.said != "" || said != ready)
	s.said, s.asked = said, time.Now()
	s.mu.Unlock()
	switch {
	case changed && err != nil:
		s.log.ErrorContext(ctx, said, "error", err)
	case changed:
		s.log.InfoContext(ctx, said)
	}
	return said
}

func (s *readiness) state(ctx context.Context) (string, error) {
	s.mu.Lock()
	stopping := s.stopping
	s.mu.Unlock()
	if stopping {
		return "not ready: this server stops, and finishes what it has begun", nil
	}
	ctx, cancel := context.WithTimeout(ctx, readyPatience)
	defer cancel()
	switch err := s.store.CheckSchema(ctx); {
	case err != nil && typus.KindOf(err) == typus.Conflict:
		return "not ready: the tables of the database are those of another version of Typus", err
	case err != nil:
		return "not ready: the database does not answer", err
	case s.store.Full():
		return "not ready: the disk of the database is full, and nothing is stored until there is room", nil
	}
	return ready, nil
}

// is reports the same to this process, which is not somebody who looks at intervals.
func (s *readiness) is(ctx context.Context) bool {
	said, _ := s.state(ctx)
	return said == ready
}

// stop makes every later answer a no. It reports whether somebody looks at intervals and
// should be given the time to see it.
func (s *readiness) stop() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = true
	return !s.asked.IsZero() && time.Since(s.asked) < askedLately
}
