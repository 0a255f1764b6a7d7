package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
)

// fillLog stores n deliveries of one account with an attempt each, a second apart: nearly all
// have arrived, a thousand were given up for one reason long ago, the rest waits.
func fillLog(b *testing.B, s *store.Store, n int) (account, endpoint int64) {
	b.Helper()
	account = newAccount(b, s)
	endpoints := []int64{newEndpoint(b, s, account), newEndpoint(b, s, account)}
	for from := 0; from < n; from += 10_000 {
		numbers := fmt.Sprintf(`with recursive n (i) as (select %d union all select i + 1 from n where i < %d) `, from, min(n, from+10_000)-1)
		// An id of a delivery begins with ten digits to the base of 32 for its time. Here they
		// are decimal, and sort alike.
		for _, q := range []string{
			`insert into webhook_events (id, account_id, type, candidate_id, occurred_at, payload, payload_sha256)
				select 'evt_' || i, {account}, 'candidate.completed', i, i, cast('{}' as ` + byteType(s) + `), '' from n`,
			`insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, outcome, attempt, next_attempt_at, finished_at)
				select 'dlv_' || (1000000000 + i) || '0000000000000000', {account}, 'evt_' || i, case i % 1000 when 0 then {rare} else {often} end, 'auto',
					case when i < 1000 then 'exhausted' when i % 997 = 0 then 'pending' else 'delivered' end,
					case when i < 1000 then 'tls' when i % 997 = 0 then 'busy' else 'arrived' end, 1, i, i from n`,
			`insert into webhook_attempts (account_id, delivery_id, n, started_at, url, http_status, response_head, response_body, outcome)
				select {account}, 'dlv_' || (1000000000 + i) || '0000000000000000', 1, i, 'https://hooks.example.com/', 200, 'HTTP/1.1 200 OK', cast('ok' as ` + byteType(s) + `), 'delivered' from n`,
		} {
			run(b, s, "%s", numbers+expanded(q, account, endpoints))
		}
	}
	write(b, s, func(tx *store.Tx) error {
		return tx.Exec(b.Context(), "analyze") //nolint:misspell // the word is PostgreSQL's
	})
	return account, endpoints[1]
}

func expanded(q string, account int64, endpoints []int64) string {
	return strings.NewReplacer("{account}", fmt.Sprint(account), "{often}", fmt.Sprint(endpoints[0]), "{rare}", fmt.Sprint(endpoints[1])).Replace(q)
}

// A page of the log with a million attempts stored: its slowest, and what it takes in the
// middle.
func BenchmarkDeliveryLogOfAMillion(b *testing.B) {
	onBoth(b, func(b *testing.B, s *store.Store) {
		account, rare := fillLog(b, s, 1_000_000)
		all := store.WholeAccount(account)
		some := store.Reader{AccountID: account, UserID: 1, Role: typus.RoleAdmin, Positions: store.Positions{Open: true, Standard: true}}
		for name, c := range map[string]struct {
			reader store.Reader
			filter store.DeliveryFilter
			before string
		}{
			"all":              {all, store.DeliveryFilter{}, ""},
			"deep":             {all, store.DeliveryFilter{}, "dlv_10005000000000000000000000"},
			"one webhook":      {all, store.DeliveryFilter{EndpointID: rare}, ""},
			"given up":         {all, store.DeliveryFilter{State: typus.DeliveryExhausted}, ""},
			"given up, rare":   {all, store.DeliveryFilter{State: typus.DeliveryExhausted, EndpointID: rare}, ""},
			"arrived":          {all, store.DeliveryFilter{State: typus.DeliveryDelivered}, ""},
			"waits":            {all, store.DeliveryFilter{State: typus.DeliveryPending}, ""},
			"nothing held":     {all, store.DeliveryFilter{State: typus.DeliveryHeld}, ""},
			"by answer":        {all, store.DeliveryFilter{Outcome: typus.DeliveryTLS}, ""},
			"both":             {all, store.DeliveryFilter{State: typus.DeliveryExhausted, Outcome: typus.DeliveryTLS}, ""},
			"nobody's":         {all, store.DeliveryFilter{CandidateID: 1 << 40}, ""},
			"one person":       {all, store.DeliveryFilter{CandidateID: 777_777}, ""},
			"a time":           {all, store.DeliveryFilter{From: noon, Until: noon.Add(time.Hour)}, ""},
			"some positions":   {some, store.DeliveryFilter{CandidateID: 777_777}, ""},
			"answer, no match": {all, store.DeliveryFilter{Outcome: typus.DeliveryGone}, ""},
		} {
			b.Run(name, func(b *testing.B) {
				var took []time.Duration
				for range b.N {
					began := time.Now()
					if _, _, err := s.DeliveryLog(b.Context(), c.reader, c.filter, c.before); err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(began))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
				b.ReportMetric(float64(took[len(took)-1].Microseconds()), "max-µs")
			})
		}
		id := "dlv_1000777777" + "0000000000000000"
		b.Run("detail", func(b *testing.B) {
			for range b.N {
				d, err := s.DeliveryFor(b.Context(), all, id)
				if err != nil {
					b.Fatal(err)
				}
				if a, err := s.Attempts(b.Context(), account, d.ID); err != nil || len(a) != 1 {
					b.Fatal(a, err)
				}
				if _, err := s.SentBody(b.Context(), account, d.EventID); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}
