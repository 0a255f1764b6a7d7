package typus_test

import (
	"testing"

	"typus"
)

func TestWhatNobodySeesIsDroppedFromWhatIsTyped(t *testing.T) {
	for typed, want := range map[string]string{
		"\u00a0Jana Beispiel\u2003": "Jana Beispiel", "\ufeffJa\u00adna": "Jana", "Ja\u202ena\u202c": "Jana", "Jana\u200b\u2060": "Jana",
		"\u200dJana\u200f": "Jana", "علی\u200cرضا": "علی\u200cرضا", "👩\u200d🔬": "👩\u200d🔬", "a\x00b": "a\x00b", "a\xffb": "a\xffb",
	} {
		if got := typus.TypedName(typed); got != want {
			t.Errorf("TypedName(%q) = %q, want %q", typed, got, want)
		}
	}
	for typed, want := range map[string]string{
		"\u00a0Anna@Example.com\u200b": "Anna@Example.com", "an\u200dna@example.com": "anna@example.com", "an\u200ena@bücher.example": "anna@bücher.example",
		"anna@نامه\u200cای.example": "anna@نامه\u200cای.example", "an na@example.com": "an na@example.com",
	} {
		if got := typus.TypedAddress(typed); got != want {
			t.Errorf("TypedAddress(%q) = %q, want %q", typed, got, want)
		}
	}
}
