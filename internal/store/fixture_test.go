package store_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
)

// noon is when everything in these tests is created.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 678_000_000, time.UTC)

var counter atomic.Int64

// unique makes a string that no other call makes.
func unique(prefix string) string { return fmt.Sprintf("%s%d", prefix, counter.Add(1)) }

// write runs fn in a transaction that must succeed.
func write(t testing.TB, s *store.Store, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := s.InTx(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// must returns v of a call that may not fail.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// hasKind checks the kind of an error.
func hasKind(t testing.TB, what string, err error, want typus.Kind) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want %s", what, want)
	} else if got := typus.KindOf(err); got != want {
		t.Errorf("%s: %s, want kind %s", what, err, want)
	}
}

func newAccount(t testing.TB, s *store.Store) int64 {
	t.Helper()
	var id int64
	write(t, s, func(tx *store.Tx) error {
		var err error
		id, err = tx.AddAccount(t.Context(), typus.Account{Name: "Muster GmbH", Plan: typus.PlanStarter, Language: "de",
			RoleProfile: "general_sales", InviteDays: 30, ContactEmail: "kontakt@example.com", CreatedAt: noon})
		return err
	})
	return id
}

func candidateOf(accountID int64) store.NewCandidate {
	return store.NewCandidate{Candidate: typus.Candidate{
		AccountID: accountID, Name: "Jürgen Müller", Email: "j.mueller@example.com", Language: "de", RoleProfile: "general_sales",
		CreatedAt: noon, ExpiresAt: noon.AddDate(0, 0, 30), TokenHash: unique("hash"), SealedToken: []byte{1, 0, 2},
	}}
}

// newCandidate adds an open candidate, changed by change if that is not nil.
func newCandidate(t testing.TB, s *store.Store, accountID int64, change func(c *store.NewCandidate)) int64 {
	t.Helper()
	c := candidateOf(accountID)
	if change != nil {
		change(&c)
	}
	var id int64
	write(t, s, func(tx *store.Tx) error {
		added, ok, err := tx.AddCandidate(t.Context(), c)
		if err == nil && !ok {
			err = fmt.Errorf("the open reference %q is taken", c.OpenRef)
		}
		id = added
		return err
	})
	return id
}

func begin(t testing.TB, s *store.Store, accountID, id int64) {
	t.Helper()
	write(t, s, func(tx *store.Tx) error {
		ok, err := tx.BeginCandidate(t.Context(), accountID, id, typus.Notice{Version: "2026-01", Language: "de", At: noon}, "salespersona@1", noon)
		if err == nil && !ok {
			err = fmt.Errorf("candidate %d is not open", id)
		}
		return err
	})
}

func finish(t testing.TB, s *store.Store, accountID, id int64, at time.Time) {
	t.Helper()
	write(t, s, func(tx *store.Tx) error {
		ok, err := tx.FinishCandidate(t.Context(), accountID, id, scores(), at)
		if err == nil && !ok {
			err = fmt.Errorf("candidate %d is not begun", id)
		}
		return err
	})
}

func scores() typus.Scores {
	s := typus.Scores{Overall: 81, Fit: typus.Fit{Key: "A", Label: "Sehr gute Passung"},
		Persona: typus.Persona{Key: "hunter", Name: "Der Jäger", Subtitle: "😀 <b>"}, Warnings: []typus.Warning{}}
	for _, key := range strings.Fields("drive order calm warmth curiosity resilience persuasion empathy focus") {
		s.Dimensions = append(s.Dimensions, typus.DimensionScore{Key: key, Name: "Antrieb", Score: len(key) * 10})
	}
	return s
}

func newKey(t testing.TB, s *store.Store, accountID int64) int64 {
	t.Helper()
	var id int64
	write(t, s, func(tx *store.Tx) error {
		var err error
		id, err = tx.AddAPIKey(t.Context(), typus.APIKey{AccountID: accountID, Name: "CRM", Hash: unique("0123456789abcdef"), CreatedBy: "operator", CreatedAt: noon})
		return err
	})
	return id
}
