package dashboard

import (
	"strconv"
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
		c.post(path+"/leitfaden", c.marks("5", "Mit Ergebnis")).want(t, 409, "Ihre Bewertung steht schon fest", "Mit Ergebnis", "Ohne Ergebnis", "Bewertung 3 von 5")
		c.get(path+"/leitfaden").want(t, 200, "Bewertung 3 von 5").without(t, "Mit Ergebnis")
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

// Two people who were invited at the same moment, of whom one hurried through the test and
// the other took two days and a receipt: whoever is blind finds no time in which they
// differ, on any page or file.
func TestWhoIsBlindDoesNotSeeHowFastSomebodyWas(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.blindTo(true)
		fast := w.invitedBy(w.Account, assess.Invitation{Name: "Kimfast", Email: "kimfast@example.com", SendEmail: true})
		slow := w.invitedBy(w.Account, assess.Invitation{Name: "Kimslow", Email: "kimslow@example.com", SendEmail: true})
		w.Must(w.Assess.Begin(w.Ctx, slow.Token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"))
		w.Later(26 * time.Hour)
		running := func(c *client, out assess.Invited) string {
			return c.get("/dashboard/kandidat/"+id(out)).body + c.get("/dashboard/kandidaten?suche="+out.Candidate.Name).body
		}
		chief := w.as(admin)
		if text := running(chief, slow); strings.Contains(text, "27.11.2026, 10:00 beg") || strings.Contains(text, "Test begonnen") || strings.Contains(text, "<progress") {
			t.Errorf("a blind admin sees when a test was begun:\n%s", text)
		}
		for _, out := range []assess.Invited{slow, fast} {
			w.finish(out)
			w.Later(5 * time.Hour)
		}
		for _, c := range []*client{chief, w.as(member), w.as(interviewer)} {
			for what, ask := range map[string]func(out assess.Invited) answer{
				"the page":   func(out assess.Invited) answer { return c.get("/dashboard/kandidat/" + id(out)) },
				"the guide":  func(out assess.Invited) answer { return c.get("/dashboard/kandidat/" + id(out) + "/leitfaden") },
				"the notice": func(out assess.Invited) answer { return c.get("/dashboard/kandidat/" + id(out) + "/hinweise") },
				"the list":   func(out assess.Invited) answer { return c.get("/dashboard/kandidaten?suche=" + out.Candidate.Name) },
				"the file": func(out assess.Invited) answer {
					return c.post("/dashboard/auswahl/export", fields("id", id(out)))
				},
			} {
				again := func(out assess.Invited) answer { c.get(peoplePath); return ask(out) } // the way back leads to the list as it was last seen
				a, b := exactly(again(fast), fast), exactly(again(slow), slow)
				if a != b {
					t.Errorf("%s tells a %s who was faster:\n%s", what, c.user.Role, firstDifference(a, b))
				}
			}
		}
		if page := w.as(member).get("/dashboard/credits").want(t, 200, "Test abgeschlossen", "Für Sie nicht sichtbar"); strings.Contains(page.body, "Kim") || strings.Contains(page.body, "gelöscht") {
			t.Error("the ledger says who finished when")
		}
		if file := w.as(member).post("/dashboard/credits/export.csv", nil).want(t, 200, "Test abgeschlossen"); strings.Contains(file.body, id(fast)) || strings.Count(file.body, "Test abgeschlossen") != 2 {
			t.Errorf("the ledger says as a file:\n%s", file.body)
		}
		if page := chief.get("/dashboard/einstellungen/briefe/protokoll").want(t, 200, "kimfast@example.com"); strings.Contains(page.body, "Empfangsbestätigung<") {
			t.Error("the letters say who finished when")
		}
	})
}

// exactly is an answer without what names the person.
func exactly(a answer, of assess.Invited) string {
	text := a.Status + "\n" + a.body
	for _, own := range []string{of.Candidate.Name, of.Candidate.Email, id(of), of.Token, shownOf(of)} {
		text = strings.ReplaceAll(text, own, "…")
	}
	return once.ReplaceAllString(text, "…")
}

// shownOf is what the form that corrects a person says that it showed: their name and address,
// and nothing that came of the test.
func shownOf(out assess.Invited) string {
	name, email := correction(out.Candidate)
	return seen(name, email)
}

// What others write may tell of them before the test as well as after it: who is blind
// reads their own notes only, and can take nothing away that they do not see.
func TestWhoIsBlindReadsOnlyTheirOwnNotesAndTakesNothingAway(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.invited("Kim Muster", "")
		path := "/dashboard/kandidat/" + id(out)
		colleague, c := w.as(member), w.as(admin)
		colleague.post(path+"/notizen", fields("notiz", "Sehr unsicher am Telefon")).want(t, 303)
		colleague.post(path+"/tags", fields("tag", "Zweifel")).want(t, 303)
		w.blindTo(true)
		c.post(path+"/notizen", fields("notiz", "Meine Notiz")).want(t, 303)
		notes, err := w.Store.NotesOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
		w.Must(err)
		theirs := path + "/notizen/" + strconv.FormatInt(notes[1].ID, 10) + "/loeschen"
		check := func(when string) {
			t.Helper()
			for _, at := range []string{path, "/dashboard/kandidaten", "/dashboard/kandidaten?suche=unsicher", "/dashboard/kandidaten?tag=Zweifel", theirs} {
				if a := c.get(at); strings.Contains(a.body, "unsicher am") || strings.Contains(a.body, ">Zweifel") {
					t.Errorf("%s %s shows what a colleague wrote", when, at)
				}
			}
			c.get(path).want(t, 200, "Meine Notiz")
			if a := c.post("/dashboard/export", nil); strings.Contains(a.body, "Zweifel") {
				t.Errorf("%s the file holds a tag", when)
			}
			c.post(theirs, nil).want(t, 404)
			c.post(path+"/tags/entfernen", fields("tag", "Zweifel")).want(t, 303)
			c.post(path+"/tags", fields("tag", "Neu")).want(t, 303)
			kept, err := w.Store.NotesOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
			w.Must(err)
			tags, err := w.Store.TagsOf(w.Ctx, w.Account, out.Candidate.ID)
			w.Must(err)
			if len(kept) != 2 || len(tags) != 1 {
				t.Errorf("%s %d notes and %q are left", when, len(kept), tags)
			}
		}
		check("before the test")
		w.finish(out)
		check("after the test")
		c.post(path+"/leitfaden", c.marks("3", "")).want(t, 303)
		c.get(path).want(t, 200, "Sehr unsicher am Telefon", "Zweifel")
	})
}

// Whoever is exempt from rating first sees figures in a list once somebody has rated, or
// once they have looked at the person's page, which the audit log says: no list and no file
// shows a result that nobody has noted, nor puts people in the order of results.
func TestNoListShowsWhoIsExemptAResultBeforeTheFirstRating(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.finished("Fertig Muster")
		w.Must(w.Accounts.SetScoreSorting(w.Ctx, w.Account, true, by))
		path := "/dashboard/kandidat/" + id(out)
		keen, calm := w.as(owner), w.as(admin)
		scores := w.candidateOf(out).Scores
		shows := func(c *client) bool {
			t.Helper()
			page := c.get("/dashboard/kandidaten?sortierung=gesamtwert&rolle=general_sales").want(t, 200, "Fertig Muster").body
			_, row, _ := strings.Cut(page, ">Fertig Muster<")
			row, _, _ = strings.Cut(row, "</tr>")
			record := c.exported()["Fertig Muster"]
			listed, filed := strings.Contains(row, ">"+strconv.Itoa(scores.Overall)+"<"), strings.Join(record[13:len(record)-1], "") != ""
			if listed != filed || listed == strings.Contains(row, "noch nicht bewertet") {
				t.Errorf("the list shows figures: %v, the file: %v\n%s", listed, filed, row)
			}
			if sorts := strings.Contains(c.get("/dashboard/kandidaten").body, "sortierung=gesamtwert"); sorts && !listed {
				t.Error("the list is offered in the order of results")
			}
			return listed
		}
		if !shows(keen) {
			t.Error("no figures without a blind interview")
		}
		w.blindTo(false)
		if shows(keen) || shows(calm) {
			t.Error("figures before anybody rated or looked")
		}
		keen.follow(keen.get(path+"/bericht.pdf")).want(t, 200, "Der Bericht ist noch nicht als PDF gespeichert",
			`<article class="report`, "Bericht vor der ersten Bewertung angesehen durch "+keen.user.Email)
		if file := keen.get(path+"/bericht.pdf").want(t, 200); !strings.HasPrefix(file.body, "%PDF") {
			t.Error("who has looked gets no file")
		}
		if !shows(keen) || shows(calm) {
			t.Error("who has looked sees no figures, or who has not sees them")
		}
		rater := w.as(member)
		rater.post(path+"/leitfaden", rater.marks("3", "")).want(t, 303)
		if !shows(calm) {
			t.Error("no figures after the first rating")
		}
	})
}

// A judgement of somebody who knew the result is not the same as one without.
func TestARatingSaysWhoKnewTheResultBefore(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		path := "/dashboard/kandidat/" + id(w.finished("Fertig Muster"))
		knew, judged := w.as(member), w.as(interviewer)
		knew.get(path).want(t, 200)
		w.Later(time.Minute)
		for _, c := range []*client{knew, judged} {
			form := c.marks("0", "")
			form.Set("bewertung-co2", "4")
			c.post(path+"/leitfaden", form).want(t, 303)
		}
		judged.get(path).want(t, 200)
		a := w.as(viewer).get(path).want(t, 200, knew.user.Email+", kannte das Ergebnis schon")
		if strings.Contains(a.body, judged.user.Email+", kannte") {
			t.Error("who rated first is told to have known the result")
		}
	})
}
