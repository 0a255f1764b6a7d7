package testpage

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/faulttest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// would is what the press of a button sends, as often as it is asked.
func (r *reader) would(text string, fields ...string) func() *http.Request {
	r.t.Helper()
	to, form := r.form(text, fields...)
	cookies := r.client.Jar.Cookies(to)
	return func() *http.Request {
		req := post(httptest.NewRequest("POST", to.String(), nil), form.Encode())
		req.Header.Set("Sec-Fetch-Site", "same-origin")
		req.Header.Set("Origin", to.Scheme+"://"+to.Host)
		for _, c := range cookies {
			req.AddCookie(c)
		}
		return req
	}
}

// at is a reader on a page of a test.
func (w *world) at(out assess.Invited, path string) *reader {
	w.Helper()
	r := w.reader("de")
	r.open("/t/" + out.Token + path)
	return r
}

// own is a reader on the page of the result that they have just handed in.
func (w *world) own() *reader {
	w.Helper()
	w.shows(typus.OwnResultAtOnce, "")
	r := w.reader("de")
	w.handed(r, false)
	r.press("Zur Ergebnisseite")
	return r
}

// fitting makes for each form what somebody sends from their page, by its address.
var fitting = map[string]func(w *world) func() *http.Request{
	"/t/{token}/start": func(w *world) func() *http.Request {
		r := w.at(w.invite("de"), "")
		return r.would("Test starten", "hinweise", r.tick())
	},
	"/t/{token}/frueher": func(w *world) func() *http.Request {
		w.handed(w.reader("de"), false)
		w.Later(24 * time.Hour)
		r := w.proven(w.invite("de"))
		return r.would("Antworten übernehmen und abgeben", "hinweise", r.tick())
	},
	"/t/{token}/frueher/code": func(w *world) func() *http.Request {
		w.handed(w.reader("de"), false)
		w.Later(24 * time.Hour)
		out := w.invite("de")
		r := w.at(out, "")
		r.press(asksEarlier)
		r.press("Code schicken")
		codes := w.codes(out.Candidate.ID)
		return r.would("Weiter", "code", codes[len(codes)-1])
	},
	"/t/{token}/frueher/code/senden": func(w *world) func() *http.Request {
		r := w.at(w.invite("de"), "")
		r.press(asksEarlier)
		return r.would("Code schicken")
	},
	"/t/{token}/probe": func(w *world) func() *http.Request {
		return w.at(w.begun("de"), "/probe").would("Weiter", "antwort", "3")
	},
	"/t/{token}/frage/{n}": func(w *world) func() *http.Request {
		return w.at(w.begun("de"), "/frage/1").would("Weiter", "antwort", "3")
	},
	"/t/{token}/antworten": func(w *world) func() *http.Request {
		out := w.begun("de")
		return func() *http.Request {
			const sent = `{"answers":[{"n":1,"value":3,"was":[0],"ms":4200,"changes":1,"age":9000},{"n":2,"value":-1,"was":[0],"ms":900,"changes":0,"age":5}]}`
			req := httptest.NewRequest("POST", w.server.URL+"/t/"+out.Token+"/antworten", strings.NewReader(sent))
			req.Header.Set("Content-Type", "application/json")
			return req
		}
	},
	"/t/{token}/fertig": func(w *world) func() *http.Request {
		out := w.begun("de")
		w.filled(out.Token, false)
		return w.at(out, "/abgabe").would("Abgeben")
	},
	"/t/{token}/ergebnis/code": func(w *world) func() *http.Request {
		w.shows(typus.OwnResultAtOnce, "")
		out := w.handed(w.reader("de"), false)
		r := w.at(out, "/ergebnis")
		r.press("Code schicken")
		return r.would("Ergebnis öffnen", "code", w.codes(out.Candidate.ID)[0])
	},
	"/t/{token}/ergebnis/code/senden": func(w *world) func() *http.Request {
		w.shows(typus.OwnResultAtOnce, "")
		return w.at(w.handed(w.reader("de"), false), "/ergebnis").would("Code schicken")
	},
	"/t/{token}/ergebnis/stellungnahme": func(w *world) func() *http.Request {
		return w.own().would("Stellungnahme abgeben", "stellungnahme", "Ich war an dem Tag krank.")
	},
	"/t/{token}/ergebnis/anfrage": func(w *world) func() *http.Request {
		return w.own().would("Anfrage senden", "anliegen", "correction", "text", "Ich heiße anders.")
	},
	"/t/{token}/ergebnis/schliessen": func(w *world) func() *http.Request { return w.own().would("Auf diesem Gerät schließen") },
	"/t/{token}/absage":              func(w *world) func() *http.Request { return w.at(w.begun("de"), "/absage").would("Ja, ich sage ab") },
	"/t/{token}/neuer-link": func(w *world) func() *http.Request {
		out := w.invite("de")
		w.Later(31 * 24 * time.Hour)
		return w.at(out, "").would("Neuen Link anfragen")
	},
	"/t/{token}/erinnerungen": func(w *world) func() *http.Request {
		return w.at(w.invite("de"), "/erinnerungen").would("Keine Erinnerungen mehr")
	},
	"/t/{token}/sprache": func(w *world) func() *http.Request { return w.at(w.begun("de"), "").would("English") },
	"/p/{token}": func(w *world) func() *http.Request {
		r := w.reader("de")
		r.open(w.published(5, time.Time{}))
		return r.would("E-Mail anfordern", "name", "Kim Beispiel", "email", "fremd@example.com")
	},
	"/p/bestaetigen/{token}": func(w *world) func() *http.Request {
		r := w.reader("de")
		r.open(w.published(5, time.Time{}))
		r.press("E-Mail anfordern", "name", "Kim Beispiel", "email", "neu@example.com")
		r.open(w.confirmation())
		return r.would("Ja, Adresse bestätigen")
	},
}

// mere are the forms that store nothing: a try, and what forgets a cookie.
var mere = map[string]bool{"/t/{token}/probe": true, "/t/{token}/ergebnis/schliessen": true}

// sentTwice says what a form leaves once more that is sent again.
var sentTwice = map[string]map[string]string{
	"/p/{token}": {
		"login_failures": "each request counts towards how many letters somebody may ask for",
		"letters":        "there is a new letter, and the one before does not go out any more",
		"enrolments":     "they wait for the new letter",
	},
}

// P17: nothing that a candidate sends is ever half applied, whatever fails beneath it, and
// whoever sends it again has it done once.
func TestNothingOfACandidateIsEverHalfApplied(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { nothingIsHalfApplied(t, storetest.SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { nothingIsHalfApplied(t, storetest.Postgres(t)) })
}

func nothingIsHalfApplied(t *testing.T, dsn string) {
	s, err := store.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	s, faults := faulttest.Inject(s)
	w := newWorldOn(t, s)
	site := faulttest.Site{TB: t, Faults: faults, DSN: dsn, Handler: w.server.Config.Handler, Logged: w.log}
	for _, route := range w.face.routes().List() {
		if route.Method == http.MethodGet {
			continue
		}
		asked := fitting[route.Pattern]
		if asked == nil {
			t.Errorf("nobody has said what %s %s is sent", route.Method, route.Pattern)
			continue
		}
		site.Play(faulttest.Request{Name: route.Pattern, Mere: mere[route.Pattern], Twice: sentTwice[route.Pattern], Make: func() func() *http.Request { return asked(w) }})
	}
}
