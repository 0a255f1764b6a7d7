package store_test

import (
	"sync/atomic"
	"testing"
	"time"

	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func claimChore(t testing.TB, s *store.Store, owner string, every, lease time.Duration) (bool, time.Duration) {
	t.Helper()
	mine, wait, err := s.ClaimChore(t.Context(), "tidy", owner, every, lease)
	if err != nil {
		t.Fatal(err)
	}
	return mine, wait
}

func TestOfManyInstancesOneTakesTheTurnOfAChore(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		var taken atomic.Int64
		dbtest.AtOnce(20, func(i int) {
			mine, wait, err := s.ClaimChore(t.Context(), "tidy", unique("instance "), time.Hour, time.Minute)
			if err != nil || mine == (wait > 0) {
				t.Errorf("claimed %t, wait %s, %v", mine, wait, err)
			}
			if mine {
				taken.Add(1)
			}
		})
		if taken.Load() != 1 {
			t.Errorf("%d instances took the turn, want 1", taken.Load())
		}
	})
}

func TestAChoreIsDueAgainOnlyAfterItsTime(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		if mine, _ := claimChore(t, s, "me", time.Hour, time.Minute); !mine {
			t.Fatal("a chore that never ran is not due")
		}
		if mine := must[bool](t)(s.FinishChore(t.Context(), "tidy", "you", 0, true)); mine {
			t.Error("another instance ended the turn")
		}
		if mine := must[bool](t)(s.FinishChore(t.Context(), "tidy", "me", time.Hour, true)); !mine {
			t.Error("the turn could not be ended")
		}
		mine, wait := claimChore(t, s, "you", time.Hour, time.Minute)
		if mine || wait < 59*time.Minute || wait > time.Hour {
			t.Errorf("claimed %t, wait %s; want an hour", mine, wait)
		}
	})
}

func TestADeadInstanceHoldsUpAChoreForOneLease(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		claimChore(t, s, "dead", time.Hour, time.Millisecond)
		for mine := false; !mine; {
			var wait time.Duration
			if mine, wait = claimChore(t, s, "living", time.Hour, time.Minute); !mine && wait > time.Millisecond {
				t.Fatalf("the wait is %s, longer than the lease", wait)
			}
		}
		if must[bool](t)(s.KeepChore(t.Context(), "tidy", "dead", time.Minute)) || must[bool](t)(s.FinishChore(t.Context(), "tidy", "dead", 0, true)) {
			t.Error("the dead one still has a say")
		}
		if !must[bool](t)(s.KeepChore(t.Context(), "tidy", "living", time.Minute)) {
			t.Error("the living one could not renew its lease")
		}
	})
}

// A clock that was ten days fast for a moment must not stop a chore for ten days.
func TestAChoreThatWasPutOffByAWrongClockIsDue(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		claimChore(t, s, "me", time.Hour, time.Minute)
		must[bool](t)(s.FinishChore(t.Context(), "tidy", "me", 240*time.Hour, true))
		if mine, wait := claimChore(t, s, "me", time.Hour, time.Minute); !mine {
			t.Errorf("not due for %s", wait)
		}
		claimChore(t, s, "me", time.Hour, time.Minute)
		must[bool](t)(s.KeepChore(t.Context(), "tidy", "me", 240*time.Hour))
		if mine, wait := claimChore(t, s, "you", time.Hour, time.Minute); !mine {
			t.Errorf("leased for %s", wait)
		}
	})
}
