package pagetest

import "testing"

func TestAForbiddenWordIsFoundUnlessItsSentenceExcusesIt(t *testing.T) {
	for _, c := range []struct {
		language, text string
		found          int
	}{
		{"de", "Der Wert liegt mit 90 % Sicherheit im Band. Das Bild ist verlässlich.", 2},
		{"de", "Ab 21 Punkten unterscheiden sich zwei Werte verlässlich. Die Antworten ergeben kein verlässliches Bild.", 0},
		{"de", "Einer von zwölf Typen", 1},
		{"de", "Das Feld bekommt einen anderen Typ.", 0},
		{"de", "Nach unserer Einschätzung ist das kein KI-System.", 0},
		{"en", "It is one of twelve types.", 1},
		{"en", "The score lies within the band with 90% certainty.", 1},
		{"en", "It has not been validated.", 0},
		{"en", "Ein Typ", 0},
	} {
		if got := Forbidden(c.language, c.text); len(got) != c.found {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}
