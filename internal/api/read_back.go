package api

import (
	"context"
	"slices"

	"typus"
)

// readBack notes that a key of a test world has read a result, which is a step of the first
// integration.
func (a *api) readBack(ctx context.Context, found ...typus.Candidate) error {
	key := keyOf(ctx)
	if !key.Test || !slices.ContainsFunc(found, func(c typus.Candidate) bool { return c.Scores != nil }) {
		return nil
	}
	return a.store.ReadBack(ctx, key.AccountID, a.clock.Now())
}
