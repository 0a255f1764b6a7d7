package page

import (
	"io/fs"
	"net/http/httptest"
	"strings"
	"testing"
)

func newSite(t *testing.T) *Site {
	t.Helper()
	site, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return site
}

func mustSet(t *testing.T, face fs.FS) *Set {
	t.Helper()
	set, err := newSite(t).Set(face)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

type oneView struct {
	Frame
	Name string
}

func (oneView) Template() string { return "one" }

type strayView struct{ Frame }

func (strayView) Template() string { return "stray" }

func TestAPageThatFailsLeavesNothingBehind(t *testing.T) {
	faces := map[string]string{
		"a text that is missing":      `<h1>x</h1>{{t "no.such"}}`,
		"a placeholder without value": `<h1>x</h1>{{t "x.greet"}}`,
		"a field that is missing":     `<h1>x</h1>{{.Nobody}}`,
		"a static file that is not":   `{{static "no.js"}}`,
		"a name without its value":    `{{t "x.greet" "Name"}}`,
	}
	for name, content := range faces {
		set := mustSet(t, face(content, `{"x.greet":"Hallo {{.Name}}"}`, `{"x.greet":"Hello {{.Name}}"}`))
		w := httptest.NewRecorder()
		if err := set.Render(w, 200, "de", oneView{}); err == nil {
			t.Errorf("%s: no error", name)
		}
		if w.Body.Len() != 0 || len(w.Header()) != 0 {
			t.Errorf("%s: something was written: %v %q", name, w.Header(), w.Body)
		}
	}
	w := httptest.NewRecorder()
	if err := mustSet(t, nil).Render(w, 200, "de", strayView{}); err == nil || w.Body.Len() != 0 {
		t.Errorf("a page that is not there: %v %q", err, w.Body)
	}
}

func TestAPageEscapesWhatItIsGiven(t *testing.T) {
	set := mustSet(t, face(`<h1>{{t "x.greet" "Name" .Name}}</h1>`, `{"x.greet":"Hallo {{.Name}}"}`, `{"x.greet":"Hello {{.Name}}"}`))
	w := httptest.NewRecorder()
	if err := set.Render(w, 200, "en", oneView{Name: `<script>{{.X}}`}); err != nil {
		t.Fatal(err)
	}
	if body := w.Body.String(); !strings.Contains(body, "Hello &lt;script&gt;{{.X}}") {
		t.Errorf("got %s", body)
	}
	if got := w.Header().Get("Content-Language"); got != "en" {
		t.Errorf("Content-Language is %q", got)
	}
}

// A text without placeholders stands in the page from the start.
func TestATextIsEscapedWhereverItStands(t *testing.T) {
	const content = `{{if .Name}}<p title="{{t "x.odd"}}">{{t "x.odd"}}</p>{{end}}{{range $k := .List}}{{t $k}}{{else}}{{with .Name}}{{t "x.odd" | printf "%s"}}{{end}}{{end}}`
	set := mustSet(t, face(content, `{"x.odd":"a <b> & \"c\" 'd'"}`, `{"x.odd":"x"}`))
	body, err := set.Page("de", struct {
		oneView
		List []string
	}{oneView{Name: "Jana"}, nil})
	const odd = "a &lt;b&gt; &amp; &#34;c&#34; &#39;d&#39;"
	if want := `<p title="` + odd + `">` + odd + `</p>` + odd; err != nil || !strings.Contains(string(body), want) {
		t.Errorf("want %s in %s, %v", want, body, err)
	}
}
