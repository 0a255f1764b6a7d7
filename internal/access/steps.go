// Package access lets people and programs in: accounts, log-ins (authentication),
// passwords, second factors, teams and API keys.
package access

import (
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/instrument"
	"typus/internal/seal"
	"typus/internal/store"
)

// Options are what Steps needs. All but Clock are required.
type Options struct {
	Store      *store.Store
	Box        *seal.Box
	Instrument *instrument.Instrument // whose languages and role profiles a new account may have
	BaseURL    string                 // origin of every link, without a slash at the end
	Clock      typus.Clock            // nil: the machine's
}

// Steps are the ways in, and what keeps others out.
type Steps struct {
	store      *store.Store
	box        *seal.Box
	instrument *instrument.Instrument
	clerk      *clerk.Clerk
	links      typus.Links
	clock      typus.Clock
}

// New makes the steps.
func New(o Options) *Steps {
	return &Steps{
		store: o.Store, box: o.Box, instrument: o.Instrument, clerk: clerk.New(o.Store, o.Clock),
		links: typus.Links{BaseURL: o.BaseURL}, clock: o.Clock,
	}
}

func (s *Steps) now() time.Time { return s.clock.Now() }
