package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// manyCandidates fills an account with candidates of all states, some sharing a
// millisecond, and returns them as stored.
func manyCandidates(t *testing.T, s *store.Store, account int64, n int) []typus.Candidate {
	t.Helper()
	var list []typus.Candidate
	var position int64
	write(t, s, func(tx *store.Tx) (err error) {
		position, err = tx.AddPosition(t.Context(), typus.Position{AccountID: account, Name: "Süd", State: typus.PositionOpen, CreatedAt: noon})
		return err
	})
	for i := range n {
		id := newCandidate(t, s, account, func(c *store.NewCandidate) {
			c.CreatedAt = noon.Add(time.Duration(i/3) * time.Millisecond)
			if i%4 > 0 {
				c.ExternalID = fmt.Sprintf("crm-%d", i%4)
			}
			if i%5 < 2 {
				c.PositionID = position
			}
		})
		if i%3 > 0 {
			begin(t, s, account, id)
		}
		if i%3 == 2 {
			finish(t, s, account, id, noon.Add(time.Duration(100-i/2)*time.Second))
		}
		list = append(list, must[typus.Candidate](t)(s.Candidate(t.Context(), account, id)))
	}
	return list
}

// expected is the list by the words of the filter, computed the slow way.
func expected(all []typus.Candidate, f store.CandidateFilter) []int64 {
	key := func(c typus.Candidate) time.Time {
		if f.CompletedSince.IsZero() {
			return c.CreatedAt
		}
		return c.CompletedAt
	}
	all = slices.DeleteFunc(slices.Clone(all), func(c typus.Candidate) bool {
		return f.Status != "" && c.Status != f.Status ||
			(f.HasExternalID || f.ExternalID != "") && (c.ExternalID != f.ExternalID || f.ExternalID == "") ||
			!f.CompletedSince.IsZero() && (c.CompletedAt.IsZero() || c.CompletedAt.Before(f.CompletedSince)) ||
			f.HasPosition && c.PositionID != f.PositionID
	})
	slices.SortFunc(all, func(a, b typus.Candidate) int {
		if d := key(b).Compare(key(a)); d != 0 {
			return d
		}
		return int(b.ID - a.ID)
	})
	var ids []int64
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return ids
}

func TestEveryCombinationOfFiltersListsWhatItSays(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		all := manyCandidates(t, s, account, 40)
		manyCandidates(t, s, other, 5)
		tried := 0
		for _, status := range []typus.Status{"", typus.StatusOpen, typus.StatusStarted, typus.StatusFinished} {
			for _, external := range []string{"", "crm-1", "crm-2", "CRM-1", "none", "a\x00", "\xff"} {
				for _, since := range []time.Time{{}, noon, noon.Add(95 * time.Second), noon.AddDate(1, 0, 0)} {
					for _, limit := range []int{1, 3, 100} {
						f := store.CandidateFilter{Status: status, ExternalID: external, CompletedSince: since, Limit: limit}
						checkPages(t, s, account, f, expected(all, f))
						if limit == 3 {
							for _, position := range []int64{0, all[0].PositionID, all[0].PositionID + 99} {
								f.HasPosition, f.PositionID = true, position
								checkPages(t, s, account, f, expected(all, f))
							}
						}
						tried++
					}
				}
			}
		}
		f := store.CandidateFilter{HasExternalID: true, Limit: 10}
		checkPages(t, s, account, f, nil)
		if tried != 4*7*4*3 {
			t.Errorf("%d combinations tried", tried)
		}
	})
}

// checkPages follows the cursors and compares all pages with want.
func checkPages(t *testing.T, s *store.Store, account int64, f store.CandidateFilter, want []int64) {
	t.Helper()
	var got []int64
	for page := 0; ; page++ {
		list, next, err := s.Candidates(t.Context(), account, f)
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		for _, c := range list {
			got = append(got, c.ID)
		}
		if next == (store.Cursor{}) {
			break
		}
		if len(list) != f.Limit || page > len(want) {
			t.Fatalf("%+v: a page of %d with a cursor", f, len(list))
		}
		f.After = next
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v: got %d, want %d", f, got, want)
	}
}

func TestPagesStayInPlaceWhileCandidatesArrive(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		f := store.CandidateFilter{Limit: 3}
		want := expected(manyCandidates(t, s, account, 20), f)
		var got []int64
		for {
			list, next, err := s.Candidates(t.Context(), account, f)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				got = append(got, c.ID)
			}
			if next == (store.Cursor{}) {
				break
			}
			f.After = next
			newCandidate(t, s, account, func(c *store.NewCandidate) { c.CreatedAt = noon.Add(time.Hour) })
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %d, want %d", got, want)
		}
	})
}

func TestALimitOutsideTheRangeCountsAsTheNearest(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		manyCandidates(t, s, account, 3)
		for limit, want := range map[int]int{-1: 1, 0: 1, 101: 3} {
			list, _, err := s.Candidates(t.Context(), account, store.CandidateFilter{Limit: limit})
			if err != nil || len(list) != want {
				t.Errorf("limit %d: %d candidates, %v; want %d", limit, len(list), err, want)
			}
		}
	})
}
