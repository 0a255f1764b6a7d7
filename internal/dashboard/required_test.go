package dashboard

import (
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"typus"
	"typus/internal/page/browsertest"
	"typus/internal/page/pagetest"
)

// When candidates see their result is saved by a click, without a reason that nobody asks for.
func TestABrowserSavesWhenCandidatesSeeTheirResult(t *testing.T) {
	w, tab := newWorld(t), browsertest.New(t).Tab(t, browsertest.Look{Width: 1280})
	c := w.as(admin)
	place := c.place("Vertrieb Nord")
	w.enter(tab, c)
	for _, form := range []struct {
		at     string
		policy typus.OwnResultPolicy
	}{{ownTermsPath, typus.OwnResultAtOnce}, {ownTermsPath, typus.OwnResultReleased}, {place + "/ergebnis", typus.OwnResultAtOnce}, {place + "/ergebnis", ofAccount}} {
		tab.Open(w.server.URL + form.at)
		tab.Click(`input[name=policy][value="` + string(form.policy) + `"]`)
		tab.Follow(`main form .button`)
		saved := regexp.MustCompile(`value="` + string(form.policy) + `"( id="policy")? checked`)
		if !saved.MatchString(c.get(form.at).body) {
			t.Errorf("%s is not saved at %s", form.policy, form.at)
		}
	}
}

// A field that the browser wants filled in is one without which the server refuses the form:
// nobody has to invent what is then dropped. Whoever asks for a password is told the same
// whatever they have typed.
func TestNoBrowserWantsWhatTheServerTakesEmpty(t *testing.T) {
	asked := map[string]bool{"/passwort email": true}
	for _, done := range []bool{false, true} {
		w := newWorld(t)
		w.face.SignUp = true
		e := w.furnish(w.Account, done)
		for _, r := range w.face.routes() {
			if r.method != "GET" {
				continue
			}
			c, at := w.stranger(), e.address(t, r.pattern)
			if r.least != anyone {
				c = w.as(owner)
			}
			a := c.get(at)
			if a.StatusCode != 200 || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
				continue
			}
			for _, form := range wanting(t, a.body) {
				for _, name := range form.wanted {
					if asked[form.action+" "+name] {
						continue
					}
					asked[form.action+" "+name] = true
					form.leftOut(t, c, at, name)
				}
			}
		}
	}
	if len(asked) < 30 {
		t.Errorf("only %d fields are wanted: %v", len(asked), asked)
	}
}

// Whoever leaves a page of its own for longer texts is asked first, unless it keeps a draft.
func TestWhoLeavesALongFormUnsavedIsAsked(t *testing.T) {
	f := newTestFace(t)
	asked := 0
	for name, v := range everyPage(f, "de", plain) {
		w := httptest.NewRecorder()
		if err := f.pages.Render(w, 200, "de", v); err != nil {
			t.Fatal(err)
		}
		doc, err := html.Parse(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range pagetest.All(doc, "form") {
			_, asks := pagetest.Attr(form, "data-unsaved")
			_, keeps := pagetest.Attr(form, "data-draft")
			if asks {
				asked++
			} else if !keeps && replacesTexts(form) {
				t.Errorf("%s: whoever leaves the form is not asked", name)
			}
		}
	}
	if asked < 10 {
		t.Errorf("only %d forms ask", asked)
	}
}

// replacesTexts reports whether a form that is no part of a larger page replaces longer texts.
func replacesTexts(form *html.Node) bool {
	for a := range form.Ancestors() {
		if a.Data == "details" {
			return false
		}
	}
	shows := slices.ContainsFunc(pagetest.All(form, "input"), func(n *html.Node) bool {
		name, _ := pagetest.Attr(n, "name")
		return name == seenName
	})
	return shows && len(pagetest.All(form, "textarea")) > 0
}

// filledForm is a form as a page shows it.
type filledForm struct {
	action string
	values url.Values
	wanted []string // the fields without which a browser does not send it
}

// wanting are the forms of a page that have such fields. Files are sent otherwise.
func wanting(t *testing.T, page string) []filledForm {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var forms []filledForm
	for _, n := range pagetest.All(doc, "form") {
		form := filledForm{values: url.Values{}}
		form.action, _ = pagetest.Attr(n, "action")
		for _, kind := range []string{"input", "textarea", "select"} {
			for _, field := range pagetest.All(n, kind) {
				form.read(field)
			}
		}
		method, _ := pagetest.Attr(n, "method")
		if kind, _ := pagetest.Attr(n, "enctype"); method == "post" && kind == "" && len(form.wanted) > 0 {
			forms = append(forms, form)
		}
	}
	return forms
}

// read adds a field.
func (f *filledForm) read(n *html.Node) {
	name, _ := pagetest.Attr(n, "name")
	value, _ := pagetest.Attr(n, "value")
	kind, _ := pagetest.Attr(n, "type")
	_, checked := pagetest.Attr(n, "checked")
	switch {
	case (kind == "radio" || kind == "checkbox") && !checked:
		return
	case n.Data == "textarea":
		value = pagetest.Text(n)
	case n.Data == "select":
		for _, o := range pagetest.All(n, "option") {
			if _, chosen := pagetest.Attr(o, "selected"); chosen {
				value, _ = pagetest.Attr(o, "value")
			}
		}
	}
	f.values.Add(name, value)
	if _, wanted := pagetest.Attr(n, "required"); wanted {
		f.wanted = append(f.wanted, name)
	}
}

// leftOut sends the form with one field empty and wants it to be refused.
func (f *filledForm) leftOut(t *testing.T, c *client, page, name string) {
	t.Helper()
	sent := url.Values{}
	for key, values := range f.values {
		sent[key] = values
	}
	sent.Set(name, "")
	to := f.action
	if to == "" {
		to = page
	}
	a := c.post(path.Clean(to), sent)
	if a.StatusCode < 400 {
		t.Errorf("%s: a browser wants %q, and the server takes it empty: %s", to, name, a.Status)
	}
}
