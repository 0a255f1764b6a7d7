package testpage

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/page/pagetest"
	"typus/internal/store"
)

const (
	doubtful = "Ihr Ergebnis lässt sich so nicht sicher deuten."
	nothing  = "Für Sie ist nichts mehr zu tun."
)

// handed is a test that a reader has handed in: with the same answer everywhere it should
// not be interpreted, with changing ones it may.
func (w *world) handed(r *reader, careless bool) assess.Invited {
	w.Helper()
	out := w.begun("de")
	w.filled(out.Token, careless)
	r.open("/t/" + out.Token + "/abgabe")
	r.press("Abgeben")
	r.on("/fertig", 200)
	return out
}

// filled answers every item.
func (w *world) filled(token string, careless bool) {
	w.Helper()
	var given []assess.Given
	for i, it := range w.Instrument.Items() {
		g := assess.Given{ItemID: it.ID, Value: 4, ActiveMS: 300}
		if !careless {
			g.Value, g.ActiveMS = 2+i%4, 4000
		}
		given = append(given, g)
	}
	_, err := w.Assess.Answer(w.Ctx, token, given)
	w.Must(err)
}

// The team knows the link, and so may a system that it works with: to whoever has it and
// nothing else, two people with opposite answers look alike on every page from the moment
// that they hand in, decline, or can go on no more. Their names and times are the same here.
func TestTheLinkAloneTellsNoAnswersApart(t *testing.T) {
	for stand, reach := range map[typus.Stand]func(w *world, out assess.Invited){
		typus.StandFinished: func(w *world, out assess.Invited) { w.Must(w.Assess.Finish(w.Ctx, out.Token)) },
		typus.StandDeclined: func(w *world, out assess.Invited) { w.Must(w.Assess.Decline(w.Ctx, out.Token)) },
		typus.StandWithdrawn: func(w *world, out assess.Invited) {
			w.Must(w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, typus.Actor{Name: "owner@example.com"}))
		},
		typus.StandExpired: func(w *world, _ assess.Invited) { w.Later(31 * 24 * time.Hour) },
	} {
		t.Run(string(stand), func(t *testing.T) {
			w := newWorld(t)
			careful, careless := w.begun("de"), w.begun("de")
			w.filled(careful.Token, false)
			w.filled(careless.Token, true)
			reach(w, careful)
			if stand != typus.StandExpired {
				reach(w, careless)
			}
			if got := w.test(careless.Token).Stand; got != stand {
				t.Fatalf("the test is %s", got)
			}
			for i, route := range w.addresses(careful.Token) {
				if stand == typus.StandDeclined && route.Method == "POST" && strings.HasSuffix(route.Pattern, "/start") {
					continue // which opens the test again
				}
				a := w.anybody(route.Method, route.Pattern, careful.Token)
				b := w.anybody(route.Method, w.addresses(careless.Token)[i].Pattern, careless.Token)
				if a != b {
					t.Errorf("%s %s tells them apart:\n%s\n%s", route.Method, route.Pattern, a, b)
				}
				if strings.Contains(a, doubtful) || strings.Contains(b, "Set-Cookie: typus") {
					t.Errorf("%s %s:\n%s", route.Method, route.Pattern, b)
				}
			}
		})
	}
}

// anybody is what somebody sees who has the link and nothing else, without the link itself.
func (w *world) anybody(method, path, token string) string {
	w.Helper()
	req := httptest.NewRequest(method, path, strings.NewReader(""))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res := httptest.NewRecorder()
	w.face.handler().ServeHTTP(res, req)
	var head strings.Builder
	w.Must(res.Header().Write(&head))
	return unnamed(strings.ReplaceAll(http.StatusText(res.Code)+"\n"+head.String()+strings.ReplaceAll(res.Body.String(), storageKey(token), "…"), token, "…"))
}

// unnamed is a page without the names of its forms, which are new each time.
func unnamed(page string) string {
	return regexp.MustCompile(`name="formular" value="\w+"`).ReplaceAllString(page, "")
}

// The device on which a test was handed in learns how its result can be read, for a day.
func TestTheDeviceThatHandedInLearnsOfADoubtfulResult(t *testing.T) {
	w := newWorld(t)
	own, other := w.reader("de"), w.reader("de")
	out, clear := w.handed(own, true), w.handed(other, false)
	if !own.says(doubtful) || own.says(nothing) {
		t.Errorf("another test is not offered, or nothing is said to be left to do:\n%s", own.body)
	}
	if other.says(doubtful) || !other.says(nothing) {
		t.Errorf("another test is offered:\n%s", other.body)
	}
	for who, look := range map[string]func(){
		"who has handed in another test": func() {},
		"who copies the cookie of another test": func() {
			copied := other.client.Jar.Cookies(parse(t, w.server.URL+"/t/"+clear.Token))
			other.client.Jar.SetCookies(parse(t, w.server.URL+"/t/"+out.Token+"/"), copied)
		},
		"who has changed its own": func() {
			changed := own.client.Jar.Cookies(parse(t, w.server.URL+"/t/"+out.Token))
			changed[0].Value = "A" + changed[0].Value[1:]
			other.client.Jar.SetCookies(parse(t, w.server.URL+"/t/"+out.Token+"/"), changed)
		},
	} {
		look()
		other.open("/t/" + out.Token)
		other.on("/fertig", 200)
		if other.says(doubtful) || other.says(nothing) {
			t.Errorf("%s is told of the result:\n%s", who, other.body)
		}
	}
	w.Later(assess.OwnResultLife - time.Second)
	if own.open("/t/" + out.Token); !own.says(doubtful) {
		t.Error("the device is not known for a day")
	}
	w.Later(time.Second)
	if own.open("/t/" + out.Token); own.says(doubtful) || own.says(nothing) {
		t.Errorf("the device is known for more than a day:\n%s", own.body)
	}
	w.Must(w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, typus.Actor{Name: "owner@example.com"}))
	own.open("/t/" + out.Token + "/fertig")
	own.on("/fertig", http.StatusNotFound)
}

// A phone that sends its page and gets no answer sends it again. Whoever else had the page
// before the end open gets nothing, sooner or later.
func TestTheSamePageSentAgainIsTheSameDevice(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	w.filled(out.Token, true)
	own, again, other := w.reader("de"), w.reader("de"), w.reader("de")
	for _, r := range []*reader{own, other} {
		r.open("/t/" + out.Token + "/abgabe")
	}
	address, form := own.at.JoinPath("..", "fertig"), filled(pagetest.All(own.doc, "main")[0])
	for _, r := range []*reader{own, again} { // again has lost what the first answer would have left
		r.do("POST", address, form)
		r.on("/fertig", 200)
		if !r.says(doubtful) {
			t.Errorf("the device is not known:\n%s", r.body)
		}
	}
	others := filled(pagetest.All(other.doc, "main")[0])
	for _, form := range []url.Values{others, {"formular": {""}}, nil} {
		other.do("POST", address, form)
		if other.on("/fertig", 200); other.says(doubtful) {
			t.Errorf("%v: who has not handed in is told of the result", form)
		}
	}
}

// What the device keeps goes to the pages of its test alone, and no script reads it.
func TestWhatTheDeviceKeepsStaysWithItsTest(t *testing.T) {
	f := newTestFace(t)
	for base, name := range map[string]string{"http://127.0.0.1": "typus-own-result", "https://typus.example.com": "__Secure-typus-own-result"} {
		f.links = typus.Links{BaseURL: base}
		res := httptest.NewRecorder()
		f.keepOwnResult(res, visit{token: "abc"}, "sealed")
		want := name + "=sealed; Path=/t/abc; Max-Age=86400; HttpOnly; Secure; SameSite=Lax"
		if base[:5] == "http:" {
			want = strings.Replace(want, " Secure;", "", 1)
		}
		if got := res.Header().Get("Set-Cookie"); got != want {
			t.Errorf("%s keeps %q", base, got)
		}
	}
}
