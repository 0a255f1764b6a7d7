package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// open dials, greets, encrypts and logs in, within Timeout. With an error it
// says at which stage.
func (c *conversation) open(ctx context.Context) (stage, error) {
	s := c.server
	limited, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	conn, err := s.dial(limited, "tcp", net.JoinHostPort(s.host, strconv.Itoa(s.port)))
	if err != nil {
		return reaching, err
	}
	conn = &bounded{Conn: conn, left: maxSaid}
	c.conn, c.unlink = conn, context.AfterFunc(ctx, func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(Timeout)); err != nil {
		return reaching, err
	}
	if s.implicit {
		secure := tls.Client(conn, s.tls)
		if err := secure.HandshakeContext(limited); err != nil {
			return securing, err
		}
		conn = secure
	}
	if c.client, err = smtp.NewClient(conn, s.host); err != nil {
		return greeting, err
	}
	if c.said != nil {
		c.client.SetLogger(c.said)
		c.client.SetDebugLog(true)
	}
	return c.introduce()
}

// introduce is the part of a session that SMTP defines, after the greeting.
func (c *conversation) introduce() (stage, error) {
	s := c.server
	// Nothing we send needs SMTPUTF8, and with it a hop that lacks it must bounce.
	c.client.SkipSMTPUTF8(true)
	_, domain, _ := strings.Cut(s.from.Address, "@")
	if err := c.client.Hello(domain); err != nil {
		return greeting, err
	}
	if !s.plain && !s.implicit {
		if offered, _ := c.client.Extension("STARTTLS"); !offered {
			return securing, errors.New("the server does not offer STARTTLS")
		}
		if err := c.client.StartTLS(s.tls); err != nil {
			return securing, err
		}
	}
	if s.user == nil {
		return loggingIn, nil
	}
	return loggingIn, c.login()
}

// login uses the best mechanism that the server offers.
func (c *conversation) login() error {
	_, offered := c.client.Extension("AUTH")
	for _, m := range c.server.mechanisms() {
		if slices.Contains(strings.Fields(offered), m.name) {
			return c.client.Auth(m.auth)
		}
	}
	return errors.New("the server offers no way to log in that is known here, but: " + offered)
}

type mechanism struct {
	name string
	auth smtp.Auth
}

// mechanisms are the ways to log in, the best first. A password travels in the
// clear only inside TLS, or to this very machine.
func (s *SMTP) mechanisms() []mechanism {
	user := s.user.Username()
	password, _ := s.user.Password()
	digest := mechanism{"CRAM-MD5", smtp.CRAMMD5Auth(user, password)}
	list := []mechanism{
		{"SCRAM-SHA-256", smtp.ScramSHA256Auth(user, password)},
		{"SCRAM-SHA-1", smtp.ScramSHA1Auth(user, password)},
	}
	if s.plain {
		list = append(list, digest)
	}
	list = append(list,
		mechanism{"PLAIN", smtp.PlainAuth("", user, password, s.host, s.plain)},
		mechanism{"LOGIN", smtp.LoginAuth(user, password, s.host, s.plain)})
	if s.plain {
		return list
	}
	return append(list, digest)
}

// maxSaid is how many bytes a server may send in one conversation. The replies to a
// full batch are a few KiB. A server that floods us, perhaps before the connection is
// encrypted, must not fill our memory.
const maxSaid = 1 << 20

// bounded is a connection that ends after a number of bytes was read.
type bounded struct {
	net.Conn
	left int
}

// Read implements net.Conn.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("the server says more than a mail server has to say")
	}
	n, err := b.Conn.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
