package pdf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
