package assess_test

import (
	"testing"

	"typus/internal/assess"
	"typus/internal/instrument"
)

// The page was read, then another device changed an answer, then the page's button was
// pressed.
func TestWhatIsHandedInIsWhatIsStoredAndNotWhatThePageHadSeen(t *testing.T) {
	run(t, func(w *world) {
		out := w.answered(jana)
		seen, err := w.Assess.Test(w.Ctx, out.Token)
		w.Must(err)
		changed := assess.Given{ItemID: w.Instrument.Items()[0].ID, Value: 6, ActiveMS: 4000}
		if seen.Sheet.Answers[0].Value == changed.Value {
			w.Fatal("nothing would change")
		}
		_, err = w.Assess.Answer(w.Ctx, out.Token, []assess.Given{changed})
		w.Must(err)
		_, err = w.Assess.HandIn(w.Ctx, out.Token, "", seen)
		w.Must(err)

		kept, err := w.Store.Result(w.Ctx, w.Account, out.Candidate.ID)
		w.Must(err)
		var sheet instrument.Sheet
		w.Must(sheet.UnmarshalBinary(kept.Answers))
		if got := sheet.Answers[0].Value; got != changed.Value {
			w.Errorf("the first answer kept is %d, want %d", got, changed.Value)
		}
		result, err := w.Instrument.Score(sheet, w.candidate(out.Candidate.ID).RoleProfile)
		w.Must(err)
		if got := w.candidate(out.Candidate.ID).Scores.Overall; got != result.Scores().Overall {
			w.Errorf("the score is %d, which is not that of the answers kept, %d", got, result.Scores().Overall)
		}
	})
}
