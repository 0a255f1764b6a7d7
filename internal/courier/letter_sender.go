package courier

import (
	"cmp"
	"context"

	"typus"
	"typus/internal/mail"
)

// senders are in whose names the letters of a batch go out, read once for each account. What
// cannot be read or opened fails the letters of its account, and those of nobody else.
type senders struct {
	c  *Courier
	of map[int64]sender
}

// sender is that of an account. The zero sender is the server.
type sender struct {
	own     *mail.Sender // nil: the server
	mailbox string       // to which reports come back, "" for the server's
	err     error
}

// put says on a letter who sends it and where reports come back.
func (s senders) put(ctx context.Context, l typus.Letter, m mail.Message) (mail.Message, error) {
	var by sender
	if !l.Kind.FromServer() {
		account := cmp.Or(l.AccountID, m.Look.AccountID) // what somebody gets who enrols is of no account yet
		var known bool
		if by, known = s.of[account]; !known {
			by = s.c.senderOf(ctx, account)
			s.of[account] = by
		}
	}
	m.Sender = by.own
	if s.c.sender != nil {
		m.ReturnPath = s.c.sender(l, by.mailbox)
	}
	return m, by.err
}

func (c *Courier) senderOf(ctx context.Context, accountID int64) sender {
	stored, found, err := c.store.Sender(ctx, accountID)
	if err != nil || !found {
		return sender{err: err}
	}
	own, err := mail.OpenSender(c.box, stored)
	return sender{own, stored.BounceAddress, err}
}
