package assess_test

import (
	"testing"
	"time"

	"typus/internal/assess"
)

func TestRatingsAreFrozenAfterAWhileAndWhereAClockWasAhead(t *testing.T) {
	now := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		rated  time.Time
		frozen bool
	}{
		"not saved":                   {time.Time{}, false},
		"just saved":                  {now, false},
		"a moment before the end":     {now.Add(-assess.Rethink + time.Millisecond), false},
		"at the end":                  {now.Add(-assess.Rethink), true},
		"by another server's clock":   {now.Add(time.Second), false},
		"three days ahead of all now": {now.Add(72 * time.Hour), true},
	} {
		if got := assess.Frozen(c.rated, now); got != c.frozen {
			t.Errorf("%s: frozen %t", name, got)
		}
	}
}
