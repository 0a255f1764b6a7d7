// Package accounts changes what an account (a tenant) has: its settings, letter texts,
// webhooks and credits.
package accounts

import (
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/instrument"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/webhook"
)

// Options are what Steps needs. All but Clock are required.
type Options struct {
	Store      *store.Store
	Box        *seal.Box
	Instrument *instrument.Instrument
	Guard      *webhook.Guard // judges the address of a webhook
	BaseURL    string         // origin of every link, without a slash at the end
	// HeaderPrefix begins the names of the webhooks' headers; "" is X-Service.
	HeaderPrefix string
	Clock        typus.Clock // nil: the machine's
}

// Steps are the changes of an account.
type Steps struct {
	store      *store.Store
	box        *seal.Box
	instrument *instrument.Instrument
	guard      *webhook.Guard
	clerk      *clerk.Clerk
	links      typus.Links
	prefix     string
	clock      typus.Clock
}

// New makes the steps.
func New(o Options) *Steps {
	return &Steps{
		store: o.Store, box: o.Box, instrument: o.Instrument, guard: o.Guard, clerk: clerk.New(o.Store, o.Clock),
		links: typus.Links{BaseURL: o.BaseURL}, prefix: o.HeaderPrefix, clock: o.Clock,
	}
}

func (s *Steps) now() time.Time { return s.clock.Now() }
