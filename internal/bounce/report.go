package bounce

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/emersion/go-message"

	"typus"
)

// MaxReport is how many bytes of a report are read. What became of a letter stands before
// the copy of it, so that a longer report says the same.
const MaxReport = 1 << 20

// Report is what a mail server says about a letter.
type Report struct {
	To      string // addresses that the report was sent to, from its header
	Outcome Outcome
	Code    int    // SMTP reply code that another server gave, 0 for none
	Said    string // its words, in one line of at most 300 characters and without addresses; "" for none
}

// Outcome is what became of a letter.
type Outcome string

// The outcomes of a letter.
const (
	Nothing   Outcome = ""          // not a report about a delivery, such as an automatic reply
	Failed    Outcome = "failed"    // given up
	Delayed   Outcome = "delayed"   // on its way
	Delivered Outcome = "delivered" // or handed to a server that sends no reports
)

// Read reads one message as a mail server pipes it, a line "From " before it included.
// Anything that is no report of a delivery is Nothing. Invalid: it is no message at all, or
// r cannot be read.
func Read(r io.Reader) (Report, error) {
	in := bufio.NewReader(io.LimitReader(r, MaxReport))
	if err := skipEnvelope(in); err != nil {
		return Report{}, err
	}
	m, err := message.Read(in)
	if m == nil || m.Header.Len() == 0 {
		return Report{}, typus.Errorf(typus.Invalid, "what was piped is no message: it has no header").WithCause(err)
	}
	report := Report{To: recipients(m.Header)}
	if status := statusPart(m); status != nil {
		report.readStatus(status)
	}
	return report, nil
}

// skipEnvelope skips the line that begins a message in an mbox file, which programs like to
// put before one in a pipe.
func skipEnvelope(in *bufio.Reader) error {
	const mark = "From "
	begin, err := in.Peek(len(mark))
	if err != nil {
		return typus.Errorf(typus.Invalid, "what was piped is no message: it is empty").WithCause(err)
	}
	if !bytes.Equal(begin, []byte(mark)) {
		return nil
	}
	for {
		_, err := in.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil // without a next line, there is no header either
		}
	}
}

// Where mail servers say whom a message was sent to.
var recipientFields = []string{"X-Original-To", "Delivered-To", "Envelope-To", "To"}

// maxRecipients is how many characters of recipients are kept (our choice).
const maxRecipients = 16 << 10

func recipients(h message.Header) string {
	var all strings.Builder
	for _, name := range recipientFields {
		for _, value := range h.Values(name) {
			if all.Len()+len(value) < maxRecipients {
				all.WriteString(value + "\n")
			}
		}
	}
	return all.String()
}

// maxParts is how many parts of a report are looked at: it has three (RFC 6522, 3).
const maxParts = 10

// statusPart is the part of a report that says what became of a letter, nil without one.
// Reports within other messages do not count: whoever forwards one says nothing about a
// letter.
func statusPart(m *message.Entity) io.Reader {
	kind, params, err := m.Header.ContentType()
	if err != nil || !strings.EqualFold(kind, "multipart/report") || !isDelivery(params["report-type"]) {
		return nil
	}
	parts := m.MultipartReader()
	for range maxParts {
		part, err := parts.NextPart()
		if part == nil || err != nil && !message.IsUnknownEncoding(err) && !message.IsUnknownCharset(err) {
			return nil
		}
		switch kind, _, _ := part.Header.ContentType(); strings.ToLower(kind) {
		case "message/delivery-status", "message/global-delivery-status":
			return part.Body
		}
	}
	return nil
}

// isDelivery reports whether a report of this type is about a delivery, and not, say, that
// somebody has read a letter. The type is required (RFC 6522, 3), and missing at times.
func isDelivery(kind string) bool {
	return kind == "" || strings.EqualFold(kind, "delivery-status") || strings.EqualFold(kind, "global-delivery-status")
}
