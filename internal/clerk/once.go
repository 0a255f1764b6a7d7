package clerk

import (
	"context"
	"errors"
	"time"

	"typus"
	"typus/internal/store"
)

// sentBefore is the id of what a form made when it was first sent.
type sentBefore int64

// Error says what happened.
func (sentBefore) Error() string { return "this form was sent before" }

// SentBefore is the id of what the same form has already made, as after a double click.
// In that case nothing was done. It reports false if err is about something else.
func SentBefore(err error) (int64, bool) {
	id, again := errors.AsType[sentBefore](err)
	return int64(id), again
}

// Once calls do, unless the form that asks for it was sent before; then the error is a
// Conflict that SentBefore knows. It waits for the same form if that is being handled
// at the moment. do returns the id of what it has made.
func (c *Clerk) Once(ctx context.Context, tx *store.Tx, accountID int64, by typus.Actor, do func() (int64, error)) error {
	if by.Form == "" {
		_, err := do()
		return err
	}
	first, err := tx.ClaimForm(ctx, accountID, by.Form, c.clock.Now())
	if err != nil {
		return err
	}
	if !first {
		id, _, err := tx.SentForm(ctx, accountID, by.Form)
		if err != nil {
			return err
		}
		return madeBefore(id)
	}
	id, err := do()
	if err != nil {
		return err
	}
	return tx.SettleForm(ctx, accountID, by.Form, id)
}

func madeBefore(id int64) error {
	return typus.Errorf(typus.Conflict, "this form was sent before").WithCause(sentBefore(id))
}

// OrSent returns err, or the error of SentBefore if the form was sent before. It is for
// forms that bring something good for one use, which fails the second time.
func (c *Clerk) OrSent(ctx context.Context, accountID int64, by typus.Actor, err error) error {
	if err == nil || by.Form == "" {
		return err
	}
	id, sent, lookErr := c.store.SentForm(ctx, accountID, by.Form)
	if lookErr != nil || !sent {
		return err
	}
	return madeBefore(id)
}

// formsKept is how long a sent form is remembered.
const formsKept = 24 * time.Hour

// ForgetForms drops what is remembered of forms sent more than a day ago.
func (c *Clerk) ForgetForms(ctx context.Context, settled time.Time) error {
	before := settled.Add(-formsKept)
	_, err := c.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.DropSentForms(ctx, before) })
	return err
}

// ForgetKeys drops the answers of Idempotency-Keys that nobody can ask for any more.
func (c *Clerk) ForgetKeys(ctx context.Context, settled time.Time) error {
	before := settled.Add(-store.IdempotencyLife)
	_, err := c.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.DropIdempotencyKeys(ctx, before) })
	return err
}
