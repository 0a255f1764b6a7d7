package pagetest

import (
	"slices"
	"testing"
)

func TestTheIDOfARequestIsNoWord(t *testing.T) {
	const id, said = "QMSQL7PANICX2WZ4BNVKHD3ETA", "<p>Kennung QMSQL7PANICX2WZ4BNVKHD3ETA</p>"
	if words := Leaks(said, "", id); len(words) > 0 {
		t.Errorf("found %q", words)
	}
	if words := Leaks(said+"<p>no such Table</p>", id); !slices.Equal(words, []string{"table"}) {
		t.Errorf("found %q", words)
	}
}
