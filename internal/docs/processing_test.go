package docs

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"typus"
	"typus/internal/accounts"
	"typus/internal/auth"
)

// A contract is made on the word of this page: its figures are those of the code, and what
// it sends people to in the dashboard is called so there.
func TestThePageAboutProcessingOnBehalfSaysWhatTheProgramDoes(t *testing.T) {
	hash, err := auth.HashPassword(t.Context(), "a password of this test")
	if err != nil {
		t.Fatal(err)
	}
	var kibibytes, iterations int
	if _, err := fmt.Sscanf(hash, "$argon2id$v=19$m=%d,t=%d,", &kibibytes, &iterations); err != nil {
		t.Fatal(hash, err)
	}
	day := 24.0
	bilingual(t, "auftragsverarbeitung", func(t *testing.T, said text) {
		access := said.table(t, "measures")[0][1]
		hashed := []int{2, kibibytes / 1024, iterations, int(typus.SessionIdle.Hours()), int(typus.SessionLife.Hours() / day)}
		if got := figures(access); !slices.Equal(got, hashed) { // the first is that of Argon2id
			t.Errorf("%s: %v, want %v", access, got, hashed)
		}
		for row, period := range map[int]int{1: int(typus.EnrolmentLife.Hours() / day), 3: accounts.ExpertsNamed} {
			kept := said.table(t, "what")[row]
			if got := figures(kept[2]); !slices.Equal(got, []int{period}) {
				t.Errorf("%s: %v, want %d", kept[0], got, period)
			}
		}
		points := strings.Join(column(said.table(t, "article"), 0), "")
		if points != "abcdefgh" {
			t.Errorf("Article 28(3) has the points a to h, the page %s", points)
		}
	})
	for _, lang := range []string{"de", "en"} {
		said := source(t, lang, "auftragsverarbeitung")
		for file, key := range map[string]string{
			"person.draft": "person.link", "candidate": "candidate.correct", "team": "audit.operator", "shell": "shell.audit",
		} {
			var words map[string]any
			source, err := os.ReadFile("../dashboard/locales/" + file + "." + lang + ".json")
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(source, &words); err != nil {
				t.Fatal(file, err)
			}
			name, _ := words[key].(string)
			if name == "" || !strings.Contains(strings.ToLower(said), strings.ToLower(name)) {
				t.Errorf("%s: the page does not name %q, %s", lang, name, key)
			}
		}
	}
}
