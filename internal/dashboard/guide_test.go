package dashboard

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/report"
	"typus/internal/store"
)

// marks is a form of ratings of a user: every question of the general role with a mark and
// a note.
func (c *client) marks(mark, note string) url.Values {
	return c.marksFor(c.face.Instrument.Roles()[0].Key, mark, note)
}

// marksFor are marks for another role, or with what a team has chosen.
func (c *client) marksFor(key, mark, note string, chosen ...typus.CoreQuestion) url.Values {
	all := url.Values{"von": {strconv.FormatInt(c.user.ID, 10)}}
	in := c.face.Instrument
	role, _ := in.Role(key)
	for _, q := range report.GuideOf(in, role, "de", chosen...).Questions() {
		all.Set("bewertung-"+q.Key, mark)
		all.Set("notiz-"+q.Key, note)
	}
	return all
}

func TestRatingsAreSavedWholeAndStandBesideTheScores(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		path := "/dashboard/kandidat/" + id(w.finished("Fertig Muster"))
		c, colleague := w.as(member), w.as(typus.RoleInterviewer)

		part := c.marks("", "Was ich hörte")
		part.Set("bewertung-co2", "4")
		c.post(path+"/leitfaden", part).want(t, 422, "Noch ist nichts gespeichert", "Was ich hörte", "Bitte wählen Sie eine Bewertung", "autofocus")
		if a := c.get(path + "/leitfaden"); strings.Contains(a.body, "Was ich hörte") {
			t.Error("a part of a refused form is kept")
		}
		c.follow(c.post(path+"/leitfaden/entwurf", part)).want(t, 200, "Der Entwurf ist gespeichert", "Was ich hörte", `name="bewertung-co2" value="4" checked`)
		for _, at := range []string{path, path + "/leitfaden"} {
			if a := colleague.get(at).want(t, 200); strings.Contains(a.body, "Was ich hörte") {
				t.Errorf("a colleague reads a draft at %s", at)
			}
		}
		if a := c.get(path); strings.Contains(a.body, "Bewertungen aus dem Gespräch") {
			t.Error("a draft stands beside the scores")
		}

		c.follow(c.post(path+"/leitfaden", c.marks("4", "Drei <b>Beispiele</b>"))).want(t, 200, "Ihre Bewertung ist gespeichert.",
			"Bewertungen aus dem Gespräch", "Bewertung und Testwert messen Verschiedenes", "Drei &lt;b&gt;Beispiele&lt;/b&gt;", "Bewertung 4 von 5", "Gespräch bewertet durch "+c.user.Email)
		colleague.get(path).want(t, 200, "Drei &lt;b&gt;Beispiele", c.user.Email)
		if a := colleague.get(path + "/leitfaden"); strings.Contains(a.body, "Drei &lt;b&gt;") {
			t.Error("a colleague finds the ratings in their own form")
		}
		colleague.post(path+"/leitfaden", colleague.marks("0", "Kein Gespräch")).want(t, 422, "Noch ist keine Antwort bewertet", "Kein Gespräch")
		heard := colleague.marks("0", "")
		heard.Set("bewertung-co2", "3")
		colleague.follow(colleague.post(path+"/leitfaden", heard)).want(t, 200, "nicht gefragt / nicht beurteilbar")
	})
}

func TestSavedRatingsCanBeChangedForAWhileAndByTheirAuthorOnly(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		path := "/dashboard/kandidat/" + id(w.finished("Fertig Muster")) + "/leitfaden"
		c, colleague := w.as(member), w.as(member)
		c.post(path, c.marks("4", "Vorher")).want(t, 303)

		theirs := c.marks("1", "Fremd")
		colleague.follow(colleague.post(path, theirs)).want(t, 200, "gehört jemand anderem aus Ihrem Team")
		colleague.follow(colleague.post(path+"/entwurf", theirs)).want(t, 200, "gehört jemand anderem aus Ihrem Team")
		c.post(path+"/entwurf", c.marks("", "Aus dem alten Fenster")).want(t, 422, "Aus dem alten Fenster", "Inzwischen gespeichert:", "Vorher", "Bewertung 4 von 5", "Änderung speichern")

		w.Later(14 * time.Minute)
		c.get(path).want(t, 200, "können Sie sie noch ändern", "Änderung speichern")
		c.post(path, c.marks("5", "Nachher")).want(t, 303)
		w.Later(2 * time.Minute)
		a := c.get(path).want(t, 200, "steht fest", "Nachher", "Bewertung 5 von 5")
		if strings.Contains(a.body, "<textarea") || strings.Contains(a.body, "Fremd") {
			t.Error("what is final can be filled in, or holds what a colleague sent")
		}
		c.follow(c.post(path, c.marks("5", " Nachher\r\n"))).want(t, 200, "Es wurde nichts geändert", "Nachher")
		if n := strings.Count(w.actions(), "interview.rated"); n != 1 {
			t.Errorf("%d lines of the audit log for one interview", n)
		}
	})
}

// What is refused because the ratings are final is shown once more, beside what is saved and
// marked as not saved, also where it was no draft or rating that could have been kept.
func TestWhatComesTooLateForFinalRatingsIsShownToBeCopied(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		path := "/dashboard/kandidat/" + id(w.finished("Fertig Muster")) + "/leitfaden"
		c := w.as(member)
		c.post(path, c.marks("4", "Rechtzeitig")).want(t, 303)
		w.Later(time.Hour)
		late := c.marks("4", "Rechtzeitig")
		late.Set("notiz-co2", "Zu <b>spät</b>")
		late.Set("bewertung-lo2", "0")
		late.Set("notiz-in1", "Zur alten Frage")
		late.Set("bewertung-so1", "")
		late.Set("notiz-own999", "Zu keiner Frage")
		for _, to := range []string{path, path + "/entwurf"} {
			a := c.post(to, late).want(t, 409, "Ihre Bewertung steht schon fest", "Zu &lt;b&gt;spät&lt;/b&gt;", "Zur alten Frage", "Zu keiner Frage", "Rechtzeitig")
			_, shown, _ := strings.Cut(a.body, `id="ungespeichert"`)
			shown, rest, _ := strings.Cut(shown, "</section>")
			if n := strings.Count(shown, "<dt"); n != 4 || !strings.Contains(shown, "nicht gefragt / nicht beurteilbar") {
				t.Errorf("%d answers are shown as not saved:\n%s", n, shown)
			}
			if strings.Contains(rest, "&lt;b&gt;") || strings.Contains(rest, "alten Frage") {
				t.Error("what is not saved stands where the saved ratings do")
			}
		}
		c.get(path).want(t, 200, "Rechtzeitig").without(t, "&lt;b&gt;", "alten Frage")
	})
}

// A form can hold answers to questions that are no longer asked. One that no page of ours can
// have asked of this candidate is refused by the name of its field, and tells nothing of it.
func TestAnAnswerToAQuestionThatNobodyAsksHereIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.finished("Kim Muster")
		path, c := "/dashboard/kandidat/"+id(out)+"/leitfaden", w.as(member)
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			other, err := tx.AddPosition(w.Ctx, typus.Position{AccountID: w.Account, Name: "Leitung", State: typus.PositionOpen, Confidential: true, CreatedAt: w.Now()})
			if err != nil {
				return err
			}
			return tx.SetCoreQuestions(w.Ctx, typus.Position{ID: other, AccountID: w.Account}, []typus.CoreQuestion{{Ask: typus.OwnWords{DE: "Vertraulich?"}}})
		}))
		all, err := w.Store.CoreQuestions(w.Ctx, w.Account)
		w.Must(err)
		for _, key := range []string{all[0].Key, "own999", "co99", ""} {
			form := c.marks("4", "Gehört")
			form.Set("notiz-"+key, "Gefälscht")
			form.Set("bewertung-"+key, "3")
			for _, to := range []string{path, path + "/entwurf"} {
				a := c.post(to, form).want(t, 422, "Noch ist nichts gespeichert: Zu „bewertung-"+key+"“", "Gefälscht", "Gehört")
				if strings.Contains(a.body, "Vertraulich?") {
					t.Error("the question of another position is told")
				}
			}
			c.types(strings.TrimSuffix(path, "/leitfaden"), form, 422)
		}
		if list, err := w.Store.RatingsOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID); err != nil || len(list) != 0 {
			t.Errorf("%d ratings are kept, %v", len(list), err)
		}
	})
}

func TestAViewerReadsTheGuideAndRatesNobody(t *testing.T) {
	w := newWorld(t)
	path := "/dashboard/kandidat/" + id(w.finished("Fertig Muster")) + "/leitfaden"
	c := w.as(viewer)
	if a := c.get(path).want(t, 200, "Fragen an alle"); strings.Contains(a.body, "<textarea") {
		t.Error("a viewer is offered to rate")
	}
	c.post(path, c.marks("3", "")).want(t, 403)
	c.post(path+"/entwurf", c.marks("3", "")).want(t, 403)
}

func TestWhatNobodyCanHaveTypedIsNotARating(t *testing.T) {
	w := newWorld(t)
	out := w.finished("Fertig Muster")
	path, c := "/dashboard/kandidat/"+id(out)+"/leitfaden", w.as(member)
	for _, mark := range []string{"6", "-1", "drei", "3.5", "\x00"} {
		c.post(path, c.marks(mark, "")).want(t, 422)
		c.post(path+"/entwurf", c.marks(mark, "")).want(t, 422)
	}
	c.post(path, c.marks("3", strings.Repeat("x", clerk.MaxNote+1))).want(t, 422, "Das ist zu lang.")
	c.post(path, c.marks("3", "\u202eevil")).want(t, 422)
	c.post(path, c.marks("3", strings.Repeat("ü", clerk.MaxNote))).want(t, 303)
	if list, err := w.Store.RatingsOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID); err != nil || len(list) != 8 {
		t.Errorf("%d ratings, %v", len(list), err)
	}
}

// stand is what a page with a form of ratings says that the form was filled with.
func stand(a answer) string {
	_, rest, _ := strings.Cut(a.body, `name="stand" value="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// A form that was shown before another window saved replaces nothing by itself: it is shown
// again with what was typed, beside what differs, and sent once more it counts.
func TestAnOldWindowOverwritesNothingUnasked(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		path := "/dashboard/kandidat/" + id(w.finished("Fertig Muster")) + "/leitfaden"
		c := w.as(member)
		old := stand(c.get(path))
		first, second := c.marks("", "Im Gespräch"), c.marks("4", "Am Schreibtisch")
		first.Set("stand", old)
		second.Set("stand", old)
		c.post(path+"/entwurf", first).want(t, 303)
		for _, to := range []string{path + "/entwurf", path} {
			again := c.post(to, second).want(t, 422, "in einem anderen Fenster", "Am Schreibtisch", "Inzwischen gespeichert:", "Im Gespräch")
			c.get(path).want(t, 200, "Im Gespräch")
			if now := stand(again); now == old || now != stand(c.get(path)) {
				t.Errorf("the form says %q", now)
			}
		}
		second.Set("stand", stand(c.get(path)))
		for range 2 { // who did not hear that it arrived sends it again
			c.post(path, second).want(t, 303)
		}
		late := c.marks("5", "Zu spät")
		late.Set("stand", old)
		c.post(path, late).want(t, 422, "in einem anderen Fenster")
		if n := strings.Count(w.actions(), "interview.changed"); n != 0 {
			t.Errorf("%d changes are noted of none", n)
		}
		third := c.marks("2", "Anders")
		c.post(path, third).want(t, 303)
		if n := strings.Count(w.actions(), "interview.changed"); n != 1 {
			t.Errorf("%d changes are noted of one", n)
		}
		w.as(viewer).get(strings.TrimSuffix(path, "/leitfaden")).want(t, 200, "Bewertung des Gesprächs geändert durch "+c.user.Email)
	})
}

// Whoever is shown their form again for a fault has not seen what another window saved.
func TestAFaultDoesNotMakeAnOldWindowNew(t *testing.T) {
	w := newWorld(t)
	path := "/dashboard/kandidat/" + id(w.finished("Fertig Muster")) + "/leitfaden"
	c := w.as(member)
	typed := c.marks("4", "Am Schreibtisch")
	typed.Set("stand", stand(c.get(path)))
	c.post(path+"/entwurf", c.marks("", "Im Gespräch")).want(t, 303)
	typed.Del("bewertung-co2")
	again := c.post(path, typed).want(t, 422, "Bitte wählen Sie eine Bewertung")
	typed.Set("bewertung-co2", "4")
	typed.Set("stand", stand(again))
	c.post(path, typed).want(t, 422, "in einem anderen Fenster", "Inzwischen gespeichert:", "Im Gespräch")
}

// Somebody adds an own question, and it is answered in another window, while an old form is
// on its way: what is saved stands beside it all the same.
func TestAnAnswerToAQuestionNewerThanTheFormIsShownBesideIt(t *testing.T) {
	in := second()
	filled := func(note string, core ...typus.CoreQuestion) *guideView {
		g := &guideView{Rates: true, known: report.Known(in, "de", core...)}
		g.ask(report.GuideOf(in, in.Roles()[0], "de", core...))
		g.fill([]store.Rating{{Question: core[len(core)-1].Key, Note: note}})
		return g
	}
	core := []typus.CoreQuestion{{Key: "co2"}, {Key: "lo2"}, {Key: "in2"}}
	old := filled("Getippt", core...)
	saved := filled("Neu", append(core, typus.CoreQuestion{Key: "own1", Ask: typus.OwnWords{DE: "Was war schwer?"}})...)
	old.beside(saved)
	if a := old.answer("own1"); a == nil || a.Other != "Neu" || a.Ask != "Was war schwer?" || !a.Open {
		t.Errorf("the new answer is %+v", a)
	}
	old = filled("Getippt", core...)
	delete(saved.known, "own1")
	if old.beside(saved); len(old.Past) != 0 {
		t.Error("a question that nobody knows is asked")
	}
}

// The form says what saving does, and what freezes the ratings.
func TestSavingSaysWhetherItOpensTheResult(t *testing.T) {
	w := newWorld(t)
	w.blindTo(false)
	done, open := "/dashboard/kandidat/"+id(w.finished("Fertig Muster"))+"/leitfaden", "/dashboard/kandidat/"+id(w.invited("Offen Muster", ""))+"/leitfaden"
	w.as(interviewer).get(done).want(t, 200, "Bewertung speichern und Ergebnis öffnen", "noch 15 Minuten ändern.")
	if a := w.as(interviewer).get(open).want(t, 200, "höchstens bis das Ergebnis da ist"); strings.Contains(a.body, "Ergebnis öffnen<") {
		t.Error("saving opens a result that is not there")
	}
	if a := w.as(owner).get(done); strings.Contains(a.body, "Ergebnis öffnen<") {
		t.Error("saving opens what is open")
	}
}
