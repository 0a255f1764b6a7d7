package store_test

import (
	"fmt"
	"testing"

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
			const n = 100_000
			numbers := fmt.Sprintf(`with recursive n (i) as (select 1 union all select i + 1 from n where i < %d) `, n)
			write(b, s, func(tx *store.Tx) error {
				if err := tx.Exec(b.Context(), fmt.Sprintf(`insert into webhook_events (id, account_id, type, candidate_id, occurred_at, payload, payload_sha256) `+numbers+`
					select 'evt_' || (1000000 + i), %d, 'candidate.completed', i, i, cast('{}' as `+byteType(s)+`), '' from n`, account)); err != nil {
					return err
				}
				return tx.Exec(b.Context(), fmt.Sprintf(`insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, outcome, next_attempt_at, finished_at) `+numbers+`
					select 'dlv_' || (1000000 + i), %d, 'evt_' || (1000000 + i), %d, 'auto', 'exhausted', 'timeout', 1, 1 from n`, account, id))
			})
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
