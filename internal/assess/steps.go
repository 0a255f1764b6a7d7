// Package assess moves a candidate one step (a use case), in one transaction, and reads what
// the test and its check need.
package assess

import (
	"log/slog"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/instrument"
	"typus/internal/seal"
	"typus/internal/store"
)

// Options are what Steps needs. All but Clock and Log are required.
type Options struct {
	Store      *store.Store
	Box        *seal.Box
	Instrument *instrument.Instrument // what new tests are taken with
	BaseURL    string                 // origin of every link, without a slash at the end
	Clock      typus.Clock            // nil: the machine's
	Log        *slog.Logger           // nil: slog.Default
}

// Steps move candidates on. What a method changes is one transaction, unless it says that
// there are several.
type Steps struct {
	store      *store.Store
	box        *seal.Box
	instrument *instrument.Instrument
	clerk      *clerk.Clerk
	links      typus.Links
	clock      typus.Clock
	log        *slog.Logger
}

// New makes the steps.
func New(o Options) *Steps {
	s := &Steps{
		store: o.Store, box: o.Box, instrument: o.Instrument, clerk: clerk.New(o.Store, o.Clock),
		links: typus.Links{BaseURL: o.BaseURL}, clock: o.Clock, log: o.Log,
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	return s
}

func (s *Steps) now() time.Time { return s.clock.Now() }
