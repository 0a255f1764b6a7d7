package words_test

import (
	"slices"
	"strings"
	"testing"

	"typus/internal/words"
)

func TestACandidateIsFoundByNameAddressAndReferenceWholeAndInParts(t *testing.T) {
	got := words.Of("Jana Öztürk-Müller", "Jana.Oe+job@mail.example.com", "CRM-4711")
	want := strings.Fields("jana oeztuerk-mueller jana.oe+job@mail.example.com crm-4711 mail.example.com example.com " +
		"oeztuerk mueller oe job mail example crm 4711 ozturk-muller ozturk muller " +
		"janaoeztuerkmueller oeztuerkmueller janaozturkmuller ozturkmuller")
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// The index holds what cannot be taken apart and is not the beginning of another word; the
// others are found by their parts, and by what begins with them.
func TestOnlyPartsAreKeys(t *testing.T) {
	joined := words.Joined(words.Of("Jana Weber", "jana.weber@example.com", "crm-4711"))
	var got []string
	for _, key := range words.Keys(joined) {
		got = append(got, string(key))
	}
	if want := strings.Fields("weber example crm 4711 janaweber"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestASearchAsksForItsLongestWords(t *testing.T) {
	s, possible := words.Ask("x, Müller Jana-Maria crm_4 b c d")
	if !possible || string(s.Keys[0]) != "mueller" || !s.More {
		t.Errorf("asks for %q, %t", s.Keys, s.More)
	}
	if s.Patterns[0] != "% jana-maria%" || !slices.Contains(s.Patterns[:], `% crm\_4%`) {
		t.Errorf("compares with %q", s.Patterns)
	}
	if _, possible := words.Ask(" - ;"); possible {
		t.Error("nobody is found by signs alone")
	}
}

// However somebody writes a name, and with whatever keyboard.
func TestANameIsFoundHoweverItIsWritten(t *testing.T) {
	for name, asked := range map[string]string{
		"Jürgen Groß":          "jürgen juergen jurgen JÜRGEN ju\u0308rgen groß gross GROSS juergengross jurgengross",
		"Jürgen Mueller":       "müller mueller",
		"Søren Kjær":           "søren soeren soren kjær kjaer",
		"Łukasz Wałęsa":        "łukasz lukasz wałęsa walesa walęsa",
		"Đorđe Iıldız":         "đorđe dorde iıldız iildiz",
		"Sam O’Brien":          "o'brien o’brien o‘brien o´brien obrien samobrien brien",
		"Sam O'Neill":          "o’neill o'neill oneill",
		"Anna Lena van den Ek": "anna annalena lenavan vandenek denek",
		"Anna-Lena Ek":         "annalena anna-lena lenaek",
		"Zoë d'Île":            "zoe zoë d’île dile",
		"Åsa Œuvré":            "asa åsa oeuvre œuvre",
	} {
		joined := words.Joined(words.Of(name, "x@example.com", ""))
		keys := words.Keys(joined)
		for _, text := range strings.Fields(asked) {
			text = strings.ReplaceAll(text, `\u0308`, "\u0308")
			s, possible := words.Ask(text)
			if !possible || !strings.Contains(joined, strings.Trim(s.Patterns[0], "%")) {
				t.Errorf("%q is compared as %q, not among %q", text, s.Patterns[0], joined)
			}
			for _, key := range s.Keys {
				if !slices.ContainsFunc(keys, func(k []byte) bool { return strings.HasPrefix(string(k), string(key)) }) {
					t.Errorf("%q looks up %q, which is not in the index: %q", text, key, keys)
				}
			}
		}
	}
}

// A domain is found with umlauts and in punycode, whichever was typed, as a whole and in parts.
func TestADomainIsFoundInEverySpelling(t *testing.T) {
	for _, email := range []string{"anna@müller.example", "Anna@MU\u0308LLER.example", "anna@xn--mller-kva.example", "ANNA@XN--MLLER-KVA.EXAMPLE", "anna@müller。example"} {
		joined := words.Joined(words.Of("K", email, ""))
		keys := words.Keys(joined)
		for _, text := range []string{"anna@müller.example", "anna@mueller.example", "anna@xn--mller-kva.example", "ANNA@XN--MLLER-KVA.EX", "anna@mül", "anna@xn--ml",
			"müller.example", "müller", "xn--mller-kva.example", "xn--mller"} {
			s, possible := words.Ask(text)
			if !possible || !strings.Contains(joined, strings.Trim(s.Patterns[0], "%")) {
				t.Errorf("%q: %q is compared as %q, not among %q", email, text, s.Patterns[0], joined)
			}
			for _, key := range s.Keys {
				if !slices.ContainsFunc(keys, func(k []byte) bool { return strings.HasPrefix(string(k), string(key)) }) {
					t.Errorf("%q: %q looks up %q, which is not in the index: %q", email, text, key, keys)
				}
			}
		}
	}
	for _, email := range []string{"anna@example.com", "anna@xn--a.example", "anna@ex_ample.com", "anna", "müller", ""} {
		if got := words.Joined(words.Of("", email, "")); strings.Count(got, "anna@") > 1 || strings.Contains(got, "xn--mller") {
			t.Errorf("%q is found by %q", email, got)
		}
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
