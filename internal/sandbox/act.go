package sandbox

import (
	"context"
	"time"

	"typus/internal/store"
)

// actBatch is how many acts are read at a time.
const actBatch = 100

// actsDue does what people do by themselves in all test worlds by a time.
func (s *Steps) actsDue(ctx context.Context, at time.Time) error {
	return s.perform(ctx, at, func() ([]store.WorldAct, error) { return s.store.DueWorldActs(ctx, at, actBatch) })
}

// actsOf is actsDue of one world.
func (s *Steps) actsOf(ctx context.Context, worldID int64, at time.Time) error {
	return s.perform(ctx, at, func() ([]store.WorldAct, error) { return s.store.DueActsOf(ctx, worldID, at, actBatch) })
}

// perform does what is due, page by page. An act that fails is logged and put off to the next
// turn, so that it holds up no other.
func (s *Steps) perform(ctx context.Context, at time.Time, page func() ([]store.WorldAct, error)) error {
	failed := 0
	for ctx.Err() == nil {
		due, err := page()
		if err != nil || len(due) <= failed {
			return err
		}
		failed = 0
		for _, a := range due {
			if err := s.act(ctx, a, at); err != nil {
				failed++
				s.log.Error("somebody in a test world cannot act; tried again at the next turn", "account", a.WorldID, "candidate", a.CandidateID, "error", err)
			}
		}
	}
	return ctx.Err()
}

// act does one act. Who names a vector that does not exist behaves like a person.
func (s *Steps) act(ctx context.Context, a store.WorldAct, at time.Time) error {
	given, known := answers(vectorOf(a.Act, a.Vector))
	if !known {
		return s.store.InTx(ctx, func(tx *store.Tx) error {
			_, err := tx.TakeWorldAct(ctx, a, at)
			return err
		})
	}
	return s.assess.Act(ctx, a, given, at)
}
