package assess_test

import (
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/webhook"
	"typus/internal/worldtest"
)

const wireTime = "2006-01-02T15:04:05.000Z"

// What is said of a time in a test world is that of the world, by a webhook, a test event, a
// person's copy and the daily letter; of a live account nothing changes.
func TestATestWorldSaysItsOwnTimes(t *testing.T) {
	for _, ahead := range []time.Duration{0, 3*aDay + 5*time.Hour} {
		run(t, func(w *world) {
			live := w.World
			w.World = live.Sandbox(ahead)
			w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
				_, err := tx.AddUser(w.Ctx, typus.User{AccountID: live.Account, Email: "ada@example.com", Role: typus.RoleOwner, CreatedAt: w.Now()}, "hash")
				return err
			}))
			(&world{live}).set(func(a *typus.Account) { a.Notify = typus.NotifyDaily })
			if ahead == 0 {
				w.World = live
			}
			account, err := w.Store.Account(w.Ctx, w.Account)
			w.Must(err)
			if account.Ahead != ahead {
				w.Fatalf("the clock is %s ahead", account.Ahead)
			}
			out := w.tested(jana)
			c := w.candidate(out.Candidate.ID)
			event, err := w.Store.EventOf(w.Ctx, w.Account, c.ID, typus.EventCandidateCompleted)
			w.Must(err)
			want, err := webhook.Payload(c, *c.Scores, typus.Links{BaseURL: worldtest.BaseURL}.Report(c.ID), c.CompletedAt.Add(ahead))
			w.Must(err)
			if string(event.Payload) != string(want) || !event.OccurredAt.Equal(c.CompletedAt) {
				w.Errorf("the body is %s, want %s", event.Payload, want)
			}
			trial, err := w.Accounts.ExamplePayload(account)
			w.Must(err)
			if !strings.Contains(string(trial), `"timestamp":"`+w.Now().Add(ahead).UTC().Format(wireTime)+`"`) {
				w.Errorf("a test event says %s", trial)
			}
			w.copySays(c, ahead)
			w.digestComes(c, ahead)
		})
	}
}

// copySays looks for the time of the test in a person's copy.
func (w *world) copySays(c typus.Candidate, ahead time.Duration) {
	w.Helper()
	copied, err := w.Assess.CopyOf(w.Ctx, w.Account, c.ID, "de")
	w.Must(err)
	if at := copied.Results[0].At; !at.Equal(c.CompletedAt.Add(ahead)) {
		w.Errorf("in the copy the result is of %s", at)
	}
	body, err := copied.JSON()
	w.Must(err)
	if !strings.Contains(string(body), `"completed_at": "`+c.CompletedAt.Add(ahead).UTC().Format(time.RFC3339)) {
		w.Errorf("the copy does not say when the test was completed:\n%s", body)
	}
}

// digestComes finds the daily letter at the morning of the clock that people see.
func (w *world) digestComes(c typus.Candidate, ahead time.Duration) {
	w.Helper()
	letters, err := w.Store.Letters(w.Ctx, w.Account, 10)
	w.Must(err)
	for _, l := range letters {
		if l.Kind == typus.LetterDigest {
			if at := l.NextAttemptAt.Add(ahead).UTC(); at.Format("15:04") != "06:00" || at.Sub(c.CompletedAt.Add(ahead)) > aDay {
				w.Errorf("the daily letter comes at %s", at)
			}
			return
		}
	}
	w.Errorf("there is no daily letter among %+v", letters)
}

// Who types an address at a public link of a test world is written to as the world is.
func TestTheLetterOfAnEnrolmentInATestWorldIsTheWorlds(t *testing.T) {
	run(t, func(w *world) {
		live := w.World
		for _, inner := range []*world{{live}, {live.Sandbox(0)}} {
			link := inner.published(0, 10, w.Now().Add(30*aDay))
			inner.Must(inner.Assess.Enrol(inner.Ctx, link, typus.Enrolment{Name: "Kim", Email: "kim@example.com", Language: "de"}, "192.0.2.1"))
			w.Later(time.Hour)
		}
		for _, kept := range []bool{false, true} {
			letters, err := w.Store.ClaimLetters(w.Ctx, store.Claim{Owner: "me", Lease: time.Minute, Limit: 10, Kept: kept})
			w.Must(err)
			if len(letters) != 1 || letters[0].Kind != typus.LetterEnrolment || kept != (letters[0].AccountID != 0) {
				t.Errorf("of worlds %t: %+v", kept, letters)
			}
		}
	})
}

// A day that stands in the audit log in words is the one that people see and typed.
func TestTheAuditLogOfATestWorldSaysItsDays(t *testing.T) {
	run(t, func(w *world) {
		w.World = w.Sandbox(3 * aDay)
		all, until := store.WholeAccount(w.Account), w.Now().Add(40*aDay)
		open, done := w.invite(jana).Candidate.ID, w.tested(kim).Candidate.ID
		w.Must(w.Assess.Extend(w.Ctx, all, open, until, ada, nil))
		w.Must(w.Assess.Keep(w.Ctx, all, done, until, "Klage", ada, asStored))
		w.Must(w.Accounts.KeepPublicLink(w.Ctx, all, 0, ada, func(l *typus.PublicLink) bool {
			l.Most, l.EndsAt = 5, until
			return true
		}))
		w.Must(w.Accounts.KeepPublicLink(w.Ctx, all, 0, ada, func(l *typus.PublicLink) bool {
			l.Most = 6
			return true
		}))
		entries, err := w.Store.Audit(w.Ctx, w.Account, 50)
		w.Must(err)
		said, day := map[typus.AuditAction]string{}, until.Add(3*aDay).UTC().Format(time.DateOnly)
		for _, e := range entries {
			said[e.Action] = e.Detail
		}
		for action, want := range map[typus.AuditAction]string{
			typus.AuditCandidateExtended: day, typus.AuditCandidateKept: day, typus.AuditPublicLinkOn: "5 " + day, typus.AuditPublicLinkChanged: "6 " + day,
		} {
			if said[action] != want {
				w.Errorf("%s says %q, want %q", action, said[action], want)
			}
		}
	})
}
