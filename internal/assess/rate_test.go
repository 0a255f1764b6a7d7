package assess_test

import (
	"testing"
	"time"

	"typus/internal/assess"
)

func TestRatingsAreFrozenAfterAWhileByAResultAndWhereAClockWasAhead(t *testing.T) {
	now := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		rated, completed time.Time
		frozen           bool
	}{
		"not saved":                            {frozen: false},
		"not saved, with a result":             {completed: now},
		"just saved":                           {rated: now},
		"just saved, with a result":            {rated: now, completed: now.Add(-time.Hour)},
		"just saved, and then came the result": {rated: now.Add(-time.Minute), completed: now, frozen: true},
		"a moment before the end":              {rated: now.Add(-assess.Rethink + time.Millisecond)},
		"at the end":                           {rated: now.Add(-assess.Rethink), frozen: true},
		"by another server's clock":            {rated: now.Add(time.Second)},
		"three days ahead of all now":          {rated: now.Add(72 * time.Hour), frozen: true},
	} {
		if got := assess.Frozen(c.rated, c.completed, now); got != c.frozen {
			t.Errorf("%s: frozen %t", name, got)
		}
	}
}
