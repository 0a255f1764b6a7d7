package courier

import (
	"context"
	"errors"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/store"
)

// keepLetters writes the letters of test worlds that are due and keeps them, until ctx ends.
// It needs no mail server.
func (c *Courier) keepLetters(ctx, work context.Context) {
	c.loop(ctx, c.kept, func() (time.Duration, error) {
		wait, waiting, err := c.store.NextKeptLetter(work)
		if err != nil || !waiting {
			return c.pace.poll, err
		}
		if wait > 0 {
			return wait, nil
		}
		until := time.Now().Add(letterLease)
		letters, held, err := c.store.ClaimOrHold(work, store.Claim{Owner: c.owner, Lease: letterLease, Limit: letterBatch, Kept: true})
		if err != nil || len(letters)+held == 0 {
			return c.pace.poll, err
		}
		for _, l := range letters {
			c.keep(work, l, until)
		}
		return 0, nil
	})
}

// keep writes a letter as if a mail server took it, and keeps what it says.
func (c *Courier) keep(ctx context.Context, l typus.Letter, until time.Time) {
	sealed, err := c.sealLetter(ctx, l)
	if err != nil && ctx.Err() != nil {
		return // the stop cut it off; the letter is given back
	}
	c.outcome(ctx, l, err, until, func(ctx context.Context, l typus.Letter, in time.Duration) (bool, error) {
		if err != nil {
			return c.store.FinishLetter(ctx, c.owner, l, in)
		}
		return c.store.KeepLetter(ctx, c.owner, l, sealed, c.mailer != nil)
	})
}

// writeAtOnce writes a letter of a test world from what is true at one moment: were the world's
// clock moved on between two reads, the letter would name times that never were.
func (c *Courier) writeAtOnce(ctx context.Context, l typus.Letter) (mail.Message, error) {
	for {
		before, err := c.store.Account(ctx, l.AccountID)
		if err != nil {
			return mail.Message{}, err
		}
		m, err := c.write(ctx, l)
		after, broken := c.store.Account(ctx, l.AccountID)
		switch {
		case broken != nil:
			return mail.Message{}, broken
		case after.Ahead == before.Ahead:
			return m, err
		}
	}
}

// sealLetter writes a letter and seals it for its place. The error is that of a mail server
// if the recipient's letters come back.
func (c *Courier) sealLetter(ctx context.Context, l typus.Letter) ([]byte, error) {
	m, err := c.writeAtOnce(ctx, l)
	if o, is := errors.AsType[over](err); is {
		return nil, o.unwanted // a world's clock is moved on purpose, and nobody waits for the letter
	}
	if err != nil {
		return nil, err
	}
	packed, err := m.Pack()
	if err != nil {
		return nil, err
	}
	if act, _ := typus.ActOf(m.To); act == typus.ActBounce {
		return nil, mail.CameBack()
	}
	return c.box.Seal(packed, typus.KeptLetter{AccountID: l.AccountID, LetterID: l.ID}.AAD()), nil
}
