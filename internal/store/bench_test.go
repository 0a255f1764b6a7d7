package store_test

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// onBoth runs a benchmark on both databases.
func onBoth(b *testing.B, bench func(b *testing.B, s *store.Store)) {
	b.Run("sqlite", func(b *testing.B) { bench(b, storetest.OpenSQLite(b)) })
	b.Run("postgres", func(b *testing.B) { bench(b, storetest.Open(b, storetest.Postgres(b))) })
}

// finished adds n finished candidates and returns their ids.
func finished(b *testing.B, s *store.Store, account int64, n int) []int64 {
	b.Helper()
	ids := begun(b, s, account, n)
	for part := range (n + 999) / 1000 {
		write(b, s, func(tx *store.Tx) error {
			for _, id := range ids[part*1000 : min(n, part*1000+1000)] {
				if _, err := tx.FinishCandidate(b.Context(), account, id, scores(), noon); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return ids
}

func begun(b *testing.B, s *store.Store, account int64, n int) []int64 {
	b.Helper()
	ids := make([]int64, 0, n)
	for len(ids) < n {
		write(b, s, func(tx *store.Tx) error {
			for range min(1000, n-len(ids)) {
				c := candidateOf(account)
				c.CreatedAt = noon.Add(time.Duration(len(ids)) * time.Second)
				id, _, err := tx.AddCandidate(b.Context(), c)
				if err != nil {
					return err
				}
				if _, err := tx.BeginCandidate(b.Context(), account, id, typus.Notice{Version: "1", Language: "de", At: noon}, "i@1", noon); err != nil {
					return err
				}
				ids = append(ids, id)
			}
			return nil
		})
	}
	return ids
}

func BenchmarkCandidate(b *testing.B) {
	onBoth(b, func(b *testing.B, s *store.Store) {
		account := newAccount(b, s)
		ids := finished(b, s, account, 10_000)
		dbtest.Callers(b, 32, func(i int) {
			if _, err := s.Candidate(b.Context(), account, ids[i*7919%len(ids)]); err != nil {
				b.Error(err)
			}
		})
	})
}

func BenchmarkCandidates(b *testing.B) {
	for _, rows := range []int{1_000, 30_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			onBoth(b, func(b *testing.B, s *store.Store) {
				account := newAccount(b, s)
				finished(b, s, account, rows)
				dbtest.Callers(b, 32, func(i int) {
					f := store.CandidateFilter{Limit: 50}
					if i%2 == 1 { // deep in the list
						f.After = store.Cursor{At: noon.Add(time.Duration(rows/2) * time.Second), ID: 1}
					}
					if list, _, err := s.Candidates(b.Context(), account, f); err != nil || len(list) != 50 {
						b.Errorf("%d candidates, %v", len(list), err)
					}
				})
			})
		})
	}
}

// One finished test: status and scores, ledger, result, event and a delivery.
func BenchmarkFinish(b *testing.B) {
	onBoth(b, func(b *testing.B, s *store.Store) {
		account := newAccount(b, s)
		newEndpoint(b, s, account)
		ids := begun(b, s, account, b.N)
		payload := make([]byte, 1200)
		dbtest.Callers(b, 32, func(i int) {
			err := s.InTx(b.Context(), func(tx *store.Tx) error {
				if _, err := tx.FinishCandidate(b.Context(), account, ids[i], scores(), noon); err != nil {
					return err
				}
				if _, err := tx.BookCredit(b.Context(), completion(account, ids[i])); err != nil {
					return err
				}
				if _, err := tx.AddResult(b.Context(), account, store.Result{CandidateID: ids[i], Scores: payload, Answers: payload[:600], RoleSnapshot: payload[:300], CreatedAt: noon}); err != nil {
					return err
				}
				_, err := tx.AddEvent(b.Context(), typus.Event{ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted,
					CandidateID: ids[i], OccurredAt: noon, Payload: payload}, func() string { return unique("dlv_") })
				return err
			})
			if err != nil {
				b.Error(err)
			}
		})
	})
}

// A look for the next delivery, a claim and a page of the sweep while something waits
// for 10,000 webhooks, all of which are due.
func BenchmarkClaimBesideTenThousandWaiting(b *testing.B) {
	onBoth(b, func(b *testing.B, s *store.Store) {
		account := newAccount(b, s)
		newEndpoint(b, s, account)
		event := newEvent(b, s, account)
		const numbers = ` with recursive n (i) as (select 1 union all select i + 1 from n where i < 10000) `
		for _, q := range []string{
			`insert into webhook_endpoints (account_id, url, status_changed_at, created_at, last_duration_ms, due_at)` + numbers + `select %d, '', 0, 0, 1, i from n`,
			`insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, next_attempt_at)
				select 'dlv_b' || e.id, e.account_id, '` + event + `', e.id, 'replay', 'pending', 0 from webhook_endpoints e where e.account_id = %d`,
		} {
			run(b, s, q, account)
		}
		var claims time.Duration
		b.ResetTimer()
		for range b.N {
			if _, _, err := s.NextDelivery(b.Context(), typus.LaneQuick); err != nil {
				b.Fatal(err)
			}
			began := time.Now()
			if claimed, err := s.ClaimDeliveries(b.Context(), "me", lease, 32, typus.LaneQuick); err != nil || len(claimed) != 8 {
				b.Fatalf("claimed %d, %v", len(claimed), err)
			}
			claims += time.Since(began)
			if _, _, err := s.SweepEndpoints(b.Context(), 0); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(claims.Seconds()*1000/float64(b.N), "ms/claim")
	})
}

// Events with a delivery to the same webhook, added by four at a time: alone, and
// beside a courier that claims and delivers without a pause.
func BenchmarkEventsBesideACourier(b *testing.B) {
	for _, beside := range []bool{false, true} {
		b.Run(fmt.Sprintf("courier=%t", beside), func(b *testing.B) {
			onBoth(b, func(b *testing.B, s *store.Store) {
				account := newAccount(b, s)
				newEndpoint(b, s, account)
				run(b, s, `update webhook_endpoints set rate_per_s = 1000, burst = 1000000, max_in_flight = 32, last_duration_ms = 1`)
				ids := begun(b, s, account, b.N)
				var delivered atomic.Int64
				var claims int
				var courier sync.WaitGroup
				if beside {
					courier.Go(func() { claims = deliverAll(b, s, b.N, &delivered) })
				}
				dbtest.Callers(b, 4, func(i int) { addEvents(b, s, account, ids[i:i+1]) })
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
				b.ReportMetric(float64(delivered.Load())/b.Elapsed().Seconds(), "deliveries/s")
				courier.Wait()
				b.ReportMetric(float64(claims), "claims")
			})
		})
	}
}

// A pause of a webhook for which 100,000 deliveries wait: what a person waits for.
func BenchmarkPauseWithAHundredThousandWaiting(b *testing.B) {
	onBoth(b, func(b *testing.B, s *store.Store) {
		account := newAccount(b, s)
		id := newEndpoint(b, s, account)
		lots(b, s, account, id, typus.DeliveryPending, 100_000)
		b.ResetTimer()
		for range b.N {
			setStatus(b, s, account, id, typus.EndpointPaused)
			b.StopTimer()
			setStatus(b, s, account, id, typus.EndpointActive)
			b.StartTimer()
		}
	})
}

// One delivery: claimed and written back, by four owners, to 100 endpoints.
func BenchmarkDeliver(b *testing.B) {
	onBoth(b, func(b *testing.B, s *store.Store) {
		for range 100 {
			newEndpoint(b, s, newAccount(b, s))
		}
		run(b, s, `update webhook_endpoints set rate_per_s = 1000, burst = 1000000`)
		for account := range int64(100) {
			for range b.N/100 + 1 {
				newEvent(b, s, account+1)
			}
		}
		var left atomic.Int64
		left.Store(int64(b.N))
		b.ResetTimer()
		dbtest.AtOnce(4, func(i int) {
			owner := fmt.Sprint("owner ", i)
			for left.Load() > 0 {
				claimed, err := s.ClaimDeliveries(b.Context(), owner, lease, 32)
				if err != nil {
					b.Error(err)
					return
				}
				var all sync.WaitGroup
				for _, c := range claimed {
					all.Go(func() {
						if _, err := tryFinish(b, s, owner, c.Delivery, success(c.Delivery)); err != nil {
							b.Error(err)
						}
					})
				}
				all.Wait()
				left.Add(-int64(len(claimed)))
			}
		})
		b.StopTimer()
	})
}

// crowd is an account with n candidates, a third of them in each status, whose
// names come from 50 first and 200 last names. It is written by the database
// itself: one by one it would take minutes.
func crowd(b *testing.B, s *store.Store, n int) int64 {
	b.Helper()
	account := newAccount(b, s)
	crowdOf(b, s, account, n, `status, role_profile, expires_at`, `case i %% 3 when 0 then 'offen' when 1 then 'begonnen' else 'abgeschlossen' end, 'r', 1900000000000`)
	return account
}

// crowdOf is crowd with some columns of its own.
func crowdOf(b *testing.B, s *store.Store, account int64, n int, columns, values string) {
	b.Helper()
	first, last := letter("i")+` || 'name' || (i %% 50)`, letter("i * 7")+` || 'last' || (i %% 200)`
	kind := bytesOf(s)
	statements := []string{fmt.Sprintf(`insert into candidates (id, account_id, external_id, name, email, token_hash, token_sealed, language, created_at, `+columns+`, name_key, words)
		select 100000000000000 + i, %d, 'crm-' || i, `+first+` || ' ' || `+last+`, 'person.' || i || '@example.com', 'h' || i, cast('x' as %s),
			'de', %d + i * 1000, `+values+`,
			cast(`+first+` || ' ' || `+last+` as %s), ' ' || `+first+` || ' ' || `+last+` || ' person.' || i || '@example.com crm-' || i || ' example.com person example com crm ' || i
		from n`, account, kind, noon.UnixMilli(), kind)}
	for _, word := range []string{first, last, `'person.' || i || '@example.com'`, `'crm-' || i`, `'example.com'`, `'person'`, `'example'`, `'com'`, `'crm'`, `cast(i as text)`} {
		statements = append(statements, fmt.Sprintf(`insert into candidate_words (account_id, word, candidate_id)
			select %d, cast(`+word+` as %s), 100000000000000 + i from n`, account, kind))
	}
	const part = 5000 // a statement of more takes longer than any may
	for from := 1; from <= n; from += part {
		numbers := fmt.Sprintf(`with recursive n (i) as (select %d union all select i + 1 from n where i < %d) `, from, min(n, from+part-1))
		for _, statement := range statements {
			write(b, s, func(tx *store.Tx) error { return tx.Exec(b.Context(), numbers+statement) })
		}
	}
}

// letter is SQL for a letter that goes by a number.
func letter(number string) string {
	return `substr('abcdefghijklmnopqrstuvwxyz', cast(` + number + ` as integer) %% 26 + 1, 1)`
}

// What the list for people costs in an account of 100,000: both of its statements.
func BenchmarkCandidatePage(b *testing.B) {
	onBoth(b, func(b *testing.B, s *store.Store) {
		account := crowd(b, s, 100_000)
		if s.Dialect() == "postgres" {
			write(b, s, func(tx *store.Tx) error { return tx.Exec(b.Context(), "analyze") }) //nolint:misspell // the word is PostgreSQL's
		}
		deep := store.RowCursor{At: noon.Add(50_000 * time.Second), ID: 100000000050000}
		for _, of := range []struct {
			name string
			q    store.CandidateQuery
		}{
			{"newest", store.CandidateQuery{}},
			{"deep", store.CandidateQuery{After: deep}},
			{"status", store.CandidateQuery{Status: typus.StatusFinished}},
			{"name", store.CandidateQuery{Sort: store.SortName}},
			{"letter", store.CandidateQuery{Search: "m"}},
			{"letter by name", store.CandidateQuery{Search: "m", Sort: store.SortName}},
			{"everybody", store.CandidateQuery{Search: "example.com"}},
			{"one", store.CandidateQuery{Search: "crm-77777"}},
			{"hundreds", store.CandidateQuery{Search: "alast7"}},
			{"two words", store.CandidateQuery{Search: "aname0 alast"}},
			{"two common words", store.CandidateQuery{Search: "person example.com"}},
			{"a common and a rare word", store.CandidateQuery{Search: "example.com alast7"}},
			{"nobody", store.CandidateQuery{Search: "niemand"}},
		} {
			b.Run(of.name, func(b *testing.B) {
				for range b.N {
					if _, err := s.CandidatePage(b.Context(), store.WholeAccount(account), of.q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

// The pages of positions of an account with 100,000 candidates in 200 positions, and with as
// many in the default one.
func BenchmarkPositions(b *testing.B) {
	onBoth(b, func(b *testing.B, s *store.Store) {
		account := newAccount(b, s)
		run(b, s, `with recursive n (i) as (select 1 union all select i + 1 from n where i < 200)
			insert into positions (account_id, name, created_at) select %d, 'Stelle', 0 from n`, account)
		for part := range 20 {
			run(b, s, `with recursive n (i) as (select %[2]d union all select i + 1 from n where i < %[2]d + 9999)
			insert into candidates (account_id, name, email, token_hash, token_sealed, language, role_profile, instrument, created_at, started_at, completed_at, expires_at, status, position_id, stage)
			select %[1]d, 'Kim', 'kim@example.com', 't' || i, 'x', 'de', 'r', 'i@1', i, i, case when i %% 3 = 2 then i + 900000 end, i,
				case when i %% 3 = 0 then 'offen' when i %% 3 = 1 then 'begonnen' else 'abgeschlossen' end, case when i %% 2 = 0 then (i / 2) %% 200 + 1 end,
				case when i %% 5 = 0 then 'offer' else '' end from n`, account, 10_000*part)
		}
		if s.Dialect() == "postgres" {
			write(b, s, func(tx *store.Tx) error { return tx.Exec(b.Context(), "analyze") }) //nolint:misspell // the word is PostgreSQL's
		}
		reader := store.WholeAccount(account)
		one, all := typus.Position{ID: 17}, typus.Position{Standard: true}
		places := must[[]typus.Position](b)(s.Positions(b.Context(), reader))
		for name, read := range map[string]func() (any, error){
			"counts":             func() (any, error) { return s.PositionCounts(b.Context(), reader, places[:50]) },
			"figures":            func() (any, error) { return s.PositionFigures(b.Context(), reader, one, noon) },
			"newest":             func() (any, error) { return s.NewestOf(b.Context(), reader, one) },
			"figures of 100,000": func() (any, error) { return s.PositionFigures(b.Context(), reader, all, noon) },
			"newest of 100,000":  func() (any, error) { return s.NewestOf(b.Context(), reader, all) },
			"unbegun":            func() (any, error) { return s.CountUnbegun(b.Context(), reader, one, noon) },
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					if _, err := read(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

func number(b *testing.B, text string) int64 {
	b.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// bytesOf is what a database calls bytes.
func bytesOf(s *store.Store) string {
	if s.Dialect() == "sqlite" {
		return "blob"
	}
	return "bytea"
}
