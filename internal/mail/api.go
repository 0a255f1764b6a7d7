// Package mail writes letters and hands them to an SMTP server.
package mail

import (
	"context"
	"time"
)

// Message is a finished letter.
type Message struct {
	ID       string // Message-ID without brackets, stable per letter
	FromName string // the account's name
	To       string
	ToName   string
	ReplyTo  string // "" for none
	Language string
	Subject  string
	Text     string
	HTML     string
}

// Invitation is what the invitation letter says.
type Invitation struct {
	Language      string
	CandidateName string
	AccountName   string
	Link          string
	Expires       time.Time
	Contact       string
}

// Message renders the letter; names are stripped of links (E20).
func (i Invitation) Message() (Message, error) { panic("unwritten") }

// CreditNotice is a letter to owners about the balance.
type CreditNotice struct {
	Language     string
	Kind         string // typus.LetterCreditsLow, …Empty, …Refused
	AccountName  string
	Balance      int64
	DashboardURL string
}

// Message renders the letter.
func (n CreditNotice) Message() (Message, error) { panic("unwritten") }

// SMTP sends messages to one server.
type SMTP struct{}

// SMTPOptions come from TYPUS_SMTP_URL, TYPUS_MAIL_FROM.
type SMTPOptions struct {
	URL  string // smtp://user:pw@host:587, smtps://host:465; smtp without TLS only to loopback
	From string
}

// NewSMTP checks the options; Invalid with the reason in words.
func NewSMTP(o SMTPOptions) (*SMTP, error) { panic("unwritten") }

// SendError is a refusal: Code is the SMTP reply (0: no connection), Temporary says whether to try again.
type SendError struct {
	Code      int
	Temporary bool
	Reason    string
}

func (e *SendError) Error() string { return e.Reason }

// Send delivers messages over one connection; the i-th error belongs to the i-th message, nil for accepted.
func (s *SMTP) Send(ctx context.Context, msgs []Message) []error { panic("unwritten") }
