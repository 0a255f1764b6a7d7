package browsertest

import (
	"fmt"
	"testing"
)

func TestTwoLooksHoldEachWidthThemeAndLanguage(t *testing.T) {
	for seed := range 20 {
		m := Matrix{seed: fmt.Sprint(seed)}
		two := m.Two("profile")
		if a, b := two[0], two[1]; a.Look.Width == b.Look.Width || a.Look.Dark == b.Look.Dark || a.Lang == b.Lang {
			t.Errorf("seed %d: %v and %v", seed, a, b)
		}
		if one := m.One("profile")[0]; one != two[0] && one != two[1] {
			t.Errorf("seed %d: the choice is %v, then %v", seed, one, two)
		}
		if last := two[1]; last.Lang != "de" {
			t.Errorf("seed %d: the last is %v", seed, last)
		}
	}
}

func TestAllLooksEndInGerman(t *testing.T) {
	seen := map[Cell]bool{}
	for _, c := range every() {
		seen[c] = true
	}
	if last := every()[7]; len(seen) != 8 || last.Lang != "de" {
		t.Errorf("%d ways, the last is %v", len(seen), last)
	}
}

func TestSeedsReachEveryCellOfAPage(t *testing.T) {
	for _, name := range []string{"login", "webhook-1"} {
		seen := map[Cell]bool{}
		for seed := range 200 {
			seen[Matrix{seed: fmt.Sprint(seed)}.One(name)[0]] = true
		}
		if len(seen) != len(every()) {
			t.Errorf("%s is seen in %d ways only", name, len(seen))
		}
	}
}

func TestThePagesOfARunAreSeenInEveryWay(t *testing.T) {
	for _, seed := range []string{"", "a0c139cb"} {
		seen := map[Cell]bool{}
		for page := range 60 {
			seen[Matrix{seed: seed}.One(fmt.Sprintf("page-%d", page))[0]] = true
		}
		if len(seen) != len(every()) {
			t.Errorf("seed %q: the pages are seen in %d ways only", seed, len(seen))
		}
	}
}

func TestOneFurtherFormInTwoIsSeenAndAllWhereEveryWayIs(t *testing.T) {
	seen, ways := 0, map[Cell]bool{}
	for form := range 100 {
		m, name := Matrix{seed: "a0c139cb"}, fmt.Sprintf("page-%d", form)
		if m.Draws(name) {
			seen++
			ways[m.One(name)[0]] = true
		}
		if m.all = true; !m.Draws(name) {
			t.Errorf("%s is not seen where every way is", name)
		}
	}
	if seen < 35 || seen > 65 || len(ways) != len(every()) {
		t.Errorf("of 100 forms %d are seen, in %d ways", seen, len(ways))
	}
	t.Setenv("TYPUS_SHOTS", t.TempDir())
	if m := NewMatrix(t); !m.Draws("page-1") || !m.Draws("page-2") || !m.Draws("page-3") || !m.Draws("page-4") {
		t.Error("no picture of some forms is left")
	}
}

func TestSpecialLooksAreEachSeen(t *testing.T) {
	looks := []Look{{Forced: true}, {Print: true}}
	seen := map[Cell]bool{}
	for seed := range 100 {
		seen[Matrix{seed: fmt.Sprint(seed)}.Special("report", looks...)[0]] = true
	}
	if all := (Matrix{all: true}).Special("report", looks...); len(seen) != len(all) || len(all) != 4 {
		t.Errorf("%d of %d are seen", len(seen), len(all))
	}
}
