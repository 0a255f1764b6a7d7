package api

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"typus"
	"typus/internal/store"
)

// API description 8: 100 requests per minute per API key, under /api/v1.
const (
	rateLimit  = 100
	rateWindow = time.Minute
)

// Limiter limits each key to a number of accepted requests in any 60 seconds. Refused requests
// are not counted, because tools that retry at once would otherwise never be accepted
// again.
type Limiter interface {
	// Take counts a request of a key or refuses it. Unavailable: it cannot count.
	Take(ctx context.Context, keyID int64) (Quota, error)
}

// Quota is what a key has left after a request.
type Quota struct {
	Refused   bool
	Remaining int           // further requests that would be accepted now
	Wait      time.Duration // until the oldest counted request stops counting; above 0
}

// take is the wall of the rate: it sets the RateLimit headers and refuses with TooMany.
func (s section) take(w http.ResponseWriter, r *http.Request, key typus.APIKey) error {
	q, err := s.limiter.Take(r.Context(), key.ID)
	if err != nil {
		return err
	}
	wait := strconv.FormatInt(int64((q.Wait+time.Second-1)/time.Second), 10)
	w.Header().Set("RateLimit-Limit", strconv.Itoa(s.limit))
	w.Header().Set("RateLimit-Remaining", strconv.Itoa(q.Remaining))
	w.Header().Set("RateLimit-Reset", wait)
	if q.Refused {
		w.Header().Set("Retry-After", wait)
		return typus.Errorf(typus.TooMany, "more than %d requests in 60 seconds; try again in %s seconds", s.limit, wait)
	}
	return nil
}

// limiterFor returns the limiter that is exact over all servers on a database.
func limiterFor(s *store.Store, clock typus.Clock, most int) Limiter {
	if s.Shared() {
		return StoreLimiter{s, most}
	}
	if clock == nil {
		clock = time.Now
	}
	return NewMemoryLimiter(clock, most)
}

// apart counts the requests of a key under a number that is no key's, so that those of
// /api/test do not count under /api/v1 where both limiters count in one database.
type apart struct{ Limiter }

// Take implements Limiter. No key has a number below zero.
func (l apart) Take(ctx context.Context, keyID int64) (Quota, error) {
	return l.Limiter.Take(ctx, -keyID)
}

// MemoryLimiter is the limiter of a single process: an exact log of the last accepted requests
// of each key, 8 bytes for each. A key that was used in the last minute takes about 1 KB where
// most is 100, and 5 to 8 KB where it is 600.
type MemoryLimiter struct {
	most  int
	now   func() time.Time
	epoch time.Time

	mu    sync.Mutex
	logs  map[int64][]time.Duration // since epoch, ascending
	swept time.Duration
}

// NewMemoryLimiter makes an empty limiter of so many requests of a key in 60 seconds, at least
// one. With time.Now it counts on the monotonic clock; with any clock that is set back, it
// waits one window at most.
func NewMemoryLimiter(now func() time.Time, most int) *MemoryLimiter {
	return &MemoryLimiter{most: most, now: now, epoch: now(), logs: map[int64][]time.Duration{}}
}

// Take implements Limiter; it never fails.
func (l *MemoryLimiter) Take(_ context.Context, keyID int64) (Quota, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.now().Sub(l.epoch)
	l.sweep(at)
	log := current(l.logs[keyID], at)
	refused := len(log) >= l.most
	if !refused {
		log = append(log, at)
	}
	l.logs[keyID] = log
	return Quota{Refused: refused, Remaining: l.most - len(log), Wait: log[0] + rateWindow - at}, nil
}

// current drops the times that have left the window. A time in the future, from before
// the clock was set back, becomes now.
func current(log []time.Duration, at time.Duration) []time.Duration {
	old := 0
	for old < len(log) && log[old] <= at-rateWindow {
		old++
	}
	log = log[:copy(log, log[old:])]
	for i := len(log) - 1; i >= 0 && log[i] > at; i-- {
		log[i] = at
	}
	return log
}

// sweep forgets the keys that have not been used for a window, once a window.
func (l *MemoryLimiter) sweep(at time.Duration) {
	if since := at - l.swept; since >= 0 && since < rateWindow {
		return
	}
	l.swept = at
	for id, log := range l.logs {
		if l.logs[id] = current(log, at); len(l.logs[id]) == 0 {
			delete(l.logs, id)
		}
	}
}

// StoreLimiter counts in the database, exactly over all servers that share it. Each
// request costs one statement.
type StoreLimiter struct {
	Store *store.Store
	Most  int // requests of a key in 60 seconds
}

// Take implements Limiter. Unavailable: the database does not answer.
func (l StoreLimiter) Take(ctx context.Context, keyID int64) (Quota, error) {
	t, err := l.Store.TakeRequest(ctx, keyID, l.Most, rateWindow)
	return Quota{Refused: !t.Accepted, Remaining: l.Most - t.Counted, Wait: t.Wait}, err
}
