package access_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/auth"
	"typus/internal/clocktest"
	"typus/internal/instrument"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func init() { auth.Weaken() }

// world is a database with a clock that the test moves.
type world struct {
	*testing.T
	*clocktest.Clock
	ctx     context.Context
	store   *store.Store
	access  *access.Steps
	account int64
}

// run gives a test a world with one account.
func run(t *testing.T, test func(w *world)) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := emptyWorld(t, s)
		var err error
		if w.account, err = w.access.CreateAccount(w.ctx, typus.Account{Name: "Muster GmbH"}, 10); err != nil {
			t.Fatal(err)
		}
		test(w)
	})
}

// emptyWorld is a world before there is an account.
func emptyWorld(t *testing.T, s *store.Store) *world {
	t.Helper()
	box, err := seal.New([]byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, ctx: t.Context(), store: s, Clock: clocktest.At(time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC))}
	w.access = access.New(access.Options{Store: s, Box: box, Instrument: instrument.Own(), BaseURL: "https://typus.example.com", Clock: w.Now})
	return w
}

func (w *world) wantKind(err error, kind typus.Kind) {
	w.Helper()
	if err == nil || typus.KindOf(err) != kind {
		w.Errorf("error is %v, want kind %v", err, kind)
	}
}
