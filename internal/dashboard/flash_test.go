package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"typus/internal/page/browsertest"
	"typus/internal/store"
)

// A secret is for one page; another one that is opened meanwhile leaves it there.
func TestASecretWaitsForItsPageAndIsShownOnce(t *testing.T) {
	w := newWorld(t)
	c := w.as(owner)
	c.post(keysPath+"/neu", map[string][]string{"name": {"CRM"}})
	if body := c.get("/dashboard/kandidaten").body; strings.Contains(body, "typ_live_") {
		t.Error("the candidates' page shows the key")
	}
	c.get(keysPath).want(t, 200, "typ_live_")
	if body := c.get(keysPath).body; strings.Contains(body, "typ_live_") {
		t.Error("the key is shown a second time")
	}
}

// After an action the reading begins with what it did: at the word of it, or, where a
// secret is shown this once, at that.
func TestReadingBeginsWithWhatAnActionDid(t *testing.T) {
	browser := browsertest.New(t)
	w := newWorld(t)
	w.face.Mail = false
	c := w.as(owner)
	begins := func(a answer, with string) {
		t.Helper()
		tab := browser.Tab(t, browsertest.Look{Width: 320, Height: 640})
		w.enter(tab, c)
		tab.Open(w.server.URL + a.Header.Get("Location"))
		if at := browsertest.Eval[string](tab, `document.activeElement.textContent.trim()`); !strings.HasPrefix(at, with) {
			t.Errorf("reading begins at %q, want %q", at, with)
		}
		quiet(t, tab, w.server.URL)
	}
	begins(c.post(profilePath, url.Values{"name": {"Ada"}}).want(t, 303), "Ihr Profil ist gespeichert.")
	begins(c.post(keysPath+"/neu", url.Values{"name": {"CRM"}}).want(t, 303), "Ihr neuer")
	begins(c.post(teamPath+"/einladen", url.Values{"email": {"neu@example.com"}, "role": {"member"}}).want(t, 303), "Link")
	begins(c.post(endpointsPath+"/neu", url.Values{"url": {"https://hooks.example.com/typus"}}).want(t, 303), "Geheimnis")
	gone := w.invited("Kim Muster", "")
	w.Must(w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), gone.Candidate.ID, by))
	begins(c.post("/dashboard/kandidat/"+id(gone)+"/erinnern", nil).want(t, 303), "Das war nicht möglich")
}

// The cookie with the secret is worth nothing to anybody else, and nothing later.
func TestACopiedSecretShowsNothing(t *testing.T) {
	for what, copy := range map[string]func(w *world, mine *client) *client{
		"a colleague":  func(w *world, _ *client) *client { return w.as(owner) },
		"five minutes": func(w *world, mine *client) *client { w.Later(5 * time.Minute); return mine },
	} {
		w := newWorld(t)
		mine := w.as(owner)
		mine.post(keysPath+"/neu", fields("name", "CRM")).want(t, 303)
		left := mine.cookie(flashCookie)
		if body := copy(w, mine).with(flashCookie, left).get(keysPath).want(t, 200).body; keyForm.MatchString(body) {
			t.Errorf("%s: the key is shown", what)
		}
	}
}

// What went wrong is said until somebody has read it; what went well, once.
func TestAMessageThatSomethingFailedStaysUntilItIsDismissed(t *testing.T) {
	w := newWorld(t)
	c, colleague := w.as(member), w.as(member)
	gone := w.invited("Kim Muster", "")
	w.Must(w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), gone.Candidate.ID, by))
	path := "/dashboard/kandidat/" + id(gone)
	const bad, good, alert = "Das war nicht möglich (Einladung zurückgezogen).", "Die Notiz ist gespeichert.", `<div class="notice notice-alert flash" role="alert">`
	c.follow(c.post(path+"/erinnern", nil)).want(t, 200, bad, `<title>Fehler: Kim Muster · Typus</title>`, `<div class="notice notice-alert flash" role="alert" tabindex="-1" autofocus>`)
	// Further pages have a title and a beginning of their own.
	c.get("/dashboard/credits").want(t, 200, bad, alert, `<title>Credits · Typus</title>`, `<input type="hidden" name="seite" value="/dashboard/credits">`)
	// A form that is shown again has no room for it; the next page has.
	if a := c.post(path+"/notizen", url.Values{"notiz": {""}}).want(t, 422); strings.Contains(a.body, bad) {
		t.Error("the form is shown with a message about something else")
	}
	w.Later(5 * time.Hour)
	if a := c.get("/dashboard/nichts").want(t, 404, bad); strings.Count(a.body, bad) != 1 {
		t.Error("the message is said twice")
	}
	c.post("/dashboard/sprache", url.Values{"sprache": {"en"}})
	c.get("/dashboard/credits").want(t, 200, `<p lang="de">`+bad)
	c.post("/dashboard/sprache", url.Values{"sprache": {"de"}})

	// Whoever logs in on the same device does not read it.
	home, err := url.Parse(w.server.URL)
	w.Must(err)
	var left []*http.Cookie
	for _, cookie := range c.http.Jar.Cookies(home) {
		if cookie.Name == flashCookie {
			left = append(left, cookie)
		}
	}
	colleague.http.Jar.SetCookies(home, left)
	if a := colleague.get("/dashboard/kandidaten").want(t, 200); strings.Contains(a.body, bad) {
		t.Error("a colleague reads it")
	}

	a := c.post("/dashboard/meldung", url.Values{"seite": {"/dashboard/credits"}})
	if to := a.Header.Get("Location"); to != "/dashboard/credits" {
		t.Errorf("after that comes %q", to)
	}
	if a := c.follow(a).want(t, 200); strings.Contains(a.body, bad) {
		t.Error("the message is dismissed and stays")
	}
	if to := c.post("/dashboard/meldung", url.Values{"seite": {"https://evil.example"}}).Header.Get("Location"); to != "/dashboard" {
		t.Errorf("a page elsewhere is gone to: %q", to)
	}

	// Something newer takes its place.
	c.post(path+"/erinnern", nil).want(t, 303)
	a = c.follow(c.post(path+"/notizen", url.Values{"notiz": {"Ruft zurück"}})).want(t, 200, good, `<div class="notice notice-calm flash" role="status" tabindex="-1" autofocus>`)
	for _, body := range []string{a.body, c.get(path).body} {
		if strings.Contains(body, bad) {
			t.Error("the older message is still there")
		}
	}
	if a := c.get(path); strings.Contains(a.body, good) {
		t.Error("what went well is said again")
	}
}

// With a script a message goes without what is typed on its page going too.
func TestAMessageGoesWithoutWhatIsTyped(t *testing.T) {
	browser := browsertest.New(t)
	w := newWorld(t)
	c := w.as(member)
	gone := w.invited("Kim Muster", "")
	w.Must(w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), gone.Candidate.ID, by))
	path := "/dashboard/kandidat/" + id(gone)
	c.post(path+"/erinnern", nil).want(t, 303)
	tab := browser.Tab(t, browsertest.Look{Width: 320, Height: 640})
	w.enter(tab, c)
	tab.Open(w.server.URL + path)
	tab.Focus("#notiz")
	tab.Press("Halb")
	tab.Click(".flash-drop")
	tab.WaitFor(`!document.querySelector(".flash")`)
	if typed := browsertest.Eval[string](tab, `document.querySelector("#notiz").value`); typed != "Halb" {
		t.Errorf("what was typed is now %q", typed)
	}
	if at := browsertest.Eval[string](tab, `document.activeElement.id`); at != "inhalt" {
		t.Errorf("the focus is on %q", at)
	}
	tab.Open(w.server.URL + path)
	if browsertest.Eval[bool](tab, `!!document.querySelector(".flash")`) {
		t.Error("the message is there again")
	}
	quiet(t, tab, w.server.URL)
}

// A server that refuses to take a message away is heard: the message is still
// there, and the page says what is wrong.
func TestAMessageThatCannotBeDismissedStays(t *testing.T) {
	browser := browsertest.New(t)
	w := newWorld(t)
	c := w.as(member)
	gone := w.invited("Kim Muster", "")
	w.Must(w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), gone.Candidate.ID, by))
	path := "/dashboard/kandidat/" + id(gone)
	c.post(path+"/erinnern", nil).want(t, 303)
	tab := browser.Tab(t, browsertest.Look{Width: 320, Height: 640})
	w.enter(tab, c)
	tab.Open(w.server.URL + path)
	browsertest.Eval[string](tab, `document.querySelector("form[data-dismiss]").action = "/dashboard/nichts"`)
	tab.Follow(".flash-drop")
	if at := browsertest.Eval[string](tab, `location.pathname`); at != "/dashboard/nichts" {
		t.Errorf("the refusal is not shown, but %s", at)
	}
	tab.Open(w.server.URL + path)
	if !browsertest.Eval[bool](tab, `!!document.querySelector(".flash")`) {
		t.Error("the message is gone")
	}
}

// enter gives a tab the cookies of a client.
func (w *world) enter(tab *browsertest.Tab, c *client) {
	home, err := url.Parse(w.server.URL)
	w.Must(err)
	for _, cookie := range c.http.Jar.Cookies(home) {
		tab.Cookie(w.server.URL, cookie.Name, cookie.Value)
	}
}
