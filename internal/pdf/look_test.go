package pdf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"typus/internal/report"
)

// TestPagesCanBeLookedAt keeps the files of all known answers where TYPUS_SHOTS says.
func TestPagesCanBeLookedAt(t *testing.T) {
	dir := os.Getenv("TYPUS_SHOTS")
	if dir == "" {
		t.Skip("set TYPUS_SHOTS to a directory")
	}
	for _, k := range vectors(t) {
		for _, lang := range []string{"de", "en"} {
			file, err := reportOf(t, k, lang).File()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(k.Name, " ", "_")+"."+lang+".pdf"), file, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, lang := range []string{"de", "en"} {
		r := reportOf(t, chosenVectors(t)[5], lang)
		muchHeard(&r)
		if err := os.WriteFile(filepath.Join(dir, "heard."+lang+".pdf"), written(t, r), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	k := vectors(t)[0]
	for _, lang := range []string{"de", "en"} {
		around := frame(t, lang)
		around.Short = around.Say("pdf.guideShort")
		file, err := Guides{Frame: around, Guides: []Guide{guideOf(k, "Jana Öztürk", lang), guideOf(k, "Ben 🙂 "+strings.Repeat("Langenfeld", 20), lang)}}.File()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "guides."+lang+".pdf"), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// muchHeard is what a team heard and what a person says, short and long.
func muchHeard(r *Report) {
	long := strings.Repeat("Das Gespräch lief anders als geplant, und davon wurde ausführlich erzählt. ", 30)
	for i, q := range r.Guide.Questions() {
		rated := report.Rated{Question: q, Dimension: r.Dimensions[i%9].Name, Score: "43"}
		for n, author := range []string{"ada@example.com", "kim@example.com", "lou@example.com"} {
			note := []string{"Zwei Beispiele: ein großer Kunde, ein kleiner.\nHat selbst angerufen.\n\nErgebnis: Auftrag nach drei Wochen.", "", "Wenig Eigenes.", long}[(i+n)%4]
			rated.Ratings = append(rated.Ratings, report.Heard{Author: author, Mark: (i + n) % 6, Note: note, Informed: n == 1})
		}
		r.Rated = append(r.Rated, rated)
	}
	r.Rated = append(r.Rated, report.Rated{Question: report.Question{Own: true, Ask: "Was war schwer?"}, Ratings: []report.Heard{{Author: "ada@example.com", Mark: 3, Note: "Die Zeit."}}})
	for _, text := range []string{long + "\n\nIch bitte um ein Gespräch.\nMit freundlichen Grüßen\nJana Öztürk", "Ich sehe das anders.\n\nNach einer Woche noch einmal gelesen: immer noch.", long} {
		r.Comments = append(r.Comments, report.Comment{Text: text, Confirmed: "per Brief eingegangen", By: "ada@example.com", At: r.Made})
	}
	r.Stage = "Absage"
	r.Decisions = []report.Decision{
		{Stage: "Absage", By: "ada@example.com", At: r.Made, Reasons: []string{"Rahmenbedingungen passen nicht zusammen"}, Sources: []string{"Gespräch", "Unterlagen"}, Text: "Kein Führerschein.\nFlorida kommt nicht in Frage."},
		{Stage: "Gespräch", By: "ada@example.com", At: r.Made},
	}
}
