package store_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// BenchmarkAHundredThousandSentAgain is the time from the confirmation to the first that are
// due: they are counted, the run begins and makes its first page.
func BenchmarkAHundredThousandSentAgain(b *testing.B) {
	for name, open := range map[string]func(b *testing.B) *store.Store{
		"sqlite":   func(b *testing.B) *store.Store { return storetest.OpenSQLite(b) },
		"postgres": func(b *testing.B) *store.Store { return storetest.Open(b, storetest.Postgres(b)) },
	} {
		b.Run(name, func(b *testing.B) {
			s := open(b)
			account := newAccount(b, s)
			id := newEndpoint(b, s, account)
			quick(b, s, id)
			endedLongAgo(b, s, account, id, 100_000)
			f := store.DeliveryFilter{EndpointID: id, State: typus.DeliveryExhausted}
			for b.Loop() {
				if got := must[int](b)(s.CountReplayable(b.Context(), account, f, store.ReplayCounted)); got <= store.ReplayCounted {
					b.Fatalf("%d are counted", got)
				}
				run := newRun(b, s, account, f)
				if made, _ := replayMore(b, s, account, run); made != 2*typus.DefaultPerSecond {
					b.Fatalf("%d are due", made)
				}
				b.StopTimer()
				write(b, s, func(tx *store.Tx) error {
					r, err := tx.LockReplayRun(b.Context(), account, run)
					if err != nil {
						return err
					}
					return tx.EndReplayRun(b.Context(), r, typus.ReplayDone, noon)
				})
				b.StartTimer()
			}
		})
	}
}

// endedLongAgo stores n deliveries of an endpoint that were given up.
func endedLongAgo(b *testing.B, s *store.Store, account, endpoint int64, n int) {
	b.Helper()
	numbers := fmt.Sprintf(`with recursive n (i) as (select 1 union all select i + 1 from n where i < %d) `, n)
	write(b, s, func(tx *store.Tx) error {
		if err := tx.Exec(b.Context(), fmt.Sprintf(`insert into webhook_events (id, account_id, type, candidate_id, occurred_at, payload, payload_sha256) `+numbers+`
			select 'evt_' || (1000000 + i), %d, 'candidate.completed', -i, i, cast('{}' as `+byteType(s)+`), '' from n`, account)); err != nil {
			return err
		}
		return tx.Exec(b.Context(), fmt.Sprintf(`insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, outcome, next_attempt_at, finished_at) `+numbers+`
			select 'dlv_' || (1000000 + i), %d, 'evt_' || (1000000 + i), %d, 'auto', 'exhausted', 'timeout', 1, 1 from n`, account, endpoint))
	})
}

// BenchmarkInvitationsBesideAReplay is how long one of 2,000 invitations takes in the middle,
// one after another, while 100,000 deliveries are sent again at the rate of their endpoint,
// each answered at once, and while they are not: the median of five alternations each.
func BenchmarkInvitationsBesideAReplay(b *testing.B) {
	for _, rate := range []int{typus.DefaultPerSecond, 100, 1000} {
		b.Run(fmt.Sprint(rate), func(b *testing.B) {
			onBoth(b, func(b *testing.B, s *store.Store) { invitationsBeside(b, s, rate) })
		})
	}
}

func invitationsBeside(b *testing.B, s *store.Store, rate int) {
	b.Helper()
	account := newAccount(b, s)
	id := newEndpoint(b, s, account)
	quick(b, s, id)
	run(b, s, `update webhook_endpoints set rate_per_s = %d where id = %d`, rate, id)
	endedLongAgo(b, s, account, id, 100_000)
	replay := newRun(b, s, account, store.DeliveryFilter{EndpointID: id, State: typus.DeliveryExhausted})
	var alone, beside []time.Duration
	sent, took := 0, time.Duration(0)
	for b.Loop() {
		for range 5 {
			alone = append(alone, invitations(b, s, account))
			stop := resending(b, s, account, replay, &sent)
			began := time.Now()
			beside = append(beside, invitations(b, s, account))
			stop()
			took += time.Since(began)
		}
	}
	middle := func(list []time.Duration) float64 {
		slices.Sort(list)
		return float64(list[len(list)/2].Microseconds())
	}
	b.ReportMetric(middle(alone), "µs/alone")
	b.ReportMetric(middle(beside), "µs/beside")
	b.ReportMetric(100*(middle(beside)/middle(alone)-1), "%slower")
	b.ReportMetric(float64(sent)/took.Seconds(), "sent-again/s")
}

// invitations invites 2,000 one after another and says how long it takes in the middle.
func invitations(b *testing.B, s *store.Store, account int64) time.Duration {
	b.Helper()
	took := make([]time.Duration, 2000)
	for i := range took {
		began := time.Now()
		c := candidateOf(account)
		write(b, s, func(tx *store.Tx) error {
			id, _, err := tx.AddCandidate(b.Context(), c)
			if err != nil {
				return err
			}
			_, err = tx.AddLetter(b.Context(), invitation(account, id))
			return err
		})
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// resending does with a run what a courier does, until it is stopped: more of it becomes due,
// is claimed, and is answered at once.
func resending(b *testing.B, s *store.Store, account, replay int64, sent *int) (stop func()) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	var all sync.WaitGroup
	all.Go(func() {
		for more := time.Now(); ctx.Err() == nil; {
			if !time.Now().Before(more) {
				if _, left := replayMore(b, s, account, replay); !left {
					b.Error("the run ended")
					return
				}
				more = time.Now().Add(time.Second)
			}
			claimed := claimAs(b, s, "me", 64)
			for _, c := range claimed {
				if finishAttempt(b, s, "me", c, success(c.Delivery)) {
					*sent++
				}
			}
			if len(claimed) == 0 {
				time.Sleep(5 * time.Millisecond)
			}
		}
	})
	return func() { cancel(); all.Wait() }
}
