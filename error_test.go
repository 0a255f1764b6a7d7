package typus_test

import (
	"testing"

	"typus"
)

func TestWhatPassesIsTheDatabasesAndNotTheCallers(t *testing.T) {
	for k := typus.Internal; k <= typus.Suspended; k++ {
		want := k == typus.Unavailable || k == typus.OutcomeUnknown
		if got := typus.Passing(typus.Errorf(k, "x")); got != want || k.String() == "" {
			t.Errorf("%s passes: %t", k, got)
		}
	}
	if typus.Passing(nil) {
		t.Error("no error passes")
	}
}
