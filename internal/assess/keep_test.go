package assess_test

import (
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/store"
)

// asStored lets a word about keeping replace whatever is stored.
func asStored(typus.Keeping) bool { return true }

// unasked agrees to nothing, and wants to be asked of what is stored.
func (w *world) unasked(ahead time.Duration, reason string) func(typus.Keeping) bool {
	return func(now typus.Keeping) bool {
		if now.Reason != reason || !now.Until.Equal(w.Now().Add(ahead)) {
			w.Errorf("asked of %+v", now)
		}
		return false
	}
}

// decidedAccount lets the retention of the world's account count from the decision.
func (w *world) decidedAccount(days, undecided int) {
	w.Helper()
	w.Must(w.Accounts.Change(w.Ctx, w.Account, ada, func(a *typus.Account) {
		a.KeepFinishedDays, a.KeepFromDecision, a.KeepUndecidedDays = days, true, undecided
	}))
}

// handedIn is a candidate who has finished the test.
func (w *world) handedIn(name string, position int64) int64 {
	w.Helper()
	out := w.answered(assess.Invitation{Name: name, Email: name + "@example.com", PositionID: position})
	w.Must(w.Assess.Finish(w.Ctx, out.Token))
	return out.Candidate.ID
}

func (w *world) decide(id int64, stage typus.Stage) {
	w.Helper()
	d := typus.Decision{CandidateID: id, Stage: stage}
	if stage == typus.StageRejection {
		d.Reasons, d.Sources = []typus.Reason{"experience"}, []typus.Source{typus.SourceDocuments}
	}
	w.Must(w.Assess.Decide(w.Ctx, store.WholeAccount(w.Account), d, 0, ada))
}

// gone are the names of those who are erased by now.
func (w *world) gone(ids map[string]int64) string {
	w.Helper()
	w.retain()
	var names []string
	for _, name := range []string{"rejected", "closed", "silent", "talking", "kept"} {
		if id := ids[name]; id != 0 {
			if _, err := w.Store.Candidate(w.Ctx, w.Account, id); typus.Is(err, typus.NotFound) {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, " ")
}

// Retention counts from what ended the application: the decision, else the closing of the
// position, else the hand-in, and while nothing is decided it has an end of its own.
func TestRetentionCountsFromWhatEndedTheApplication(t *testing.T) {
	clocked(t, func(w *world, _ string) {
		w.decidedAccount(10, 30)
		position, err := w.Accounts.AddPosition(w.Ctx, store.WholeAccount(w.Account), typus.Position{Name: "Süd", Reminders: typus.RemindersOfAccount}, nil, ada)
		w.Must(err)
		ids := map[string]int64{
			"rejected": w.handedIn("rejected", 0), "closed": w.handedIn("closed", position), "silent": w.handedIn("silent", 0),
			"talking": w.handedIn("talking", position), "kept": w.handedIn("kept", 0),
		}
		w.decide(ids["talking"], typus.StageInterview) // which ends nothing
		w.Later(5 * aDay)
		w.decide(ids["rejected"], typus.StageRejection)
		w.Later(1 * aDay)
		_, err = w.Accounts.ClosePosition(w.Ctx, store.WholeAccount(w.Account), position, accounts.KeepOpen, ada)
		w.Must(err)
		w.Must(w.Assess.Keep(w.Ctx, store.WholeAccount(w.Account), ids["kept"], w.Now().Add(50*aDay), "Rechtsstreit", ada, asStored))
		for _, c := range []struct {
			later time.Duration
			gone  string
		}{
			{3 * aDay, ""},                                    // day 9
			{2 * aDay, "silent"},                              // day 11
			{5 * aDay, "rejected silent"},                     // day 16
			{1 * aDay, "rejected closed silent talking"},      // day 17
			{38 * aDay, "rejected closed silent talking"},     // day 55
			{2 * aDay, "rejected closed silent talking kept"}, // day 57
		} {
			w.Later(c.later)
			if got := w.gone(ids); got != c.gone {
				t.Errorf("gone are %q, want %q", got, c.gone)
			}
		}
		turns, err := w.Store.RetentionTurns(w.Ctx, w.Account, 10)
		w.Must(err)
		erased := 0
		for _, turn := range turns {
			erased += turn.Finished
		}
		if len(turns) != 4 || erased != 5 {
			t.Errorf("the turns are %+v", turns)
		}
	})
}

func TestWhoNothingIsDecidedAboutIsNotKeptForEver(t *testing.T) {
	clocked(t, func(w *world, _ string) {
		w.decidedAccount(10, 30)
		position, err := w.Accounts.AddPosition(w.Ctx, store.WholeAccount(w.Account), typus.Position{Name: "Süd", Reminders: typus.RemindersOfAccount}, nil, ada)
		w.Must(err)
		ids := map[string]int64{"closed": w.handedIn("closed", position), "rejected": w.handedIn("rejected", position)}
		w.Later(9 * aDay)
		_, err = w.Accounts.ClosePosition(w.Ctx, store.WholeAccount(w.Account), position, accounts.KeepOpen, ada)
		w.Must(err)
		w.Later(8 * aDay) // a look at it again, and it is closed once more
		w.Must(w.Accounts.ReopenPosition(w.Ctx, store.WholeAccount(w.Account), position, ada))
		_, err = w.Accounts.ClosePosition(w.Ctx, store.WholeAccount(w.Account), position, accounts.KeepOpen, ada)
		w.Must(err)
		w.Later(9 * aDay)
		w.decide(ids["rejected"], typus.StageRejection)
		w.Must(w.Accounts.ReopenPosition(w.Ctx, store.WholeAccount(w.Account), position, ada))
		_, err = w.Accounts.ClosePosition(w.Ctx, store.WholeAccount(w.Account), position, accounts.KeepOpen, ada)
		w.Must(err)
		w.Later(3 * aDay) // day 29
		if got := w.gone(ids); got != "" {
			t.Errorf("gone are %q", got)
		}
		w.Later(2 * aDay) // day 31: 30 days after the hand-in, 5 after the closing
		if got := w.gone(ids); got != "closed" {
			t.Errorf("gone are %q, want closed", got)
		}
		w.Later(6 * aDay) // 11 after the decision
		if got := w.gone(ids); got != "rejected closed" {
			t.Errorf("gone are %q, want both", got)
		}
	})
}

func TestKeepingNeedsAReasonAndAnEndAndIsNoted(t *testing.T) {
	clocked(t, func(w *world, _ string) {
		id, all := w.handedIn("kim", 0), store.WholeAccount(w.Account)
		for field, call := range map[string]func() error{
			"reason": func() error { return w.Assess.Keep(w.Ctx, all, id, w.Now().Add(aDay), " ", ada, asStored) },
			"until":  func() error { return w.Assess.Keep(w.Ctx, all, id, w.Now(), "Klage", ada, asStored) },
		} {
			err := call()
			w.WantKind(err, typus.Invalid)
			if e, ok := err.(*typus.Error); !ok || len(e.Fields) != 1 || e.Fields[0].Name != field {
				t.Errorf("%s: %v", field, err)
			}
		}
		w.WantKind(w.Assess.Keep(w.Ctx, all, id, w.Now().Add(typus.MaxKeep+aDay), "Klage", ada, asStored), typus.Invalid)
		w.WantKind(w.Assess.Keep(w.Ctx, store.Reader{AccountID: w.Account}, id, w.Now().Add(aDay), "Klage", ada, asStored), typus.NotFound)
		for range 2 {
			w.Must(w.Assess.Keep(w.Ctx, all, id, w.Now().Add(9*aDay), "Klage", ada, asStored))
		}
		d, err := w.Store.DossierOf(w.Ctx, all, id)
		w.Must(err)
		if d.Keeping.Reason != "Klage" || !d.Keeping.Until.Equal(w.Now().Add(9*aDay)) {
			t.Errorf("kept is %+v", d.Keeping)
		}
		for _, late := range []error{
			w.Assess.Keep(w.Ctx, all, id, w.Now().Add(20*aDay), "Anderes", ada, w.unasked(9*aDay, "Klage")),
			w.Assess.EndKeep(w.Ctx, all, id, ada, w.unasked(9*aDay, "Klage")),
		} {
			w.Must(late)
		}
		again, err := w.Store.DossierOf(w.Ctx, all, id)
		w.Must(err)
		if again.Keeping != d.Keeping {
			t.Errorf("what nobody agreed to is stored: %+v", again.Keeping)
		}
		for range 2 {
			w.Must(w.Assess.EndKeep(w.Ctx, all, id, ada, asStored))
		}
		if kept, ended := w.auditLines("candidate.kept"), w.auditLines("candidate.keep_ended"); kept != 1 || ended != 1 {
			t.Errorf("%d and %d lines, want one each", kept, ended)
		}
		w.Must(w.Assess.Keep(w.Ctx, all, id, w.Now().Add(9*aDay), "Klage", ada, asStored))
		w.Must(w.Assess.Erase(w.Ctx, all, id, ada))
	})
}
