package testpage

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/page/pagetest"
	"typus/internal/store"
)

// words are what the walk presses and expects, by language.
var words = map[string]map[string]string{
	"de": {
		"start": "Test starten", "next": "Weiter", "back": "Zurück", "skip": "Möchte ich nicht beantworten", "handIn": "Abgeben",
		"leave": "Ich möchte nicht teilnehmen", "decline": "Ja, ich sage ab", "return": "Doch teilnehmen", "continue": "Weitermachen",
		"tick": "Bitte bestätigen Sie zuerst", "choose": "Bitte wählen Sie eine Antwort.", "fault": "Fehler:",
		"saved": "Alles ist gespeichert.", "thanks": "Vielen Dank, Kim Beispiel!", "other": "English",
	},
	"en": {
		"start": "Start the test", "next": "Next", "back": "Back", "skip": "I would rather not answer", "handIn": "Hand in",
		"leave": "I do not want to take part", "decline": "Yes, I decline", "return": "Take part after all", "continue": "Continue",
		"tick": "Please confirm first", "choose": "Please choose an answer.", "fault": "Error:",
		"saved": "Everything is saved.", "thanks": "Thank you, Kim Beispiel!", "other": "Deutsch",
	},
}

func TestACandidateIsLedThroughTheWholeTest(t *testing.T) {
	for _, lang := range []string{"de", "en"} {
		t.Run(lang, func(t *testing.T) {
			w := newWorld(t)
			say, out, r := words[lang], w.invite(lang), w.reader(lang)
			r.open("/t/" + out.Token)
			r.press(say["start"])
			r.on("/start", 422)
			if !strings.HasPrefix(r.alert(), say["tick"]) || !strings.HasPrefix(r.title(), say["fault"]) {
				t.Errorf("the alert says %q, the title %q", r.alert(), r.title())
			}
			if got := w.test(out.Token).Candidate.Status; got != typus.StatusOpen {
				t.Fatalf("begun without acknowledging: %s", got)
			}
			version := r.tick()
			r.press(say["start"], "hinweise", version)
			r.on("/probe", 200)
			w.acknowledged(out.Candidate.ID, typus.Notice{Version: version, Language: lang, At: w.Now()})

			r.press(say["next"])
			r.on("/probe", 422)
			r.press(say["next"], "antwort", "2")
			for n := range w.Instrument.Items() {
				w.walkItem(r, say, lang, n)
			}
			r.on("/abgabe", 200)
			if done, of := progressOf(t, r); done != of {
				t.Errorf("the last progress is %d of %d", done, of)
			}
			answers := w.test(out.Token).Sheet.Answers
			r.press(say["handIn"])
			r.on("/fertig", 200)
			if !r.says(say["thanks"]) {
				t.Errorf("no thanks:\n%s", r.body)
			}
			for i, a := range answers {
				if a.Value != i%6+1 || a.ActiveMS != 3000+i || a.Skipped || a.Changes != 0 {
					t.Errorf("item %d was saved as %+v", i+1, a)
				}
			}
			if got, err := w.Store.Candidate(w.Ctx, w.Account, out.Candidate.ID); err != nil || got.Status != typus.StatusFinished || got.Scores == nil {
				t.Errorf("the candidate is %s with scores %v: %v", got.Status, got.Scores, err)
			}
		})
	}
}

// walkItem answers one item and, behind a block, passes the breather.
func (w *world) walkItem(r *reader, say map[string]string, lang string, n int) {
	w.Helper()
	r.on(fmt.Sprintf("/frage/%d", n+1), 200)
	it := w.Instrument.Items()[n]
	if want := shown(w.Instrument.Text(lang, it.ID)); r.heading() != want {
		w.Fatalf("item %d asks %q, not %q", n+1, r.heading(), want)
	}
	if done, of := progressOf(w.T, r); done != n || of != len(w.Instrument.Items()) {
		w.Errorf("item %d: the progress is %d of %d", n+1, done, of)
	}
	w.Later(time.Duration(3000+n) * time.Millisecond)
	r.press(say["next"], "antwort", strconv.Itoa(n%6+1))
	if n+1 < len(w.Instrument.Items()) && w.Instrument.Items()[n+1].Block != it.Block {
		r.on(fmt.Sprintf("/pause/%d", it.Block), 200)
		if !r.says(say["saved"]) {
			w.Errorf("pause %d does not say that all is saved", it.Block)
		}
		w.Later(time.Minute) // a breather is no time spent on an item
		r.press(say["next"])
	}
}

func progressOf(t testing.TB, r *reader) (done, of int) {
	t.Helper()
	bars := pagetest.All(r.doc, "progress")
	if len(bars) != 1 {
		t.Fatalf("%s has %d progress bars", r.at.Path, len(bars))
	}
	value, _ := pagetest.Attr(bars[0], "value")
	highest, _ := pagetest.Attr(bars[0], "max")
	done, err1 := strconv.Atoi(value)
	of, err2 := strconv.Atoi(highest)
	if err1 != nil || err2 != nil {
		t.Fatalf("progress %q of %q", value, highest)
	}
	return done, of
}

// acknowledged fails unless the candidate is known to have read this notice.
func (w *world) acknowledged(id int64, want typus.Notice) {
	w.Helper()
	got, err := w.Store.Acknowledgement(w.Ctx, store.WholeAccount(w.Account), id)
	w.Must(err)
	if got.Version != want.Version || got.Language != want.Language || !got.At.Equal(want.At) {
		w.Errorf("acknowledged %+v, not %+v", got, want)
	}
}

func TestBackKeepsWhatWasChosenAndMayBeChanged(t *testing.T) {
	w := newWorld(t)
	out, r := w.begun("de"), w.reader("de")
	w.answer(out.Token, 0, 2)
	r.open("/t/" + out.Token + "/frage/3")
	r.press("Zurück")
	r.on("/frage/2", 200)
	if r.chosen() != "4" {
		t.Errorf("chosen is %q", r.chosen())
	}
	r.press("Weiter", "antwort", "6")
	r.on("/frage/3", 200)
	r.press("Zurück", "antwort", "1")
	r.on("/frage/2", 200)
	answers := w.test(out.Token).Sheet.Answers
	if answers[1].Value != 6 || answers[1].Changes != 1 || answers[2].Value != 1 {
		t.Errorf("saved %+v", answers[:3])
	}
	r.press("Zurück")
	r.on("/frage/1", 200)
	for _, b := range pagetest.All(r.doc, "button") {
		if _, hidden := pagetest.Attr(b, "hidden"); pagetest.Text(b) == "Zurück" && !hidden {
			t.Error("the first item leads back")
		}
	}
}

func TestAnItemWithoutAnAnswerIsAskedAgain(t *testing.T) {
	w := newWorld(t)
	out, r := w.begun("en"), w.reader("en")
	r.open("/t/" + out.Token + "/frage/1")
	for _, nonsense := range []string{"", "0", "7", "-1", "x", "1e0", "99999999999999999999"} {
		r.press("Next", "antwort", nonsense)
		r.on("/frage/1", 422)
		if !strings.HasPrefix(r.alert(), "Please choose an answer.") {
			t.Errorf("%q: the alert says %q", nonsense, r.alert())
		}
	}
	if got := w.test(out.Token).Position; got != 0 {
		t.Errorf("position %d after nonsense", got)
	}
}

func TestLeavingOutMoreThanAResultAllowsLeadsToTheOpenItems(t *testing.T) {
	w := newWorld(t)
	out, r := w.begun("de"), w.reader("de")
	of := w.ofDimension("resilience")
	for n := range w.Instrument.Items() {
		r.open(fmt.Sprintf("/t/%s/frage/%d", out.Token, n+1))
		if n == of[0] || n == of[3] || n == of[7] {
			r.press("Möchte ich nicht beantworten")
			continue
		}
		r.press("Weiter", "antwort", "3")
	}
	r.on("/abgabe", 200)
	if r.heading() != "Noch 3 Aussagen sind offen" || r.says("Abgeben") {
		t.Fatalf("the end says %q:\n%s", r.heading(), r.body)
	}
	r.do("POST", r.at.ResolveReference(parse(t, "/t/"+out.Token+"/fertig")), nil)
	r.on("/fertig", 422)
	if !strings.HasPrefix(r.alert(), "Der Test lässt sich noch nicht abgeben.") {
		t.Errorf("the alert says %q", r.alert())
	}
	r.press(shown(w.Instrument.Text("de", w.Instrument.Items()[of[3]].ID)))
	r.on(fmt.Sprintf("/frage/%d", of[3]+1), 200)
	r.press("Weiter", "antwort", "5")
	r.on("/abgabe", 200)
	if !r.says("2 Aussagen haben Sie ausgelassen.") || !r.says("sieht, dass Aussagen offen geblieben sind, aber nicht welche") {
		t.Errorf("the end does not name the items left out:\n%s", r.body)
	}
	r.press("Abgeben")
	r.on("/fertig", 200)
}

func TestASkippedItemCanBePassedAgainAndAnsweredLater(t *testing.T) {
	w := newWorld(t)
	out, r := w.begun("de"), w.reader("de")
	r.open("/t/" + out.Token + "/frage/1")
	r.press("Möchte ich nicht beantworten")
	r.on("/frage/2", 200)
	r.press("Zurück")
	r.on("/frage/1", 200)
	if !r.says("Diese Aussage haben Sie ausgelassen.") {
		t.Error("the item does not say that it was left out")
	}
	r.press("Weiter")
	r.on("/frage/2", 200)
	r.press("Zurück")
	r.press("Weiter", "antwort", "2")
	r.on("/frage/2", 200)
	if a := w.test(out.Token).Sheet.Answers[0]; a.Value != 2 || a.Skipped {
		t.Errorf("saved %+v", a)
	}
}

func TestNobodyGetsAheadOfTheBlockInProgress(t *testing.T) {
	w := newWorld(t)
	out, r := w.begun("de"), w.reader("de")
	w.answer(out.Token, 0, 4)
	r.open("/t/" + out.Token + "/frage/9")
	r.on("/frage/9", 200)
	for _, ahead := range []string{"/frage/10", "/frage/97", "/pause/1", "/pause/9", "/abgabe"} {
		r.open("/t/" + out.Token + ahead)
		r.on("/frage/5", 200)
	}
	form := map[string][]string{"antwort": {"3"}, "aktion": {"weiter"}}
	for _, ahead := range []string{"/frage/10", "/frage/97", "/fertig"} {
		r.do("POST", r.at.ResolveReference(parse(t, "/t/"+out.Token+ahead)), form)
		r.on("/frage/5", 200)
	}
	for i, a := range w.test(out.Token).Sheet.Answers[4:] {
		if a.Value != 0 {
			t.Errorf("item %d was saved", i+5)
		}
	}
	for _, nowhere := range []string{"/frage/0", "/frage/98", "/frage/x", "/frage/-1", "/pause/0", "/pause/10", "/pause/x", "/nichts", "/frage/"} {
		r.open("/t/" + out.Token + nowhere)
		r.on(nowhere, 404)
	}
}

func TestTheTestGoesOnWhereItStoppedOnAnotherDevice(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	w.answer(out.Token, 0, 30)
	r := w.reader("de")
	r.open("/t/" + out.Token)
	r.on(out.Token, 200)
	if !r.says("30 von 97 Aussagen bearbeitet") {
		t.Errorf("the page does not say how far it is:\n%s", r.body)
	}
	r.press("Weitermachen")
	r.on("/frage/31", 200)
}

// shown is a statement as the pages show it: no word of it breaks at a hyphen.
func shown(statement string) string { return strings.ReplaceAll(statement, "-", "\u2011") }
