package pagetest

import (
	"slices"
	"strings"
	"testing"
)

const sound = `<!doctype html><html lang="de"><head><title>T</title></head><body><main id="m">
<h1>A</h1><h2>B</h2><a href="#m">x</a><a href="mailto:a@example.com">y</a>
<form action="/t/x"><fieldset><legend>L</legend><label><input type="radio" name="r"> one</label></fieldset>
<script type="application/json">{"a":1}</script>
<label for="n">N</label><input id="n"><input type="hidden" name="h"><button>Go</button></form></main></body></html>`

func TestASoundPageHasNoFaults(t *testing.T) {
	if faults := Faults([]byte(sound), "de"); len(faults) > 0 {
		t.Errorf("found %q", faults)
	}
}

func TestEveryFaultOfAPageIsFound(t *testing.T) {
	for name, swap := range map[string][2]string{
		`the language is "de"`:     {"", ""},
		"no title":                 {"<title>T</title>", "<title> </title>"},
		"2 h1":                     {"<h2>B</h2>", "<h1>B</h1>"},
		"h3 follows h1":            {"<h2>B</h2>", "<h3>B</h3>"},
		"0 main":                   {"main", "div"},
		"given 2 times":            {"<h2>", `<h2 id="m">`},
		"without a label":          {`for="n"`, `for="m"`},
		"no legend":                {"<legend>L</legend>", ""},
		`nothing has the id "q"`:   {`"#m"`, `"#q"`},
		"style attribute":          {"<h2>", `<h2 style="top:0">`},
		"attribute onclick":        {"<h2>", `<h2 onclick="x()">`},
		"a style element":          {"<h2>", `<style>a{}</style><h2>`},
		"a script in the page":     {"<h2>", `<script>1</script><h2>`},
		"leads to another origin:": {`"/t/x"`, `"//evil.example"`},
		"an empty button":          {"Go", " "},
		"a value is missing":       {"Go", "&lt;no value&gt;"},
		"2 elements ask":           {"<h2>", `<h2 tabindex="-1" autofocus><button autofocus>`},
		"an img without alt":       {"Go", `Go<img src="/a.png">`},
		"can break within a word":  {"<h2>B", "<h2>E-Mails"},
	} {
		lang := "de"
		if swap[0] == "" {
			lang = "en"
		}
		faults := Faults([]byte(strings.ReplaceAll(sound, swap[0], swap[1])), lang)
		if swap[0] == "" {
			faults = Faults([]byte(sound), lang)
		}
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, name) }) {
			t.Errorf("%s: found %q", name, faults)
		}
	}
}
