package courier

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/store"
)

const (
	// letterBatch share one connection to the mail server.
	letterBatch = 25
	// letterLease outlasts the longest conversation, which sendWithin bounds.
	letterLease = 5 * time.Minute
	sendWithin  = 4 * time.Minute
)

// post sends what is due in the outbox until ctx ends. work is the context of
// the conversations.
func (c *Courier) post(ctx, work context.Context) {
	c.loop(ctx, c.letters, func() (time.Duration, error) {
		wait, waiting, err := c.store.NextLetter(work)
		if err != nil || !waiting {
			return c.pace.poll, err
		}
		if wait > 0 {
			return wait, nil
		}
		until := time.Now().Add(letterLease)
		letters, err := c.store.ClaimLetters(work, store.Claim{Owner: c.owner, Lease: letterLease, Limit: letterBatch, PerDay: c.perDay})
		if err != nil || len(letters) == 0 {
			return c.pace.poll, err
		}
		c.send(work, letters, until)
		return 0, nil
	})
}

// send writes the letters and hands them over in one conversation. That one goes is
// noted before, and what became of it before the next one goes: a crash doubles one
// letter at most, and the next attempt knows. until is the end of the lease.
func (c *Courier) send(ctx context.Context, letters []typus.Letter, until time.Time) {
	b := batch{c: c, until: until}
	for _, l := range letters {
		m, err := c.write(ctx, l)
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

// send calls the mailer within the lease and has every outcome written back. A panic
// fails the letters that had none for now.
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

// errLate ends a conversation that would cut off the server's word on the next letter:
// the server has that one then, and it would go again.
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

// before notes that a letter is about to be handed over. Whoever has lost its lease,
// or cannot note it, keeps it back.
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

// finish writes an outcome back, unless the courier's stop cut the letter off before
// it was handed over: then it is given back there. What ends after that without a
// word of the mail server is unclear.
func (b *batch) finish(ctx context.Context, i int, err error) {
	handed := b.handed == i+1
	if _, said := errors.AsType[*mail.SendError](err); err != nil && handed && !said {
		err = &mail.SendError{Temporary: true, Session: true, Unclear: true, Reason: ours, Cause: err}
	}
	if err == nil || handed || ctx.Err() == nil {
		b.c.finish(ctx, b.letters[i], err, b.until)
	}
}

// unwanted is why a letter is not sent although it could be.
type unwanted string

func (u unwanted) Error() string { return string(u) }

// over is the unwanted of a letter that comes after a time, by the clock of this
// process. A clock that is ahead says so too, and nobody would send the letter again:
// it is put off until that time is past for sure.
type over struct {
	unwanted
	at time.Time
}

// Unwrap makes it the unwanted that it is.
func (o over) Unwrap() error { return o.unwanted }

// overSettles is the while over which it is made sure of; letters that somebody waits
// for go by an hour wherever time ends them.
const overSettles = time.Hour

// settled is the outcome err of writing a letter, with an over that is past for sure
// made a plain unwanted.
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

// write makes the message of a letter from what is true now: a corrected name
// or address counts at once. The error is an unwanted when it must not go out.
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

// messageID is the same for every attempt at a letter, so that mail programs
// see a letter that came twice as one (RFC 5322, 3.6.4).
func (c *Courier) messageID(l typus.Letter) string {
	host := "localhost"
	if u, err := url.Parse(c.baseURL); err == nil && u.Hostname() != "" {
		host = strings.ReplaceAll(u.Hostname(), ":", "-")
	}
	return fmt.Sprintf("letter-%d.%d@%s", l.ID, l.CreatedAt.UnixMilli(), host)
}

// finish writes back what became of a letter.
func (c *Courier) finish(ctx context.Context, l typus.Letter, err error, until time.Time) {
	l, in := c.settleLetter(l, err)
	c.logLetter(ctx, l, err)
	err = c.persist(ctx, time.Until(until), func(ctx context.Context) error {
		mine, err := c.store.FinishLetter(ctx, c.owner, l, in)
		if err == nil && !mine {
			c.log.Warn("courier: the lease of a letter was lost", "letter", l.ID)
		}
		return err
	})
	if err != nil {
		c.log.Error("courier: the outcome of a letter is lost", "letter", l.ID, "error", err)
	}
}

// logLetter says what came of an attempt. The cause is named when it is the
// mail server or this one; what is said about a recipient is personal.
func (c *Courier) logLetter(ctx context.Context, l typus.Letter, err error) {
	level := slog.LevelInfo
	attrs := []any{"letter", l.ID, "kind", l.Kind, "attempt", l.Attempts, "state", l.State, "code", l.LastCode}
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

// settleLetter says what follows from the outcome err of an attempt at l: its
// new state and, if it is queued again, the wait. A refusal for good ends a letter,
// and so does the second time that nobody knows what became of it; nothing else does
// (our choice): the mail server may be away for long, and what has become needless in
// the meantime is held when its turn comes.
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

// reason is what people may read about a failure: the mail server's words or
// our own, never those of a driver or a library.
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
	return ours
}

// ours is the reason of a failure that is nobody's business but the operator's.
const ours = "this server could not write or send the letter; its log says why"
