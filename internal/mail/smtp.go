package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	netmail "net/mail"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/emersion/go-msgauth/dkim"

	"typus"
)

// Timeout bounds each step of a conversation: connecting with login, and then
// every message.
const Timeout = 20 * time.Second

// confirmWithin is how long the server may take to confirm a message. RFC 5321,
// 4.5.3.2.6, asks for ten minutes, because a client that gives up early makes copies.
// Waiting that long would hold up the letters behind.
const confirmWithin = 2 * time.Minute

// HandOver is how long the outcome of a message may take after Send has called before.
const HandOver = Timeout + confirmWithin

// SMTPOptions say which server sends the letters and in whose name.
type SMTPOptions struct {
	// URL is smtp://user:password@host:587 (STARTTLS is required, except to a
	// loopback host, where nothing is encrypted) or smtps://user:password@host:465.
	// User and password may be missing; the ports shown are the defaults.
	URL string
	// From is the operator's address, with or without a name:
	// "Typus <typus@example.com>". Its domain greets the server.
	From string
	// CAFile holds more certificates to trust, in PEM; "" for none.
	CAFile string
	// DKIM signs every letter; the zero value signs none.
	DKIM DKIM
	// Dial replaces the network, for simulations; nil for the real one.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// SMTP sends messages to one server. It holds no connection between calls and
// may be used concurrently.
type SMTP struct {
	host     string
	port     int
	from     netmail.Address
	implicit bool // TLS from the first byte
	plain    bool // no TLS at all
	tls      *tls.Config
	user     *url.Userinfo     // nil: no login
	dkim     *dkim.SignOptions // nil: letters are not signed
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

// NewSMTP checks the options, and that every letter can be written, without connecting.
// Invalid with the reason in words; the words never hold the password.
func NewSMTP(o SMTPOptions) (*SMTP, error) {
	if _, err := texts(); err != nil {
		return nil, err
	}
	s := &SMTP{dial: o.Dial}
	if s.dial == nil {
		s.dial = new(net.Dialer).DialContext
	}
	if err := s.readURL(o.URL); err != nil {
		return nil, err
	}
	if err := s.readFrom(o.From); err != nil {
		return nil, err
	}
	var err error
	if s.dkim, err = o.DKIM.options(); err != nil {
		return nil, err
	}
	return s, s.readCA(o.CAFile)
}

func (s *SMTP) readURL(raw string) error {
	// The cause is left out: it would quote the URL with its password.
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return typus.Errorf(typus.Invalid, "the SMTP URL must look like smtp://user:password@host:587 or smtps://user:password@host:465; escape special characters in the password as %%XX")
	}
	s.host, s.user = u.Hostname(), u.User
	switch u.Scheme {
	case "smtp":
		s.port, s.plain = 587, typus.Loopback(s.host)
	case "smtps":
		s.port, s.implicit = 465, true
	default:
		return typus.Errorf(typus.Invalid, "the SMTP URL begins with %q; it must begin with smtp:// or smtps://", u.Scheme+"://")
	}
	if u.Port() != "" {
		s.port, err = strconv.Atoi(u.Port())
		if err != nil || s.port < 1 || s.port > 65535 {
			return typus.Errorf(typus.Invalid, "the port of the SMTP URL must be 1 to 65535")
		}
	}
	return nil
}

func (s *SMTP) readFrom(raw string) error {
	from, err := netmail.ParseAddress(raw)
	if err == nil {
		s.from.Address, err = Address(from.Address)
	}
	if err != nil {
		return typus.Errorf(typus.Invalid, "the sender of letters must be an address like Typus <typus@example.com>").WithCause(err)
	}
	s.from.Name = from.Name
	if s.from.Name == "" {
		s.from.Name = product
	}
	return nil
}

func (s *SMTP) readCA(file string) error {
	s.tls = &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12}
	if file == "" {
		return nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	pem, err := os.ReadFile(file)
	if err != nil || !pool.AppendCertsFromPEM(pem) {
		return typus.Errorf(typus.Invalid, "the CA file cannot be read or holds no certificate in PEM").WithCause(err)
	}
	s.tls.RootCAs = pool
	return nil
}
