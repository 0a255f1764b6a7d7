package accounts_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/accounts"
	"typus/internal/clocktest"
	"typus/internal/instrument"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/webhook"
)

var ada = typus.Actor{Name: "ada@example.com", UserID: 7, IP: "192.0.2.7", RequestID: "r1"}

// world is an account with a clock that the test moves.
type world struct {
	*testing.T
	*clocktest.Clock
	ctx      context.Context
	store    *store.Store
	accounts *accounts.Steps
	account  int64
}

func run(t *testing.T, test func(w *world)) {
	storetest.Run(t, func(t *testing.T, s *store.Store) { test(newWorld(t, s)) })
}

func newWorld(t *testing.T, s *store.Store) *world {
	t.Helper()
	box, err := seal.New([]byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, ctx: t.Context(), store: s, Clock: clocktest.At(time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC))}
	w.accounts = accounts.New(accounts.Options{
		Store: s, Box: box, Instrument: instrument.Own(), Guard: webhook.NewGuard(webhook.Policy{}), BaseURL: "https://typus.example.com", Clock: w.Now,
	})
	opener := access.New(access.Options{Store: s, Box: box, Instrument: instrument.Own(), Clock: w.Now})
	if w.account, err = opener.CreateAccount(w.ctx, typus.Account{Name: "Muster GmbH"}, 10); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) wantKind(err error, kind typus.Kind) {
	w.Helper()
	if err == nil || typus.KindOf(err) != kind {
		w.Errorf("error is %v, want kind %v", err, kind)
	}
}
