package docs

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"typus"
	"typus/internal/instrument"
	"typus/internal/page"
	"typus/internal/webhook"
)

// bilingual runs a test on the texts of a page in each language.
func bilingual(t *testing.T, name string, test func(t *testing.T, said text)) {
	local := localise(Options{BaseURL: base, HeaderPrefix: "X-Service"})
	s, err := loadSamples(local)
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range page.Languages() {
		t.Run(lang, func(t *testing.T) {
			said, err := loadText(lang, name, local, s)
			if err != nil {
				t.Fatal(err)
			}
			test(t, said)
		})
	}
}

// table is the plain text of the table below a heading, row by row.
func (said text) table(t *testing.T, id string) [][]string {
	t.Helper()
	for _, s := range said.Sections {
		under := s.ID
		for _, b := range s.Blocks {
			if b.Kind == "heading" {
				under = b.ID
			}
			if b.Kind == "table" && under == id {
				var rows [][]string
				for _, row := range b.Rows {
					var cells []string
					for _, cell := range row {
						cells = append(cells, plain(cell))
					}
					rows = append(rows, cells)
				}
				return rows
			}
		}
	}
	t.Fatalf("there is no table below #%s", id)
	return nil
}

func column(rows [][]string, n int) []string {
	var cells []string
	for _, row := range rows {
		cells = append(cells, row[n])
	}
	return cells
}

func plain(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// spec is a place in the description of the API.
type spec struct{ at any }

func openapi(t *testing.T) spec {
	t.Helper()
	source, err := os.ReadFile("../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var s spec
	if err := yaml.UnmarshalWithOptions(source, &s.at, yaml.UseOrderedMap()); err != nil {
		t.Fatal(err)
	}
	return s
}

// get goes down by the names of members.
func (s spec) get(names ...string) spec {
	for _, name := range names {
		var next any
		if members, ok := s.at.(yaml.MapSlice); ok {
			for _, m := range members {
				if m.Key == name {
					next = m.Value
				}
			}
		}
		s.at = next
	}
	return s
}

// words are the strings of a list, or the names of an object's members.
func (s spec) words(t *testing.T) []string {
	t.Helper()
	var words []string
	switch at := s.at.(type) {
	case []any:
		for _, w := range at {
			words = append(words, w.(string))
		}
	case yaml.MapSlice:
		for _, m := range at {
			words = append(words, m.Key.(string))
		}
	}
	if len(words) == 0 {
		t.Fatal("openapi.yaml has nothing there")
	}
	return words
}

func schema(t *testing.T, name string, more ...string) []string {
	t.Helper()
	return openapi(t).get(append([]string{"components", "schemas", name, "properties"}, more...)...).words(t)
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s\nthe page says   %q\nthe source says %q", what, got, want)
	}
}

func TestEveryErrorCodeHasASectionOfItsName(t *testing.T) {
	codes := schema(t, "Problem", "code", "enum")
	fields := schema(t, "Problem", "errors", "items", "properties", "code", "enum")
	bilingual(t, "errors", func(t *testing.T, said text) {
		var sections []string
		for _, s := range said.Sections[2:] {
			sections = append(sections, s.ID)
		}
		same(t, "sections", sections, codes)
		same(t, "overview", column(said.table(t, "codes"), 1), codes)
		same(t, "members", column(said.table(t, "shape"), 0), schema(t, "Problem"))
		same(t, "codes of a field", slices.Concat(column(said.table(t, "invalid_input"), 0), column(said.table(t, "conflict"), 0)), fields)
		for i, row := range said.table(t, "codes") {
			if want := codes[i] + ": " + row[0]; plain(said.Sections[i+2].Heading) != want {
				t.Errorf("the heading is %q, not %q", plain(said.Sections[i+2].Heading), want)
			}
		}
	})
}

func TestEveryErrorCodeOfADeliveryIsExplained(t *testing.T) {
	source, err := os.ReadFile("../webhook/code.go")
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, match := range regexp.MustCompile(`(?m)^\tCode\w+ += "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		codes = append(codes, match[1])
	}
	bilingual(t, "webhooks", func(t *testing.T, said text) { same(t, "codes", column(said.table(t, "faults"), 0), codes) })
}

// The statuses of the codes are those of the examples in openapi.yaml and of the
// description itself.
func TestEveryErrorCodeHasItsStatus(t *testing.T) {
	source, err := os.ReadFile("../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile(`status: (\d+)\n(?:.*\n){1,3}\s+code: (\w+)`).FindAllStringSubmatch(string(source), -1)
	if len(examples) < 9 {
		t.Fatalf("only %d examples of errors", len(examples))
	}
	bilingual(t, "errors", func(t *testing.T, said text) {
		status := map[string]string{}
		for _, row := range said.table(t, "codes") {
			status[row[1]] = row[0]
		}
		for _, e := range examples {
			if status[e[2]] != e[1] {
				t.Errorf("%s: the page says %s, openapi.yaml %s", e[2], status[e[2]], e[1])
			}
		}
	})
}

func TestEveryMemberOfTheAPIIsExplained(t *testing.T) {
	bilingual(t, "api", func(t *testing.T, said text) {
		same(t, "invite", column(said.table(t, "invite"), 0), schema(t, "Invite"))
		same(t, "candidate", append(column(said.table(t, "read"), 0), "extra"), schema(t, "Candidate"))
		same(t, "extra", column(said.table(t, "extra"), 0), schema(t, "Extra"))
		same(t, "scores", column(said.table(t, "scores"), 0), schema(t, "Scores"))
		same(t, "statuses", column(said.table(t, "status"), 0), openapi(t).get("components", "schemas", "Status", "enum").words(t))
		var parameters []string
		for _, p := range openapi(t).get("paths", "/api/v1/candidates", "get", "parameters").at.([]any) {
			if name, ok := (spec{p}).get("name").at.(string); ok {
				parameters = append(parameters, name)
			}
		}
		listed := column(said.table(t, "list"), 0)
		slices.Sort(listed)
		parameters = append(parameters, "include", "position") // by reference
		slices.Sort(parameters)
		same(t, "parameters", listed, parameters)
	})
}

func TestTheFrozenKeysAreThoseOfTheAPIAndTheTest(t *testing.T) {
	test := instrument.Own()
	bilingual(t, "api", func(t *testing.T, said text) {
		fit, types, dimensions := said.table(t, "fit"), said.table(t, "archetypes"), said.table(t, "dimensions")
		same(t, "fit", column(fit, 0), schema(t, "Fit", "key", "enum"))
		same(t, "types", column(types, 0), openapi(t).get("components", "schemas", "ArchetypeKey", "enum").words(t))
		same(t, "dimensions", column(dimensions, 0), openapi(t).get("components", "schemas", "DimensionScores", "items", "properties", "key", "enum").words(t))
		if len(fit) != 5 || len(types) != 12 || len(dimensions) != 9 {
			t.Errorf("%d classes, %d types, %d dimensions", len(fit), len(types), len(dimensions))
		}
		for _, row := range fit {
			if label := test.FitLabel("de", row[0]); label == "" || !strings.HasPrefix(row[2], label) {
				t.Errorf("%s is %q, the page says %q", row[0], label, row[2])
			}
		}
		for _, row := range types {
			same(t, row[0], row[1:], []string{test.PersonaName("de", row[0]), test.PersonaSubtitle("de", row[0])})
		}
		for _, row := range dimensions {
			same(t, row[0], row[1:2], []string{test.DimensionName("de", row[0])})
		}
	})
}

func TestEveryRemarkIsExplained(t *testing.T) {
	source, err := os.ReadFile("../instrument/salespersona/2.0.0/report/de.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var report spec
	if err := yaml.UnmarshalWithOptions(source, &report.at, yaml.UseOrderedMap()); err != nil {
		t.Fatal(err)
	}
	bilingual(t, "api", func(t *testing.T, said text) {
		same(t, "remarks", column(said.table(t, "warnings"), 0), report.get("warnings").words(t))
	})
}

func TestEveryRoleProfileIsNamed(t *testing.T) {
	bilingual(t, "api", func(t *testing.T, said text) {
		var named []string
		for _, s := range said.Sections {
			for i, b := range s.Blocks {
				if b.ID != "roles" {
					continue
				}
				for _, sp := range s.Blocks[i+1].Spans {
					if sp.Code {
						named = append(named, sp.Text)
					}
				}
			}
		}
		for _, role := range instrument.Own().Roles() {
			if !slices.Contains(named, role.Key) {
				t.Errorf("%s is not named", role.Key)
			}
		}
	})
}

func TestTheVectorsAreRight(t *testing.T) {
	body, err := fs.ReadFile(files, "samples/body.json")
	if err != nil {
		t.Fatal(err)
	}
	bilingual(t, "webhooks", func(t *testing.T, said text) {
		v := column(said.table(t, "vectors"), 1)
		secret, id, stamp := v[0], v[3], v[4]
		at, err := strconv.ParseInt(stamp, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		standard, err := webhook.SignStandard(secret, id, at, body)
		if err != nil || standard != v[6] || webhook.Sign(secret, body) != v[5] {
			t.Errorf("the signatures are %s and %s, %v", webhook.Sign(secret, body), standard, err)
		}
		if !strings.Contains(v[1], strconv.Itoa(len(body))) {
			t.Errorf("the body has %d bytes, the page says %s", len(body), v[1])
		}
	})
}

// A test of package sandbox holds that it is so.
func TestThatAMovedClockStopsAtFullMinutesStandsAboveTheAddresses(t *testing.T) {
	for lang, says := range map[string]string{"de": "zwei Minuten nach der Einladung", "en": "two minutes after the invitation"} {
		page, err := fs.ReadFile(files, "text/"+lang+"/testbetrieb.md")
		if err != nil {
			t.Fatal(err)
		}
		_, people, _ := strings.Cut(string(page), "{#people}")
		if above, _, _ := strings.Cut(people, "\n|"); !strings.Contains(above, says) {
			t.Errorf("%s: above the table stands %s", lang, above)
		}
	}
}

func TestTheAttemptsAreThoseOfTheCourier(t *testing.T) {
	bilingual(t, "webhooks", func(t *testing.T, said text) {
		rows := said.table(t, "retries")
		if len(rows) != typus.DeliveryAttempts {
			t.Fatalf("%d rows", len(rows))
		}
		same(t, "the second", rows[1], []string{"2", "5\u00a0s", "5\u00a0s"})
		same(t, "the last", rows[len(rows)-1], []string{"12", "24\u00a0h", "123\u00a0h 35\u00a0min 5\u00a0s"})
	})
}

func TestEveryHeaderOfAWebhookIsExplained(t *testing.T) {
	var names []string
	for _, p := range openapi(t).get("webhooks", "candidate.completed", "post", "parameters").at.([]any) {
		names = append(names, (spec{p}).get("name").at.(string))
	}
	bilingual(t, "webhooks", func(t *testing.T, said text) {
		same(t, "headers", column(said.table(t, "headers"), 0), append(names, "Content-Type", "User-Agent"))
	})
}
