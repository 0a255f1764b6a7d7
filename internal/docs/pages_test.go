package docs

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"typus/internal/page"
	"typus/internal/page/pagetest"
)

func TestTheTextsOfTheFrameAreCompleteInBothLanguages(t *testing.T) {
	pagetest.CheckTexts(t, os.DirFS("."), os.DirFS("../page"))
}

// body is a page as it is sent.
func body(t *testing.T, f *face, path, lang string) []byte {
	t.Helper()
	resp := get(t, f, path+"?lang="+lang)
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || resp.Header.Get("Content-Language") != lang {
		t.Fatalf("%s in %s: %d, %v", path, lang, resp.StatusCode, err)
	}
	return b
}

func TestEveryPageIsSoundInBothLanguages(t *testing.T) {
	f, _ := newDocs(t, base, "X-Service")
	for _, lang := range page.Languages() {
		for _, name := range order() {
			t.Run(lang+"/"+name, func(t *testing.T) {
				// The address of the server is shown, and links lead to it by path only.
				pagetest.Check(t, body(t, f, pathOf(name), lang), lang)
			})
		}
	}
}

func TestEveryTextIsAPageAndEveryTemplateIsUsed(t *testing.T) {
	used := map[string]bool{}
	f, _ := newDocs(t, base, "X-Service")
	for _, lang := range page.Languages() {
		entries, err := fs.ReadDir(files, "text/"+lang)
		if err != nil || len(entries) != len(order()) {
			t.Errorf("%s: %d texts for %d pages, %v", lang, len(entries), len(order()), err)
		}
	}
	for at := range all(t, f).pages {
		used[view{Path: at}.Template()+".html"] = true
	}
	templates, err := fs.ReadDir(files, "templates")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range templates {
		if !e.IsDir() && !used[e.Name()] {
			t.Errorf("%s is used by no page", e.Name())
		}
	}
}

// skeleton is what a text has in common with the other language: its structure,
// its ids, its links and its code.
func skeleton(t text) []string {
	var bones []string
	spans := func(what string, list []span) {
		bones = append(bones, what)
		for _, s := range list {
			if s.Href != "" {
				bones = append(bones, "link "+s.Href)
			}
		}
	}
	blocks := func(list []block) {
		for _, b := range list {
			spans(b.Kind+" "+b.ID, b.Spans)
			for _, item := range b.Items {
				spans("item", item)
			}
			for _, row := range b.Rows {
				for _, cell := range row {
					spans("cell", cell)
				}
			}
			for _, s := range b.Samples {
				bones = append(bones, s.File+s.Source)
			}
		}
	}
	blocks(t.Intro)
	for _, s := range t.Sections {
		spans("section "+s.ID, s.Heading)
		blocks(s.Blocks)
	}
	return bones
}

func TestBothLanguagesSayTheSameThings(t *testing.T) {
	local := localise(Options{BaseURL: base, HeaderPrefix: "X-Service"})
	s, err := loadSamples(local)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range order() {
		var bones [2][]string
		for i, lang := range page.Languages() {
			said, err := loadText(lang, name, local, s)
			if err != nil {
				t.Fatal(err)
			}
			bones[i] = skeleton(said)
		}
		if diff := cmp.Diff(bones[0], bones[1]); diff != "" {
			t.Errorf("%s: -German +English\n%s", name, diff)
		}
	}
}

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	f, _ := newDocs(t, base, "X-Service")
	docs := map[string]*html.Node{}
	for at := range all(t, f).pages {
		doc, err := html.Parse(bytes.NewReader(body(t, f, at, "de")))
		if err != nil {
			t.Fatal(err)
		}
		docs[at] = doc
	}
	for at, doc := range docs {
		for _, a := range pagetest.All(doc, "a") {
			href, _ := pagetest.Attr(a, "href")
			to, id, _ := strings.Cut(href, "#")
			if to == "" {
				to = at
			}
			target, isPage := docs[to]
			_, isSample := all(t, f).samples[path.Base(to)]
			switch {
			case strings.HasPrefix(to, "?lang="), to == "/api/openapi.yaml", to == "/api/openapi.json":
			case strings.HasPrefix(to, "/docs/samples/") && isSample:
			case to == "/dashboard/einstellungen/api-schluessel", to == "/dashboard/einstellungen/webhooks", to == "/dashboard/einstellungen/webhooks/protokoll", to == "/dashboard/einstellungen/webhooks/pruefen", to == "/dashboard/einstellungen/konto/aufbewahrung", to == "/dashboard/einstellungen/konto/entscheidung", to == "/dashboard/stellen/allgemein/interview", to == "/dashboard/stellen/allgemein/fragen", to == "/dashboard/stellen/allgemein/link",
				to == "/dashboard/einstellungen/hinweise", to == "/dashboard/einstellungen/konto/allgemein", to == "/dashboard/rollenprofile", to == "/dashboard/einstellungen/konto/ergebnis": // another face's
			case !isPage:
				t.Errorf("%s: %s leads nowhere", at, href)
			case id != "" && !hasID(target, id):
				t.Errorf("%s: %s names an id that is not there", at, href)
			}
		}
	}
}

// What README, changelog, examples, program and dashboard send people to is there.
func TestEveryPageThatIsNamedElsewhereIsThere(t *testing.T) {
	f, _ := newDocs(t, base, "X-Service")
	named := regexp.MustCompile("[`\"\\s(](/docs/[a-z]+)(?:#([a-z][a-z0-9_-]*))?")
	root, found := os.DirFS("../.."), 0
	err := fs.WalkDir(root, ".", func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && at != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || at == "internal/docs"):
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(at, "_test.go") || !slices.Contains([]string{".go", ".md", ".html", ".json", ".yaml", ".yml"}, path.Ext(at)):
			return nil
		}
		source, err := fs.ReadFile(root, at)
		if err != nil {
			return err
		}
		for _, m := range named.FindAllStringSubmatch(string(source), -1) {
			if m[1] == "/docs/samples" {
				continue
			}
			found++
			if all(t, f).pages[m[1]] == nil {
				t.Errorf("%s: %s is no page", at, m[1])
				continue
			}
			doc, err := html.Parse(bytes.NewReader(body(t, f, m[1], "de")))
			if err != nil {
				return err
			}
			if m[2] != "" && !hasID(doc, m[2]) {
				t.Errorf("%s: %s#%s names an id that is not there", at, m[1], m[2])
			}
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Fatalf("%d pages are named, %v", found, err)
	}
}

func hasID(n *html.Node, id string) bool {
	for d := range n.Descendants() {
		if got, ok := pagetest.Attr(d, "id"); ok && got == id {
			return true
		}
	}
	return false
}

func TestTheLanguageIsRememberedWhenItIsAskedFor(t *testing.T) {
	f, _ := newDocs(t, base, "X-Service")
	resp := get(t, f, "/docs/api?lang=en")
	if c := resp.Cookies(); len(c) != 1 || c[0].Value != "en" || !c[0].Secure {
		t.Errorf("cookies %v", c)
	}
	for _, header := range [][]string{{"Accept-Language", "en"}, {"Cookie", "lang=en"}} {
		resp := get(t, f, "/docs", header...)
		if resp.Header.Get("Content-Language") != "en" || len(resp.Cookies()) != 0 {
			t.Errorf("%v: %v", header, resp.Header)
		}
		if vary := strings.Join(resp.Header.Values("Vary"), ", "); !strings.Contains(vary, "Accept-Language") || !strings.Contains(vary, "Cookie") {
			t.Errorf("Vary is %q", vary)
		}
	}
	if resp := get(t, f, "/docs?lang=fr"); resp.Header.Get("Content-Language") != "de" || len(resp.Cookies()) != 0 {
		t.Errorf("an unknown language: %v", resp.Header)
	}
}

func TestWhatIsNotThereIsAPageThatSaysSo(t *testing.T) {
	f, _ := newDocs(t, base, "X-Service")
	for _, at := range []string{"/docsx", "/docs/nothing", "/docs/api/", "/docs/samples/", "/docs/samples/nothing.sh", "/docs/samples/..%2fdocs.go", "/docs/index"} {
		resp := get(t, f, at)
		if resp.StatusCode != 404 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %s", at, resp.StatusCode, resp.Header.Get("Content-Type"))
		}
	}
	if resp := get(t, f, "/docs/"); resp.StatusCode != 200 {
		t.Errorf("/docs/: %d", resp.StatusCode)
	}
}

func TestASampleIsServedAsItIsShown(t *testing.T) {
	f, _ := newDocs(t, "https://test.example.org", "X-Muster")
	shown := html.UnescapeString(string(body(t, f, "/docs/webhooks", "de")))
	for _, name := range []string{"verify.mjs", "verify.php"} {
		resp := get(t, f, "/docs/samples/"+name)
		source, err := io.ReadAll(resp.Body)
		if err != nil || resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" || resp.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: %v, %v", name, resp.Header, err)
		}
		for line := range strings.Lines(string(source)) {
			if !strings.Contains(shown, strings.TrimSpace(line)) {
				t.Errorf("%s: a line is not on the page: %s", name, line)
			}
		}
	}
}
