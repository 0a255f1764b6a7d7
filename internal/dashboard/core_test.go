package dashboard

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/pdf/pdftest"
)

// asked lets everybody be asked what a form chooses, and returns the questions.
func (w *world) asked(form url.Values) []typus.CoreQuestion {
	w.Helper()
	w.as(admin).post(corePath, form).want(w.T, 303)
	all, err := w.Store.CoreQuestions(w.Ctx, w.Account)
	w.Must(err)
	return typus.CoreOf(all, 0)
}

// Everybody is asked the same, literally and in the same order, on the page and on paper.
func TestEverybodyIsAskedWhatTheTeamHasChosen(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		one, two := w.invited("Kim Muster", ""), w.finished("Robin Muster")
		boss := w.as(owner)
		boss.get(corePath).want(t, 200, "Zurzeit sind es 4 Fragen.", "Wir haben sie vorgeschlagen.", "Im Bewerbungsgespräch sind sie grundsätzlich nicht erlaubt")
		w.as(member).get(corePath).want(t, 403)
		w.as(member).post(corePath, url.Values{"core": {"ad1", "ad2", "ad3"}}).want(t, 403)
		boss.post(corePath, url.Values{"core": {"in1"}, "ask_de_4": {"Was war <b>schwer</b>?"}}).want(t, 422,
			"zusammen 3 bis 8 Fragen", "Was war &lt;b&gt;schwer&lt;/b&gt;?", `value="in1" checked`)
		boss.post(corePath, url.Values{"core": {"in1", "ad2"}, "high_en_7": {"names reasons"}}).want(t, 422, "names reasons", `id="ask_en_1-fault"`)

		boss.follow(boss.post(corePath, url.Values{"core": {"in1", "ad2"}, "ask_de_4": {"Was war <b>schwer</b>?"}, "high_de_4": {"nennt Gründe"}})).want(t, 200,
			"Die Fragen an alle sind gespeichert.", "Zurzeit sind es 3 Fragen.", "Unseren Vorschlag nehmen")
		boss.get(auditPath).want(t, 200, "Fragen an alle geändert", "3 Fragen, davon 1 eigene")
		inOrder := func(text string, own string) {
			t.Helper()
			for _, said := range []string{"Erzählen Sie von einer Aufgabe, die viel länger gedauert hat", "Wann haben Sie einen Nachteil angesprochen", own, "nennt Gründe"} {
				_, after, found := strings.Cut(text, said)
				if !found {
					t.Fatalf("%q is missing or too early in %s", said, text)
				}
				text = after
			}
		}
		for _, of := range []string{id(one), id(two)} {
			page := w.as(interviewer).get("/dashboard/kandidat/"+of+"/leitfaden").want(t, 200, "Spricht eher dafür")
			if inOrder(page.body, "Was war &lt;b&gt;schwer&lt;/b&gt;?"); strings.Contains(page.body, "Spricht eher dagegen") {
				t.Error("the guide has a heading for what nobody wrote")
			}
			file := w.as(interviewer).get("/dashboard/kandidat/"+of+"/leitfaden.pdf").want(t, 200)
			inOrder(strings.Join(strings.Fields(pdftest.Words(t, []byte(file.body))), " "), "Was war <b>schwer</b>?")
		}
		file := boss.get("/dashboard/kandidat/"+id(two)+"/bericht.pdf").want(t, 200)
		inOrder(strings.Join(strings.Fields(pdftest.Words(t, []byte(file.body))), " "), "Was war <b>schwer</b>?")
		boss.follow(boss.post(corePath, fields("proposed", "1"))).want(t, 200, "Wir haben sie vorgeschlagen.")
	})
}

// What was noted and rated stays with the question that it was said in answer to, also in a
// form that was open while the questions were changed.
func TestRatingsKeepTheirQuestionWhenOthersAreAsked(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		path, c := "/dashboard/kandidat/"+id(w.finished("Kim Muster")), w.as(interviewer)
		before := w.asked(url.Values{"core": {"ad2", "in1"}, "ask_de_1": {"Was war schwer?"}})
		key := before[2].Key
		role := w.face.Instrument.Roles()[0].Key
		open := c.marksFor(role, "", "", before...)
		open.Set("notiz-"+key, "Sagte etwas Eigenes")
		open.Set("notiz-in1", "Hielt Wort")
		c.post(path+"/leitfaden/entwurf", open).want(t, 303)

		w.asked(url.Values{"core": {"ad2", "so1", "lo2"}})
		c.get(path+"/leitfaden").want(t, 200, "Fragen, die nicht mehr im Leitfaden stehen", "Was war schwer?", "Sagte etwas Eigenes", "Hielt Wort", `name="notiz-so1"`)
		late := c.marksFor(role, "4", "", before...)
		late.Set("notiz-"+key, "Sagte etwas Eigenes, lange")
		late.Set("notiz-re6", "  ")
		c.post(path+"/leitfaden", late).want(t, 422, "Bitte wählen Sie eine Bewertung", "Sagte etwas Eigenes, lange")
		late.Set("bewertung-so1", "2")
		late.Set("bewertung-lo2", "0")
		late.Del("bewertung-in1")
		late.Set("notiz-in1", "Hielt Wort")
		if again := c.post(path+"/leitfaden", late).want(t, 422, "Hielt Wort"); strings.Count(again.body, "Bitte wählen Sie eine Bewertung") != 1 {
			t.Error("a note on a former question is given a mark that nobody chose")
		}
		late.Set("bewertung-in1", "0")
		late.Set("bewertung-own999", "5")
		late.Set("notiz-own999", "Zu keiner Frage")
		c.post(path+"/leitfaden", late).want(t, 422, "own999", "Zu keiner Frage")
		late.Del("bewertung-own999")
		late.Del("notiz-own999")
		c.post(path+"/leitfaden", late).want(t, 303)

		w.asked(fields("proposed", "1"))
		for _, reader := range []*client{c, w.as(viewer)} {
			report := reader.get(path).want(t, 200, "Was war schwer?", "Eigene Frage", "Sagte etwas Eigenes, lange", "Hielt Wort", "Bewertung 2 von 5")
			if strings.Contains(report.body, "Zu keiner Frage") {
				t.Error("a rating is about a question that nobody knows")
			}
		}
		robin := w.finished("Robin Muster")
		c.get(comparePath+"?id="+id(robin)+"&id="+strings.TrimPrefix(path, "/dashboard/kandidat/")).want(t, 200, "Was war schwer?", "Eigene Frage")
		c.get(path+"/leitfaden").want(t, 200, "Was war schwer?", "Sagte etwas Eigenes, lange", "Hielt Wort")
		slip := c.marks("3", "")
		c.post(path+"/leitfaden", slip).want(t, 303)
		c.get(path).want(t, 200, "Sagte etwas Eigenes, lange", "Hielt Wort")
		w.Later(time.Hour)
		c.get(path+"/leitfaden").want(t, 200, "steht fest", "Was war schwer?", "Sagte etwas Eigenes, lange", "Hielt Wort")
	})
}
