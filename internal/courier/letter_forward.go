package courier

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/store"
)

// mostForwards is how often it is tried to send a kept letter (our choice): who is to get it
// can read it in the dashboard.
const mostForwards = 5

// forwardLetters sends the kept letters that are also to go to people of the account, until
// ctx ends.
func (c *Courier) forwardLetters(ctx, work context.Context) {
	c.loop(ctx, c.forwards, func() (time.Duration, error) {
		until := time.Now().Add(letterLease)
		letters, err := c.store.ClaimForwards(work, store.Ahead{Lease: letterLease, Again: mail.MaxBackoff}, letterBatch)
		if err != nil || len(letters) == 0 {
			return c.pace.poll, err
		}
		c.forward(work, letters, until)
		return 0, nil
	})
}

// forward hands kept letters over in one conversation. What it does not come to is sent when
// the lease is over.
func (c *Courier) forward(ctx context.Context, letters []store.Forward, until time.Time) {
	limited, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	var (
		going []store.Forward
		msgs  []mail.Message
	)
	for _, f := range letters {
		m, err := c.unseal(f.KeptLetter)
		if err == nil {
			m, err = c.heads.Put(ctx, m)
		}
		if err != nil {
			c.forwarded(ctx, f, err, until)
			continue
		}
		going, msgs = append(going, f), append(msgs, m)
	}
	before := func(int) error {
		if tooLate(limited) {
			return errLate
		}
		return nil
	}
	for i, err := range c.mailer.Send(limited, msgs, before) {
		if errors.Is(err, errLate) {
			return
		}
		c.forwarded(ctx, going[i], err, until)
	}
}

func (c *Courier) unseal(k typus.KeptLetter) (mail.Message, error) {
	packed, err := c.box.Open(k.Sealed, k.AAD())
	if err != nil {
		return mail.Message{}, err
	}
	return mail.Unpack(packed)
}

// forwarded writes back what became of an attempt to send a kept letter.
func (c *Courier) forwarded(ctx context.Context, f store.Forward, err error, until time.Time) {
	refusal, refused := errors.AsType[*mail.SendError](err)
	again := refused && refusal.Temporary && !refusal.Unclear && f.Tries < mostForwards
	var in time.Duration
	if again {
		in = c.pace.letterGap(f.Tries, c.random)
	}
	level := slog.LevelInfo
	attrs := []any{"letter", f.LetterID, "kind", f.Kind, "attempt", f.Tries, "again", again}
	if operatorCanMend(err) {
		level, attrs = slog.LevelWarn, append(attrs, "error", err)
	}
	c.log.Log(ctx, level, "courier: letter of a test world forwarded", attrs...)
	err = c.persist(ctx, time.Until(until), func(ctx context.Context) error { return c.store.FinishForward(ctx, f, again, in) })
	if err != nil {
		c.log.Error("courier: the outcome of a forwarded letter is lost", "letter", f.LetterID, "error", err)
	}
}
