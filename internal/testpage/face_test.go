package testpage

import (
	"testing"

	"typus/internal/instrument"
	"typus/internal/page"
)

// newTestFace is a face that can show every page but knows no candidate.
func newTestFace(t testing.TB) *face {
	t.Helper()
	site, err := page.New()
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFace(Options{Instrument: instrument.Own(), Site: site, BaseURL: "http://127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	return f
}
