package api

import (
	"context"
	"net/http"
	"time"

	"typus"
)

type worldOfRequest struct{}

// inItsWorld is a request of a key that knows the test world which the key opens. A live key
// has none, and its requests cost no statement for it.
func (a *api) inItsWorld(r *http.Request, key typus.APIKey) (*http.Request, error) {
	ctx := withKey(r.Context(), key)
	if !key.Test {
		return r.WithContext(ctx), nil
	}
	world, err := a.store.Account(ctx, key.AccountID)
	return r.WithContext(context.WithValue(ctx, worldOfRequest{}, world)), err
}

// worldOf is the test world of a request, whose clock its times go by; for a live key it is
// an account of no time ahead.
func worldOf(ctx context.Context) typus.Account {
	world, _ := ctx.Value(worldOfRequest{}).(typus.Account)
	return world
}

// timed are candidates with the times that their account's people see.
func timed(world typus.Account, found ...typus.Candidate) []typus.Candidate {
	for i := range found {
		c := &found[i]
		for _, at := range []*time.Time{&c.CreatedAt, &c.StartedAt, &c.CompletedAt, &c.ExpiresAt, &c.CancelledAt, &c.AnsweredAt} {
			*at = world.WorldTime(*at)
		}
	}
	return found
}
