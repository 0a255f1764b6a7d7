package assess_test

import (
	"slices"
	"sync"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// lines counts what the audit log says of one candidate that a user did.
func (w *world) lines(candidate int64, by typus.Actor, action typus.AuditAction) int {
	w.Helper()
	list, err := w.Store.AuditOf(w.Ctx, w.Account, candidate)
	if err != nil {
		w.Fatal(err)
	}
	n := 0
	for _, a := range list {
		if a.UserID == by.UserID && a.Action == action {
			n++
		}
	}
	return n
}

// Two tabs at once, whatever the order in which they name the people, are one look at each.
func TestLooksAtOnceAreNotedOnce(t *testing.T) {
	run(t, func(w *world) {
		var ids []int64
		for range 5 {
			ids = append(ids, w.invite(assess.Invitation{Name: "Kim", Email: "kim@example.com"}).Candidate.ID)
		}
		reader, backwards := store.WholeAccount(w.Account), slices.Clone(ids)
		slices.Reverse(backwards)
		errs := make([]error, 12)
		var tabs sync.WaitGroup
		for i := range errs {
			tabs.Go(func() {
				switch i % 3 {
				case 0:
					errs[i] = w.Assess.NoteViews(w.Ctx, reader, ids, ada)
				case 1:
					errs[i] = w.Assess.NoteViews(w.Ctx, reader, backwards, ada)
				default:
					errs[i] = w.Assess.NoteView(w.Ctx, reader, ids[2], ada)
				}
			})
		}
		tabs.Wait()
		for i, err := range errs {
			if err != nil {
				t.Errorf("tab %d: %v", i, err)
			}
		}
		for _, id := range ids {
			if n := w.lines(id, ada, typus.AuditReportViewed); n != 1 {
				t.Errorf("%d looks", n)
			}
		}
	})
}

// A look that is written and not yet committed is waited for: it is not noted again, and one of
// the same people who was not looked at is.
func TestALookWaitsForOneThatIsBeingNoted(t *testing.T) {
	runAt(t, func(w *world, dsn string) {
		var ids []int64
		for range 3 {
			ids = append(ids, w.invite(assess.Invitation{Name: "Kim", Email: "kim@example.com"}).Candidate.ID)
		}
		err := w.meets(dsn, func(tx *store.Tx) error {
			if err := tx.LockCandidates(w.Ctx, w.Account, ids[1:]); err != nil {
				return err
			}
			line := typus.AuditEntry{AccountID: w.Account, CandidateID: ids[1], UserID: ada.UserID, Action: typus.AuditReportViewed, CreatedAt: w.Now()}
			return tx.AddAudit(w.Ctx, line)
		}, func() error { return w.Assess.NoteViews(w.Ctx, store.WholeAccount(w.Account), ids, ada) })
		if err != nil {
			w.Fatal(err)
		}
		for _, id := range ids {
			if n := w.lines(id, ada, typus.AuditReportViewed); n != 1 {
				w.Errorf("%d looks", n)
			}
		}
	})
}

// Who compares people of whom one has just been erased is told so, and has seen nobody.
func TestALookAtSomebodyErasedIsNotedOfNobody(t *testing.T) {
	runAt(t, func(w *world, dsn string) {
		here, gone := w.invite(assess.Invitation{Name: "Kim", Email: "kim@example.com"}).Candidate.ID, w.invite(assess.Invitation{Name: "Robin", Email: "robin@example.com"}).Candidate.ID
		reader := store.WholeAccount(w.Account)
		err := w.meets(dsn, w.erasing(gone), func() error { return w.Assess.NoteViews(w.Ctx, reader, []int64{here, gone}, ada) })
		if !typus.Is(err, typus.NotFound) {
			w.Errorf("got %v", err)
		}
		if n := w.lines(here, ada, typus.AuditReportViewed); n != 0 {
			w.Errorf("%d looks at nothing", n)
		}
	})
}
