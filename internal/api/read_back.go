package api

import (
	"context"
	"slices"

	"typus"
)

// readBack notes that a key of a test world has read a result, which is a step of the first
// integration. A failure is only logged, because a client that reads must not be refused when
// the database cannot be written.
func (a *api) readBack(ctx context.Context, found ...typus.Candidate) {
	key := keyOf(ctx)
	if !key.Test || !slices.ContainsFunc(found, func(c typus.Candidate) bool { return c.Scores != nil }) {
		return
	}
	if err := a.store.ReadBack(ctx, key.AccountID, a.clock.Now()); err != nil {
		a.log.WarnContext(ctx, "that a test key has read a result is not noted", "account", key.AccountID, "error", err)
	}
}
