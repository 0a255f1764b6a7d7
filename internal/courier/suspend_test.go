package courier

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/mail/smtptest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

var operator = typus.Actor{Name: typus.ActorOperator}

// What waits for a suspended account is neither sent nor counted as an attempt nor looked at
// again and again; what somebody needs to log in goes. Afterwards each goes once.
func TestWhatASuspendedAccountSendsWaitsAndGoesOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		steps := accounts.New(accounts.Options{Store: s, Box: w.box})
		sink, r := smtptest.Start(t, nil), newReceiver(t, nil)
		endpoint, _ := w.endpoint(r.url)
		invited, late := w.candidate("Anna Beispiel", "anna@example.com"), w.candidate("Otto Muster", "otto@example.com")
		w.invite(invited)
		before := w.event(invited)
		must(t)(steps.Suspend(t.Context(), w.account, new("an invoice"), operator))

		stop := start(w.courier(w.smtp(sink), nil))
		defer func() { stop() }()
		held := w.letterBecomes(invited, typus.LetterHeld)
		w.invite(late)
		after := w.event(late)
		w.letterBecomes(late, typus.LetterHeld)
		w.settled(w.add(w.link(typus.LetterPasswordReset, w.user(typus.RoleOwner), "a-token", time.Now().Add(time.Hour))))
		w.eventually("the webhook is not looked at any more", func() bool {
			_, waits, err := s.NextDelivery(t.Context())
			return err == nil && !waits && w.endpointNow(endpoint).DueAt.IsZero()
		})
		if _, waits, err := s.NextLetter(t.Context()); err != nil || waits {
			t.Errorf("a letter is looked for: %v, %v", waits, err)
		}
		if o, err := s.OverdueAt(t.Context(), time.Now().Add(time.Hour)); err != nil || o != (store.Overdue{}) {
			t.Errorf("overdue: %+v, %v", o, err)
		}
		stop()
		stop = start(w.courier(w.smtp(sink), nil)) // a restart changes nothing
		w.eventually("the sweep has found nothing to mend", func() bool {
			_, mended, err := s.SweepEndpoints(t.Context(), 0)
			return err == nil && mended == 0
		})
		if got := sink.Envelopes(); len(got) != 1 || strings.Contains(got[0].To[0], "anna") || strings.Contains(got[0].To[0], "otto") {
			t.Errorf("sent: %v", got)
		}
		for _, e := range []typus.Event{before, after} {
			if d := w.delivery(e); d.State != typus.DeliveryPending || d.Attempt != 0 || len(w.attempts(e)) > 0 {
				t.Errorf("%+v", d)
			}
		}
		if held.Attempts != 0 || w.letter(late).Attempts != 0 {
			t.Errorf("attempts are counted: %+v", held)
		}

		if resumed, err := steps.Resume(t.Context(), w.account, operator); err != nil || !resumed {
			t.Fatal(resumed, err)
		}
		w.letterBecomes(invited, typus.LetterSent)
		w.letterBecomes(late, typus.LetterSent)
		w.until(before, typus.DeliveryDelivered)
		w.until(after, typus.DeliveryDelivered)
		stop()
		stop = func() {}
		if got := sink.Envelopes(); len(got) != 3 {
			t.Errorf("sent: %v", got)
		}
		for _, e := range []typus.Event{before, after} {
			if len(w.attempts(e)) != 1 {
				t.Errorf("attempts: %+v", w.attempts(e))
			}
		}
		if strings.Contains(w.logs.String(), "not looked at in time") {
			t.Errorf("the sweep has mended what was not broken:\n%s", w.logs)
		}
	})
}

// However many letters are held, the loop goes on to what is behind them without a rest.
func TestLettersThatAreHeldDoNotHoldUpTheOthers(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		var all []int64
		for n := range 3 * letterBatch {
			all = append(all, w.candidate("Anna Beispiel", fmt.Sprintf("anna%d@example.com", n)))
			w.invite(all[n])
		}
		w.tx(func(tx *store.Tx) error { return tx.SetSuspended(t.Context(), w.account, time.Now(), "") })
		stop := start(w.courier(w.smtp(smtptest.Start(t, nil)), func(c *Courier) { c.pace.poll = time.Hour }))
		defer stop()
		for _, c := range all {
			w.letterBecomes(c, typus.LetterHeld)
		}
	})
}

// What is cut off after the account serves again is done by the sweep of any server.
func TestAServerWakesWhatACutOffCommandLeft(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		r := newReceiver(t, nil)
		w.endpoint(r.url)
		at := func(since time.Time) {
			w.tx(func(tx *store.Tx) error { return tx.SetSuspended(t.Context(), w.account, since, "") })
		}
		at(time.Now())
		e := w.event(1)
		stop := start(w.courier(nil, nil))
		defer stop()
		w.eventually("the webhook is not looked at any more", func() bool {
			_, waits, err := s.NextDelivery(t.Context())
			return err == nil && !waits
		})
		at(time.Time{})
		w.until(e, typus.DeliveryDelivered)
	})
}

func must(t *testing.T) func(_ any, err error) {
	return func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
}
