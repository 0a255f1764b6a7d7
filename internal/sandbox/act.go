package sandbox

import (
	"context"
	"time"

	"typus"
	"typus/internal/store"
)

// actBatch is how many acts are read at a time.
const actBatch = 100

// actsDue does what people do by themselves in all test worlds by a time.
func (s *Steps) actsDue(ctx context.Context, at time.Time) error {
	return s.perform(ctx, at, func(after store.WorldAct) ([]store.WorldAct, error) {
		return s.store.DueWorldActs(ctx, at, after, actBatch)
	})
}

// actsOf is actsDue of one world.
func (s *Steps) actsOf(ctx context.Context, worldID int64, at time.Time) error {
	return s.perform(ctx, at, func(after store.WorldAct) ([]store.WorldAct, error) {
		return s.store.DueActsOf(ctx, worldID, at, after, actBatch)
	})
}

// perform does what is due, page by page. An act that fails is logged and passed over until
// the next turn, so that it holds up no other.
func (s *Steps) perform(ctx context.Context, at time.Time, page func(after store.WorldAct) ([]store.WorldAct, error)) error {
	var last store.WorldAct
	for ctx.Err() == nil {
		due, err := page(last)
		if err != nil || len(due) == 0 {
			return err
		}
		for _, a := range due {
			if err := s.act(ctx, a, at); err != nil {
				s.log.Error("somebody in a test world cannot act; tried again at the next turn", "account", a.WorldID, "candidate", a.CandidateID, "error", err)
			}
		}
		last = due[len(due)-1]
	}
	return ctx.Err()
}

// act does one act. Who names a vector that does not exist behaves like a person.
func (s *Steps) act(ctx context.Context, a store.WorldAct, at time.Time) error {
	given, known := answers(vectorOf(a.Act, a.Vector))
	if known {
		return s.assess.Act(ctx, a, given, at)
	}
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockCandidate(ctx, a.WorldID, a.CandidateID); err != nil {
			return err
		}
		_, err := tx.TakeWorldAct(ctx, a, at)
		return err
	})
	if typus.Is(err, typus.NotFound) {
		return nil // erased, and the act with it
	}
	return err
}
