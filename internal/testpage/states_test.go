package testpage

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

func TestHandingInAgainShowsTheSamePageAndBooksNothing(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	w.answer(out.Token, 0, len(w.Instrument.Items()))
	address := w.server.URL + "/t/" + out.Token + "/fertig"
	var wait sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wait.Go(func() { errs[i] = handIn(address) })
	}
	wait.Wait()
	w.Must(errors.Join(errs...))
	r := w.reader("de")
	r.open("/t/" + out.Token + "/abgabe")
	r.on("/fertig", 200)
	entries, err := w.Store.CreditEntries(w.Ctx, w.Account, 100)
	w.Must(err)
	if len(entries) != 2 || entries[0].Delta != -1 {
		t.Errorf("the ledger holds %+v", entries)
	}
}

// handIn presses the button and fails unless it leads to the last page.
func handIn(address string) error {
	res, err := new(http.Client).Post(address, "application/x-www-form-urlencoded", nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || res.Request.URL.String() != address || res.Request.Method != http.MethodGet {
		return fmt.Errorf("%s %s answered %d", res.Request.Method, res.Request.URL, res.StatusCode)
	}
	return nil
}

func TestWhatArrivesAfterHandingInChangesNothing(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	w.answer(out.Token, 0, len(w.Instrument.Items()))
	late := w.reader("de")
	late.open("/t/" + out.Token + "/frage/5")
	w.Must(w.Assess.Finish(w.Ctx, out.Token))
	before := w.test(out.Token)
	for _, button := range []string{"Weiter", "Zurück", "Möchte ich nicht beantworten"} {
		r := *late
		r.press(button, "antwort", "1")
		r.on("/fertig", 200)
	}
	for _, path := range []string{"", "/start", "/probe", "/frage/1", "/pause/3", "/abgabe", "/absage", "/fertig"} {
		late.open("/t/" + out.Token + path)
		late.on("/fertig", 200)
	}
	for _, path := range []string{"/start", "/probe", "/frage/1", "/fertig", "/absage"} {
		late.do("POST", late.at.ResolveReference(parse(t, "/t/"+out.Token+path)), nil)
		late.on("/fertig", 200)
	}
	after := w.test(out.Token)
	if !after.Candidate.DeclinedAt.IsZero() || !after.Candidate.CompletedAt.Equal(before.Candidate.CompletedAt) {
		t.Errorf("the candidate is %+v", after.Candidate)
	}
}

func TestTheLastPageShowsNoScores(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	w.answer(out.Token, 0, len(w.Instrument.Items()))
	r := w.reader("de")
	r.open("/t/" + out.Token + "/abgabe")
	r.press("Abgeben")
	c, err := w.Store.Candidate(w.Ctx, w.Account, out.Candidate.ID)
	w.Must(err)
	scores := c.Scores
	for _, secret := range []string{scores.Fit.Label, scores.Persona.Name, scores.Persona.Subtitle, scores.Warnings[0].Message} {
		if r.says(secret) {
			t.Errorf("the page says %q", secret)
		}
	}
}

func TestAnExpiredTestSaysWhomToTurnTo(t *testing.T) {
	for _, begun := range []bool{false, true} {
		w := newWorld(t)
		out := w.invite("de")
		if begun {
			w.Must(w.Assess.Begin(w.Ctx, out.Token, typus.Notice{Version: "v", Language: "de", At: w.Now()}, "text"))
		}
		w.Later(31 * 24 * time.Hour)
		r := w.reader("de")
		for _, path := range []string{"", "/probe", "/frage/1", "/abgabe", "/absage", "/fertig"} {
			r.open("/t/" + out.Token + path)
			if r.status != http.StatusGone || r.heading() != "Dieser Link ist abgelaufen" || !r.says("owner@example.com") {
				t.Errorf("%s: %d\n%s", path, r.status, r.body)
			}
			if got := r.says("Ihre bisherigen Antworten sind gespeichert"); got != begun {
				t.Errorf("%s: speaks of answers: %v", path, got)
			}
		}
		for _, path := range []string{"/start", "/frage/1", "/fertig", "/absage"} {
			r.do("POST", r.at.ResolveReference(parse(t, "/t/"+out.Token+path)), nil)
			r.on(path, http.StatusGone)
		}
		r.lang = "en"
		r.press("English")
		if r.status != http.StatusGone || r.heading() != "This link has expired" {
			t.Errorf("in English: %d %s", r.status, r.heading())
		}
	}
}

func TestAWithdrawnInvitationSaysSo(t *testing.T) {
	w := newWorld(t)
	out := w.begun("en")
	w.Must(w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, typus.Actor{Name: "owner@example.com"}))
	r := w.reader("en")
	for _, path := range []string{"", "/frage/1", "/absage"} {
		r.open("/t/" + out.Token + path)
		if r.status != http.StatusGone || r.heading() != "This invitation was withdrawn" {
			t.Errorf("%s: %d %s", path, r.status, r.heading())
		}
	}
}

func TestWhoDeclinesIsAskedOnceAndFindsTheWayBack(t *testing.T) {
	for _, lang := range []string{"de", "en"} {
		say := words[lang]
		w := newWorld(t)
		out, r := w.invite(lang), w.reader(lang)
		r.open("/t/" + out.Token)
		r.press(say["leave"])
		r.on("/absage", 200)
		if c := w.test(out.Token).Candidate; !c.DeclinedAt.IsZero() {
			t.Fatal("declined by a look at the question")
		}
		r.press(say["decline"])
		r.on("/absage", 200)
		if c := w.test(out.Token).Candidate; c.DeclinedAt.IsZero() || c.Status != typus.StatusOpen {
			t.Fatalf("declined at %v, status %s", c.DeclinedAt, c.Status)
		}
		r.open("/t/" + out.Token + "/frage/1")
		r.on("/absage", 200)
		r.press(say["return"])
		r.on(out.Token, 200)
		r.press(say["start"], "hinweise", r.tick())
		r.on("/probe", 200)
		if c := w.test(out.Token).Candidate; !c.DeclinedAt.IsZero() || c.Status != typus.StatusStarted {
			t.Errorf("declined at %v, status %s", c.DeclinedAt, c.Status)
		}
	}
}

// Whoever is asked can leave at each step by one link, on pages of a server as in the gallery.
func TestEveryPageThatAsksOffersToLeaveOnce(t *testing.T) {
	leave := regexp.MustCompile(`<a [^>]*href="[^"]*/absage"`)
	offers := func(where string, body []byte, want int) {
		if got := len(leave.FindAll(body, -1)); got != want {
			t.Errorf("%s has %d links to leave, not %d", where, got, want)
		}
	}
	w := newWorld(t)
	r := w.reader("de")
	r.open("/t/" + w.invite("de").Token)
	offers("the start page", r.body, 1)
	out := w.begun("de")
	w.answer(out.Token, 0, len(w.Instrument.Items()))
	for _, path := range []string{"", "/probe", "/frage/1", "/pause/1", "/abgabe"} {
		r.open("/t/" + out.Token + path)
		offers(path+" of a server", r.body, 1)
	}
	waits := w.invite("de")
	w.suspend()
	r.open("/t/" + waits.Token)
	offers("the page of who waits", r.body, 1)
	f := newTestFace(t)
	for name, v := range everyPage(f, "de", persona{"Kim Beispiel", "Muster GmbH", "owner@example.com"}) {
		step, _, _ := strings.Cut(name, "-")
		want := 0
		if slices.Contains([]string{"start", "resume", "practice", "item", "pause", "review", "waiting"}, step) && !strings.HasSuffix(name, "-declined") {
			want = 1
		}
		offers(name, []byte(render(t, f, "de", v)), want)
	}
}

func TestWhoDeclinesInTheMiddleKeepsTheAnswers(t *testing.T) {
	w := newWorld(t)
	out, r := w.begun("de"), w.reader("de")
	w.answer(out.Token, 0, 20)
	r.open("/t/" + out.Token + "/frage/21")
	r.press("Ich möchte nicht teilnehmen")
	r.press("Zurück zum Test")
	r.on(out.Token, 200)
	r.press("Ich möchte nicht teilnehmen")
	r.press("Ja, ich sage ab")
	r.do("POST", r.at.ResolveReference(parse(t, "/t/"+out.Token+"/frage/21")), map[string][]string{"antwort": {"3"}})
	r.on("/absage", 200)
	if got := w.test(out.Token).Position; got != 20 {
		t.Errorf("position %d: answered after declining", got)
	}
	r.press("Doch teilnehmen")
	r.on("/frage/21", 200)
	if c := w.test(out.Token).Candidate; !c.DeclinedAt.IsZero() {
		t.Error("still declined")
	}
}

// TestAnUnknownLinkAlwaysLooksTheSame compares the pages of links that lead
// nowhere: near misses of a real one, other lengths, other alphabets.
func TestAnUnknownLinkAlwaysLooksTheSame(t *testing.T) {
	w := newWorld(t)
	out := w.invite("de")
	last := "A"
	if strings.HasSuffix(out.Token, last) {
		last = "B"
	}
	r, first := w.reader("de"), ""
	for _, token := range []string{
		strings.Repeat("a", 32), out.Token[:31] + last, out.Token[:31], out.Token + "A", strings.ToLower(out.Token) + "x",
		"x", "%00", "%2F", "..%2F..", "%F0%9F%98%80", strings.Repeat("z", 4000), "'%20or%201=1--",
	} {
		for _, path := range []string{"", "/frage/1", "/abgabe", "/fertig", "/absage"} {
			r.open("/t/" + token + path)
			if first == "" {
				first = string(r.body)
			}
			if r.status != http.StatusNotFound || string(r.body) != first {
				t.Errorf("%.40s%s: %d\n%s", token, path, r.status, r.body)
			}
		}
		r.do("POST", r.at.ResolveReference(parse(t, "/t/"+token+"/start")), nil)
		if r.status != http.StatusNotFound || r.heading() != "Dieser Link führt zu keinem Test" {
			t.Errorf("POST %.40s: %d", token, r.status)
		}
	}
	r.lang = "en"
	r.open("/t/" + strings.Repeat("a", 32) + "?lang=en")
	if r.heading() != "This link does not lead to a test" {
		t.Errorf("in English: %s", r.heading())
	}
}

func TestAccountsWithoutAContactNameThePersonInstead(t *testing.T) {
	w := newWorld(t)
	account, err := w.Access.CreateAccount(w.Ctx, typus.Account{Name: "Ohne Adresse OHG"}, 1)
	w.Must(err)
	out, _, err := w.Assess.Invite(w.Ctx, account, assess.Invitation{Name: "Kim Beispiel", Email: "kim@example.com"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := w.reader("de")
	r.open("/t/" + out.Token)
	if !r.says("die Person bei Ohne Adresse OHG, die Sie eingeladen hat") || strings.Contains(string(r.body), "mailto:") {
		t.Errorf("the contact is:\n%s", r.body)
	}
}

// A tab that was opened before the decline in another one.
func TestWhoIsOvertakenByADeclineIsToldSo(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	w.answer(out.Token, 0, len(w.Instrument.Items()))
	for path, handle := range map[string]handler{"fertig": w.face.finish, "frage/3": w.face.answer} {
		req := httptest.NewRequest(http.MethodPost, "/t/"+out.Token+"/"+path, strings.NewReader("antwort=2"))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.SetPathValue("token", out.Token)
		req.SetPathValue("n", "3")
		before, err := w.face.visit(req)
		w.Must(err)
		w.Must(w.Assess.Decline(w.Ctx, out.Token))
		answer := httptest.NewRecorder()
		w.Must(orFirstPage(handle)(answer, req, before))
		if answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != "/t/"+out.Token {
			t.Errorf("%s: %d to %q", path, answer.Code, answer.Header().Get("Location"))
		}
		w.Must(w.Assess.Begin(w.Ctx, out.Token, typus.Notice{}, ""))
	}
}
