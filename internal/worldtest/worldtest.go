// Package worldtest gives a test an account on a database, all steps that change it, and
// a clock that the test moves.
package worldtest

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/clerk"
	"typus/internal/clocktest"
	"typus/internal/instrument"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/webhook"
)

// BaseURL is where the server of a world is reached unless its options say otherwise.
const BaseURL = "https://typus.example.com"

// Options are what differs between worlds. The zero value is a world that nobody reaches
// and that logs nothing.
type Options struct {
	BaseURL string
	Guard   *webhook.Guard // lets nothing but HTTPS to public addresses through if it is nil
	Log     *slog.Logger
	Start   time.Time // what the clock shows first; 27 November 2026, ten o'clock UTC, if it is zero
}

// World is a database that is used as a server uses it. It fails its test by itself.
type World struct {
	*testing.T
	*clocktest.Clock
	Ctx        context.Context
	Box        *seal.Box
	Instrument *instrument.Instrument
	Account    int64 // 0 in an empty world

	Store    *store.Store
	Access   *access.Steps
	Accounts *accounts.Steps
	Assess   *assess.Steps
	Clerk    *clerk.Clerk

	options Options
}

// New is a world with one account of ten credits.
func New(t *testing.T, s *store.Store, o Options) *World {
	t.Helper()
	w := Empty(t, s, o)
	w.Account = w.NewAccount(typus.Account{Name: "Muster Software GmbH", ContactEmail: "owner@example.com"}, 10)
	return w
}

// Empty is a world before its first account.
func Empty(t *testing.T, s *store.Store, o Options) *World {
	t.Helper()
	if o.BaseURL == "" {
		o.BaseURL = BaseURL
	}
	if o.Guard == nil {
		o.Guard = webhook.NewGuard(webhook.Policy{})
	}
	if o.Start.IsZero() {
		o.Start = time.Date(2026, time.November, 27, 10, 0, 0, 0, time.UTC)
	}
	w := &World{T: t, Clock: clocktest.At(o.Start), Ctx: t.Context(), Instrument: instrument.Own(), options: o}
	var err error
	w.Box, err = seal.New([]byte(strings.Repeat("k", 32)))
	w.Must(err)
	w.On(s)
	return w
}

// On puts the world on a store, with steps that work on it.
func (w *World) On(s *store.Store) {
	o := w.options
	w.Store, w.Clerk = s, clerk.New(s, w.Now)
	w.Assess = w.AssessWith(nil)
	w.Accounts = accounts.New(accounts.Options{Store: s, Box: w.Box, Instrument: w.Instrument, Guard: o.Guard, BaseURL: o.BaseURL, Clock: w.Now})
	w.Access = access.New(access.Options{Store: s, Box: w.Box, Instrument: w.Instrument, BaseURL: o.BaseURL, Clock: w.Now})
}

// AssessWith are steps of candidates in the same world with something changed; nil
// changes nothing.
func (w *World) AssessWith(change func(o *assess.Options)) *assess.Steps {
	o := assess.Options{Store: w.Store, Box: w.Box, Instrument: w.Instrument, BaseURL: w.options.BaseURL, Clock: w.Now, Log: w.options.Log}
	if change != nil {
		change(&o)
	}
	return assess.New(o)
}

// NewAccount makes an account with credits.
func (w *World) NewAccount(a typus.Account, credits int64) int64 {
	w.Helper()
	id, err := w.Access.CreateAccount(w.Ctx, a, credits)
	w.Must(err)
	return id
}

// Must ends the test if there is an error.
func (w *World) Must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// WantKind finds fault with an error that is not of a kind.
func (w *World) WantKind(err error, kind typus.Kind) {
	w.Helper()
	if err == nil || typus.KindOf(err) != kind {
		w.Errorf("error is %v, want kind %v", err, kind)
	}
}
