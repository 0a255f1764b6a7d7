package courier

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/store"
)

const (
	// letterBatch is how many letters share one connection to the mail server.
	letterBatch = 25
	// letterLease is longer than the longest conversation, which sendWithin bounds.
	letterLease = 5 * time.Minute
	sendWithin  = 4 * time.Minute
)

// sendLetters sends the letters that are due in the outbox, until ctx ends. work is the
// context of the conversations with the mail server.
func (c *Courier) sendLetters(ctx, work context.Context) {
	c.loop(ctx, c.letters, func() (time.Duration, error) {
		wait, waiting, err := c.store.NextLetter(work)
		if err != nil || !waiting {
			return c.pace.poll, err
		}
		if wait > 0 {
			return wait, nil
		}
		until := time.Now().Add(letterLease)
		letters, held, err := c.store.ClaimOrHold(work, store.Claim{Owner: c.owner, Lease: letterLease, Limit: letterBatch, PerDay: c.perDay})
		if err != nil || len(letters)+held == 0 {
			return c.pace.poll, err
		}
		if len(letters) > 0 {
			c.send(work, letters, until)
		}
		return 0, nil
	})
}

// send writes the letters and hands them over in one conversation. Before a letter
// goes, that is noted; what became of it is noted before the next one goes. So a crash
// doubles one letter at most, and the next attempt knows of it. until is the end of the
// lease.
func (c *Courier) send(ctx context.Context, letters []typus.Letter, until time.Time) {
	b, senders := batch{c: c, until: until}, senders{c: c, of: map[int64]sender{}}
	for _, l := range letters {
		m, err := c.write(ctx, l)
		if err == nil {
			m, err = c.heads.Put(ctx, m)
		}
		if err == nil {
			m, err = senders.put(ctx, l, m)
		}
		if err != nil {
			if ctx.Err() == nil {
				c.finish(ctx, l, err, until)
			}
			continue
		}
		b.letters, b.msgs = append(b.letters, l), append(b.msgs, m)
	}
	if len(b.msgs) > 0 {
		b.send(ctx)
	}
}

// batch is what goes in one conversation.
type batch struct {
	c       *Courier
	letters []typus.Letter
	msgs    []mail.Message
	until   time.Time // the end of the lease
	handed  int       // which letter was the last that was handed over, from 1
}

// send calls the mailer within the lease and writes every outcome back. After a panic,
// letters without an outcome count as failed for now.
func (b *batch) send(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	next, late := 0, false
	fault := recovered(func() {
		for i, err := range b.c.mailer.Send(limited, b.msgs, func(i int) error { return b.before(limited, i) }) {
			if late = errors.Is(err, errLate); late {
				return
			}
			next = i + 1
			b.finish(ctx, i, err)
		}
	})
	if fault != nil {
		b.c.log.Error("courier: sending letters broke off", "error", fault)
	}
	if late {
		b.giveBack(ctx)
		return
	}
	for ; next < len(b.msgs); next++ {
		b.finish(ctx, next, errors.New("the mailer broke off before this letter"))
	}
}

// errLate ends a conversation before its time runs out. Otherwise the server's answer
// to the next letter could be cut off: the server would have the letter, and it would
// be sent again.
var errLate = errors.New("the conversation has lasted too long for another letter")

// tooLate reports whether ctx may end before the outcome of a letter is known.
func tooLate(ctx context.Context) bool {
	end, ends := ctx.Deadline()
	return ends && time.Until(end) < mail.HandOver+writeBudget
}

// giveBack returns what was not tried, due at once.
func (b *batch) giveBack(ctx context.Context) {
	err := once(ctx, func(ctx context.Context) error {
		_, err := b.c.store.ReleaseLetters(ctx, b.c.owner)
		return err
	})
	if err != nil {
		// The lease runs out by itself.
		b.c.log.Error("courier: letters could not be given back", "error", err)
	}
}

// before notes that a letter is about to be handed over. If that cannot be noted, or
// the lease is lost, the letter is not handed over.
func (b *batch) before(ctx context.Context, i int) error {
	if tooLate(ctx) {
		return errLate
	}
	ctx, cancel := context.WithTimeout(ctx, writeBudget)
	defer cancel()
	mine, err := b.c.store.HandingOver(ctx, b.c.owner, b.letters[i])
	if err == nil && !mine {
		err = typus.Errorf(typus.Conflict, "the lease of a letter was lost")
	}
	if err == nil {
		b.handed = i + 1
	}
	return err
}

// finish writes an outcome back. If the courier's stop cut the letter off before it was
// handed over, it does nothing, and the letter is given back. A letter that was handed
// over and got no answer from the mail server is unclear.
func (b *batch) finish(ctx context.Context, i int, err error) {
	handed := b.handed == i+1
	if _, said := errors.AsType[*mail.SendError](err); err != nil && handed && !said {
		err = &mail.SendError{Temporary: true, Session: true, Unclear: true, Reason: typus.FailedOurs, Cause: err}
	}
	if err == nil || handed || ctx.Err() == nil {
		b.c.finish(ctx, b.letters[i], err, b.until)
	}
}

// unwanted is why a letter is not sent although it could be.
type unwanted string

func (u unwanted) Error() string { return string(u) }

// over is why a letter is unwanted that comes too late by the clock of this process.
// The clock may be ahead, and nobody would send the letter again. So the letter is put
// off until that time is certainly past.
type over struct {
	unwanted
	at time.Time
}

// Unwrap returns the reason as an unwanted.
func (o over) Unwrap() error { return o.unwanted }

// overSettles is how long a time must have settled before it counts as past here.
const overSettles = time.Hour

// settled returns err, the outcome of writing a letter. An over whose time is certainly
// past becomes a plain unwanted.
func (c *Courier) settled(ctx context.Context, err error) error {
	o, is := errors.AsType[over](err)
	if !is {
		return err
	}
	sure, err := c.store.Settled(ctx, overSettles)
	switch {
	case err != nil:
		return err
	case o.at.After(sure):
		return o
	}
	return o.unwanted
}

// write makes the message of a letter from what is true now, so that a corrected name
// or address counts at once. The error is an unwanted if the letter must not go out.
func (c *Courier) write(ctx context.Context, l typus.Letter) (mail.Message, error) {
	var (
		m   mail.Message
		err error
	)
	if fault := recovered(func() { m, err = c.message(ctx, l) }); fault != nil {
		err = fault
	}
	m.ID = c.messageID(l)
	return m, c.settled(ctx, err)
}

// messageID is the same for every attempt at a letter, so that mail programs recognise
// a letter that came twice (RFC 5322, 3.6.4).
func (c *Courier) messageID(l typus.Letter) string {
	host := strings.ReplaceAll(cmp.Or(c.links.Host(), "localhost"), ":", "-")
	return fmt.Sprintf("letter-%d.%d@%s", l.ID, l.CreatedAt.UnixMilli(), host)
}

// finish writes back what became of a letter.
func (c *Courier) finish(ctx context.Context, l typus.Letter, err error, until time.Time) {
	c.outcome(ctx, l, err, until, func(ctx context.Context, l typus.Letter, in time.Duration) (bool, error) {
		return c.store.FinishLetter(ctx, c.owner, l, in)
	})
}

// outcome writes back what became of a letter by a call of the store, which reports whether
// the letter was still ours.
func (c *Courier) outcome(
	ctx context.Context, l typus.Letter, err error, until time.Time, write func(context.Context, typus.Letter, time.Duration) (bool, error),
) {
	l, in := c.settleLetter(l, err)
	c.logLetter(ctx, l, err)
	err = c.persist(ctx, time.Until(until), func(ctx context.Context) error {
		mine, err := write(ctx, l, in)
		if err == nil && !mine {
			c.log.Warn("courier: the lease of a letter was lost", "letter", l.ID)
		}
		return err
	})
	if err != nil {
		c.log.Error("courier: the outcome of a letter is lost", "letter", l.ID, "error", err)
	}
}

// logLetter logs what came of an attempt. It logs the cause only if the mail server or
// this server is at fault, because an answer about a recipient is personal data.
func (c *Courier) logLetter(ctx context.Context, l typus.Letter, err error) {
	level := slog.LevelInfo
	attrs := []any{"letter", l.ID, "account", l.AccountID, "kind", l.Kind, "attempt", l.Attempts, "state", l.State, "code", l.LastCode}
	if operatorCanMend(err) {
		level, attrs = slog.LevelWarn, append(attrs, "error", err)
	}
	c.log.Log(ctx, level, "courier: letter attempted", attrs...)
}

// operatorCanMend reports whether the mail server or this one is at fault.
func operatorCanMend(err error) bool {
	if _, ok := errors.AsType[unwanted](err); ok || err == nil {
		return false
	}
	refusal, ok := errors.AsType[*mail.SendError](err)
	return !ok || refusal.Session
}

// settleLetter decides whether there is a retry. It says what follows from err, the
// outcome of an attempt at l: the letter's new state and, if it is queued again, the
// wait. Only two things end a letter (our choice): a refusal for good, and a second
// handing-over whose outcome is unknown. The mail server may be unreachable for long; a
// letter that has become needless in the meantime is held when its turn comes.
func (c *Courier) settleLetter(l typus.Letter, err error) (typus.Letter, time.Duration) {
	l.LastCode, l.LastError = 0, ""
	if err == nil {
		l.State, l.LastCode = typus.LetterSent, 250
		return l, 0
	}
	l.LastError = reason(err)
	_, mayPass := errors.AsType[over](err)
	if _, ok := errors.AsType[unwanted](err); ok && !mayPass {
		l.State = typus.LetterHeld
		return l, 0
	}
	if refusal, ok := errors.AsType[*mail.SendError](err); ok {
		l.LastCode = refusal.Code
		if refusal.Unclear {
			l.Unclear++
		}
		switch {
		case !refusal.Temporary:
			l.State = typus.LetterFailed
			return l, 0
		case refusal.Unclear && l.Unclear >= typus.LetterCopies:
			l.State = typus.LetterUncertain
			return l, 0
		}
	}
	l.State = typus.LetterQueued
	return l, c.pace.letterGap(l.Attempts, c.random)
}

// reason is what people may read about a failure: the words of the mail server or our
// own, never those of a driver or a library.
func reason(err error) string {
	if refusal, ok := errors.AsType[*mail.SendError](err); ok {
		return refusal.Reason
	}
	if why, ok := errors.AsType[unwanted](err); ok {
		return string(why)
	}
	if own, ok := errors.AsType[*typus.Error](err); ok {
		return own.Msg
	}
	return typus.FailedOurs // it is nobody's business but the operator's
}
