package store_test

import (
	"fmt"
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
		var endpoint int64
		write(t, s, func(tx *store.Tx) error {
			var err error
			endpoint, err = tx.AddEndpoint(t.Context(), typus.Endpoint{AccountID: account, URL: "https://crm.example.com/", CreatedAt: noon})
			if err != nil {
				return err
			}
			return tx.SetSuspended(t.Context(), account, since, "")
		})
		run(t, s, `update webhook_endpoints set status = 'failing', consecutive_failures = 11, first_failure_at = %d`, now.Add(-250*time.Hour).UnixMilli())
		read := func() typus.Endpoint { return must[typus.Endpoint](t)(s.Endpoint(t.Context(), account, endpoint)) }
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
		for n, id := range []int64{newCandidate(t, s, account, nil), newCandidate(t, s, account, nil), newCandidate(t, s, account, nil), newCandidate(t, s, other, nil)} {
			run(t, s, `update candidates set remind_at = %s where id = %d`, []string{"1", "99", "null", "1"}[n], id)
		}
		write(t, s, func(tx *store.Tx) error {
			for _, want := range []int{1, 0} {
				if n, err := tx.PutOffReminders(t.Context(), account, time.UnixMilli(50)); err != nil || n != want {
					t.Errorf("%d are put off, want %d: %v", n, want, err)
				}
			}
			return nil
		})
		if got := fmt.Sprint(rows(t, s, `select coalesce(remind_at, 0) from candidates order by id`)); got != "[50 99 0 1]" {
			t.Error(got)
		}
	})
}

func databaseNow(t *testing.T, s *store.Store) (now time.Time) {
	t.Helper()
	write(t, s, func(tx *store.Tx) (err error) {
		now, err = tx.Now(t.Context())
		return err
	})
	return now
}
