package testpage

import (
	"bytes"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

const asksEarlier = "Haben Sie bei Muster Software GmbH schon einmal teilgenommen?"

// newcomer is somebody else who was invited, and has never taken the test.
func (w *world) newcomer() assess.Invited {
	w.Helper()
	out, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Kim Beispiel", Email: "katja@example.com", Language: "de"}, nil)
	w.Must(err)
	return out
}

// without is a page without what names a test.
func without(r *reader, out assess.Invited) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(r.body, []byte(out.Token), nil), []byte(storageKey(out.Token)), nil)
}

// proven is a reader who has entered the code to earlier answers.
func (w *world) proven(out assess.Invited) *reader {
	w.Helper()
	r := w.reader("de")
	r.open("/t/" + out.Token)
	r.press(asksEarlier)
	r.on("/frueher", 200)
	r.press("Code schicken")
	r.on("/frueher/code", 200)
	codes := w.codes(out.Candidate.ID)
	r.press("Weiter", "code", wrong(codes...))
	r.on("/frueher/code", 422)
	r.press("Weiter", "code", codes[len(codes)-1])
	r.on("/frueher", 200)
	return r
}

// The team knows the link: until the code is right, the pages of who has a result and of who
// has none do not differ by a byte.
func TestTheLinkDoesNotTellWhetherThereAreEarlierAnswers(t *testing.T) {
	w := newWorld(t)
	w.handed(w.reader("de"), false)
	w.Later(24 * time.Hour)
	known, new := w.invite("de"), w.newcomer()
	one, other := w.reader("de"), w.reader("de")
	alike := func(step string) {
		t.Helper()
		if one.status != other.status || unnamed(string(without(one, known))) != unnamed(string(without(other, new))) {
			t.Errorf("%s: the pages differ:\n%s\n%s", step, one.body, other.body)
		}
	}
	one.open("/t/" + known.Token)
	other.open("/t/" + new.Token)
	alike("start")
	for _, step := range []string{asksEarlier, "Ich habe schon einen Code", "Neuen Code schicken"} {
		one.press(step)
		other.press(step)
		alike(step)
	}
	one.press("Weiter", "code", wrong(w.codes(known.Candidate.ID)...))
	other.press("Weiter", "code", wrong(w.codes(new.Candidate.ID)...))
	alike("a wrong code")
	if r := w.proven(w.newcomer()); r.heading() != "Es gibt nichts zu übernehmen" {
		t.Errorf("without earlier answers the code leads to %q", r.heading())
	}
}

func TestEarlierAnswersAreOfferedByACodeAndTakenByAChoice(t *testing.T) {
	w := newWorld(t)
	w.shows(typus.OwnResultAtOnce, "")
	w.handed(w.reader("de"), false)
	w.Later(24 * time.Hour)
	out := w.invite("de")
	r := w.proven(out)
	if r.heading() != "Sie haben die Wahl" || !r.says("Am 27. November 2026 haben Sie diesen Test für Muster Software GmbH schon einmal gemacht.") || r.says("wir empfehlen deshalb einen neuen Test") {
		t.Errorf("the offer is:\n%s", r.body)
	}
	r.press("Antworten übernehmen und abgeben")
	r.on("/frueher", 422)
	if r.alert() == "" {
		t.Error("without the acknowledgement nothing is said")
	}
	tick := r.tick()
	again := *r
	r.press("Antworten übernehmen und abgeben", "hinweise", tick)
	r.on("/fertig", 200)
	again.press("Antworten übernehmen und abgeben", "hinweise", tick) // twice: the answer was lost
	again.on("/fertig", 200)
	r.press("Zur Ergebnisseite")
	if !r.says(described) || !r.says("Sie haben am 27. November 2026 geantwortet und die Antworten am 28. November 2026 übernommen.") {
		t.Errorf("the own page is:\n%s", r.body)
	}
	c, err := w.Store.Candidate(w.Ctx, w.Account, out.Candidate.ID)
	if err != nil || !c.TakenOver() {
		t.Errorf("the candidate is %+v, %v", c, err)
	}
}

// Whoever begins has chosen, and what is gone meanwhile is not offered any more.
func TestAnOfferThatIsOverSaysSo(t *testing.T) {
	w := newWorld(t)
	before := w.handed(w.reader("de"), false)
	w.Later(100 * 24 * time.Hour)
	out := w.invite("de")
	r := w.proven(out)
	if !r.says("wir empfehlen deshalb einen neuen Test") {
		t.Error("a new test is not recommended after three months")
	}
	tick := r.tick()
	w.Must(w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), before.Candidate.ID, typus.Actor{Name: "owner@example.com"}))
	r.press("Antworten übernehmen und abgeben", "hinweise", tick)
	r.on("/frueher", 200)
	if r.heading() != "Es gibt nichts zu übernehmen" {
		t.Errorf("after the erasure: %q", r.heading())
	}
	w.Must(w.Assess.Begin(w.Ctx, out.Token, typus.Notice{Version: "v", Language: "de", At: w.Now()}, "text"))
	for _, path := range []string{"/frueher", "/frueher/code"} {
		r.open("/t/" + out.Token + path)
		r.on("/t/"+out.Token, 200)
		if r.says(asksEarlier) {
			t.Error("it is asked for after the beginning")
		}
	}
}

// Without a mail server nobody can be sent a code, so nobody is asked.
func TestWithoutAMailServerNobodyIsAskedForEarlierAnswers(t *testing.T) {
	w := newWorld(t)
	w.face.mail = false
	out, r := w.invite("de"), w.reader("de")
	r.open("/t/" + out.Token)
	if r.says(asksEarlier) {
		t.Error("the start page asks")
	}
	r.open("/t/" + out.Token + "/frueher")
	if !r.says("Ohne Code können wir Ihnen frühere Antworten nicht anbieten.") {
		t.Errorf("the page says:\n%s", r.body)
	}
}
