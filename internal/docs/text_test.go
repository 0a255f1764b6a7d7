package docs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestATextIsTakenApart(t *testing.T) {
	got, err := parse(`# Title

The lead with `+"`code`"+`.

> A note.

## One {#one}

Words, **strong** and [a link](/docs/api#key) and [`+"`c`"+`](#one).

- a
- b

3. c
4. d

### Two {#two}

| h | i |
|---|---|
| `+"`x`"+` | |

`+"```sh\n# remark\nls\n```"+`

@samples v
@pages`, samples{"v.sh": newSample("v.sh", "sh", "x\n"), "v.py": newSample("v.py", "py", "y\n")})
	if err != nil {
		t.Fatal(err)
	}
	plain := func(s string) []span { return []span{{Text: s}} }
	want := text{
		Title: "Title", Lead: []span{{Text: "The lead with "}, {Text: "code", Code: true}, {Text: "."}},
		Intro: []block{{Kind: "note", Spans: plain("A note.")}},
		Sections: []section{{ID: "one", Heading: plain("One"), Blocks: []block{
			{Kind: "paragraph", Spans: []span{
				{Text: "Words, "}, {Text: "strong", Strong: true}, {Text: " and "}, {Text: "a link", Href: "/docs/api#key"},
				{Text: " and "}, {Text: "c", Code: true, Href: "#one"}, {Text: "."},
			}},
			{Kind: "list", Items: [][]span{plain("a"), plain("b")}},
			{Kind: "steps", First: 3, Items: [][]span{plain("c"), plain("d")}},
			{Kind: "heading", ID: "two", Spans: plain("Two")},
			{Kind: "table", Head: [][]span{plain("h"), plain("i")}, Rows: [][][]span{{{{Text: "x", Code: true}}, nil}}},
			{Kind: "code", Samples: []sample{{Language: "Shell", Source: "# remark\nls"}}},
			{Kind: "samples", ID: "v", Samples: []sample{{"v.sh", "Shell", "x\n", false, false}, {"v.py", "Python", "y\n", false, false}}},
			{Kind: "pages"},
		}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if lines := want.Sections[0].Blocks[5].Samples[0].Lines(); len(lines) != 2 || !lines[0].Remark || lines[1].Remark {
		t.Errorf("the lines of the code are %v", lines)
	}
}

func TestWhatIsNotUnderstoodIsAnErrorWithItsLine(t *testing.T) {
	for source, want := range map[string]string{
		"":                                       "title",
		"# T":                                    "lead",
		"# T\n\nlead\n\n## Heading":              "line 5: a heading needs an id",
		"# T\n\nlead\n\n### Heading {#Ü}":        "line 5: a heading needs an id",
		"# T\n\nlead\n\n```sh\nx":                "line 5: the code has no end",
		"# T\n\nlead\n\n1. x\n\n   ```sh\n   x":  "line 7: the line is indented",
		"# T\n\nlead\n\n```cobol\nx\n```":        "line 5: code of the kind",
		"# T\n\nlead\n\n@nothing":                "line 5: there is no directive @nothing",
		"# T\n\nlead\n\n@samples x":              "line 5: there are no samples",
		"# T\n\nlead\n\n| a | b |\n|---|\n| c |": "line 5: the rows of the table",
		"# T\n\nlead\n\n| a |\n|---|":            "line 5: a table has",
	} {
		if _, err := parse(source, samples{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", source, err, want)
		}
	}
}

func TestTheAddressAndTheHeadersOfThisServerAreShown(t *testing.T) {
	local := localise(Options{BaseURL: "https://test.example.org", HeaderPrefix: "X-Muster-Test"})
	got := local("https://typus.example.com/t X-Service-Event x-service-event HTTP_X_SERVICE_EVENT")
	if want := "https://test.example.org/t X-Muster-Test-Event x-muster-test-event HTTP_X_MUSTER_TEST_EVENT"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
