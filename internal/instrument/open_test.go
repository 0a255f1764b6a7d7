package instrument

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// positionsOf are the positions of items, by id.
func positionsOf(t *testing.T, in *Instrument, ids ...string) []int {
	t.Helper()
	var list []int
	for _, id := range ids {
		p := slices.IndexFunc(in.Items(), func(it Item) bool { return it.ID == id })
		if p < 0 {
			t.Fatalf("no item %s", id)
		}
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}

func skip(s Sheet, positions []int) Sheet {
	s.Answers = slices.Clone(s.Answers)
	for _, p := range positions {
		s.Answers[p] = Answer{Skipped: true}
	}
	return s
}

func TestAnUntouchedItemIsOpen(t *testing.T) {
	s := attentive(t)
	if open := Own().Open(s); len(open) > 0 {
		t.Fatalf("a full sheet has open positions %v", open)
	}
	s.Answers[17] = Answer{}
	if open := Own().Open(s); !slices.Equal(open, []int{17}) {
		t.Errorf("open: %v", open)
	}
	if open := Own().Open(Sheet{}); len(open) != 97 {
		t.Errorf("a sheet without answers has %d open positions", len(open))
	}
}

func TestTwoSkippedItemsOfADimensionMayStayOpenAndThreeMayNot(t *testing.T) {
	two := skip(attentive(t), positionsOf(t, Own(), "ad01", "ad02", "ci01", "ci02"))
	if open := Own().Open(two); len(open) > 0 {
		t.Errorf("open: %v", open)
	}
	ids := positionsOf(t, Own(), "ad01", "ad02", "ad03")
	three := skip(attentive(t), ids)
	if open := Own().Open(three); !slices.Equal(open, ids) {
		t.Errorf("open: %v, want %v", open, ids)
	}
}

func TestItemsThatAreNotScoredMayAllBeSkipped(t *testing.T) {
	s := skip(attentive(t), positionsOf(t, Own(), "im01", "im02", "im03", "im04", "im05", "im06", "at01"))
	if open := Own().Open(s); len(open) > 0 {
		t.Errorf("open: %v", open)
	}
	if r, err := Own().Score(s, "hunter"); err != nil || !r.Complete() {
		t.Errorf("not complete: %v", err)
	}
}

func TestASheetWithNothingOpenIsComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySheet(Own()).Draw(t, "sheet")
		for _, p := range Own().Open(s) {
			s.Answers[p] = Answer{Value: 3}
		}
		if open := Own().Open(s); len(open) > 0 {
			t.Fatalf("still open: %v", open)
		}
		r, err := Own().Score(s, "farmer")
		if err != nil || !r.Complete() {
			t.Fatalf("complete %v, %v", r.Complete(), err)
		}
	})
}
