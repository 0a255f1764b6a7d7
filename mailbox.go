package typus

import (
	"net/mail"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
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
