package api

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

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
	l.refuse(key, at, r, "", 404)
	l.flush(t.Context())
	if !strings.Contains(said.String(), "waits for the database") {
		t.Error("nobody is told")
	}
	l.answered(key, at)
	l.refuse(key, at.Add(time.Second), r, "", 500)

	l.store = storetest.OpenSQLite(t)
	l.flush(t.Context())
	calls, err := l.store.CallsByKey(t.Context(), 7, at)
	if err != nil || len(calls) != 1 || calls[0].Answered != 2 || calls[0].Refused != 2 {
		t.Errorf("counted %+v, %v", calls, err)
	}
	list, _, err := l.store.Refusals(t.Context(), 7, store.RefusalFilter{Limit: 10})
	if err != nil || len(list) != 2 || list[0].Status != 500 || list[1].Status != 404 {
		t.Errorf("remembered %+v, %v", list, err)
	}
}

func TestTheMemoryOfTheLogIsBounded(t *testing.T) {
	l := NewCallLog(nil, nil)
	r := httptest.NewRequest("GET", "/api/v1/candidates", nil)
	for account := range int64(50) {
		for range pendingOfAccount + 10 {
			l.refuse(typus.APIKey{ID: account, AccountID: account}, time.Unix(0, 0), r, "", 404)
		}
	}
	counts, refused := l.take()
	if len(counts) != 50 || len(refused) != pendingRefusals {
		t.Errorf("%d counts and %d refused calls are held", len(counts), len(refused))
	}
	l.giveBack(counts, append(refused, refused...))
	if _, refused := l.take(); len(refused) != pendingRefusals {
		t.Errorf("%d refused calls are held after they were given back", len(refused))
	}
}

func TestCountsAreKeptForThirteenMonths(t *testing.T) {
	s := storetest.OpenSQLite(t)
	l, now := NewCallLog(s, nil), time.Now()
	err := s.InTx(t.Context(), func(tx *store.Tx) error {
		for _, at := range []time.Time{now, now.AddDate(0, -13, 2), now.AddDate(0, -13, -2)} {
			if err := tx.AddCalls(t.Context(), typus.Calls{AccountID: 7, KeyID: 1, Day: store.Day(at), Answered: 1}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = l.Forget(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if left, err := s.CallsByKey(t.Context(), 7, now.AddDate(-3, 0, 0)); err != nil || len(left) != 1 || left[0].Answered != 2 {
		t.Errorf("left %+v, %v", left, err)
	}
}
