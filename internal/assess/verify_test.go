package assess_test

import (
	"bytes"
	"regexp"
	"slices"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// takenWith is the result of a test that was taken with a version of the instrument.
func (w *world) takenWith(version, name string) store.Result {
	w.Helper()
	steps := w.with(w.released(version))
	out := w.invite(assess.Invitation{Name: name, Email: "kim@example.com", ExternalID: name})
	w.Must(steps.Begin(w.Ctx, out.Token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"))
	_, err := steps.Answer(w.Ctx, out.Token, w.all())
	w.Must(err)
	w.Must(steps.Finish(w.Ctx, out.Token))
	kept, err := w.Store.Result(w.Ctx, w.Account, out.Candidate.ID)
	w.Must(err)
	return kept
}

func TestEveryStoredResultIsWhatItsAnswersGiveInItsOwnVersion(t *testing.T) {
	run(t, func(w *world) {
		for _, version := range []string{"1.0.0", "2.0.0"} {
			for _, name := range []string{"Kim", "Mia", "Noor"} {
				w.takenWith(version, name+" "+version)
			}
		}
		for _, version := range []string{"1.0.0", "2.0.0"} { // whatever the program's own one is
			n, found, err := w.with(w.released(version)).Verify(w.Ctx, w.Account)
			if n != 6 || len(found) > 0 || err != nil {
				t.Errorf("%d results, %+v, %v", n, found, err)
			}
		}
		if n, found, err := w.Assess.Verify(w.Ctx, w.Account+1); n != 0 || len(found) > 0 || err != nil {
			t.Errorf("another account has %d results, %+v, %v", n, found, err)
		}
	})
}

func TestWhatWasChangedInAStoredResultIsNamedWhereItIs(t *testing.T) {
	run(t, func(w *world) {
		w.Account = w.NewAccount(typus.Account{Name: "Muster Handel GmbH", ContactEmail: "mia@example.com"}, 20)
		for name, c := range map[string]struct {
			change func(kept *store.Result)
			places []string
		}{
			"a score": {replaced(`"score":[0-9]+`, `"score":99`), []string{"dimensionScores[0].score"}},
			"a name":  {replaced("Transparenz und Verbindlichkeit", "Charme"), []string{"dimensionScores[8].name"}},
			"no JSON": {func(kept *store.Result) { kept.Scores = []byte("{") }, []string{""}},
			"answers": {func(kept *store.Result) { kept.Answers = kept.Answers[:len(kept.Answers)-1] }, []string{"result"}},
			"a zone": {func(kept *store.Result) {
				kept.RoleSnapshot = bytes.Replace(kept.RoleSnapshot, []byte(`"low":70`), []byte(`"low":10`), 1)
			}, []string{"overall_exact"}},
			"a dimension": {func(kept *store.Result) {
				kept.RoleSnapshot = bytes.Replace(kept.RoleSnapshot, []byte("integrity"), []byte("charm"), 1)
			}, []string{"result"}},
			"the version":    {func(kept *store.Result) { kept.Instrument = "salespersona@0.9.0" }, []string{"result"}},
			"another one":    {func(kept *store.Result) { kept.Instrument = "salespersona@1.0.0" }, []string{"archetype.name", "meta.instrument_version", "scoring_version"}},
			"the hash":       {func(kept *store.Result) { kept.InstrumentHash = "sha256:00" }, []string{"instrument_hash"}},
			"the norm":       {func(kept *store.Result) { kept.Norm = "n" }, []string{"norm"}},
			"the scoring":    {func(kept *store.Result) { kept.ScoringVersion = "3" }, []string{"scoring_version"}},
			"the role's ref": {func(kept *store.Result) { kept.RoleProfile = "hunter@2" }, []string{"role_profile"}},
		} {
			kept := w.takenWith("2.0.0", name)
			c.change(&kept)
			w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
				_, err := tx.AddResult(w.Ctx, w.Account, kept)
				return err
			}))
			_, found, err := w.Assess.Verify(w.Ctx, w.Account)
			w.Must(err)
			var places []string
			for _, d := range found {
				if d.CandidateID == kept.CandidateID {
					places = append(places, d.Place)
				}
				if d.AccountID != w.Account || d.Stored == d.Computed {
					t.Errorf("%s: %+v", name, d)
				}
			}
			for _, want := range c.places {
				if !slices.Contains(places, want) {
					t.Errorf("%s: %q is not among the differences %q", name, want, places)
				}
			}
		}
	})
}

func replaced(old, now string) func(*store.Result) {
	return func(kept *store.Result) {
		first := regexp.MustCompile(old).FindIndex(kept.Scores)
		kept.Scores = slices.Concat(kept.Scores[:first[0]], []byte(now), kept.Scores[first[1]:])
	}
}

func TestAChangedCopyOfTheScoresIsFound(t *testing.T) {
	run(t, func(w *world) {
		kept := w.takenWith("2.0.0", "Kim")
		scores := *w.candidate(kept.CandidateID).Scores
		scores.Overall++
		scores.Dimensions[2].Name = "Charme"
		out := w.invite(assess.Invitation{Name: "Mia", Email: "mia@example.com"})
		w.begin(out.Token)
		kept.CandidateID = out.Candidate.ID
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			if _, err := tx.FinishCandidate(w.Ctx, w.Account, kept.CandidateID, scores, w.Now()); err != nil {
				return err
			}
			_, err := tx.AddResult(w.Ctx, w.Account, kept)
			return err
		}))
		_, found, err := w.Assess.Verify(w.Ctx, w.Account)
		w.Must(err)
		var places []string
		for _, d := range found {
			places = append(places, d.Place)
		}
		if !slices.Equal(places, []string{"scores.Dimensions[2].Name", "scores.Overall"}) {
			t.Errorf("differences %+v", found)
		}
	})
}
