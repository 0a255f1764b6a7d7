package dashboard

import (
	"html"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"typus"
	"typus/internal/store"
)

// walkOf are the steps "from the position to the decision" on the page about the dashboard.
func walkOf(t *testing.T, lang string) []string {
	t.Helper()
	page, err := os.ReadFile("../docs/text/" + lang + "/dashboard.md")
	if err != nil {
		t.Fatal(err)
	}
	_, walk, _ := strings.Cut(string(page), "{#walk}\n")
	walk, _, _ = strings.Cut(walk, "\n## ")
	return regexp.MustCompile(`(?m)^\d\. .*$`).FindAllString(walk, -1)
}

var quotedLabel = regexp.MustCompile(`[„“]([^“”]+)[“”]`)

// What the page about the dashboard says of the way from the position to the decision can be
// done as it stands there: each step is taken, and all that it quotes is on its pages.
func TestTheWalkFromThePositionToTheDecisionGoesAsItIsWritten(t *testing.T) {
	for _, lang := range []string{"de", "en"} {
		t.Run(lang, func(t *testing.T) {
			w := newWorld(t)
			c := w.as(admin)
			c.post("/dashboard/sprache", fields("sprache", lang)).want(t, 303)
			var place, person, candidate string
			read := func(paths ...string) string {
				said := ""
				for _, path := range paths {
					said += c.get(path).want(t, 200).body
				}
				return said
			}
			steps := []func() string{
				func() string {
					said := read(positionsPath, newPositionPath)
					place = c.place("Vertrieb Nord", "client_kind", "", "role_profile", "")
					return said
				},
				func() string { return read(place, place+"/fragen", place+"/interview", place+"/mitglieder") },
				func() string {
					form := invitePath + "?stelle=" + strings.TrimPrefix(place, positionsPath+"/")
					said := read(place, form)
					sent := c.post(invitePath, fields("name", "Kim", "email", "kim@example.com", "stelle", strings.TrimPrefix(place, positionsPath+"/"), "role_profile", "", "send_email", "1"))
					candidate = strings.TrimPrefix(sent.want(t, 303).Header.Get("Location"), invitePath+"/")
					return said
				},
				func() string {
					number, err := strconv.ParseInt(candidate, 10, 64)
					w.Must(err)
					found, err := w.Store.CandidateFor(w.Ctx, store.WholeAccount(w.Account), number)
					w.Must(err)
					link, err := w.Assess.Link(typus.Account{}, found)
					w.Must(err)
					w.finishes(link[strings.LastIndex(link, "/")+1:], func(i int) int { return 2 + i%4 }, 4000)
					return read(place)
				},
				func() string {
					person = "/dashboard/kandidat/" + candidate
					said := read(person, person+"/leitfaden")
					c.post(person+"/leitfaden", c.marks("4", "Beispiel")).want(t, 303)
					return said
				},
				func() string {
					said := read(person)
					c.post(person+"/entscheidung", fields("stage", "offer", "last", "0")).want(t, 303)
					return said
				},
				func() string {
					said := read(place, place+"/schliessen")
					c.post(place+"/schliessen", fields("open", "keep")).want(t, 303)
					return said + read(place)
				},
			}
			written := walkOf(t, lang)
			if len(written) != len(steps) {
				t.Fatalf("%d steps are written, want %d", len(written), len(steps))
			}
			for i, step := range steps {
				said := html.UnescapeString(step())
				for _, label := range quotedLabel.FindAllStringSubmatch(written[i], -1) {
					if !strings.Contains(said, label[1]) {
						t.Errorf("the pages of step %d do not say %q", i+1, label[1])
					}
				}
			}
			if got := w.positionsOf(); got[placed(t, place)] != 1 {
				t.Errorf("invited to %v", got)
			}
		})
	}
}
