package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/textproto"
	"regexp"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// SendError says why a message was not accepted.
type SendError struct {
	Code      int    // reply of the server, 0 when there was none
	Temporary bool   // a later attempt may succeed
	Reason    string // the server's words without addresses, one line of at most 300 characters
}

func (e *SendError) Error() string { return e.Reason }

// Send brings messages to the server over one connection, in order. The i-th
// error belongs to the i-th message: nil when the server took charge of it, else
// a *SendError. A refusal of one message does not stop the others. When a
// connection that has served before breaks (servers limit the messages of one),
// the rest goes over a new one. What happens before a recipient is named (no
// connection, no TLS, a refused login or sender) is temporary whatever the code:
// the operator can mend it, and it says nothing about the recipient. When ctx
// ends, the conversation is cut and what was not accepted fails as temporary.
func (s *SMTP) Send(ctx context.Context, msgs []Message) []error {
	errs := make([]error, len(msgs))
	c := conversation{server: s}
	defer c.quit()
	for i, m := range msgs {
		errs[i] = c.send(ctx, m)
	}
	return errs
}

// conversation is one connection after the other to the same server.
type conversation struct {
	server *SMTP
	mailer *gomail.Client
	client *smtp.Client // nil while not connected
	conn   net.Conn
	unlink func() bool // lets conn outlive the context
	served bool        // the connection has had a message
	down   error       // why the server could not be reached: the other messages need not wait for the same
}

func (c *conversation) send(ctx context.Context, m Message) error {
	msg, err := m.envelope(c.server.from, time.Now())
	if err != nil {
		return err
	}
	for {
		if err := c.connect(ctx); err != nil {
			return err
		}
		again := c.served
		c.served = true
		err := c.mailer.SendWithSMTPClient(c.client, msg)
		if err == nil {
			return nil
		}
		lost := broken(err)
		if lost {
			c.hangUp()
		}
		if !lost || !again || handedOver(err) || ctx.Err() != nil {
			return refusal(err)
		}
	}
}

// connect opens a connection unless there is one.
func (c *conversation) connect(ctx context.Context) error {
	if c.client != nil || c.down != nil {
		return c.down
	}
	mailer, err := gomail.NewClient(c.server.host, c.options(ctx)...)
	if err == nil {
		c.mailer = mailer
		c.client, err = mailer.DialToSMTPClientWithContext(ctx)
	}
	if err != nil {
		c.hangUp()
		c.down = &SendError{Code: code(err), Temporary: true, Reason: "no session with the mail server: " + words(err)}
		return c.down
	}
	c.served = false
	return nil
}

func (c *conversation) options(ctx context.Context) []gomail.Option {
	s := c.server
	_, domain, _ := strings.Cut(s.from.Address, "@")
	policy := gomail.TLSMandatory
	if s.plain || s.implicit {
		policy = gomail.NoTLS
	}
	return append([]gomail.Option{
		gomail.WithPort(s.port), gomail.WithTimeout(Timeout), gomail.WithHELO(domain),
		gomail.WithTLSPolicy(policy), gomail.WithTLSConfig(s.tls),
		gomail.WithDialContextFunc(func(dialing context.Context, network, address string) (net.Conn, error) {
			return c.dial(ctx, dialing, network, address)
		}),
		gomail.WithoutNoop(), gomail.WithoutRset(),
		// Nothing we send needs SMTPUTF8, and with it a hop that lacks it must bounce.
		gomail.WithoutSMTPUTF8(),
	}, s.auth...)
}

// dial keeps hold of the connection and cuts it when ctx ends: the library
// leaves it open when the greeting, TLS or the login fails, and its context
// reaches no further than dialling.
func (c *conversation) dial(ctx, dialing context.Context, network, address string) (net.Conn, error) {
	conn, err := c.server.dial(dialing, network, address)
	if err != nil {
		return nil, err
	}
	c.conn, c.unlink = conn, context.AfterFunc(ctx, func() { _ = conn.Close() })
	if c.server.implicit {
		secure := tls.Client(conn, c.server.tls)
		return secure, secure.HandshakeContext(dialing)
	}
	return conn, nil
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

// broken reports whether the connection is of no more use: no reply, or 421,
// with which a server announces that it hangs up (RFC 5321, 3.8).
func broken(err error) bool {
	n := code(err)
	return n == 0 || n == 421
}

// handedOver reports whether the server may have the message although its
// reply is missing. Sending it at once again would double it.
func handedOver(err error) bool {
	sent, ok := errors.AsType[*gomail.SendError](err)
	return ok && sent.Reason == gomail.ErrSMTPDataClose
}

func refusal(err error) *SendError {
	sent, ok := errors.AsType[*gomail.SendError](err)
	n := code(err)
	aboutUs := ok && sent.Reason == gomail.ErrSMTPMailFrom
	return &SendError{Code: n, Temporary: n < 500 || aboutUs, Reason: words(err)}
}

// code is the SMTP reply in err, 0 when there is none.
func code(err error) int {
	if sent, ok := errors.AsType[*gomail.SendError](err); ok {
		return sent.ErrorCode()
	}
	if reply, ok := errors.AsType[*textproto.Error](err); ok {
		return reply.Code
	}
	return 0
}

var address = regexp.MustCompile(`\S*@\S*`)

// words are what a person may read of err: one line without addresses, since
// servers like to quote the recipient's.
func words(err error) string {
	text, _, _ := strings.Cut(err.Error(), ", affected recipient")
	text, _, _ = strings.Cut(text, ", affected message")
	text = strings.Join(strings.FieldsFunc(text, blank), " ")
	return cut(address.ReplaceAllString(text, "…"), 300)
}
