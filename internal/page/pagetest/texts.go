package pagetest

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template/parse"
	"unicode"

	"github.com/go-json-experiment/json"
	"golang.org/x/net/html"
)

// CheckTexts holds the rules of texts over the directory of a face: its
// catalogues have the same keys with the same placeholders, every key is used, every
// key that a template asks for is there (in the face or in shared), no template holds a
// text of its own, and texts stand as text or in quoted attributes only.
func CheckTexts(t testing.TB, face fs.FS, shared ...fs.FS) {
	t.Helper()
	catalogues := map[string]map[string]text{}
	for _, lang := range []string{"de", "en"} {
		catalogues[lang] = catalogue(t, face, lang)
	}
	sameTexts(t, catalogues["de"], catalogues["en"])
	known := maps.Clone(catalogues["de"])
	for _, s := range shared {
		maps.Copy(known, catalogue(t, s, "de"))
	}
	used := sources(t, face)
	for name, body := range templates(t, face) {
		for _, key := range asked(body) {
			if _, ok := known[key]; !ok {
				t.Errorf("%s asks for %q, which no catalogue has", name, key)
			}
		}
		for _, literal := range Literals(name, body) {
			t.Errorf("%s holds a text of its own: %q", name, literal)
		}
		for _, place := range misplaced.FindAllString(body, -1) {
			t.Errorf("%s says a text where it is neither text nor in a quoted attribute: %q", name, place)
		}
		used += body
	}
	for key := range catalogues["de"] {
		if !strings.Contains(used, `"`+key+`"`) {
			t.Errorf("the text %q is used nowhere", key)
		}
	}
}

// misplaced finds a text in an attribute without quotes, in a script or in a style: it is
// put into the page as the text of HTML.
var misplaced = regexp.MustCompile(`=\s*\{\{-?\s*t\s|<(?:script|style)\b[^>]*>[^<]*\{\{-?\s*t\s`)

// text is a catalogue entry: its forms by name, "other" for a plain one.
type text map[string]string

func catalogue(t testing.TB, dir fs.FS, lang string) map[string]text {
	t.Helper()
	names, _ := fs.Glob(dir, "locales/*.json")
	texts := map[string]text{}
	for _, name := range names {
		if name != "locales/"+lang+".json" && !strings.HasSuffix(name, "."+lang+".json") {
			continue
		}
		body, err := fs.ReadFile(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		// A text that stands twice in a file is refused: the later one would win unseen.
		var raw map[string]any
		if err := json.Unmarshal(body, &raw); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for key, value := range raw {
			if texts[key] != nil {
				t.Errorf("%s has %q, which another catalogue has too", name, key)
			}
			texts[key] = forms(value)
		}
	}
	if len(texts) == 0 {
		t.Fatalf("there is no catalogue in %q", lang)
	}
	return texts
}

func forms(value any) text {
	if plain, ok := value.(string); ok {
		return text{"other": plain}
	}
	all := text{}
	for form, said := range value.(map[string]any) {
		all[form] = said.(string)
	}
	return all
}

func sameTexts(t testing.TB, de, en map[string]text) {
	t.Helper()
	for key := range de {
		if en[key] == nil {
			t.Errorf("%q is missing in English", key)
			continue
		}
		if d, e := slices.Sorted(maps.Keys(de[key])), slices.Sorted(maps.Keys(en[key])); !slices.Equal(d, e) {
			t.Errorf("%q has the forms %v in German and %v in English", key, d, e)
		}
		for form := range de[key] {
			if d, e := holes(de[key][form]), holes(en[key][form]); !slices.Equal(d, e) {
				t.Errorf("%q (%s) has the placeholders %v in German and %v in English", key, form, d, e)
			}
			if strings.TrimSpace(de[key][form]) == "" || strings.TrimSpace(en[key][form]) == "" {
				t.Errorf("%q (%s) is empty", key, form)
			}
		}
	}
	for key := range en {
		if de[key] == nil {
			t.Errorf("%q is missing in German", key)
		}
	}
}

var hole = regexp.MustCompile(`\{\{\.(\w+)\}\}`)

// holes are the names of the placeholders of a text, each once.
func holes(said string) []string {
	var names []string
	for _, m := range hole.FindAllStringSubmatch(said, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func templates(t testing.TB, dir fs.FS) map[string]string {
	t.Helper()
	bodies := map[string]string{}
	for _, pattern := range []string{"templates/*.html", "templates/parts/*.html"} {
		names, _ := fs.Glob(dir, pattern)
		for _, name := range names {
			body, err := fs.ReadFile(dir, name)
			if err != nil {
				t.Fatal(err)
			}
			bodies[name] = string(body)
		}
	}
	return bodies
}

// sources is the Go source of a directory without its tests.
func sources(t testing.TB, dir fs.FS) string {
	t.Helper()
	var all strings.Builder
	names, _ := fs.Glob(dir, "*.go")
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		body, err := fs.ReadFile(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(body)
	}
	return all.String()
}

var call = regexp.MustCompile(`[{(]\s*(?:t|n)\s+"([^"]+)"`)

// asked are the keys that a template asks for by name.
func asked(body string) []string {
	var keys []string
	for _, m := range call.FindAllStringSubmatch(body, -1) {
		keys = append(keys, m[1])
	}
	return keys
}

// spoken are the attributes that are read out or shown.
var spoken = []string{"alt", "title", "placeholder", "aria-label", "aria-description", "label"}

// Literals are the words that a template says by itself instead of taking them
// from a catalogue.
func Literals(name, body string) []string {
	markup, err := withoutActions(name, body)
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	tokens := html.NewTokenizer(strings.NewReader(markup))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return found
		case html.TextToken:
			if said := strings.TrimSpace(string(tokens.Text())); strings.ContainsFunc(said, unicode.IsLetter) {
				found = append(found, said)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			token := tokens.Token()
			if token.Data == "noscript" {
				tokens.NextIsNotRawText() // what stands in it is markup to whoever has no scripts
			}
			for _, a := range token.Attr {
				if slices.Contains(spoken, a.Key) && strings.ContainsFunc(a.Val, unicode.IsLetter) {
					found = append(found, a.Val)
				}
			}
		}
	}
}

// withoutActions is the text of all templates of a file, without what stands in
// braces.
func withoutActions(name, body string) (string, error) {
	trees := map[string]*parse.Tree{}
	tree := parse.New(path.Base(name))
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(body, "", "", trees); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	var out strings.Builder
	for _, key := range slices.Sorted(maps.Keys(trees)) {
		if key == "body" { // the block of attributes within that tag
			out.WriteString("<body")
		}
		texts(trees[key].Root, &out)
		if key == "body" {
			out.WriteString(">")
		}
	}
	return out.String(), nil
}

func texts(n parse.Node, out *strings.Builder) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, child := range n.Nodes {
				texts(child, out)
			}
		}
	case *parse.TextNode:
		out.Write(n.Text)
	case *parse.IfNode:
		texts(n.List, out)
		texts(n.ElseList, out)
	case *parse.RangeNode:
		texts(n.List, out)
		texts(n.ElseList, out)
	case *parse.WithNode:
		texts(n.List, out)
		texts(n.ElseList, out)
	}
}
