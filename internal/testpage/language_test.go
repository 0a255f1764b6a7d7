package testpage

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"typus"
	"typus/internal/notice"
)

func TestTheLanguageSwitchLeadsBackToThePageAndStays(t *testing.T) {
	w := newWorld(t)
	out, r := w.begun("de"), w.reader("de")
	w.answer(out.Token, 0, 9)
	for _, path := range []string{"", "/start", "/probe", "/frage/10", "/pause/1", "/absage", "/barrierefreiheit"} {
		r.open("/t/" + out.Token + path)
		from := r.at.Path
		r.lang = "en"
		r.press("English")
		if path == "/start" {
			from = "/t/" + out.Token
		}
		r.on(from, 200)
		if got := w.test(out.Token).Candidate.Language; got != "en" {
			t.Errorf("stored %s", got)
		}
		r.lang = "de"
		r.press("Deutsch")
		r.on(from, 200)
	}
	r.lang = "en"
	r.press("English")
	other := w.reader("en") // another device knows the choice
	other.open("/t/" + out.Token)
	r.open("/t/nirgends") // and this device remembers it where nobody is known
	r.on("/nirgends", 404)
}

func TestTheLanguageSwitchKeepsTheWayToTheOpenItems(t *testing.T) {
	w := newWorld(t)
	out, r := w.begun("de"), w.reader("de")
	of := w.ofDimension("integrity")
	w.answer(out.Token, 0, len(w.Instrument.Items()), of[0], of[1], of[2])
	r.open("/t/" + out.Token + "/abgabe")
	r.press(shown(w.Instrument.Text("de", w.Instrument.Items()[of[0]].ID)))
	r.lang = "en"
	r.press("English")
	r.press("Next", "antwort", "2")
	r.on("/abgabe", 200)
}

func TestTheLanguageSwitchLeadsNowhereElse(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	for _, evil := range []string{
		"https://evil.example", "//evil.example", `\\evil.example`, "/evil", "../x", "frage/1/../../..", "frage/1?x=//evil", "frage/1\r\nX: y",
		"%2F%2Fevil.example", "sprache", "javascript:alert(1)", "frage/1?ziel=abgabe&x=1", "@evil.example",
	} {
		req, err := http.NewRequest("POST", w.server.URL+"/t/"+out.Token+"/sprache", nil)
		w.Must(err)
		form := url.Values{"sprache": {"de"}, "seite": {evil}}
		res, err := http.DefaultTransport.RoundTrip(post(req, form.Encode()))
		w.Must(err)
		res.Body.Close()
		if got := res.Header.Get("Location"); res.StatusCode != http.StatusSeeOther || got != "/t/"+out.Token {
			t.Errorf("%q leads to %q (%d)", evil, got, res.StatusCode)
		}
	}
	r := w.reader("de")
	r.do("POST", r.at.ResolveReference(parse(t, "/t/"+out.Token+"/sprache")), map[string][]string{"sprache": {"fr"}})
	r.on("/sprache", 400)
}

func TestAskingForALanguageShowsItWithoutStoringIt(t *testing.T) {
	w := newWorld(t)
	out, r := w.invite("de"), w.reader("en")
	r.open("/t/" + out.Token + "?lang=en")
	if got := w.test(out.Token).Candidate.Language; got != "de" {
		t.Fatalf("a look stored %s", got)
	}
	r.press("Start the test", "hinweise", r.tick()) // whoever starts in a language goes on in it
	r.on("/probe", 200)
	if got := w.test(out.Token).Candidate.Language; got != "en" {
		t.Errorf("stored %s", got)
	}
}

func TestWithoutAChoiceTheBrowserSaysTheLanguage(t *testing.T) {
	w := newWorld(t)
	out := w.invite("")
	for accept, want := range map[string]string{"en-GB": "en", "de-CH, en;q=0.5": "de", "fr": "de", "": "de"} {
		res, err := http.DefaultTransport.RoundTrip(&http.Request{
			Method: "GET", URL: parse(t, w.server.URL+"/t/"+out.Token), Header: http.Header{"Accept-Language": {accept}},
		})
		w.Must(err)
		res.Body.Close()
		if got := res.Header.Get("Content-Language"); got != want {
			t.Errorf("%q gets %s", accept, got)
		}
	}
}

func TestTheNoticeIsStoredByItsWordsInItsLanguage(t *testing.T) {
	w := newWorld(t)
	german, english := w.invite("de"), w.invite("en")
	versions := map[string]string{}
	for _, tc := range []struct{ lang, token, button string }{{"de", german.Token, "Test starten"}, {"en", english.Token, "Start the test"}} {
		r := w.reader(tc.lang)
		r.open("/t/" + tc.token)
		versions[tc.lang] = r.tick()
		r.press(tc.button, "hinweise", r.tick())
	}
	if versions["de"] == versions["en"] {
		t.Error("one version for two texts")
	}
	w.acknowledged(german.Candidate.ID, typus.Notice{Version: versions["de"], Language: "de", At: w.Now()})
	w.acknowledged(english.Candidate.ID, typus.Notice{Version: versions["en"], Language: "en", At: w.Now()})
	for _, lang := range []string{"de", "en"} {
		n := notice.For(lang, typus.Account{Name: "Muster Software GmbH", ContactEmail: "owner@example.com"})
		if n.Version != versions[lang] {
			t.Errorf("%s: version %s was shown, %s is the text's", lang, versions[lang], n.Version)
		}
		m := notice.For(lang, typus.Account{Name: "Muster Software GmbH", ContactEmail: "andere@example.com"})
		if n.Version == m.Version {
			t.Errorf("%s: another text has the same version", lang)
		}
	}
}

func TestAnotherTextThanTheOneShownIsNotAcknowledged(t *testing.T) {
	w := newWorld(t)
	out, r := w.invite("de"), w.reader("de")
	r.open("/t/" + out.Token)
	for _, stale := range []string{"0123456789abcdef", "on", "x"} {
		r.press("Test starten", "hinweise", stale)
		r.on("/start", 422)
		if r.alert() != "Die Hinweise wurden gerade geändert. Bitte lesen Sie sie noch einmal und bestätigen Sie sie dann. Zur Bestätigung" {
			t.Errorf("%s: the alert says %q", stale, r.alert())
		}
	}
	if got := w.test(out.Token).Candidate; got.Status != typus.StatusOpen {
		t.Errorf("begun: %s", got.Status)
	}
	w.Later(time.Minute)
	r.press("Test starten", "hinweise", r.tick())
	r.on("/probe", 200)
}
