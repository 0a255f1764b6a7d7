// Package mail writes letters (e-mails) and hands them to an SMTP server.
package mail

import (
	"bytes"
	netmail "net/mail"
	"time"

	gomail "github.com/wneessen/go-mail"

	"typus"
	"typus/internal/logo"
)

// Message is a finished letter.
type Message struct {
	ID       string // Message-ID without brackets; the same whenever the same letter is sent again
	FromName string // shown before the operator's address, "" for the operator's own name
	To       string
	ToName   string // "" for none
	ReplyTo  string // "" for none
	Language string // "de" or "en"
	Subject  string
	Text     string
	HTML     string
	// Sender is in whose name it goes out; nil: in the operator's.
	Sender *Sender `json:"-"`
	// ReturnPath is the envelope sender, to which reports come back; "" for the address of who
	// sends.
	ReturnPath string
	Stop       string        // address at which one click ends letters of this kind, "" for none (RFC 8058)
	Look       Look          // whose logo stands at the top when the letter is sent or shown
	Logo       *logo.Picture `json:"-"` // that logo, which is never kept with a letter; nil for the name of who writes
}

// maxHeader is how many characters a name or a subject may have. The library folds only
// between words, and a line may not be longer than 998 bytes (RFC 5322, 2.1.1).
const maxHeader = 250

// envelope turns m into what go-mail sends, in the name of from and at the
// given time. An error is a SendError that no later attempt can mend, or of our layout.
func (m Message) envelope(from netmail.Address, at time.Time) (*gomail.Msg, error) {
	to, err := Address(m.To)
	if err != nil {
		return nil, &SendError{Reason: typus.FailedAddress}
	}
	if m.Sender != nil {
		from.Address = m.Sender.from.Address
	}
	if m.FromName != "" {
		from.Name = cut(m.FromName, maxHeader)
	}
	if m.Sender != nil && m.Sender.from.Name != "" {
		from.Name = cut(m.Sender.from.Name, maxHeader)
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithEncoding(gomail.EncodingQP))
	msg.FromMailAddress(&from)
	if m.ReturnPath != "" {
		msg.EnvelopeFromMailAddress(&netmail.Address{Address: m.ReturnPath})
	}
	msg.ToMailAddress(&netmail.Address{Name: cut(m.ToName, maxHeader), Address: to})
	if reply, err := Address(m.ReplyTo); err == nil {
		msg.ReplyToMailAddress(&netmail.Address{Address: reply})
	}
	msg.Subject(cut(m.Subject, maxHeader))
	msg.SetDateWithValue(at)
	msg.SetMessageIDWithValue(m.ID)
	msg.SetGenHeader("Content-Language", m.Language)
	// Autoresponders must not answer (RFC 3834). The second header says the same to
	// Exchange, without suppressing bounces.
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetGenHeader("X-Auto-Response-Suppress", "OOF, AutoReply")
	if m.Stop != "" {
		msg.SetGenHeader("List-Unsubscribe", "<"+m.Stop+">")
		msg.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	// The logo comes with the letter: nothing is loaded from us, so nobody learns that it is
	// read, and whoever reads it offline sees it.
	id := "logo." + m.ID
	html, err := m.withLogo("cid:" + id)
	if err != nil {
		return nil, err
	}
	msg.AddAlternativeString(gomail.TypeTextHTML, html)
	if html != m.HTML {
		err = msg.EmbedReader(m.Logo.File(), bytes.NewReader(m.Logo.Body),
			gomail.WithFileContentType(gomail.ContentType(m.Logo.MediaType)), gomail.WithFileContentID("<"+id+">"))
	}
	return msg, err
}
