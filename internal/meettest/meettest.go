// Package meettest lets callers of a server meet where the race detector sees what they share.
//
// It finds a race only where nothing puts the two in an order, and every lock does that which
// one releases and the other takes in between: of callers who only ask at the same time, the
// locks of the database alone hide nearly all. So callers go in step here, from statement to
// statement, and what each does between two of them has no order.
package meettest

import (
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"typus/internal/db/dbtest"
)

// Group are callers who go in step.
type Group struct {
	Callers, Errands int
	Apart            bool // each is at another errand, in place of all at the same
	// Do is an errand of a caller, who asks a store that is Meeting with Wait, with this
	// context or one made of it.
	Do func(ctx context.Context, caller, errand int)
}

// Together has each caller of each group do each of its errands, and waits for all. In which
// order, TYPUS_SEED draws.
func Together(t testing.TB, groups ...Group) {
	t.Helper()
	t.Logf("TYPUS_SEED=%s draws who does what when", os.Getenv("TYPUS_SEED"))
	draw := rand.New(rand.NewChaCha8(sha256.Sum256([]byte(os.Getenv("TYPUS_SEED") + t.Name())))) //nolint:gosec // it is to be drawn again
	var all sync.WaitGroup
	for _, g := range groups {
		orders := make([][]int, g.Callers)
		for i := range orders {
			if orders[i] = orders[0]; i == 0 || g.Apart {
				orders[i] = draw.Perm(g.Errands)
			}
		}
		all.Go(func() {
			for round := range g.Errands {
				s := &step{left: g.Callers, next: make(chan struct{})}
				ctx := context.WithValue(t.Context(), stepKey{}, s)
				dbtest.AtOnce(g.Callers, func(caller int) {
					defer s.leave()
					g.Do(ctx, caller, orders[caller][round])
				})
			}
		})
	}
	all.Wait()
}

// step holds callers until all of them have come to a statement or have their answer.
type step struct {
	mu      sync.Mutex
	left    int           // those who have no answer yet
	waiting int           // those of them who have come to a statement
	next    chan struct{} // closed when they go on
}

type stepKey struct{}

// patience is how long callers wait for one who does not come, because it waits itself for
// what one of them has in hand.
const patience = time.Second

// Wait holds a caller of Together until the others of its group have come as far.
func Wait(ctx context.Context) {
	s, _ := ctx.Value(stepKey{}).(*step)
	if s == nil {
		return
	}
	s.mu.Lock()
	s.waiting++
	next := s.next
	s.proceed()
	s.mu.Unlock()
	select {
	case <-next:
	case <-time.After(patience):
		s.mu.Lock()
		defer s.mu.Unlock()
		if next == s.next {
			s.waiting--
		}
	}
}

// leave says that a caller has its answer.
func (s *step) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left--
	s.proceed()
}

// proceed lets those who wait go on if nobody is missing.
func (s *step) proceed() {
	if s.waiting < s.left {
		return
	}
	close(s.next)
	s.waiting, s.next = 0, make(chan struct{})
}

// Answer is what an answer says.
type Answer struct {
	Status   int
	Location string // where a redirect leads
	Kind     string // Content-Type
	Body     string
}

// Ask is what a handler answers. Nothing lies between it and the caller, so that nothing but
// the handler puts two callers in an order.
func Ask(h http.Handler, r *http.Request) Answer {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return Answer{w.Code, w.Header().Get("Location"), w.Header().Get("Content-Type"), w.Body.String()}
}
