package mail

import (
	"context"
	"errors"
	"iter"
	"net"
	"net/textproto"
	"time"

	"github.com/emersion/go-msgauth/dkim"
	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// Send hands messages to the server over one connection, in order. It yields the
// outcome of each with its index as soon as it is known: nil when the server has
// accepted the message, else a *SendError. The refusal of one message does not stop the
// others; the caller stops them by leaving the range loop. If a connection breaks that
// has already served, because servers limit the messages of one connection, the rest
// goes over a new one. A failure before a recipient is named (no connection, no TLS, a
// refused login or sender) is temporary whatever its code, because the operator can
// mend it and it says nothing about the recipient. When ctx ends, the conversation is
// cut off, and what was not accepted fails as temporary.
//
// before is called with the index of a message when the server has accepted the
// recipient and is about to get the text. From then on the letter may arrive, whatever
// we hear. If before returns an error, the message is not sent, and the error is its
// outcome. A nil before lets all messages go.
func (s *SMTP) Send(ctx context.Context, msgs []Message, before func(i int) error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		c := conversation{server: s}
		defer c.quit()
		for i, m := range msgs {
			c.before = func() error { return nil }
			if before != nil {
				c.before = func() error { return before(i) }
			}
			if !yield(i, c.send(ctx, m)) {
				return
			}
		}
	}
}

// conversation is a row of connections to one server, one at a time.
type conversation struct {
	server *SMTP
	client *smtp.Client // nil while not connected
	conn   net.Conn
	unlink func() bool  // lets conn outlive the context
	served bool         // the connection has had a message
	down   error        // why the server could not be used: the other messages need not wait for the same
	before func() error // asked before a message is handed over
	said   *dialogue    // keeps what is said; nil: nobody listens
}

func (c *conversation) send(ctx context.Context, m Message) error {
	msg, err := m.envelope(c.server.from, time.Now())
	if err != nil {
		return err
	}
	for {
		if err := ctx.Err(); err != nil {
			return failure(greeting, err)
		}
		if err := c.connect(ctx); err != nil {
			return err
		}
		again := c.served
		c.served = true
		at, err := c.transact(msg, c.server.signs(m))
		if err == nil {
			return nil
		}
		if at == asking {
			c.startAnew()
			return err
		}
		c.said.heard(err)
		lost := broken(err)
		if lost && ctx.Err() != nil {
			err = ctx.Err() // which closed the connection
		}
		if lost {
			c.hangUp()
		} else {
			c.startAnew()
		}
		// After the final dot the server may have the message although its reply
		// is missing. Sending it at once again would double it.
		if !lost || !again || at == confirming || ctx.Err() != nil {
			return failure(at, err)
		}
	}
}

// connect opens a session unless there is one.
func (c *conversation) connect(ctx context.Context) error {
	if c.client != nil || c.down != nil {
		return c.down
	}
	if at, err := c.open(ctx); err != nil {
		c.said.heard(err)
		c.hangUp()
		c.down = failure(at, err)
		return c.down
	}
	c.served = false
	return nil
}

// transact hands one message over. With an error it says at which stage.
func (c *conversation) transact(msg *gomail.Msg, sign *dkim.SignOptions) (stage, error) {
	from, err := msg.GetSender(false)
	if err != nil {
		return namingSender, err
	}
	to, err := msg.GetRecipients()
	if err != nil {
		return namingRecipient, err
	}
	if err := c.client.UpdateDeadline(Timeout); err != nil {
		return namingSender, err
	}
	if err := c.client.Mail(from); err != nil {
		return namingSender, err
	}
	if err := c.client.Rcpt(to[0]); err != nil {
		return namingRecipient, err
	}
	if err := c.before(); err != nil {
		return asking, err
	}
	return c.handOver(msg, sign)
}

// handOver gives the server the text. Until the final dot the server has accepted
// nothing (RFC 5321, 4.1.1.4); after it only the server knows.
func (c *conversation) handOver(msg *gomail.Msg, sign *dkim.SignOptions) (stage, error) {
	if err := c.client.UpdateDeadline(Timeout); err != nil {
		return handingOver, err
	}
	w, err := c.client.Data()
	if err != nil {
		return handingOver, err
	}
	if err := writeSigned(w, msg, sign); err != nil {
		return handingOver, err
	}
	if err := c.client.UpdateDeadline(confirmWithin); err != nil {
		return handingOver, err
	}
	return confirming, untaken(w.Close())
}

// untaken returns err, the reply to the final dot, unless it says that the server
// accepted the message, which its first digit tells (RFC 5321, 4.3.2).
func untaken(err error) error {
	if reply, ok := errors.AsType[*textproto.Error](err); ok && reply.Code/100 == 2 {
		return nil
	}
	return err
}

// startAnew makes the session ready for the next message, or ends it.
func (c *conversation) startAnew() {
	if c.client.Reset() != nil {
		c.hangUp()
	}
}

func (c *conversation) hangUp() {
	if c.conn != nil {
		c.unlink()
		_ = c.conn.Close()
	}
	c.conn, c.client = nil, nil
}

func (c *conversation) quit() {
	if c.client != nil {
		_ = c.client.Quit()
	}
	c.hangUp()
}
