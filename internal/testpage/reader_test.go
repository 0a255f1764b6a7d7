package testpage

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"typus/internal/page/pagetest"
)

// reader is a person with a browser that knows HTML and HTTP and no script: it
// follows redirects, fills in forms and presses buttons.
type reader struct {
	t      testing.TB
	client *http.Client
	at     *url.URL
	status int
	header http.Header
	body   []byte
	doc    *html.Node
	lang   string // that every page must be in
}

func (w *world) reader(lang string) *reader {
	w.Helper()
	at, err := url.Parse(w.server.URL)
	w.Must(err)
	jar, err := cookiejar.New(nil)
	w.Must(err)
	return &reader{t: w.T, client: &http.Client{Jar: jar}, at: at, lang: lang}
}

// open goes to an address of the same server.
func (r *reader) open(path string) {
	r.t.Helper()
	r.do("GET", r.at.JoinPath("/").ResolveReference(parse(r.t, path)), nil)
}

func (r *reader) do(method string, to *url.URL, form url.Values) {
	r.t.Helper()
	req, err := http.NewRequest(method, to.String(), strings.NewReader(form.Encode()))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if method == "POST" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", to.Scheme+"://"+to.Host)
	}
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	r.at, r.status, r.header = res.Request.URL, res.StatusCode, res.Header
	if r.body, err = io.ReadAll(res.Body); err != nil {
		r.t.Fatal(err)
	}
	if r.doc, err = html.Parse(bytes.NewReader(r.body)); err != nil {
		r.t.Fatal(err)
	}
	pagetest.Check(r.t, r.body, r.lang)
}

// press presses the button or follows the link of that text, with the form as
// it stands and the given fields set.
func (r *reader) press(text string, fields ...string) {
	r.t.Helper()
	for _, a := range pagetest.All(r.doc, "a") {
		if pagetest.Text(a) == text {
			href, _ := pagetest.Attr(a, "href")
			r.do("GET", r.at.ResolveReference(parse(r.t, href)), nil)
			return
		}
	}
	to, values := r.form(text, fields...)
	r.do("POST", to, values)
}

// form is what the button of that text sends and where to.
func (r *reader) form(text string, fields ...string) (*url.URL, url.Values) {
	r.t.Helper()
	for _, form := range pagetest.All(r.doc, "form") {
		for _, button := range pagetest.All(form, "button") {
			if pagetest.Text(button) == text {
				return r.sent(form, button, fields)
			}
		}
	}
	r.t.Fatalf("%s has nothing to press that says %q:\n%s", r.at.Path, text, r.body)
	return nil, nil
}

func (r *reader) sent(form, button *html.Node, fields []string) (*url.URL, url.Values) {
	r.t.Helper()
	values := filled(form)
	if name, ok := pagetest.Attr(button, "name"); ok {
		value, _ := pagetest.Attr(button, "value")
		values.Set(name, value)
	}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	action, _ := pagetest.Attr(form, "action")
	if method, _ := pagetest.Attr(form, "method"); method != "post" {
		r.t.Fatalf("a form with the method %q", method)
	}
	return r.at.ResolveReference(parse(r.t, action)), values
}

// filled are the fields of a form as they stand: hidden ones and chosen ones.
func filled(form *html.Node) url.Values {
	values := url.Values{}
	for _, input := range pagetest.All(form, "input") {
		kind, _ := pagetest.Attr(input, "type")
		_, checked := pagetest.Attr(input, "checked")
		if kind == "hidden" || checked {
			name, _ := pagetest.Attr(input, "name")
			value, _ := pagetest.Attr(input, "value")
			values.Set(name, value)
		}
	}
	return values
}

// on fails unless the reader is on a page of the test with a status.
func (r *reader) on(suffix string, status int) {
	r.t.Helper()
	if !strings.HasSuffix(r.at.Path, suffix) || r.status != status {
		r.t.Fatalf("on %s with %d, not on %s with %d:\n%s", r.at.Path, r.status, suffix, status, r.body)
	}
}

func (r *reader) heading() string { return pagetest.Text(pagetest.All(r.doc, "h1")[0]) }

func (r *reader) title() string { return pagetest.Text(pagetest.All(r.doc, "title")[0]) }

func (r *reader) says(text string) bool {
	return strings.Contains(pagetest.Text(r.doc), text)
}

// alert is the text of the alert that has the focus, "" for none.
func (r *reader) alert() string {
	for _, div := range pagetest.All(r.doc, "div") {
		_, focused := pagetest.Attr(div, "autofocus")
		if role, _ := pagetest.Attr(div, "role"); role == "alert" && focused {
			return pagetest.Text(div)
		}
	}
	return ""
}

// chosen is the value of the checked answer, "" for none.
func (r *reader) chosen() string {
	return filled(pagetest.All(r.doc, "main")[0]).Get("antwort")
}

// tick is the value of the checkbox of the start page.
func (r *reader) tick() string {
	for _, input := range pagetest.All(r.doc, "input") {
		if kind, _ := pagetest.Attr(input, "type"); kind == "checkbox" {
			value, _ := pagetest.Attr(input, "value")
			return value
		}
	}
	r.t.Fatalf("there is nothing to tick:\n%s", r.body)
	return ""
}

func parse(t testing.TB, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
