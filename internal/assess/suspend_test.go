package assess_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func (w *world) suspend() {
	w.Helper()
	_, err := w.Accounts.Suspend(w.Ctx, w.Account, new("an invoice"), typus.Actor{Name: typus.ActorOperator})
	w.Must(err)
}

func (w *world) resume() {
	w.Helper()
	_, err := w.Accounts.Resume(w.Ctx, w.Account, typus.Actor{Name: typus.ActorOperator})
	w.Must(err)
}

// Nobody is invited or begins for a suspended account, by whichever way; who has begun
// finishes.
func TestASuspendedAccountInvitesNobodyAndWhoHasBegunFinishes(t *testing.T) {
	run(t, func(w *world) {
		begun, open := w.answered(jana), w.invite(somebody(1))
		key := w.key()
		w.suspend()
		_, _, err := w.Assess.Invite(w.Ctx, w.Account, somebody(2), &assess.Idempotency{APIKeyID: key, Key: "k", RequestSHA256: "x"})
		w.WantKind(err, typus.Suspended)
		_, err = w.Assess.InviteByForm(w.Ctx, store.WholeAccount(w.Account), somebody(2), false, ada)
		w.WantKind(err, typus.Suspended)
		w.WantKind(w.Assess.Begin(w.Ctx, open.Token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"), typus.Suspended)
		for _, write := range []func(context.Context, store.Reader, int64, typus.Actor) error{w.Assess.Resend, w.Assess.Remind} {
			w.WantKind(write(w.Ctx, store.WholeAccount(w.Account), open.Candidate.ID, ada), typus.Suspended)
		}
		w.WantKind(w.Assess.FinishFor(w.Ctx, w.Account, open.Candidate.ID, w.all(), "operator"), typus.Suspended)
		if c := w.candidate(open.Candidate.ID); c.Status != typus.StatusOpen || w.everybody() != 2 {
			w.Errorf("something was done: %+v, %d people", c, w.everybody())
		}
		w.Must(w.Assess.Finish(w.Ctx, begun.Token))
		w.Must(w.Assess.Decline(w.Ctx, open.Token))
		w.resume()
		w.begin(open.Token)
		if _, replayed, err := w.Assess.Invite(w.Ctx, w.Account, somebody(2), &assess.Idempotency{APIKeyID: key, Key: "k", RequestSHA256: "y"}); err != nil || replayed {
			w.Errorf("the key of the refused call is taken: %v, %v", replayed, err)
		}
	})
}

// Whoever was silent all the time is not reminded at once when the account serves again, and
// once then.
func TestNobodyIsRemindedAtOnceAfterASuspension(t *testing.T) {
	today(t, func(w *world) {
		out := w.invite(jana)
		w.deliver(typus.LetterSent)
		w.suspend()
		w.Later(10 * aDay)
		w.remindDue()
		w.resume()
		w.remindDue()
		w.Later(47 * time.Hour)
		w.remindDue()
		if n := w.reminders(out.Candidate.ID); n != 0 {
			w.Errorf("%d reminders within two days", n)
		}
		w.Later(2 * time.Hour)
		for range 3 {
			w.remindDue()
		}
		if n := w.reminders(out.Candidate.ID); n != 1 {
			w.Errorf("%d reminders, want 1", n)
		}
	})
}

// A reminder that was found due just before the suspension is not written, and stays planned.
func TestAReminderThatWasDueBeforeASuspensionStaysPlanned(t *testing.T) {
	today(t, func(w *world) {
		out := w.invite(jana)
		w.deliver(typus.LetterSent)
		w.Later(2*aDay + time.Hour)
		due, err := w.Store.DueReminders(w.Ctx, w.Now(), store.Due{}, 10)
		if err != nil || len(due) != 1 {
			t.Fatalf("%+v, %v", due, err)
		}
		w.suspend()
		w.Must(assess.RemindOne(w.Assess, w.Ctx, due[0], w.Now()))
		r, err := w.Store.Reminding(w.Ctx, w.Account, out.Candidate.ID)
		if err != nil || w.reminders(out.Candidate.ID) != 0 || r.Sent != 0 || !r.Next.Equal(due[0].At) {
			t.Errorf("%d reminders, %+v, %v", w.reminders(out.Candidate.ID), r, err)
		}
	})
}

// However often somebody asks for a new link while the letter about it waits, the team has one
// letter afterwards.
func TestWhoAsksForALinkOfASuspendedAccountIsToldOfOnce(t *testing.T) {
	today(t, func(w *world) {
		out := w.invite(jana)
		w.deliver(typus.LetterSent)
		w.Later(31 * aDay)
		w.suspend()
		ask := func(want int) {
			w.Helper()
			w.Must(w.Assess.RequestLink(w.Ctx, out.Token))
			if n := strings.Count(w.letterKinds(), "link_requested"); n != want {
				w.Errorf("%d letters, want %d", n, want)
			}
		}
		ask(1)
		w.deliver(typus.LetterSent) // which holds it
		for range 3 {
			w.Later(3 * aDay)
			ask(1)
		}
		if asked, err := w.Assess.LinkRequested(w.Ctx, out.Candidate); err != nil || !asked {
			w.Errorf("asked: %t, %v", asked, err)
		}
		w.resume()
		w.deliver(typus.LetterSent)
		ask(2)
	})
}

// Whoever is invited beside a suspension, or the beginning of a deletion, is invited before, or
// not at all: when that is done, nobody is added any more.
func TestNobodyIsInvitedBesideASuspensionOrADeletion(t *testing.T) {
	for name, end := range map[string]func(w *world) error{
		"suspension": func(w *world) error {
			_, err := w.Accounts.Suspend(w.Ctx, w.Account, new(""), typus.Actor{Name: typus.ActorOperator})
			return err
		},
		"deletion": func(w *world) error {
			return w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
				a, err := tx.LockToBegin(w.Ctx, w.Account)
				if err != nil {
					return err
				}
				return tx.BeginDeletion(w.Ctx, a, w.Now())
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, storetest.Open(t, storetest.Postgres(t)))
			there := make(chan int, 1)
			errs := parallel(9, func(n int) error {
				if n == 4 {
					err := end(w)
					there <- w.everybody()
					return err
				}
				for i := range 20 {
					if _, _, err := w.Assess.Invite(w.Ctx, w.Account, somebody(100*n+i), nil); err != nil {
						return err
					}
				}
				return nil
			})
			w.Must(errs[4])
			for _, err := range errs {
				if err != nil && !typus.Is(err, typus.Suspended) && !typus.Is(err, typus.Conflict) {
					t.Error(err)
				}
			}
			letters, err := w.Store.Letters(w.Ctx, w.Account, 1000)
			w.Must(err)
			queued := 0
			for _, l := range letters {
				if l.State == typus.LetterQueued {
					queued++
				}
			}
			n := <-there
			if n != w.everybody() || queued != map[string]int{"suspension": n, "deletion": 0}[name] {
				t.Errorf("%d people when it was done, %d afterwards; %d letters are queued", n, w.everybody(), queued)
			}
			t.Logf("%d were invited before", n)
		})
	}
}
