package typus

import (
	"net/mail"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// The lengths of RFC 5321, 4.5.3.1: of the local part, and of an address as it
// fits between the brackets of a path of 256.
const (
	maxLocalPart = 64
	maxMailbox   = 254
)

// mailDomains maps as idna.Lookup does (UTS 46, as resolvers do) and holds the
// lengths of RFC 1035, 2.3.4 too, which Lookup leaves to the name server.
var mailDomains = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.VerifyDNSLength(true))

// Mailbox reads one bare e-mail address that every mail server can write to. It returns
// the address as it goes over the wire: the local part as typed, which must be ASCII,
// and the domain in punycode, which must have a dot. A local part beyond ASCII would
// need SMTPUTF8 on every hop (RFC 6531). Quoted local parts are refused, and so is
// everything else that could end the SMTP command. The Field says what is wrong. It has
// no name; its code is required, too_long or invalid, or "" if nothing is wrong; its
// message is a predicate ("is required").
//
// our choice: the API description names no rule for addresses.
func Mailbox(address string) (string, Field) {
	if address == "" {
		return "", Field{Code: CodeRequired, Msg: "is required"}
	}
	if len(address) > maxMailbox {
		return "", tooLongMailbox()
	}
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Name != "" || parsed.Address != address {
		return "", noMailbox()
	}
	at := strings.LastIndexByte(address, '@')
	local := address[:at]
	if strings.ContainsFunc(local, func(r rune) bool { return r > unicode.MaxASCII }) {
		return "", Field{Code: CodeInvalid, Msg: "may hold only ASCII characters before the @"}
	}
	domain, err := mailDomains.ToASCII(address[at+1:])
	if err != nil || len(local) > maxLocalPart || !strings.Contains(domain, ".") || strings.HasSuffix(domain, ".") {
		return "", noMailbox()
	}
	wire := local + "@" + domain
	if len(wire) > maxMailbox {
		return "", tooLongMailbox()
	}
	return wire, Field{}
}

func noMailbox() Field {
	return Field{Code: CodeInvalid, Msg: "is not a valid address; give one address such as name@example.com"}
}

func tooLongMailbox() Field {
	return Field{Code: CodeTooLong, Msg: "may hold at most 254 bytes, with the domain in its ASCII form"}
}

// MailboxKey is the form of an address by which it is known as the same mailbox in another
// spelling. The key of a key is that key. It is for comparing and finding only: what is stored,
// shown and written to is the address as typed.
//
//   - The domain is the one that a letter would go to: mapped by UTS 46 (which composes
//     characters, lowers them and reads a full stop of another script as one), in A-labels
//     (RFC 5890, 2.3.2.1) and without the dot of the root. So müller.example, MÜLLER.example
//     and XN--MLLER-KVA.example are one domain (RFC 5321, 2.3.11 and 2.4).
//   - The local part is in lower case. RFC 5321, 2.4, leaves its case to the host, and advises
//     every host against two mailboxes that differ in case alone; none of the large ones has
//     any, and people type theirs both ways. Composed and decomposed characters are the same
//     (RFC 6532, 3.1), although Mailbox lets none beyond ASCII in (RFC 6531).
//   - Nothing else is the same: what follows a plus sign and dots in a local part are the
//     provider's to read, and an alias of a domain is not known to us.
//
// A text that is no address, or whose domain cannot be one, is compared in lower case. So is
// one that is longer than any address: anybody may send it to a log-in, and punycode takes the
// square of a label's length.
func MailboxKey(address string) string {
	at, low := strings.LastIndexByte(address, '@'), lowered(address)
	if at < 0 || len(low) > maxMailbox {
		return low
	}
	local, domain := lowered(address[:at]), address[at+1:]
	// The second of the two keeps the key of a key the same where only the lower case is valid.
	for _, spelling := range []string{domain, lowered(domain)} {
		if wire, err := mailDomains.ToASCII(spelling); err == nil && !strings.HasSuffix(wire, "..") {
			return local + "@" + strings.TrimSuffix(wire, ".")
		}
	}
	return local + "@" + lowered(domain)
}

// lowered is a text in lower case, its characters composed before and after.
func lowered(text string) string {
	return norm.NFC.String(strings.ToLower(norm.NFC.String(text)))
}

// SameMailbox reports whether two addresses are spellings of one mailbox, as MailboxKey says.
func SameMailbox(a, b string) bool { return MailboxKey(a) == MailboxKey(b) }
