package dashboard

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"typus"
)

// A form that is too large, broken or cut off is refused whole: carried out as
// an empty one it would wipe what is stored.
func TestAFormThatCannotBeReadChangesNothing(t *testing.T) {
	w := newWorld(t)
	c := w.as(owner)
	c.post("/dashboard/einstellungen/profil", url.Values{"name": {"Kim Beispiel"}}).want(t, http.StatusSeeOther)
	for body, status := range map[string]int{
		"name=" + strings.Repeat("x", maxForm):       http.StatusRequestEntityTooLarge,
		strings.Repeat("a=b&", maxForm) + "name=Eve": http.StatusRequestEntityTooLarge,
		"name=%zz": http.StatusBadRequest,
		"a;b":      http.StatusBadRequest,
	} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", w.server.URL+"/dashboard/einstellungen/profil", strings.NewReader(body))
		w.Must(err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		if a := c.send(r); a.StatusCode != status {
			t.Errorf("%.20q is answered %s", body, a.Status)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", w.server.URL+"/dashboard/einstellungen/profil", strings.NewReader("--x\r\nbroken"))
	w.Must(err)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	c.send(r).want(t, http.StatusBadRequest)
	c.get("/dashboard/einstellungen/profil").want(t, http.StatusOK, `value="Kim Beispiel"`)
}

// A group of radio buttons says its hint and its fault like any other field, and is
// where the page begins if it is the first that is wrong.
func TestAGroupOfChoicesSaysWhatIsWrong(t *testing.T) {
	w := newWorld(t)
	a := w.as(owner).post(teamPath+"/einladen", url.Values{"email": {"neu@example.com"}, "role": {"king"}})
	a.want(t, 422, `<fieldset class="field" aria-describedby="role-fault">`, `id="role" autofocus>`)
	f := newTestFace(t)
	view := f.styleOf(plain.shell("", ""), speaking("de"))
	view.Pick.Fault = "Falsch"
	page := httptest.NewRecorder()
	if err := f.pages.Render(page, 200, "de", view); err != nil || !strings.Contains(page.Body.String(), `<fieldset class="field" aria-describedby="pick-fault pick-hint">`) {
		t.Errorf("%v: %s", err, page.Body)
	}
}

// Whose session has ended while a form was open comes back to the page it stood on.
func TestAFormThatComesTooLateLeadsBackToItsPage(t *testing.T) {
	w := newWorld(t)
	c, path := w.as(member), "/dashboard/kandidat/"+id(w.invited("Kim Muster", ""))
	w.Later(typus.SessionIdle + time.Minute)
	for referer, back := range map[string]string{
		w.server.URL + path:                                                              "?weiter=" + url.QueryEscape(path),
		w.server.URL + path + "/korrigieren":                                             "?weiter=" + url.QueryEscape(path),
		w.server.URL + path + "/tags/entfernen":                                          "?weiter=" + url.QueryEscape(path),
		w.server.URL + "/dashboard/einstellungen/konto/allgemein":                        "?weiter=" + url.QueryEscape("/dashboard/einstellungen/konto/allgemein"),
		w.server.URL + "/dashboard/einladen/brief":                                       "?weiter=" + url.QueryEscape("/dashboard/einladen"),
		w.server.URL + endpointsPath + "/7/geheimnis/wechseln":                           "?weiter=" + url.QueryEscape(endpointsPath+"/7/geheimnis"),
		w.server.URL + teamPath + "/einladen":                                            "?weiter=" + url.QueryEscape(teamPath+"/einladen"),
		w.server.URL + "/dashboard/einstellungen/briefe/text/einladung/de/zuruecksetzen": "?weiter=" + url.QueryEscape("/dashboard/einstellungen/briefe/text/einladung/de/zuruecksetzen"),
		w.server.URL + "/dashboard/nichts":                                               "",
		w.server.URL + "/dashboard/kandidaten?status=offen":                              "?weiter=" + url.QueryEscape("/dashboard/kandidaten?status=offen"),
		w.server.URL + "/anmelden":                                                       "",
		w.server.URL + "//evil.example":                                                  "",
		"https://evil.example" + path:                                                    "",
		"https://evil.example/" + w.server.URL + path:                                    "",
		"javascript:alert(1)":                                                            "",
		"":                                                                               "",
		w.server.URL + "/dashboard/../t/geheim":                                          "",
		"http://" + c.server.Listener.Addr().String()[1:]:                                "",
	} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", w.server.URL+path+"/notizen", strings.NewReader("notiz=Ruft+zur%C3%BCck"))
		w.Must(err)
		for name, value := range map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin", "Referer": referer} {
			r.Header.Set(name, value)
		}
		if a := c.send(r).want(t, http.StatusSeeOther); a.Header.Get("Location") != tooLate("/anmelden"+back, "") {
			t.Errorf("from %q it goes to %q, want %q", referer, a.Header.Get("Location"), tooLate("/anmelden"+back, ""))
		}
	}
}

// What was typed into a form that comes too late is lost, and the login says so: in
// the title, with the focus. What waits for another page, such as a secret, goes on
// waiting. Who only opens a page is told nothing.
func TestAFormThatComesTooLateIsSaidNotToBeSaved(t *testing.T) {
	w := newWorld(t)
	c, path := w.as(member), "/dashboard/kandidat/"+id(w.invited("Kim Muster", ""))
	w.Later(typus.SessionIdle + time.Minute)
	const said = "Was Sie abgeschickt haben, ist nicht gespeichert."
	if a := c.follow(c.get(path)).want(t, 200); strings.Contains(a.body, said) {
		t.Error("a form is said to be lost, and there was none")
	}
	sent := c.post(path+"/notizen", url.Values{"notiz": {"Ruft zurück"}})
	if to := c.post(totpPath+"/ein", url.Values{"code": {"000000"}}).Header.Get("Location"); !strings.HasSuffix(to, lateMark) {
		t.Errorf("a first code that comes too late leads to %q", to)
	}
	if left := sent.Header.Get("Set-Cookie"); left != "" {
		t.Errorf("a form that comes too late leaves %q", left)
	}
	a := c.follow(sent).want(t, 200, said, "<title>Fehler: Anmelden", `role="alert" tabindex="-1" autofocus`)
	if n := strings.Count(a.body, "autofocus"); n != 1 {
		t.Errorf("%d elements ask for the focus", n)
	}
	if a := c.get("/anmelden").want(t, 200, `autofocus`); strings.Contains(a.body, said) {
		t.Error("it is said without a reason")
	}
}

// A code that comes when the login has run out is not wrong: the login begins anew.
func TestACodeThatComesTooLateIsSaidToBeLate(t *testing.T) {
	w := newWorld(t)
	w.person("ada@example.com", owner)
	seed, _ := w.loggedIn("ada@example.com").withTOTP()
	c := w.stranger()
	c.login("ada@example.com", goodPassword)
	half := c.follow(c.post(profilePath, url.Values{"name": {"Ada"}})).want(t, 200, "ist nicht gespeichert", `id="code"`)
	if n := strings.Count(half.body, "autofocus"); n != 1 {
		t.Errorf("%d elements ask for the focus", n)
	}
	w.Later(15 * time.Minute)
	a := c.post("/anmelden/code", url.Values{"code": {w.code(seed)}, "weiter": {teamPath}})
	c.follow(a).want(t, 200, "Der Code kam zu spät.", `name="weiter" value="`+teamPath+`"`)
	if c.in() {
		t.Error("a late code lets in")
	}
}
