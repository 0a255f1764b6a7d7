// Package sandbox plays an account's test world (its sandbox): its people who act by
// themselves, its clock, its letters.
package sandbox

import (
	"crypto/rand"
	"log/slog"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/clerk"
	"typus/internal/mail"
	"typus/internal/seal"
	"typus/internal/store"
)

// Options are what Steps needs. All but Clock and Log are required.
type Options struct {
	Store  *store.Store
	Assess *assess.Steps
	Box    *seal.Box
	Clock  typus.Clock  // nil: the machine's
	Log    *slog.Logger // nil: slog.Default
}

// Steps are what becomes of a test world.
type Steps struct {
	store  *store.Store
	assess *assess.Steps
	box    *seal.Box
	clerk  *clerk.Clerk
	heads  *mail.Letterheads
	clock  typus.Clock
	log    *slog.Logger
	bell   chan struct{} // a move has begun
	moving chan struct{} // a place for each move that this instance goes on with
	owner  string        // names this instance in leases
	pace   pace
}

// New makes the steps.
func New(o Options) *Steps {
	s := &Steps{
		store: o.Store, assess: o.Assess, box: o.Box, clerk: clerk.New(o.Store, o.Clock), clock: o.Clock, log: o.Log,
		bell: make(chan struct{}, 1), moving: make(chan struct{}, mostMoves), owner: rand.Text(),
		pace: usualPace(), heads: mail.NewLetterheads(o.Store, o.Log),
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	return s
}

func (s *Steps) now() time.Time { return s.clock.Now() }
