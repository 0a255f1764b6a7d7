package dashboard

import (
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"typus"
	"typus/internal/instrument"
	"typus/internal/page"
	"typus/internal/page/browsertest"
	"typus/internal/page/pagetest"
	"typus/internal/web"
)

// persona is whose names the pages show.
type persona struct{ name, account, email, free string }

var plain = persona{"Kim Beispiel", "Muster Software GmbH", "kim@example.com", "crm-42"}

// hostile are names that mean something to HTML, to templates, to a spreadsheet, to a
// reader's eye or to a layout.
var hostile = []persona{
	{`</div><a href="https://evil.example">Klick</a>`, `"><svg onload=alert(1)>`, `a"onx='1@example.com`, `=HYPERLINK("https://evil.example")`},
	{"\u202eevil\u202c \u0645\u0631\u062d\u0628\u0627", "שלום GmbH", "x@example.com", "\u202e42"},
	{strings.Repeat("👩\u200d💻", 66), strings.Repeat("Donaudampfschifffahrts", 9), strings.Repeat("a", 64) + "@" + strings.Repeat("b", 63) + ".example.com", strings.Repeat("x", 255)},
	{`{{.Token}} ${7*7} <no value>`, `'; drop table candidates; --`, `javascript:alert(1)@example.com`, `{{7*7}}`},
	{`</script><script>alert(1)</script><!--<script>`, `--></title><script>`, "x@example.com", `</textarea><script>`},
	{"A & B <Söhne>", "Tom's \"Laden\" & Co.", "tom.o'neil@example.com", "a\r\nb"},
}

// shell is the layout around a page for a user.
func (p persona) shell(area, section string) frame {
	return frame{
		Frame: page.Frame{Brand: p.account, Switch: page.Switch{Action: "/dashboard/sprache", Page: "/dashboard/kandidaten"}},
		Me:    &me{Email: p.email, Name: p.name, Account: p.account, Role: typus.RoleOwner, Credits: 12},
		Area:  area, Section: section,
	}
}

// suspended is the frame of a page while the account is suspended.
func (p persona) suspended(fr frame) frame {
	fr.Idle, fr.IdleWhy = someTime, p.free
	return fr
}

// galleries are the pages of each area in each of their forms; each area's test
// has its own.
var galleries = []func(f *face, lang string, p persona) map[string]page.View{
	shellGallery,
}

func shellGallery(f *face, lang string, p persona) map[string]page.View {
	told, low := p.shell("", ""), p.shell(areaSettings, sectionKeys)
	told.Flash, told.NoMail, told.Crumbs = flash{Kind: "good", Text: p.free}, true, []crumb{{Label: "shell.candidates", Path: "/dashboard/kandidaten"}, {Name: p.name, Path: "/dashboard/kandidat/1"}}
	troubled := p.shell(areaCandidates, "")
	troubled.Away, troubled.Hook = someTime, "shell.hookOff"
	low.Me.Credits, low.Me.Low, low.Flash = -499, true, flash{Kind: "bad", Text: p.name}
	return map[string]page.View{
		"style":         f.styleOf(p.shell("", ""), speaking(lang)),
		"plain":         plainView{frame: p.shell("", ""), Heading: "error.missing.heading", Advice: "shell.missing"},
		"plain-trouble": plainView{frame: troubled, Heading: "error.missing.heading", Advice: "shell.missing"},
		"plain-large":   plainView{frame: p.shell("", ""), Heading: "form.tooLarge.heading", Said: f.say(speaking(lang), "form.tooLarge", "Size", "25 MB", "Most", "20 MB")},
		"plain-told":    plainView{frame: told, Heading: "shell.refused.heading", Advice: "shell.refused.advice"},
		"plain-idle":    plainView{frame: p.suspended(p.shell("", "")), Heading: "shell.suspended.heading", Advice: "shell.suspended.advice", Refused: true},
		"plain-low":     plainView{frame: low, Heading: "shell.refused.heading", Advice: "shell.refused.advice"},
	}
}

// everyPage is each page in each of its forms.
func everyPage(f *face, lang string, p persona) map[string]page.View {
	all := map[string]page.View{}
	for _, gallery := range galleries {
		maps.Copy(all, gallery(f, lang, p))
	}
	return all
}

// newTestFace can show every page but knows nobody.
func newTestFace(t testing.TB) *face {
	t.Helper()
	return testFace()
}

func testFace() *face {
	site, pages := parsed()
	return newFace(Options{Site: site, Instrument: instrument.Own(), BaseURL: "http://127.0.0.1"}, pages)
}

func TestEveryPageIsSoundWhateverItShows(t *testing.T) {
	f := newTestFace(t)
	for _, lang := range page.Languages() {
		for i, p := range append(hostile, plain, persona{"K", "M", "k@example.com", "1"}) {
			for name, v := range everyPage(f, lang, p) {
				t.Run(fmt.Sprintf("%s/%s/%d", lang, name, i), func(t *testing.T) {
					w := httptest.NewRecorder()
					if err := f.pages.Render(w, 200, lang, v); err != nil {
						t.Fatal(err)
					}
					body := w.Body.String()
					pagetest.Check(t, []byte(strings.ReplaceAll(body, "&lt;no value&gt;", "")), lang)
					for _, raw := range []string{`</div><a href="https://evil`, "<svg onload", `"onx=`, "<script>"} {
						if strings.Contains(body, raw) {
							t.Errorf("%q stands in the page as it is", raw)
						}
					}
				})
			}
		}
	}
}

func TestEveryTemplateIsAmongThePages(t *testing.T) {
	f := newTestFace(t)
	shown := map[string]bool{}
	for _, v := range everyPage(f, "de", plain) {
		shown["templates/"+v.Template()+".html"] = true
	}
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !shown[name] {
			t.Errorf("%s is tested by nothing", name)
		}
	}
}

// looksAt serves every page in every form, at /page/{language}/{name}, as the
// server would: with the security headers and the static files.
func looksAt(t *testing.T, p persona) (server string, names []string) {
	t.Helper()
	f := newTestFace(t)
	views := map[string]map[string]page.View{}
	for _, lang := range page.Languages() {
		views[lang] = everyPage(f, lang, p)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /static/", f.Site.Static())
	serveLooks(f, mux)
	mux.HandleFunc("GET /page/{lang}/{name}", func(w http.ResponseWriter, r *http.Request) {
		lang := r.PathValue("lang")
		if err := f.pages.Render(w, http.StatusOK, lang, views[lang][r.PathValue("name")]); err != nil {
			t.Error(err)
		}
	})
	s := httptest.NewServer(web.SecurityHeaders(false, mux))
	t.Cleanup(s.Close)
	return s.URL, slices.Sorted(maps.Keys(views["de"]))
}

// plainest are the names of one form of each template, the one with the shortest name.
func plainest(t *testing.T) map[string]bool {
	t.Helper()
	shortest := map[string]string{}
	for name, v := range everyPage(newTestFace(t), "de", plain) {
		known, ok := shortest[v.Template()]
		if !ok || len(name) < len(known) || len(name) == len(known) && name < known {
			shortest[v.Template()] = name
		}
	}
	names := map[string]bool{}
	for _, name := range shortest {
		names[name] = true
	}
	return names
}

// TestEveryPageIsSoundInABrowser sees each page in both languages, both themes, on a
// small phone and on a desk, and of its further forms one in two in one way; which, says
// browsertest.Matrix. Pages in German have text wide apart, too. Nothing is wider than the
// screen, nothing too small to hit, axe has no objection, and the browser neither complains
// nor asks anybody else. TYPUS_PAGES narrows it to pages whose name begins so, and
// then sees all of their forms.
func TestEveryPageIsSoundInABrowser(t *testing.T) {
	browser, matrix := browsertest.New(t), browsertest.NewMatrix(t)
	server, names := looksAt(t, plain)
	always, prefix := plainest(t), os.Getenv("TYPUS_PAGES")
	names = slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasPrefix(name, prefix) || prefix == "" && !always[name] && !matrix.Draws(name)
	})
	for some := range slices.Chunk(names, 8) { // a tab has only so much time, and grows
		t.Run(some[0], func(t *testing.T) {
			t.Parallel()
			tab := browser.Tab(t, browsertest.Look{})
			for _, name := range some {
				address := func(lang string) string { return server + "/page/" + lang + "/" + name }
				cells := matrix.One(name)
				if always[name] {
					cells = matrix.Two(name)
				}
				matrix.See(tab, name, cells, address, func(at string) { sound(t, tab, server, at) })
				if always[name] { // in German, the longer words
					fits(t, tab, name)
					spacious(t, tab, name)
				}
			}
		})
	}
}

// TestHostileNamesDoNothingInABrowser opens one form of each page with names that
// mean something to HTML, to a layout and to scripts, all in each name: no script of theirs
// runs, the policy has nothing to refuse, and nobody else is asked.
func TestHostileNamesDoNothingInABrowser(t *testing.T) {
	browser, always := browsertest.New(t), plainest(t)
	var p persona
	for _, i := range []int{0, 4, 2} {
		p = persona{p.name + hostile[i].name, p.account + hostile[i].account, p.email + hostile[i].email, p.free + hostile[i].free}
	}
	server, names := looksAt(t, p)
	tab := browser.Tab(t, browsertest.Look{Width: 320, Height: 640})
	for _, name := range names {
		if !always[name] {
			continue
		}
		tab.Open(server + "/page/de/" + name)
		t.Run(name, func(t *testing.T) { quiet(t, tab, server) })
		tab.Forget()
		if wider := tab.Overflow(); wider > 0 {
			t.Errorf("%s is %d px wider than the screen", name, wider)
		}
	}
}

// small are the texts of what is too small to hit: 24 by 24 pixels at least,
// links within a sentence excepted (WCAG 2.2, 2.5.8).
const small = `[...document.querySelectorAll("a, button, label, summary")]
	.filter(e => e.checkVisibility() && !e.closest("p, dd, td, .timeline, li > span") && !e.matches(".skip-link") && !e.closest("label")?.querySelector("input:not([type=checkbox], [type=radio])"))
	.filter(e => { const b = e.getBoundingClientRect(); return (b.width < 24 || b.height < 24) && !(e.tagName === "LABEL" && e.htmlFor) })
	.map(e => e.textContent.trim())`

// spacing is the text spacing that a reader may set (WCAG 1.4.12).
const spacing = `(() => {
	const sheet = new CSSStyleSheet();
	sheet.replaceSync("*, ::before, ::after { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-block-end: 2em !important } .unseen { display: none !important }");
	document.adoptedStyleSheets = [sheet];
})()`

// spilt are the cells and the small parts whose text is wider than they are, and
// so lies over what stands beside them.
const spilt = `[...document.querySelectorAll("td:not(.pick), th, .badge, .button, .chip, .text-button, .tag, dt, dd, label")]
	.filter(e => e.checkVisibility() && e.clientWidth > 0 && !(e.closest("thead") && getComputedStyle(e.closest("thead")).position === "absolute"))
	.filter(e => getComputedStyle(e).overflowX === "visible" && e.scrollWidth > e.clientWidth + 1)
	.map(e => e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 40))`

// beyond are the innermost elements that reach beyond the screen.
const beyond = `[...document.querySelectorAll("body *")]
	.filter(e => e.checkVisibility() && e.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !e.firstElementChild)
	.map(e => e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 40))`

// layout is what is wrong with a layout: by how many pixels the page is wider than the screen,
// and which parts scroll sideways or are too small to hit.
type layout struct {
	Wider    int      `json:"wider"`
	Sideways []string `json:"sideways"`
	Small    []string `json:"small"`
}

// layoutOf asks for all of it at once, which costs little more than one question.
const layoutOf = "({wider: " + browsertest.Wider + ", sideways: " + sideways + ", small: " + small + "})"

// fits looks at the layout in every width.
func fits(t *testing.T, tab *browsertest.Tab, name string) {
	t.Helper()
	for _, width := range browsertest.Widths() {
		tab.Turn(browsertest.Look{Width: width, Height: 800})
		is := browsertest.Eval[layout](tab, layoutOf)
		if is.Wider > 0 {
			t.Errorf("%s is %d px wider than the screen at %d: %q", name, is.Wider, width, browsertest.Eval[[]string](tab, beyond))
		}
		for _, part := range is.Sideways {
			t.Errorf("%s at %d: %s scrolls sideways", name, width, part)
		}
	}
}

// spacious fails if the page on a desk and on a phone has no room for wider text.
func spacious(t *testing.T, tab *browsertest.Tab, name string) {
	t.Helper()
	browsertest.Eval[any](tab, spacing)
	for _, look := range []browsertest.Look{{Width: 1280}, {Width: 320, Height: 640}} {
		tab.Turn(look)
		if wider := tab.Overflow(); wider > 0 {
			t.Errorf("with wide text %s is %d px wider than the screen at %s: %q", name, wider, look, browsertest.Eval[[]string](tab, beyond))
		}
		for _, part := range browsertest.Eval[[]string](tab, spilt) {
			t.Errorf("with wide text %s at %s: %q spills over", name, look, part)
		}
	}
}

func sound(t *testing.T, tab *browsertest.Tab, server, name string) {
	t.Helper()
	is := browsertest.Eval[layout](tab, layoutOf)
	if is.Wider > 0 {
		t.Errorf("%s is %d px wider than the screen", name, is.Wider)
	}
	for _, picture := range tab.Inkless() {
		t.Errorf("%s: nobody sees %s", name, picture)
	}
	for _, target := range is.Small {
		t.Errorf("%s: %q is too small to hit", name, target)
	}
	for _, part := range is.Sideways {
		t.Errorf("%s: %s scrolls sideways", name, part)
	}
	quiet(t, tab, server)
	for _, violation := range tab.Axe() {
		t.Errorf("%s: %s", name, violation)
	}
	tab.Forget() // what the policy said to axe
}

// quiet fails if the browser complained of anything or asked anybody else.
func quiet(t *testing.T, tab *browsertest.Tab, server string) {
	t.Helper()
	for _, message := range tab.Messages() {
		t.Errorf("the browser complains: %s", message)
	}
	for _, address := range tab.Requests() {
		// The picture of a calendar in a date field is the browser's own.
		if !strings.HasPrefix(address, server+"/") && !strings.HasPrefix(address, "data:image/svg+xml;base64,") {
			t.Errorf("a request went to %s", address)
		}
	}
}

// sideways are the parts of a page whose content is wider than they are and can be
// scrolled there, data and commands apart, which have two dimensions of their own (WCAG
// 1.4.10).
const sideways = `[...document.querySelectorAll("body *")]
	.filter(e => e.checkVisibility() && !e.matches(".table-box, pre, .unseen, input, textarea, select") && !e.closest("svg, .unseen"))
	.filter(e => /auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth)
	.map(e => e.tagName + "." + e.className)`

// Between the phone and the desk the navigation of the settings is longer than a
// line, and with a large zoom much longer.
func TestTheNavigationNeverScrollsSideways(t *testing.T) {
	server, _ := looksAt(t, plain)
	tab := browsertest.New(t).Tab(t, browsertest.Look{Width: 320, Height: 640})
	tab.Open(server + "/page/de/profile")
	for _, width := range []int{320, 500, 800} {
		tab.Turn(browsertest.Look{Width: width, Height: 640})
		for _, part := range browsertest.Eval[[]string](tab, sideways) {
			t.Errorf("at %d px %s scrolls sideways", width, part)
		}
	}
}

// brokenWords are the words of the account's name that end on another line than they begin.
const brokenWords = `(() => {
	const text = document.querySelector(".desk-top .brand-name").firstChild, broken = [];
	for (const word of text.data.matchAll(/\S+/g)) {
		const range = document.createRange();
		range.setStart(text, word.index);
		range.setEnd(text, word.index + word[0].length);
		if (range.getClientRects().length > 1) broken.push(word[0]);
	}
	return broken;
})()`

// The head of a page breaks the account's name between its words, and in one only that is wider
// than the screen.
func TestTheAccountsNameIsBrokenBetweenItsWords(t *testing.T) {
	browser := browsertest.New(t)
	for name, broken := range map[string]int{
		plain.account: 0, "Bundesdruckereibetriebe": 0, "Beispiel Vertriebsgesellschaft für Süddeutschland mbH": 0,
		strings.Repeat("Beispiel", 12) + " GmbH": 1,
	} {
		server, _ := looksAt(t, persona{"Kim Beispiel", name, "kim@example.com", "crm-42"})
		tab := browser.Tab(t, browsertest.Look{Width: 320, Height: 640})
		tab.Open(server + "/page/de/plain-told")
		for _, width := range []int{320, 360, 1280} {
			tab.Turn(browsertest.Look{Width: width, Height: 640})
			got, wider := browsertest.Eval[[]string](tab, brokenWords), tab.Overflow()
			if width < 1280 && len(got) != broken || width == 1280 && len(got) > broken || wider > 0 {
				t.Errorf("at %d px %q is broken in %q, and the page %d px too wide", width, name, got, wider)
			}
		}
	}
}

// On a small window, which a large zoom makes, every link of the navigation can be
// brought into sight.
func TestTheNavigationFitsALowWindow(t *testing.T) {
	server, _ := looksAt(t, plain)
	tab := browsertest.New(t).Tab(t, browsertest.Look{Width: 1100, Height: 320})
	tab.Open(server + "/page/de/webhooks")
	for _, out := range browsertest.Eval[[]string](tab, `[...document.querySelectorAll(".desk-nav a")].filter(a => {
		if (!a.checkVisibility()) return false;
		a.focus();
		const box = a.getBoundingClientRect();
		return box.top < 0 || box.bottom > innerHeight;
	}).map(a => a.textContent)`) {
		t.Errorf("%q has the focus and is out of sight", out)
	}
}

// speaking is a visit of somebody who is not logged in, in a language.
func speaking(lang string) *visit { return &visit{visitor: visitor{lang: lang}} }
