package assess_test

import (
	"fmt"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// clocked runs a test whose store goes by the world's clock, too.
func clocked(t *testing.T, test func(w *world, dsn string)) {
	runAt(t, func(w *world, dsn string) {
		w.On(w.Store.WithClock(w.Now))
		test(w, dsn)
	})
}

// lapsed makes so many people whose invitation ran out ten days ago, and a retention
// of a week for them that was set long before.
func (w *world) lapsed(people int) {
	w.Helper()
	err := w.Accounts.Change(w.Ctx, w.Account, ada, func(a *typus.Account) { a.KeepUnfinishedDays, a.InviteDays = 7, 1 })
	if err != nil {
		w.Fatal(err)
	}
	for n := range people {
		w.invite(assess.Invitation{Name: "Kim", Email: fmt.Sprintf("kim%d@example.com", n)})
	}
	w.Later(11 * 24 * time.Hour)
}

func (w *world) people() int {
	w.Helper()
	n, err := w.Store.CountPeople(w.Ctx, w.Account)
	if err != nil {
		w.Fatal(err)
	}
	return n
}

func (w *world) retain() {
	w.Helper()
	if err := w.Assess.Retain(w.Ctx, w.Now()); err != nil {
		w.Fatal(err)
	}
}

func (w *world) waiting() int {
	w.Helper()
	a, err := w.Store.Account(w.Ctx, w.Account)
	if err != nil {
		w.Fatal(err)
	}
	return a.ErasureWaits
}

// auditLines counts the lines of an action.
func (w *world) auditLines(action typus.AuditAction) int {
	w.Helper()
	list, err := w.Store.Audit(w.Ctx, w.Account, 1000)
	if err != nil {
		w.Fatal(err)
	}
	n := 0
	for _, l := range list {
		if l.Action == action {
			n++
		}
	}
	return n
}

func TestUpToFiftyPeopleAreErasedUnasked(t *testing.T) {
	clocked(t, func(w *world, _ string) {
		w.lapsed(50)
		w.retain()
		if w.people() != 0 || w.waiting() != 0 || w.auditLines("retention.erased") != 1 {
			w.Errorf("%d people are left, %d wait, %d lines", w.people(), w.waiting(), w.auditLines("retention.erased"))
		}
		w.retain()
		if n := w.auditLines("retention.erased"); n != 1 {
			w.Errorf("%d lines of turns that erased somebody, want one", n)
		}
	})
}

func TestMoreThanFiftyPeopleAreErasedUnaskedWhereTheyAreAFifthOfAll(t *testing.T) {
	clocked(t, func(w *world, _ string) {
		w.lapsed(51)
		for n := range 4 * 51 {
			w.invite(assess.Invitation{Name: "Lou", Email: fmt.Sprintf("lou%d@example.com", n)})
		}
		w.retain()
		if w.people() != 4*51 || w.waiting() != 0 {
			w.Errorf("%d people are left, %d wait", w.people(), w.waiting())
		}
	})
}

func TestMoreThanAFifthOfAnAccountWaitsForAnOwnersWord(t *testing.T) {
	clocked(t, func(w *world, _ string) {
		w.lapsed(51)
		for range 2 {
			w.retain()
			if w.people() != 51 || w.waiting() != 51 || w.auditLines("retention.waits") != 1 {
				w.Fatalf("%d people are left, %d wait, %d lines", w.people(), w.waiting(), w.auditLines("retention.waits"))
			}
		}
		w.WantKind(w.Accounts.AllowErasure(w.Ctx, w.Account, 50, ada), typus.Conflict)
		w.WantKind(w.Accounts.AllowErasure(w.Ctx, w.Account, 0, ada), typus.Conflict)
		w.WantKind(w.Accounts.AllowErasure(w.Ctx, w.Account+99, 51, ada), typus.NotFound)
		w.readClockFor(26)
		if err := w.Accounts.AllowErasure(w.Ctx, w.Account, 51, ada); err != nil {
			w.Fatal(err)
		}
		w.retain()
		if w.people() != 0 || w.waiting() != 0 || w.auditLines("retention.allowed") != 1 {
			w.Errorf("%d people are left, %d wait", w.people(), w.waiting())
		}
	})
}

// readClockFor lets a server run and read the world's clock for so many hours.
func (w *world) readClockFor(hours int) {
	w.Helper()
	seen := w.Store.WithClock(w.Now)
	for range hours {
		w.Later(time.Hour)
		if err := seen.ReadClock(w.Ctx, time.Hour); err != nil {
			w.Fatal(err)
		}
	}
}

func TestAnOwnersWordIsAboutNobodyWhoIsDueLater(t *testing.T) {
	clocked(t, func(w *world, _ string) {
		w.lapsed(60)
		w.readClockFor(26)
		w.retain()
		if err := w.Accounts.AllowErasure(w.Ctx, w.Account, 60, ada); err != nil {
			w.Fatal(err)
		}
		for n := range 70 {
			w.invite(assess.Invitation{Name: "Lou", Email: fmt.Sprintf("lou%d@example.com", n)})
		}
		w.Later(11 * 24 * time.Hour)
		w.retain()
		if w.people() != 130 || w.waiting() != 70 {
			w.Errorf("%d people are left, %d wait; want none erased and the 70 to wait", w.people(), w.waiting())
		}
	})
}

func TestARetentionThatWasChangedHasToSettle(t *testing.T) {
	clocked(t, func(w *world, _ string) {
		w.lapsed(3)
		err := w.Accounts.Change(w.Ctx, w.Account, ada, func(a *typus.Account) { a.KeepUnfinishedDays = 1 })
		if err != nil {
			w.Fatal(err)
		}
		if err := w.Assess.Retain(w.Ctx, w.Now().Add(-time.Hour)); err != nil || w.people() != 3 {
			w.Fatalf("%d people are left an hour before the change has settled; %v", w.people(), err)
		}
		w.retain()
		if w.people() != 0 {
			w.Errorf("%d people are left once it has", w.people())
		}
	})
}

// Nobody is erased for it at once, and it does not have to wait until that time comes.
func TestARetentionChangedByAClockThatWasAheadSettlesFromNowOn(t *testing.T) {
	for _, ahead := range []time.Duration{300 * time.Millisecond, 5 * time.Hour, 240 * time.Hour} {
		clocked(t, func(w *world, _ string) {
			w.lapsed(3)
			w.Later(ahead)
			err := w.Accounts.Change(w.Ctx, w.Account, ada, func(a *typus.Account) { a.KeepUnfinishedDays = 1 })
			if err != nil {
				w.Fatal(err)
			}
			w.Later(-ahead)
			for range 2 {
				if err := w.Assess.Retain(w.Ctx, w.Now().Add(-time.Second)); err != nil || w.people() != 3 {
					w.Fatalf("%d people are left at once after a clock that was %v ahead; %v", w.people(), ahead, err)
				}
			}
			w.Later(time.Second)
			w.retain()
			if w.people() != 0 {
				w.Errorf("%d people are left once the change has settled", w.people())
			}
		})
	}
}

// The extension is begun before the turn looks for who is due, and over before it
// gets hold of them.
func TestWhoIsNotDueAnyMoreIsNotErasedInTheTurnThatFoundThem(t *testing.T) {
	clocked(t, func(w *world, dsn string) {
		w.lapsed(1)
		list, _, err := w.Store.Candidates(w.Ctx, w.Account, store.CandidateFilter{Limit: 1})
		if err != nil {
			w.Fatal(err)
		}
		err = w.meets(dsn, func(tx *store.Tx) error {
			if _, err := tx.LockCandidate(w.Ctx, w.Account, list[0].ID); err != nil {
				return err
			}
			return tx.ExtendCandidate(w.Ctx, w.Account, list[0].ID, w.Now().AddDate(0, 0, 5))
		}, func() error { return w.Assess.Retain(w.Ctx, w.Now()) })
		if err != nil || w.people() != 1 {
			w.Errorf("%d people are left, of one whose invitation was extended; %v", w.people(), err)
		}
	})
}

func TestAnswersToIdempotencyKeysAreForgottenAfterADay(t *testing.T) {
	clocked(t, func(w *world, _ string) {
		keyID, _, err := w.Access.CreateKey(w.Ctx, w.Account, "crm", typus.Actor{Name: "operator"})
		if err != nil {
			w.Fatal(err)
		}
		call := func(key string) bool {
			_, replay, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Kim", Email: "kim@example.com"}, &assess.Idempotency{
				APIKeyID: keyID, Key: key, RequestSHA256: "a",
			})
			if err != nil {
				w.Fatal(err)
			}
			return replay
		}
		settled := w.Now()
		w.Later(-25 * time.Hour)
		call("old")
		w.Later(2 * time.Hour)
		call("fresh")
		if err := w.Clerk.ForgetKeys(w.Ctx, settled); err != nil {
			w.Fatal(err)
		}
		if call("old") || !call("fresh") {
			w.Error("want the old answer forgotten and the fresh one kept")
		}
	})
}
