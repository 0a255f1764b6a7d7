package courier

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"typus/internal/store/storetest"
)

// The simulation draws a world and what befalls it from a seed and looks whether the
// engine keeps its promises, whatever happens (decision 0068). Store, courier, client,
// judge and the steps of people are the real ones; time and the network are simulated,
// and nothing but the seed decides what happens. `make simulate SEED=n` plays one again.

// TestTheEngineKeepsItsPromisesWhateverHappens plays TYPUS_SEEDS seeds (5 without it, and 2
// with -short, as with the race detector: make simulate plays the same and more), or
// TYPUS_SIMULATE alone. They use one processor each, and it waits for nothing, so that they
// are played side by side. The 200 of make simulate may take two minutes.
//
// A seed that is played again makes the same calls at the same times, so that one that
// fails can be looked at: that is tried with the first three, and with the one that is
// played alone.
func TestTheEngineKeepsItsPromisesWhateverHappens(t *testing.T) {
	seeds, began := seedsToRun(t), time.Now()
	var all tally
	t.Run("seed", func(t *testing.T) {
		for _, seed := range seeds {
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
				t.Parallel()
				tr := runSeed(t, seed)
				all.add(tr.tally.n)
				if seed <= 3 || len(seeds) == 1 {
					happensAgain(t, seed, tr.trace)
				}
			})
		}
	})
	took := time.Since(began)
	if os.Getenv("TYPUS_SEEDS") != "" && len(seeds) == 200 && took > 2*time.Minute {
		t.Errorf("%d seeds took %v, two minutes are too long", len(seeds), took)
	}
	all.check(t, len(seeds))
	t.Logf("%d seeds in %v, %v each", len(seeds), took.Round(time.Millisecond), (took / time.Duration(len(seeds))).Round(time.Millisecond))
}

func seedsToRun(t *testing.T) []uint64 {
	t.Helper()
	if one := os.Getenv("TYPUS_SIMULATE"); one != "" {
		return []uint64{number(t, one)}
	}
	most := uint64(5)
	if testing.Short() {
		most = 2 // the race detector makes each many times slower
	}
	if many := os.Getenv("TYPUS_SEEDS"); many != "" {
		most = number(t, many)
	}
	var list []uint64
	for seed := range most {
		list = append(list, seed+1)
	}
	return list
}

func number(t *testing.T, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		t.Fatalf("%q is no number of seeds and no seed", text)
	}
	return n
}

// runSeed plays a seed, and says how to play it again if it fails.
func runSeed(t *testing.T, seed uint64) *trial {
	t.Helper()
	file := storetest.SQLite(t)
	var tr *trial
	synctest.Test(t, func(t *testing.T) {
		tr = newTrial(t, seed, file)
		tr.run()
	})
	if len(tr.broken) > 0 {
		t.Errorf("make simulate SEED=%d plays this again:\n  %s\nwhat happened:\n  %s", seed,
			strings.Join(tr.broken, "\n  "), strings.Join(tr.happened, "\n  "))
	}
	return tr
}

// happensAgain wants a seed to make the same calls as the first time.
func happensAgain(t *testing.T, seed uint64, first []string) {
	t.Helper()
	again := runSeed(t, seed).trace
	slices.Sort(first)
	slices.Sort(again)
	if slices.Equal(first, again) {
		return
	}
	t.Errorf("seed %d made %d calls and then %d", seed, len(first), len(again))
	for i := range first {
		if i >= len(again) || first[i] != again[i] {
			t.Logf("%s / %s", first[i], again[min(i, len(again)-1)])
			break
		}
	}
}
