package dashboard

import (
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// finish lets a candidate who is invited take the test.
func (w *world) finish(out assess.Invited) {
	w.Helper()
	w.Must(w.Assess.Begin(w.Ctx, out.Token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"))
	var given []assess.Given
	for i, it := range w.face.Instrument.Items() {
		given = append(given, assess.Given{ItemID: it.ID, Value: 2 + i%4, ActiveMS: 4000})
	}
	_, err := w.Assess.Answer(w.Ctx, out.Token, given)
	w.Must(err)
	w.Later(time.Minute)
	w.Must(w.Assess.Finish(w.Ctx, out.Token))
}

// Some talk first and test afterwards. Who has judged without a result sees it when it
// comes, and can no longer be led by it; who has judged nothing does not see it.
func TestRatingsBeforeTheTestAreFinalOnceThereIsAResult(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.blindTo(false)
		out := w.invited("Kim Muster", "")
		path := "/dashboard/kandidat/" + id(out)
		c, lazy := w.as(interviewer), w.as(interviewer)
		lazy.post(path+"/leitfaden", lazy.marks("0", "")).want(t, 422, "Noch ist keine Antwort bewertet")
		lazy.post(path+"/leitfaden", lazy.marks("", "")).want(t, 422)
		lazy.post(path+"/leitfaden/entwurf", lazy.marks("3", "Entwurf")).want(t, 303)
		c.post(path+"/leitfaden", c.marks("2", "Ohne Ergebnis")).want(t, 303)
		c.post(path+"/leitfaden", c.marks("3", "Ohne Ergebnis")).want(t, 303)
		w.finish(out)
		c.follow(c.post(path+"/leitfaden", c.marks("5", "Mit Ergebnis"))).want(t, 200, "Es wurde nichts geändert", "Ohne Ergebnis", "Bewertung 3 von 5")
		c.get(path).want(t, 200, `<article class="report`)
		if a := lazy.get(path); strings.Contains(a.body, `<article class="report`) {
			t.Error("a draft opens a result")
		}
		w.as(viewer).get(path).want(t, 200, "Gespräch vor dem Ergebnis bewertet durch "+c.user.Email)
	})
}

// The questions go by the role profile. What was noted in answer to those of another one
// was never saved, and is no judgement of the team.
func TestADraftForAnotherRoleProfileIsNeverSaved(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.invited("Kim Muster", "")
		path, c := "/dashboard/kandidat/"+id(out), w.as(interviewer)
		draft := c.marks("1", "Zur alten Rolle")
		c.post(path+"/leitfaden/entwurf", draft).want(t, 303)
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.SetRoleProfile(w.Ctx, w.Account, out.Candidate.ID, "farmer") }))
		saved := c.marksFor("farmer", "4", "")
		c.post(path+"/leitfaden", saved).want(t, 303)
		list, err := w.Store.RatingsOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
		w.Must(err)
		for _, r := range list {
			if !saved.Has("bewertung-"+r.Question) || r.Note != "" {
				t.Errorf("a draft became final: %+v", r)
			}
		}
		if len(list) != 8 {
			t.Errorf("%d ratings of 8 questions", len(list))
		}
	})
}
