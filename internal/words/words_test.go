package words_test

import (
	"slices"
	"strings"
	"testing"

	"typus/internal/words"
)

func TestACandidateIsFoundByNameAddressAndReferenceWholeAndInParts(t *testing.T) {
	got := words.Of("Jana Öztürk-Müller", "Jana.Oe+job@mail.example.com", "CRM-4711")
	want := strings.Fields("jana öztürk-müller jana.oe+job@mail.example.com crm-4711 mail.example.com example.com " +
		"öztürk müller oe job mail example crm 4711 ozturk-muller ozturk muller")
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// The index holds what cannot be taken apart; the others are found by their parts.
func TestOnlyPartsAreKeys(t *testing.T) {
	joined := words.Joined(words.Of("Jana Weber", "jana.weber@example.com", "crm-4711"))
	var got []string
	for _, key := range words.Keys(joined) {
		got = append(got, string(key))
	}
	if want := strings.Fields("jana weber example crm 4711"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestASearchAsksForItsLongestWords(t *testing.T) {
	s, possible := words.Ask("x, Müller Jana-Maria crm_4 b c d")
	if !possible || string(s.Keys[0]) != "müller" || !s.More {
		t.Errorf("asks for %q, %t", s.Keys, s.More)
	}
	if s.Patterns[0] != "% jana-maria%" || !slices.Contains(s.Patterns[:], `% crm\_4%`) {
		t.Errorf("compares with %q", s.Patterns)
	}
	if _, possible := words.Ask(" - ;"); possible {
		t.Error("nobody is found by signs alone")
	}
}

// What follows a prefix in the order of the index ends the range of all that begin so.
func TestEverythingThatBeginsSoLiesBeforeAfter(t *testing.T) {
	for _, prefix := range []string{"a", "zz", "ä", "😀"} {
		end := string(words.After([]byte(prefix)))
		if end <= prefix+"\U0010ffff" || end > prefix[:len(prefix)-1]+string([]byte{prefix[len(prefix)-1] + 1}) {
			t.Errorf("%q ends at %q", prefix, end)
		}
	}
}
