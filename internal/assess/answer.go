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
}

// maxActiveMS bounds a reported time: nobody looks at one statement for a day.
const maxActiveMS = 24 * 60 * 60 * 1000

// Answer saves answers, all or none, and returns the test as it is then. Saving the
// same answer again changes nothing. What arrives after finishing changes nothing
// either. NotFound; Conflict before the test has begun and after a decline; Gone when
// the invitation expired or was withdrawn; Invalid for an unknown item, a value off the
// scale, or an item beyond the block in progress.
func (s *Steps) Answer(ctx context.Context, token string, given []Given) (Test, error) {
	var test Test
	err := s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error {
		account, err := tx.Account(ctx, c.AccountID)
		if err != nil {
			return err
		}
		in, sheet, savedAt, err := s.sheet(ctx, tx, c)
		if err != nil {
			return err
		}
		if now := s.now(); c.Stand(now) != typus.StandFinished {
			if err := s.save(ctx, tx, c, in, &sheet, savedAt, given, now); err != nil {
				return err
			}
			savedAt = now
		}
		test = s.view(c, account, in, sheet, savedAt)
		return nil
	})
	return test, err
}

func (s *Steps) save(ctx context.Context, tx *store.Tx, c typus.Candidate, in *instrument.Instrument, sheet *instrument.Sheet, savedAt time.Time, given []Given, now time.Time) error {
	if err := Working(c.Stand(now)); err != nil {
		return err
	}
	if savedAt.IsZero() {
		savedAt = c.StartedAt
	}
	active, err := apply(in, sheet, given)
	if err != nil {
		return err
	}
	pause := int(now.Sub(savedAt).Milliseconds()) - active
	sheet.MaxPauseMS = max(sheet.MaxPauseMS, pause)
	packed, err := sheet.MarshalBinary()
	if err != nil {
		return err
	}
	return tx.SaveSheet(ctx, c.AccountID, c.ID, packed, now)
}

// apply writes the given answers into the sheet, in the order of the items, and
// returns the active time they add, in milliseconds.
func apply(in *instrument.Instrument, sheet *instrument.Sheet, given []Given) (int, error) {
	items := in.Items()
	place := func(g Given) int {
		i, _ := in.Position(g.ItemID)
		return i
	}
	given = slices.Clone(given)
	slices.SortStableFunc(given, func(a, b Given) int { return place(a) - place(b) })
	added := 0
	for _, g := range given {
		i, known := in.Position(g.ItemID)
		if !known {
			return 0, typus.Errorf(typus.Invalid, "there is no item %q in this test", g.ItemID)
		}
		if g.Skip != (g.Value == 0) || g.Value < 0 || g.Value > in.Points() {
			return 0, typus.Errorf(typus.Invalid, "item %s: choose one of the answers or skip the item", g.ItemID)
		}
		if open := frontier(*sheet); open < len(items) && items[i].Block > items[open].Block {
			return 0, typus.Errorf(typus.Invalid, "item %s lies beyond the section in progress", g.ItemID)
		}
		added += write(&sheet.Answers[i], g)
	}
	return added, nil
}

// write puts one answer in its place. Times and changes only grow, so that a
// repeated or late report adds nothing.
func write(a *instrument.Answer, g Given) int {
	if answered := a.Value != 0 || a.Skipped; answered && (a.Value != g.Value || a.Skipped != g.Skip) {
		a.Changes++
	}
	before := a.ActiveMS
	a.Value, a.Skipped = g.Value, g.Skip
	a.Changes = max(a.Changes, g.Changes)
	a.ActiveMS = max(a.ActiveMS, min(g.ActiveMS, maxActiveMS))
	return a.ActiveMS - before
}
