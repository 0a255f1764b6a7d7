package store

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"typus"
)

// anyScores draws scores of every shape.
func anyScores(t *rapid.T) typus.Scores {
	text := rapid.StringMatching(`[^\x1f]*`)
	s := typus.Scores{Overall: rapid.IntRange(0, 100).Draw(t, "overall"),
		Fit:      typus.Fit{Key: text.Draw(t, "fit"), Label: text.Draw(t, "label")},
		Persona:  typus.Persona{Key: text.Draw(t, "persona"), Name: text.Draw(t, "name"), Subtitle: text.Draw(t, "subtitle")},
		Warnings: []typus.Warning{}}
	for range rapid.IntRange(0, 12).Draw(t, "dimensions") {
		s.Dimensions = append(s.Dimensions, typus.DimensionScore{Key: text.Draw(t, "key"), Name: text.Draw(t, "name"), Score: rapid.Int().Draw(t, "score")})
	}
	for range rapid.IntRange(0, 14).Draw(t, "warnings") {
		s.Warnings = append(s.Warnings, typus.Warning{Key: text.Draw(t, "key"), Severity: typus.Severity(text.Draw(t, "severity")), Message: text.Draw(t, "message")})
	}
	return s
}

func TestScoresOfEveryShapeAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyScores(t)
		stored, err := encodeScores(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeScores(stored)
		if err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	})
}

func TestScoresThatWouldBeReadWronglyAreNotStored(t *testing.T) {
	s := typus.Scores{Fit: typus.Fit{Label: "Sehr\x1fgut"}}
	if b, err := encodeScores(s); err == nil || typus.KindOf(err) != typus.Internal {
		t.Errorf("stored as %q, %v", b, err)
	}
}

func FuzzStoredScores(f *testing.F) {
	good, err := encodeScores(typus.Scores{Overall: 81, Dimensions: []typus.DimensionScore{{Key: "drive", Name: "Antrieb", Score: 50}},
		Warnings: []typus.Warning{{Key: "too_fast", Severity: typus.SeverityNotice, Message: "Schnell"}}})
	if err != nil {
		f.Fatal(err)
	}
	for _, stored := range []string{good, good[:len(good)-9], strings.Replace(good, "81", "x", 1), ""} {
		f.Add([]byte(stored))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := decodeScores(string(b))
		if err != nil {
			return
		}
		again, err := encodeScores(*s)
		if err != nil {
			t.Fatalf("%q was read as %+v, which cannot be stored: %v", b, *s, err)
		}
		if second, err := decodeScores(again); err != nil || !reflect.DeepEqual(s, second) {
			t.Errorf("%q was read as %+v and then as %+v, %v", b, *s, second, err)
		}
	})
}

func BenchmarkDecodeScores(b *testing.B) {
	s := typus.Scores{Overall: 81, Fit: typus.Fit{Key: "A", Label: "Sehr gute Passung"},
		Persona: typus.Persona{Key: "hunter", Name: "Der Jäger", Subtitle: "Findet, was andere übersehen"}}
	for range 9 {
		s.Dimensions = append(s.Dimensions, typus.DimensionScore{Key: "persuasion", Name: "Überzeugungskraft", Score: 55})
	}
	stored, err := encodeScores(s)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decodeScores(stored); err != nil {
			b.Fatal(err)
		}
	}
}
