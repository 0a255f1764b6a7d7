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

// Every condition about where a test stands says the same as typus.Candidate.Stand, for
// every combination of what may be true of a candidate, and says it in both databases.
func TestADatabaseSaysOfEveryTestThatItStandsWhereTheProgramSays(t *testing.T) {
	const open, begun, declined = typus.StandOpen, typus.StandBegun, typus.StandDeclined
	const expired, withdrawn = typus.StandExpired, typus.StandWithdrawn
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		everyStand(t, s, account)
		for name, want := range map[string][]typus.Stand{
			store.Unfinished:       {open, begun, declined, expired, withdrawn},
			store.Invited:          {open, begun, declined, expired},
			store.GoesOn + "$2":    {open, begun},
			store.LinkWorks + "$2": {open, begun, declined},
			store.RanOut + "$2":    {expired},
			`completed_at is not null and erased_at is null`: {typus.StandFinished},
		} {
			found := must[[]typus.Candidate](t)(s.CandidatesWhere(t.Context(), account, name, noon))
			all := must[[]typus.Candidate](t)(s.CandidatesWhere(t.Context(), account, `1 = 1`, noon))
			if len(all) != 20 {
				t.Fatalf("%d candidates, want 20", len(all))
			}
			for _, c := range all {
				in := slices.ContainsFunc(found, func(f typus.Candidate) bool { return f.ID == c.ID })
				if stand := c.Stand(noon); in != slices.Contains(want, stand) {
					t.Errorf("%s: a test that stands %q (%s) is found: %t", name, stand, c.Name, in)
				}
			}
		}
	})
}

// everyStand adds a candidate for each combination: open, begun or finished; withdrawn;
// declined; expired, which comes last at its very end. Finishing keeps what was before.
func everyStand(t *testing.T, s *store.Store, account int64) {
	t.Helper()
	for _, status := range []typus.Status{typus.StatusOpen, typus.StatusStarted, typus.StatusFinished} {
		for bits := range 8 {
			withdrawn, declined, expired := bits&1 > 0, bits&2 > 0, bits&4 > 0
			if status == typus.StatusFinished && withdrawn {
				continue // who is withdrawn cannot finish
			}
			id := newCandidate(t, s, account, func(c *store.NewCandidate) {
				c.Name = fmt.Sprintf("%s, withdrawn %t, declined %t, expired %t", status, withdrawn, declined, expired)
				c.ExpiresAt = noon.Add(time.Millisecond)
				if expired {
					c.ExpiresAt = noon
				}
			})
			if status != typus.StatusOpen {
				begin(t, s, account, id)
			}
			write(t, s, func(tx *store.Tx) error {
				if withdrawn {
					if _, err := tx.CancelCandidate(t.Context(), account, id, noon); err != nil {
						return err
					}
				}
				if !declined {
					return nil
				}
				_, err := tx.DeclineCandidate(t.Context(), account, id, noon)
				return err
			})
			if status == typus.StatusFinished {
				finish(t, s, account, id, noon)
			}
		}
	}
}
