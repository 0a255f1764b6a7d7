package assess

import (
	"context"
	"slices"
	"time"

	"typus"
	"typus/internal/instrument"
	"typus/internal/store"
)

// Given is one answer to one item.
type Given struct {
	ItemID   string
	Value    int // on the answer scale; 0 with Skip
	Skip     bool
	ActiveMS int // milliseconds the item was in view so far, 0 for not measured
	Changes  int // how often the answer was changed so far

	Age  time.Duration                // how long ago it was chosen, as far as is known
	Knew func(instrument.Answer) bool // whether it was chosen knowing a saved answer; nil: of none is that known
}

// outdated reports whether the candidate has answered the item otherwise on another device
// since this answer was chosen, given what is saved and how old that is.
//
// What was known when this answer was chosen is older, whatever the clocks say: the browser's
// may have been set, and a request may have been long on its way.
func (g Given) outdated(saved instrument.Answer, age time.Duration) bool {
	return answered(saved) && !g.repeats(saved) && (g.Knew == nil || !g.Knew(saved)) && bounded(g.Age) > age
}

func (g Given) repeats(saved instrument.Answer) bool {
	return saved.Value == g.Value && saved.Skipped == g.Skip
}

func answered(a instrument.Answer) bool { return a.Value != 0 || a.Skipped }

// maxActiveMS bounds a reported time: nobody looks at one statement for a day.
const maxActiveMS = 24 * 60 * 60 * 1000

// Answer saves answers, all or none, and returns the test as it is then, without its account:
// all who write would wait while that is read. Of two answers to one item the one that was
// chosen later stands, in whatever order they arrive: one that is outdated is left out, and
// Test.Outdated says so. Saving the same answer again changes nothing. What arrives after
// finishing changes nothing either. NotFound; Conflict before the test has begun and after a
// decline; Gone when the invitation expired or was withdrawn; Invalid for an unknown item, a
// value off the scale, or an item beyond the block in progress.
func (s *Steps) Answer(ctx context.Context, token string, given []Given) (Test, error) {
	var test Test
	err := s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error {
		in, sheet, stored, err := s.sheet(ctx, tx, c)
		if err != nil {
			return err
		}
		var outdated []int
		if now := s.now(); c.Stand(now) != typus.StandFinished {
			if outdated, err = s.save(ctx, tx, c, in, &sheet, &stored, given, now); err != nil {
				return err
			}
		}
		test = s.view(c, typus.Account{}, in, sheet, stored.SavedAt)
		test.Outdated = outdated
		return nil
	})
	return test, err
}

// save writes given answers into what is stored, and returns the positions of those that are
// outdated. Where all are, nothing is saved, except after an hour in which the clock was ahead:
// from now on the ages must grow again, or all would be outdated until it is that late.
func (s *Steps) save(ctx context.Context, tx *store.Tx, c typus.Candidate, in *instrument.Instrument, sheet *instrument.Sheet, stored *store.Sheet, given []Given, now time.Time) ([]int, error) {
	if err := Working(c.Stand(now)); err != nil {
		return nil, err
	}
	old, err := agesOf(stored.Ages, len(sheet.Answers))
	if err != nil {
		return nil, err
	}
	before := stored.SavedAt
	if before.IsZero() {
		before = c.StartedAt
	}
	old.later(*sheet, now.Sub(before))
	active, outdated, err := apply(in, sheet, old, given)
	if err != nil || len(outdated) == len(given) && !stored.SavedAt.After(now) {
		return outdated, err
	}
	pause := int(now.Sub(before).Milliseconds()) - active
	sheet.MaxPauseMS = max(sheet.MaxPauseMS, pause)
	packed, err := sheet.MarshalBinary()
	if err != nil {
		return nil, err
	}
	*stored = store.Sheet{Body: packed, Ages: old.packed(), SavedAt: now}
	return outdated, tx.SaveSheet(ctx, c.AccountID, c.ID, *stored)
}

// apply writes the given answers into the sheet and their ages beside it, in the order of the
// items. It returns the active time they add, in milliseconds, and the positions of those that
// it leaves out because they are outdated.
func apply(in *instrument.Instrument, sheet *instrument.Sheet, old ages, given []Given) (int, []int, error) {
	items := in.Items()
	place := func(g Given) int {
		i, _ := in.Position(g.ItemID)
		return i
	}
	given = slices.Clone(given)
	slices.SortStableFunc(given, func(a, b Given) int { return place(a) - place(b) })
	added := 0
	var outdated []int
	for _, g := range given {
		i, known := in.Position(g.ItemID)
		if !known {
			return 0, nil, typus.Errorf(typus.Invalid, "there is no item %q in this test", g.ItemID)
		}
		if g.Skip != (g.Value == 0) || g.Value < 0 || g.Value > in.Points() {
			return 0, nil, typus.Errorf(typus.Invalid, "item %s: choose one of the answers or skip the item", g.ItemID)
		}
		if open := frontier(*sheet); open < len(items) && items[i].Block > items[open].Block {
			return 0, nil, typus.Errorf(typus.Invalid, "item %s lies beyond the section in progress", g.ItemID)
		}
		if g.outdated(sheet.Answers[i], old[i]) {
			outdated = append(outdated, i)
			continue
		}
		if !answered(sheet.Answers[i]) {
			old[i] = oldestAge
		}
		old[i] = min(old[i], bounded(g.Age))
		added += write(&sheet.Answers[i], g)
	}
	return added, outdated, nil
}

// write puts one answer in its place. Times and changes only grow, so that a
// repeated or late report adds nothing.
func write(a *instrument.Answer, g Given) int {
	if answered(*a) && !g.repeats(*a) {
		a.Changes++
	}
	before := a.ActiveMS
	a.Value, a.Skipped = g.Value, g.Skip
	a.Changes = max(a.Changes, g.Changes)
	a.ActiveMS = max(a.ActiveMS, min(g.ActiveMS, maxActiveMS))
	return a.ActiveMS - before
}
