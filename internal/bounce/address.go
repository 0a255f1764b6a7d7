// Package bounce takes letters back that a mail server has accepted and returned later.
//
// Each letter leaves with an envelope sender of its own (VERP), and a report that comes back
// there (RFC 3464) is known to be about it.
package bounce

import (
	"cmp"
	"crypto/subtle"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"typus"
	"typus/internal/mail"
	"typus/internal/seal"
)

// Mailbox is where reports come back: a mailbox of the operator with a tag behind a plus
// sign for each sending of a letter (subaddress, RFC 5233).
type Mailbox struct {
	box           *seal.Box
	local, domain string
}

// maxLocal is how many characters a mailbox may have before its @. With the tag behind it
// there may be 64 (RFC 5321, 4.5.3.1.1), of which a tag takes 41 with ids up to a billion.
const maxLocal = 20

// NewMailbox reads the address of a mailbox, such as bounces@example.com, and seals its tags
// with box. Invalid with the reason in words: it is no address, or no tag fits into it. To
// check an address box may be nil.
func NewMailbox(box *seal.Box, address string) (*Mailbox, error) {
	wire, err := mail.Address(address)
	if err != nil {
		return nil, err
	}
	local, domain, _ := strings.Cut(wire, "@")
	if len(local) > maxLocal || strings.ContainsAny(local, `+"`) {
		return nil, typus.Errorf(typus.Invalid, "what stands before the @ must be plain, without a plus sign, and at most %d characters long, because a tag is added to it", maxLocal)
	}
	return &Mailbox{box: box, local: local, domain: domain}, nil
}

// For is the envelope sender of a letter that is being sent. Each sending has another one.
func (m *Mailbox) For(l typus.Letter) string {
	p := typus.Posting{AccountID: l.AccountID, LetterID: l.ID, Attempt: l.Attempts}
	return m.local + "+" + tags(m.box, p)[0] + "@" + m.domain
}

// Senders makes the envelope senders of all letters: in a mailbox that is given with the
// letter, or else in standard; "" where both are. Invalid: standard is no address that takes a
// tag.
func Senders(box *seal.Box, standard string) (func(l typus.Letter, mailbox string) string, error) {
	if standard != "" {
		if _, err := NewMailbox(box, standard); err != nil {
			return nil, err
		}
	}
	return func(l typus.Letter, mailbox string) string {
		m, err := NewMailbox(box, cmp.Or(mailbox, standard))
		if err != nil {
			return "" // none is set: those that are were looked at
		}
		return m.For(l)
	}, nil
}

// tagBase is the base of the numbers in a tag. Mail servers may change the case of an
// address, so that a tag has digits and small letters only.
const tagBase = 36

// tagMark is how many hex digits of the keyed hash stand in a tag: 80 bits, which nobody
// guesses by sending reports.
const tagMark = 20

// tags name a sending, so that only this server can make them: one for each secret key that
// the box opens with, that of its own key first.
func tags(box *seal.Box, p typus.Posting) []string {
	begin := number(p.AccountID) + "-" + number(p.LetterID) + "-" + number(int64(p.Attempt)) + "-"
	list := box.Marks(fmt.Sprintf("%d|%d|%d", p.AccountID, p.LetterID, p.Attempt), "return path")
	for i, mark := range list {
		list[i] = begin + mark[:tagMark]
	}
	return list
}

func number(n int64) string { return strconv.FormatInt(n, tagBase) }

var tagged = regexp.MustCompile(`\+([0-9a-z]{1,13})-([0-9a-z]{1,13})-([0-9a-z]{1,6})-([0-9a-f]{20})@`)

// maxTags is how many tags are looked at (our choice): a report is sent to one.
const maxTags = 100

// Find returns the sending of a letter whose tag stands in text, which is one address or
// several. False: none does that box has sealed.
func Find(box *seal.Box, text string) (typus.Posting, bool) {
	for _, found := range tagged.FindAllStringSubmatch(strings.ToLower(text), maxTags) {
		var p typus.Posting
		p.AccountID, _ = strconv.ParseInt(found[1], tagBase, 64) // what is no number is not sealed either
		p.LetterID, _ = strconv.ParseInt(found[2], tagBase, 64)
		attempt, _ := strconv.ParseInt(found[3], tagBase, 32)
		p.Attempt = int(attempt)
		for _, tag := range tags(box, p) {
			if subtle.ConstantTimeCompare([]byte("+"+tag+"@"), []byte(found[0])) == 1 {
				return p, true
			}
		}
	}
	return typus.Posting{}, false
}
