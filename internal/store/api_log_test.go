package store_test

import (
	"reflect"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestCallsAddUpByKeyAndDay(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		mine, theirs := newAccount(t, s), newAccount(t, s)
		add := func(account, key int64, at time.Time, answered, refused int) {
			write(t, s, func(tx *store.Tx) error {
				return tx.AddCalls(t.Context(), []typus.Calls{{AccountID: account, KeyID: key, Day: store.Day(at), Answered: answered, Refused: refused}})
			})
		}
		var one, two, idle, other int64
		write(t, s, func(tx *store.Tx) error {
			for id, account := range map[*int64]int64{&one: mine, &two: mine, &idle: mine, &other: theirs} {
				var err error
				if *id, err = tx.AddAPIKey(t.Context(), typus.APIKey{AccountID: account, Hash: unique("hash"), CreatedAt: noon}); err != nil {
					return err
				}
			}
			return nil
		})
		one, two = min(one, two), max(one, two)
		add(mine, one, noon, 5, 1)
		add(mine, one, noon, 2, 0) // another server, or later
		add(mine, two, noon, 1, 0)
		add(mine, one, noon.AddDate(0, 0, -1), 10, 0)
		add(mine, one, noon.AddDate(0, 0, -2), 100, 0)
		add(theirs, other, noon, 1000, 0)

		yesterday := noon.AddDate(0, 0, -1)
		keys, days, err := s.KeysAndCalls(t.Context(), mine, yesterday)
		if listed := must[[]typus.APIKey](t)(s.APIKeys(t.Context(), mine)); err != nil || len(keys) != 3 || !reflect.DeepEqual(keys, listed) {
			t.Errorf("keys %+v, %v, want %+v", keys, err, listed)
		}
		for what, c := range map[string]struct {
			got  []typus.Calls
			want []typus.Calls
		}{
			"by key": {must[[]typus.Calls](t)(s.CallsByKey(t.Context(), mine, yesterday)), []typus.Calls{
				{AccountID: mine, KeyID: one, Answered: 17, Refused: 1}, {AccountID: mine, KeyID: two, Answered: 1}}},
			"by key and day": {days, []typus.Calls{
				{AccountID: mine, KeyID: one, Day: "2026-03-04", Answered: 7, Refused: 1}, {AccountID: mine, KeyID: one, Day: "2026-03-03", Answered: 10},
				{AccountID: mine, KeyID: two, Day: "2026-03-04", Answered: 1}}},
		} {
			if !reflect.DeepEqual(c.got, c.want) {
				t.Errorf("%s: %+v, want %+v", what, c.got, c.want)
			}
		}
	})
}

func TestCountsOfCallsAreForgottenByTheirDay(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		write(t, s, func(tx *store.Tx) error {
			var days []typus.Calls
			for day := range 700 {
				days = append(days, typus.Calls{AccountID: account, KeyID: 1, Day: store.Day(noon.AddDate(0, 0, -day)), Answered: 1})
			}
			return tx.AddCalls(t.Context(), days)
		})
		n, err := s.InBatches(t.Context(), func(tx *store.Tx) (int, error) { return tx.DropCalls(t.Context(), noon.AddDate(0, 0, -99)) })
		left := must[[]typus.Calls](t)(s.CallsByKey(t.Context(), account, noon.AddDate(-3, 0, 0)))
		if err != nil || n != 600 || len(left) != 1 || left[0].Answered != 100 {
			t.Errorf("%d days forgotten, %+v left, %v", n, left, err)
		}
	})
}

func addRefusals(t testing.TB, s *store.Store, account, key int64, code string, n int) {
	t.Helper()
	write(t, s, func(tx *store.Tx) error {
		var list []typus.RefusedCall
		for range n {
			list = append(list, typus.RefusedCall{AccountID: account, KeyID: key, Method: "GET", Route: "/api/v1/candidates/{id}",
				Status: 404, Code: code, RequestID: unique("r"), At: noon})
		}
		return tx.AddRefusedCalls(t.Context(), list)
	})
}

func TestRefusedCallsAreListedByKeyAndCodeInPages(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		mine, theirs := newAccount(t, s), newAccount(t, s)
		addRefusals(t, s, mine, 1, "not_found", 5)
		addRefusals(t, s, mine, 2, "not_found", 3)
		addRefusals(t, s, mine, 1, "rate_limited", 2)
		addRefusals(t, s, theirs, 1, "not_found", 7)
		for f, want := range map[store.RefusedCallFilter]int{
			{}:                               10,
			{KeyID: 1}:                       7,
			{Code: "not_found"}:              8,
			{KeyID: 1, Code: "not_found"}:    5,
			{KeyID: 2, Code: "rate_limited"}: 0,
			{Code: "not_found\x00"}:          0,
			{KeyID: 9}:                       0,
		} {
			seen := map[string]bool{}
			f.Limit = 3
			for more, pages := true, 0; more && pages < 10; pages++ {
				var list []typus.RefusedCall
				var err error
				list, more, err = s.RefusedCalls(t.Context(), mine, f)
				if err != nil || more && len(list) != 3 {
					t.Fatalf("%+v: %d calls, %v", f, len(list), err)
				}
				for _, r := range list {
					if f.Before != 0 && r.ID >= f.Before || seen[r.RequestID] || r.AccountID != mine || r.Route != "/api/v1/candidates/{id}" || !r.At.Equal(noon) {
						t.Errorf("%+v: %+v", f, r)
					}
					seen[r.RequestID], f.Before = true, r.ID
				}
			}
			if len(seen) != want {
				t.Errorf("%+v: %d calls, want %d", f, len(seen), want)
			}
		}
	})
}

func TestTheLogOfRefusedCallsIsTrimmedByAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		full, small := newAccount(t, s), newAccount(t, s)
		addRefusals(t, s, full, 1, "old", 1200)
		addRefusals(t, s, small, 1, "old", 10)
		addRefusals(t, s, full, 1, "new", 100)
		if n := must[int](t)(s.TrimRefusedCalls(t.Context(), 100)); n != 1200 {
			t.Errorf("%d calls dropped, want 1200", n)
		}
		for account, want := range map[int64]int{full: 100, small: 10} {
			list, more, err := s.RefusedCalls(t.Context(), account, store.RefusedCallFilter{Limit: 5000})
			if err != nil || more || len(list) != want || account == full && list[want-1].Code != "new" {
				t.Errorf("%d calls left (%v), want the newest %d", len(list), err, want)
			}
		}
		if n := must[int](t)(s.TrimRefusedCalls(t.Context(), 100)); n != 0 {
			t.Errorf("%d calls dropped the second time", n)
		}
	})
}
