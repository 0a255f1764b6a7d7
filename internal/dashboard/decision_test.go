package dashboard

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

const testAlone = "Der Test allein reicht für eine Absage nicht. Führen Sie ein Gespräch oder ziehen Sie Unterlagen heran, und kreuzen Sie nur an, was Sie wirklich genutzt haben."

// without checks that a page holds none of these.
func (a answer) without(t testing.TB, holds ...string) {
	t.Helper()
	for _, h := range holds {
		if strings.Contains(a.body, h) {
			t.Errorf("the page holds %q", h)
		}
	}
}

// decided are the entries about a candidate, newest first.
func (w *world) decided(out assess.Invited) []typus.Decision {
	w.Helper()
	about, err := w.Store.DossierOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
	list := about.Decisions
	w.Must(err)
	return list
}

// sound is somebody with a result that can be interpreted.
func (w *world) sound(name string) assess.Invited {
	return w.answered(name, func(i int) int { return 2 + i%4 }, 4000)
}

// rejecting is a form of a rejection that can be kept; more replaces its fields.
func rejecting(more url.Values) url.Values {
	form := url.Values{"stage": {"rejection"}, "reasons": {"terms"}, "sources": {"documents", "test"}, "last": {"0"}, "formular": {strings.Repeat("f", 26)}}
	for name, values := range more {
		form[name] = values
	}
	return form
}

func TestADecisionIsKeptWithWhatItRestsOn(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.sound("Kim")
		path, c := candidatePath(out.Candidate.ID), w.as(member)
		c.get(path).want(t, 200, "Stand: <strong>Neu</strong>", "Schreiben Sie nur, was mit der Arbeit zu tun hat. Die Person kann lesen, was hier steht.")
		c.follow(c.post(path+"/entscheidung", fields("stage", "interview", "last", "0"))).want(t, 200, "Festgehalten: Gespräch.", "<strong>Gespräch</strong>")
		first := w.decided(out)[0]
		form := rejecting(url.Values{"last": {strconv.FormatInt(first.ID, 10)}, "text": {"Kein <b>Führerschein</b>\r\nKlasse B"}})
		c.follow(c.post(path+"/entscheidung", form)).want(t, 200, "<strong>Absage</strong>", "Gründe: Rahmenbedingungen (Ort, Zeit, Gehalt)", "Genutzte Quellen: Unterlagen; Test",
			"Kein &lt;b&gt;Führerschein&lt;/b&gt;\nKlasse B", "Stand „Absage“ festgehalten durch "+c.user.Email)
		c.follow(c.post(path+"/entscheidung", form)).want(t, 200) // a double click
		if list := w.decided(out); len(list) != 2 || list[1].Stage != typus.StageInterview || list[0].UserID != c.user.ID || list[0].Author != c.user.Email || !list[0].CreatedAt.Equal(w.Now()) {
			t.Errorf("after a correction and a double click: %+v", list)
		}
		lines, err := w.Store.AuditOf(w.Ctx, w.Account, out.Candidate.ID)
		w.Must(err)
		noted := 0
		for _, l := range lines {
			if l.Action == typus.AuditCandidateDecided && l.Detail == "" {
				noted++
			}
		}
		if noted != 2 {
			t.Errorf("the audit log says it %d times: %+v", noted, lines)
		}
		w.as(viewer).get(path).want(t, 200, "<strong>Absage</strong>", "Klasse B").without(t, path+"/entscheidung")
		w.as(interviewer).get(path).want(t, 200, `<article class="report`).without(t, `id="entscheidung"`, "Klasse B")
	})
}

// What cannot be kept is said, stays in the form, and leaves no trace.
func TestADecisionThatCannotBeKeptStaysInTheForm(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out, doubtful := w.sound("Kim"), w.answered("Robin", func(int) int { return 5 }, 300)
		waiting := w.invitedBy(w.Account, assess.Invitation{Name: "Kai", Email: "kai@example.com", SendEmail: true})
		c := w.as(member)
		long := strings.Repeat("x", 10_000)
		for what, try := range map[string]struct {
			of   assess.Invited
			form url.Values
			said string
		}{
			"no stage":                 {out, rejecting(url.Values{"stage": nil}), "Bitte wählen Sie einen Stand aus der Liste."},
			"an unknown stage":         {out, rejecting(url.Values{"stage": {"hired"}}), "Bitte wählen Sie einen Stand aus der Liste."},
			"no reason":                {out, rejecting(url.Values{"reasons": nil}), "Nennen Sie mindestens einen Grund."},
			"an unknown reason":        {out, rejecting(url.Values{"reasons": {"terms", "age"}}), "Diese Eingabe ist nicht gültig."},
			"no source":                {out, rejecting(url.Values{"sources": nil}), "Nennen Sie mindestens eine Quelle."},
			"an unknown source":        {out, rejecting(url.Values{"sources": {"documents", "hearsay"}}), "Diese Eingabe ist nicht gültig."},
			"the test alone":           {out, rejecting(url.Values{"sources": {"test"}}), testAlone},
			"a doubtful test":          {doubtful, rejecting(nil), testAlone},
			"the test and not":         {out, rejecting(url.Values{"sources": {"test", "test_not_used"}}), "schließen einander aus"},
			"no test":                  {waiting, rejecting(nil), "Ein Testergebnis liegt nicht vor."},
			"a reason of an offer":     {out, rejecting(url.Values{"stage": {"offer"}, "sources": nil}), "Das gehört nur zu einer Absage."},
			"a far too long text":      {out, rejecting(url.Values{"text": {long}}), "Das ist zu lang."},
			"a text that turns around": {out, rejecting(url.Values{"text": {"a\u202eb"}}), "enthält ein unsichtbares Zeichen"},
		} {
			a := c.post(candidatePath(try.of.Candidate.ID)+"/entscheidung", try.form).want(t, 422, try.said)
			if typed := try.form.Get("text"); typed != "" && !strings.Contains(a.body, typed) {
				t.Errorf("%s: the text is gone", what)
			}
			if slices.Contains(try.form["reasons"], "terms") && !strings.Contains(a.body, `value="terms" id="reasons" checked`) && !strings.Contains(a.body, `value="terms" checked`) {
				t.Errorf("%s: the reason is gone", what)
			}
			if len(w.decided(try.of)) > 0 {
				t.Errorf("%s is kept", what)
			}
		}
		c.follow(c.post(candidatePath(doubtful.Candidate.ID)+"/entscheidung", rejecting(url.Values{"sources": {"interview", "test_not_used"}}))).want(t, 200, "<strong>Absage</strong>")
		c.follow(c.post(candidatePath(waiting.Candidate.ID)+"/entscheidung", fields("stage", "withdrew", "last", "0"))).want(t, 200, "<strong>Hat zurückgezogen</strong>")
		w.as(viewer).post(candidatePath(out.Candidate.ID)+"/entscheidung", rejecting(nil)).want(t, 403)
	})
}

// Who decides on a page that is no longer up to date is told, and nothing is lost.
func TestAnOldPageOverridesNoNewerDecision(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.sound("Kim")
		path, ada, eve := candidatePath(out.Candidate.ID)+"/entscheidung", w.as(member), w.as(admin)
		ada.post(path, fields("stage", "offer", "last", "0")).want(t, 303)
		for _, old := range []string{"0", "", "x", "99999999"} {
			eve.post(path, rejecting(url.Values{"last": {old}, "text": {"Nur vormittags"}})).want(t, http.StatusConflict,
				"Inzwischen hat jemand aus Ihrem Team etwas anderes festgehalten", "Nur vormittags", `name="last" value="`+strconv.FormatInt(w.decided(out)[0].ID, 10)+`"`, "<strong>Zusage</strong>")
		}
		if list := w.decided(out); len(list) != 1 {
			t.Errorf("kept: %+v", list)
		}
		eve.post(path, rejecting(url.Values{"last": {strconv.FormatInt(w.decided(out)[0].ID, 10)}})).want(t, 303)
		if list := w.decided(out); len(list) != 2 || list[0].Stage != typus.StageRejection {
			t.Errorf("sent again on purpose: %+v", list)
		}
	})
}

// The switch takes the form away and nothing else.
func TestDecisionsCanStandInAnotherSystem(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		before, after := w.sound("Kim"), w.sound("Robin")
		c, boss := w.as(member), w.as(admin)
		c.post(candidatePath(before.Candidate.ID)+"/entscheidung", fields("stage", "offer", "last", "0")).want(t, 303)
		boss.post("/dashboard/einstellungen/konto/entscheidung", fields("decides_elsewhere", "1")).want(t, 303)
		boss.get(decisionPath).want(t, 200, "Entscheidung steht in einem anderen System")
		c.get(candidatePath(before.Candidate.ID)).want(t, 200, "<strong>Zusage</strong>", "Entscheidungen stehen in einem anderen System").without(t, "Entscheidung festhalten")
		c.get(candidatePath(after.Candidate.ID)).want(t, 200, `<article class="report`).without(t, `id="entscheidung"`)
		c.follow(c.post(candidatePath(after.Candidate.ID)+"/entscheidung", rejecting(nil))).want(t, 200, "hier wird keine festgehalten")
		if len(w.decided(after)) > 0 {
			t.Error("it is kept all the same")
		}
		boss.post("/dashboard/einstellungen/konto/entscheidung", nil).want(t, 303)
		c.get(candidatePath(after.Candidate.ID)).want(t, 200, "Entscheidung festhalten")
	})
}

func TestTheStageIsTheLastColumnOfTheFile(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		for name, stage := range map[string]string{"Kim": "on_hold", "Robin": ""} {
			out := w.sound(name)
			if stage != "" {
				w.as(member).post(candidatePath(out.Candidate.ID)+"/entscheidung", fields("stage", stage, "last", "0")).want(t, 303)
			}
		}
		body := w.as(member).post("/dashboard/export", url.Values{}).want(t, 200).body
		got := map[string]string{}
		reader := csv.NewReader(strings.NewReader(strings.TrimPrefix(body, "\ufeff")))
		reader.Comma = ';'
		lines, err := reader.ReadAll()
		w.Must(err)
		for _, line := range lines {
			got[line[2]] = line[len(line)-1]
		}
		if got["Name"] != "Entscheidung" || got["Kim"] != "Zurückgestellt" || got["Robin"] != "Neu" {
			t.Errorf("the last column is %v", got)
		}
	})
}

// Several at once are rejected without the test only, and only those whose result nobody
// has opened since the page was shown, nor decided about. The others are named.
func TestSeveralAreRejectedWithoutTheTestOnly(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c, eve := w.as(member), w.as(admin)
		read, soon, decided := w.sound("Kimgelesen"), w.sound("Kimgleich"), w.sound("Kimgesagt")
		free, waiting := w.sound("Kimfrei"), w.invitedBy(w.Account, assess.Invitation{Name: "Kimwartet", Email: "kim@example.com", SendEmail: true})
		foreign := w.invitedBy(w.newAccount("Andere GmbH"), assess.Invitation{Name: "Kimfremd", Email: "fremd@example.com", SendEmail: true})
		eve.get(candidatePath(read.Candidate.ID)).want(t, 200)
		form := url.Values{"reasons": {"filled"}, "text": {"Stelle besetzt"}, "sources": {"documents"}, "formular": {strings.Repeat("f", 26)}}
		for _, out := range []assess.Invited{read, soon, decided, free, waiting, foreign} {
			form.Add("id", id(out))
			form.Set("last-"+id(out), "0")
		}
		asked := c.get(rejectPath+"?"+form.Encode()).want(t, 200, "Test nicht herangezogen", "jemand hat das Ergebnis schon geöffnet", `name="last-`+id(free)+`" value="0"`)
		asked.without(t, `name="last-`+id(read)+`"`, "Kimfremd", `value="test"`)
		for what, wrong := range map[string]url.Values{"no reason": {"reasons": nil}, "the test": {"sources": {"test"}}, "a text": {"text": {strings.Repeat("x", 10_000)}}} {
			bad := url.Values{}
			for name, values := range form {
				bad[name] = values
			}
			for name, values := range wrong {
				bad[name] = values
			}
			c.post(rejectPath, bad).want(t, 422, "Kimfrei", "Es wurde noch nichts gespeichert")
			if len(w.decided(free)) > 0 {
				t.Fatalf("%s: somebody is rejected", what)
			}
		}
		eve.get(candidatePath(soon.Candidate.ID)).want(t, 200)
		eve.post(candidatePath(decided.Candidate.ID)+"/entscheidung", fields("stage", "offer", "last", "0")).want(t, 303)
		for range 2 { // a double click names the same
			page := c.follow(c.post(rejectPath, form)).want(t, 200, "Kimgelesen", "Kimgesagt", "jemand hat inzwischen etwas anderes festgehalten", "Kimgleich")
			done, left, _ := strings.Cut(page.body, `id="ausgelassen"`)
			if strings.Count(done, `<strong>Kim`) != 2 || !strings.Contains(done, "Kimfrei") || !strings.Contains(done, "Kimwartet") || strings.Count(left, `<strong>Kim`) != 3 {
				t.Errorf("the page says %s", page.body)
			}
			page.without(t, "Kimfremd")
		}
		for _, out := range []assess.Invited{free, waiting} {
			list := w.decided(out)
			if len(list) != 1 || list[0].Stage != typus.StageRejection || !slices.Equal(list[0].Sources, []typus.Source{"documents", "test_not_used"}) || list[0].Text != "Stelle besetzt" {
				t.Errorf("%s: %+v", out.Candidate.Name, list)
			}
		}
		if len(w.decided(read))+len(w.decided(soon)) > 0 || len(w.decided(decided)) != 1 {
			t.Error("somebody else is rejected")
		}
		c.get(rejectedPath+"?id="+id(soon)+"&nicht="+id(free)+"-opened").want(t, 200).without(t, `id="abgesagt"`)
		eve.post("/dashboard/einstellungen/konto/entscheidung", fields("decides_elsewhere", "1")).want(t, 303)
		c.get("/dashboard/kandidaten").want(t, 200).without(t, rejectPath)
		c.follow(c.post(rejectPath, form)).want(t, 200, "hier wird keine festgehalten")
		w.as(viewer).post(rejectPath, form).want(t, 403)
	})
}
