package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"typus"
	"typus/internal/web"
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

// errMoved says that the clock of a test world was moved on while its times were read.
var errMoved = typus.Errorf(typus.Unavailable, "the clock of the test world is being moved; try again")

// maxTries is how often times are read while a clock is moved on. Each move stops at what
// falls due, and mostly waits there.
const maxTries = 5

// steady answers by h, and once more if the clock of the world was moved on meanwhile: times
// are read back from the move, and shown as far ahead as the world is then.
func (a *api) steady(h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := h(w, r)
		for i := 1; i < maxTries && errors.Is(err, errMoved); i++ {
			if r, err = a.inItsWorld(r, keyOf(r.Context())); err == nil {
				err = h(w, r)
			}
		}
		return err
	}
}

// unmoved makes sure that what a request has read lies as far back as its world was ahead at
// its beginning. A live account's does.
func (a *api) unmoved(ctx context.Context) error {
	if !keyOf(ctx).Test {
		return nil
	}
	world, err := a.store.Account(ctx, keyOf(ctx).AccountID)
	if err == nil && world.Ahead != worldOf(ctx).Ahead {
		err = errMoved
	}
	return err
}

// seenNow is a candidate that was just written, with the times that are right now: the clock
// of a test world may have been moved on since the request began, and what is written is not
// written once more for that.
func (a *api) seenNow(ctx context.Context, c typus.Candidate) (typus.Candidate, error) {
	if !keyOf(ctx).Test {
		return c, nil
	}
	world, err := a.store.Account(ctx, c.AccountID)
	for range maxTries {
		before := world
		if err == nil {
			c, err = a.store.Candidate(ctx, c.AccountID, c.ID)
		}
		if err == nil {
			world, err = a.store.Account(ctx, c.AccountID)
		}
		if err != nil || world.Ahead == before.Ahead {
			break
		}
	}
	return timed(world, c)[0], err
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
