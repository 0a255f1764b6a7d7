package courier

import (
	"maps"
	"slices"
	"sync"
	"testing"
)

// tally counts what has taken effect, so that a fault that never does is noticed.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *tally) add(other map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	for what, n := range other {
		c.n[what] += n
	}
}

// took counts something that has taken effect, "" for nothing.
func (tr *trial) took(what string) {
	if what != "" {
		tr.tally.add(map[string]int{what: 1})
	}
}

// tallied is what has to have taken effect once many seeds are played.
func tallied() []string {
	list := []string{
		"trap: " + string(trapArrival), "trap: " + string(trapAnswer), "a previous secret signs", "a next secret signs",
		"off for its failures", "a run has sent something again", "a fresh event comes soon",
	}
	for _, f := range faults {
		list = append(list, f.name)
	}
	return list
}

// check wants each of them to have taken effect, in 50 seeds or more.
func (c *tally) check(t *testing.T, seeds int) {
	t.Helper()
	for _, what := range slices.Sorted(maps.Keys(c.n)) {
		t.Logf("%6d times: %s", c.n[what], what)
	}
	for _, what := range tallied() {
		if seeds >= 50 && c.n[what] == 0 {
			t.Errorf("in %d seeds it never took effect: %s", seeds, what)
		}
	}
}
