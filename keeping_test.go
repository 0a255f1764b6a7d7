package typus_test

import (
	"testing"

	"typus"
)

func TestTheBoundOfTheUndecidedGoesAlongWithTheDays(t *testing.T) {
	for _, c := range []struct{ finished, undecided, days, want int }{
		{180, 365, 0, 0},     // nothing to bound
		{180, 365, 90, 365},  // as it is
		{180, 365, 500, 500}, // never lower
		{180, 0, 500, 0},     // none was wanted
		{0, 0, 90, 365},      // as for a new account
		{0, 0, 500, 500},
	} {
		a := typus.Account{KeepFinishedDays: c.finished, KeepUndecidedDays: c.undecided}.FinishedKeptFor(c.days)
		if a.KeepFinishedDays != c.days || a.KeepUndecidedDays != c.want {
			t.Errorf("%+v: %d and %d days", c, a.KeepFinishedDays, a.KeepUndecidedDays)
		}
	}
}
