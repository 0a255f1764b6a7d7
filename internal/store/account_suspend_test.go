package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// A webhook that has failed for days is not told of, and not switched off later, for the time
// in which nothing was sent to it.
func TestTheTimeOfASuspensionCountsForNoWebhook(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		now := databaseNow(t, s)
		account := newAccount(t, s)
		since := now.Add(-240 * time.Hour)
		var id int64
		write(t, s, func(tx *store.Tx) error {
			var err error
			id, err = tx.AddEndpoint(t.Context(), typus.Endpoint{AccountID: account, URL: "https://crm.example.com/", CreatedAt: noon})
			if err != nil {
				return err
			}
			return tx.SetSuspended(t.Context(), account, since, "")
		})
		run(t, s, `update webhook_endpoints set status = 'failing', consecutive_failures = 11, first_failure_at = %d`, now.Add(-250*time.Hour).UnixMilli())
		late, well := newEndpoint(t, s, account), newEndpoint(t, s, account)
		run(t, s, `update webhook_endpoints set status = 'failing', consecutive_failures = 1, first_failure_at = %d where id = %d`, since.Add(time.Minute).UnixMilli(), late)
		read := func() typus.Endpoint { return endpoint(t, s, account, id) }
		if err := s.TellFailing(t.Context(), time.Hour); err != nil || !read().FailingToldAt.IsZero() {
			t.Errorf("told of a webhook to which nothing is sent: %v", err)
		}
		write(t, s, func(tx *store.Tx) error {
			if _, err := tx.LockToResume(t.Context(), account); err != nil {
				return err
			}
			return tx.SpareEndpoints(t.Context(), account, since)
		})
		if failed := now.Sub(read().FirstFailureAt).Round(time.Hour); failed != 10*time.Hour {
			t.Errorf("it counts as failing for %v, want 10h", failed)
		}
		// What was under way when the suspension began has failed a moment later.
		if failed := now.Sub(endpoint(t, s, account, late).FirstFailureAt).Round(time.Hour); failed != 0 {
			t.Errorf("the one that failed after the beginning counts as failing for %v", failed)
		}
		if e := endpoint(t, s, account, well); !e.FirstFailureAt.IsZero() {
			t.Errorf("one that works is failing: %+v", e)
		}
	})
}

// Nobody is reminded for an account that is suspended, nor for one whose deletion was cut off;
// what waits for them is not sent, and taken up once the first serves again.
func TestNothingIsDoneForAnIdleAccount(t *testing.T) {
	for _, column := range []string{"suspended_at", "deleting_at"} {
		t.Run(column, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T, s *store.Store) {
				now := databaseNow(t, s)
				account := newAccount(t, s)
				c := newCandidate(t, s, account, nil)
				write(t, s, func(tx *store.Tx) error {
					if err := tx.SetReminding(t.Context(), account, c, 0, now.Add(-time.Hour)); err != nil {
						return err
					}
					_, err := tx.AddLetter(t.Context(), typus.Letter{AccountID: account, CandidateID: c, Kind: typus.LetterInvitation, Language: "de", To: "anna@example.com", CreatedAt: now.Add(-time.Hour)})
					return err
				})
				seen := func(want int) {
					t.Helper()
					due := must[[]store.Due](t)(s.DueReminders(t.Context(), now, store.Due{}, 10))
					letters := must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: "a", Lease: time.Minute, Limit: 10}))
					if len(due) != want || len(letters) != want {
						t.Errorf("%d reminders are due and %d letters claimed, want %d", len(due), len(letters), want)
					}
				}
				run(t, s, `update accounts set %s = 1 where id = %d`, column, account)
				seen(0)
				run(t, s, `update letters set held_until = 1 where account_id = %d and state = 'held'`, account)
				if n := must[int](t)(s.ReleaseHeld(t.Context())); n > 0 {
					t.Errorf("%d letters are taken up", n)
				}
				write(t, s, func(tx *store.Tx) error {
					if _, err := tx.ServeAccount(t.Context(), account); typus.KindOf(err) != map[string]typus.Kind{"suspended_at": typus.Suspended, "deleting_at": typus.Conflict}[column] {
						t.Errorf("it is served: %v", err)
					}
					return nil
				})
				run(t, s, `update accounts set %s = null where id = %d`, column, account)
				if err := s.Wake(t.Context(), account); err != nil {
					t.Fatal(err)
				}
				seen(1)
			})
		})
	}
}

// Reminders are put off by so many in one transaction, those of the test world too, and no
// others.
func TestRemindersOfAnAccountArePutOff(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		first := int64(0)
		for n, id := range []int64{newCandidate(t, s, account, nil), newCandidate(t, s, account, nil), newCandidate(t, s, account, nil), newCandidate(t, s, other, nil)} {
			run(t, s, `update candidates set remind_at = %s where id = %d`, []string{"1", "99", "null", "1"}[n], id)
			if n == 0 {
				first = id
			}
		}
		write(t, s, func(tx *store.Tx) error {
			for _, c := range []struct{ after, want int64 }{{first, 0}, {0, first}, {0, 0}} {
				if last, err := tx.PutOffReminders(t.Context(), account, c.after, time.UnixMilli(50)); err != nil || last != c.want {
					t.Errorf("after %d the last is %d, want %d: %v", c.after, last, c.want, err)
				}
			}
			return nil
		})
		if got := fmt.Sprint(rows(t, s, `select coalesce(remind_at, 0) from candidates order by id`)); got != "[50 99 0 1]" {
			t.Error(got)
		}
	})
}

// Whoever hears once a day of what happens has one letter waiting, however long the account is
// suspended: it lists everybody since. One that shall not go is no such letter.
func TestOneDailyLetterWaitsForASuspendedAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		const day = 24 * time.Hour
		account := newAccount(t, s)
		letters := func(at time.Time) string {
			t.Helper()
			write(t, s, func(tx *store.Tx) error {
				return tx.AddLetterOnce(t.Context(), typus.Letter{
					AccountID: account, Kind: typus.LetterDigest, Language: "de", To: "team@example.com", CreatedAt: at, NextAttemptAt: at.Add(day),
				}, at.Add(-2*day))
			})
			return fmt.Sprint(rows(t, s, `select created_at from letters order by id`))
		}
		only := fmt.Sprintf("[%d]", noon.UnixMilli())
		letters(noon)
		write(t, s, func(tx *store.Tx) error { return tx.SetSuspended(t.Context(), account, noon.Add(time.Hour), "") })
		run(t, s, `update letters set state = 'held', held_until = %d`, noon.Add(2*day).UnixMilli())
		for n := range 5 {
			if got := letters(noon.Add(time.Duration(n) * 4 * day)); got != only {
				t.Errorf("after %d days: %s, want %s", 4*n, got, only)
			}
		}
		run(t, s, `update letters set held_until = null`)
		late := noon.Add(20 * day)
		if got, want := letters(late), fmt.Sprintf("[%d %d]", noon.UnixMilli(), late.UnixMilli()); got != want {
			t.Errorf("beside a letter that shall not go: %s, want %s", got, want)
		}
	})
}

// However many letters have waited, they are taken up by so many in one transaction.
func TestHeldLettersAreTakenUpBySoManyAtOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		addMany(t, s, account, 1001)
		updates := 0
		watched := s.Watched(func(query string) error {
			if strings.Contains(query, "held_until = null, turn = null") {
				updates++
			}
			return nil
		})
		for what, take := range map[string]func() error{
			"wake": func() error { return watched.Wake(t.Context(), account) },
			"sweep": func() error {
				n, err := watched.ReleaseHeld(t.Context())
				if n != 1001 {
					t.Errorf("%d are taken up", n)
				}
				return err
			},
		} {
			run(t, s, `update letters set state = 'held', turn = null, held_until = 1`)
			updates = 0
			if err := take(); err != nil {
				t.Fatal(err)
			}
			if left := fmt.Sprint(rows(t, s, `select count(*) from letters where state <> 'queued'`)); updates != 4 || left != "[0]" {
				t.Errorf("%s: %d statements, %s are left", what, updates, left)
			}
		}
	})
}

// What is above the daily number is held again at once: whoever takes it up does so once.
func TestALetterThatIsHeldAgainIsTakenUpOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		addMany(t, s, account, 501)
		hold := func() { run(t, s, `update letters set state = 'held', turn = null, held_until = 1`) }
		hold()
		commits := 0
		watched := s.WatchedCommits(func(done bool) error {
			if !done {
				return nil
			}
			hold()
			if commits++; commits == 20 {
				return typus.Errorf(typus.Internal, "it would never end")
			}
			return nil
		})
		if err := watched.Wake(t.Context(), account); err != nil {
			t.Error(err)
		}
	})
}

// Accounts without a test world are suspended beside each other, and beside whoever looks for a
// host that is free.
func TestSuspensionsOfDifferentAccountsDoNotWaitForEachOther(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // waiting, it would never end
	defer cancel()
	first, second := newAccount(t, s), newAccount(t, s)
	write(t, s, func(tx *store.Tx) error {
		if _, err := tx.LockToSuspend(ctx, first); err != nil {
			return err
		}
		if err := tx.LockHosts(ctx); err != nil {
			return err
		}
		return s.InTx(ctx, func(beside *store.Tx) error {
			_, err := beside.LockToSuspend(ctx, second)
			return err
		})
	})
}

// Kept letters of a test world are not sent to its people either, until the account serves
// again, and nobody looks for them meanwhile.
func TestNoKeptLetterIsForwardedForASuspendedAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		world := forwarding(t, s)
		looks := 0
		watched := s.Watched(func(query string) error {
			if strings.Contains(query, "update kept_letters set forwards") {
				looks++
			}
			return nil
		})
		claim := func() int {
			return len(must[[]store.Forward](t)(watched.ClaimForwards(t.Context(), reach, 10)))
		}
		run(t, s, `update accounts set suspended_at = 1 where id = %d`, world)
		if n := claim(); n != 0 || looks != 0 {
			t.Errorf("%d are claimed, in %d statements", n, looks)
		}
		run(t, s, `update accounts set suspended_at = null where id = %d`, world)
		if n := claim(); n != 1 {
			t.Errorf("%d are claimed afterwards", n)
		}
	})
}

// A claim must not put a webhook of a suspended account away for as long as somebody adds to it
// who may not have seen the suspension: then nobody would look at it afterwards.
func TestAClaimBesideACompletionOfASuspendedAccountIsFollowedByAnother(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	account := newAccount(t, s)
	newEndpoint(t, s, account)
	newEvent(t, s, account) // so that the next one finds the webhook due and does not write it
	run(t, s, `update accounts set suspended_at = 1 where id = %d`, account)
	looked := func() bool {
		t.Helper()
		_, waits, err := s.NextDelivery(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return waits
	}
	beside(t, s, account, func() {
		if n := len(claimAs(t, s, "me", 10)); n != 0 {
			t.Errorf("claimed %d", n)
		}
	})
	if !looked() {
		t.Error("nobody looks at it again")
	}
	run(t, s, `update webhook_endpoints set due_at = 1`)
	if n := len(claimAs(t, s, "me", 10)); n != 0 || looked() {
		t.Errorf("claimed %d; with nobody beside it is looked at again", n)
	}
}

func databaseNow(t *testing.T, s *store.Store) (now time.Time) {
	t.Helper()
	write(t, s, func(tx *store.Tx) (err error) {
		now, err = tx.Now(t.Context())
		return err
	})
	return now
}
