package api

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// addAccounts adds accounts with the ids from 1 to last: only calls of accounts that are there
// are kept.
func addAccounts(t *testing.T, s *store.Store, last int64) {
	t.Helper()
	err := s.InTx(t.Context(), func(tx *store.Tx) error {
		for want := int64(1); want <= last; want++ {
			id, err := tx.AddAccount(t.Context(), typus.Account{Name: "Muster GmbH", Plan: typus.PlanStarter, Language: "de", InviteDays: 30, CreatedAt: time.Unix(0, 0)})
			if err != nil || id != want {
				return fmt.Errorf("account %d, want %d: %w", id, want, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var errMissing = typus.Errorf(typus.NotFound, "there is none")

func TestCallsThatCannotBeWrittenWaitForTheDatabase(t *testing.T) {
	away, err := store.Open(t.Context(), storetest.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := away.Close(); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	l := NewCallLog(away, slog.New(slog.NewTextHandler(&said, nil)))
	key, at := typus.APIKey{ID: 1, AccountID: 7}, time.Date(2026, 11, 27, 10, 20, 30, 0, time.UTC)
	r := httptest.NewRequest("GET", "/api/v1/candidates", nil)
	l.flush(t.Context())
	if said.Len() > 0 {
		t.Errorf("an empty log says %s", said.String())
	}
	l.answered(key, at)
	l.refuse(key, at, r, "", errMissing)
	l.flush(t.Context())
	if !strings.Contains(said.String(), "waits for the database") {
		t.Error("nobody is told")
	}
	l.answered(key, at)
	l.refuse(key, at.Add(time.Second), r, "", errPanic)

	l.store = storetest.OpenSQLite(t)
	addAccounts(t, l.store, 7)
	l.flush(t.Context())
	calls, err := l.store.CallsByKey(t.Context(), 7, at)
	if err != nil || len(calls) != 1 || calls[0].Answered != 2 || calls[0].Refused != 2 {
		t.Errorf("counted %+v, %v", calls, err)
	}
	list, _, err := l.store.RefusedCalls(t.Context(), 7, store.RefusedCallFilter{Limit: 10})
	if err != nil || len(list) != 2 || list[0].Status != 500 || list[1].Status != 404 {
		t.Errorf("remembered %+v, %v", list, err)
	}
}

func TestTheMemoryOfTheLogIsBounded(t *testing.T) {
	l := NewCallLog(nil, nil)
	r := httptest.NewRequest("GET", "/api/v1/candidates", nil)
	for account := range int64(50) {
		for range pendingOfAccount + 10 {
			l.refuse(typus.APIKey{ID: account, AccountID: account}, time.Unix(0, 0), r, "", errMissing)
		}
	}
	counts, refused := l.take()
	if len(counts) != 50 || len(refused) != pendingRefusedCalls {
		t.Errorf("%d counts and %d refused calls are held", len(counts), len(refused))
	}
	l.giveBack(counts, append(refused, refused...))
	if _, refused := l.take(); len(refused) != pendingRefusedCalls {
		t.Errorf("%d refused calls are held after they were given back", len(refused))
	}
}

// What the log holds at most must reach a database that is some milliseconds away
// within one flush: else it is given back for ever.
func TestAFullLogIsWrittenWithFewStatements(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		addAccounts(t, s, 100)
		s, ran := storetest.Counted(s)
		l := NewCallLog(s, nil)
		r := httptest.NewRequest("GET", "/api/v1/candidates", nil)
		at := time.Unix(1_772_625_600, 0)
		for account := int64(1); account <= 100; account++ {
			for range pendingRefusedCalls / 100 {
				l.refuse(typus.APIKey{ID: account, AccountID: account}, at, r, "/api/v1/candidates", errMissing)
			}
		}
		for range 2 { // the second time the counts are there
			before := ran.Load()
			l.flush(t.Context())
			if n := ran.Load() - before; n > 80 {
				t.Errorf("%d statements", n)
			}
			l.refuse(typus.APIKey{ID: 7, AccountID: 7}, at, r, "/api/v1/candidates", errMissing)
			l.answered(typus.APIKey{ID: 8, AccountID: 8}, at)
		}
		for account, want := range map[int64]typus.Calls{7: {AccountID: 7, KeyID: 7, Refused: 21}, 8: {AccountID: 8, KeyID: 8, Refused: 20, Answered: 1}} {
			calls, err := s.CallsByKey(t.Context(), account, at)
			if err != nil || len(calls) != 1 || calls[0] != want {
				t.Errorf("counted %+v, %v, want %+v", calls, err, want)
			}
			list, _, err := s.RefusedCalls(t.Context(), account, store.RefusedCallFilter{Limit: 100})
			if err != nil || len(list) != want.Refused || list[0].Method != "GET" || list[0].Status != 404 || !list[0].At.Equal(at) {
				t.Errorf("%d refused calls of account %d, %v", len(list), account, err)
			}
		}
	})
}

func TestCountsAreKeptForThirteenMonths(t *testing.T) {
	s := storetest.OpenSQLite(t)
	addAccounts(t, s, 7)
	l, now := NewCallLog(s, nil), time.Now()
	err := s.InTx(t.Context(), func(tx *store.Tx) error {
		for _, at := range []time.Time{now, now.AddDate(0, -13, 2), now.AddDate(0, -13, -2)} {
			if err := tx.AddCalls(t.Context(), []typus.Calls{{AccountID: 7, KeyID: 1, Day: store.Day(at), Answered: 1}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = l.Forget(t.Context(), now)
	}
	if err != nil {
		t.Fatal(err)
	}
	if left, err := s.CallsByKey(t.Context(), 7, now.AddDate(-3, 0, 0)); err != nil || len(left) != 1 || left[0].Answered != 2 {
		t.Errorf("left %+v, %v", left, err)
	}
}

// A batch whose commit nobody answered is written again, and counted once.
func TestCallsAreCountedOnceWhateverBecameOfTheCommit(t *testing.T) {
	for _, stored := range []bool{false, true} {
		dsn := storetest.Postgres(t)
		cut := dbtest.CutAtCommit(t, dsn, stored)
		s := storetest.Open(t, cut.DSN)
		addAccounts(t, s, 7)
		l := NewCallLog(s, slog.New(slog.DiscardHandler))
		key, at := typus.APIKey{ID: 1, AccountID: 7}, time.Date(2026, 11, 27, 10, 20, 30, 0, time.UTC)
		r := httptest.NewRequest("GET", "/api/v1/candidates", nil)
		l.answered(key, at)
		l.refuse(key, at, r, "", errMissing)
		cut.Arm(true)
		l.flush(t.Context())
		l.answered(key, at)
		l.flush(t.Context())
		cut.Arm(false)
		l.answered(key, at)
		for range 2 {
			l.flush(t.Context())
		}
		calls, err := s.CallsByKey(t.Context(), 7, at)
		if err != nil || len(calls) != 1 || calls[0].Answered != 3 || calls[0].Refused != 1 {
			t.Errorf("stored at first: %t; counted %+v, %v", stored, calls, err)
		}
		list, _, err := s.RefusedCalls(t.Context(), 7, store.RefusedCallFilter{Limit: 10})
		if err != nil || len(list) != 1 {
			t.Errorf("stored at first: %t; remembered %+v, %v", stored, list, err)
		}
	}
}

func TestMarksOfServersThatHaveEndedAreForgotten(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		now := time.Date(2026, 11, 27, 10, 20, 30, 0, time.UTC)
		for range 2 {
			l := NewCallLog(s, nil)
			l.answered(typus.APIKey{ID: 1, AccountID: 7}, now)
			l.flush(t.Context())
			if err := l.Forget(t.Context(), now); err != nil {
				t.Fatal(err)
			}
			if left, err := s.Marks(t.Context(), marked); err != nil || len(left) != 1 || left[l.name] == nil {
				t.Errorf("left %v, %v", left, err)
			}
			now = now.AddDate(0, 0, 2)
		}
	})
}
