package mail

import (
	"net/mail"
	"strings"

	"golang.org/x/net/idna"

	"typus"
)

// The lengths of RFC 5321, 4.5.3.1: of the local part, and of an address as it
// fits between the brackets of a path of 256.
const (
	maxLocal   = 64
	maxAddress = 254
)

// Address checks that raw is one bare address that every server can write to
// and returns it in the form for the wire: an ASCII local part as typed and the
// domain in punycode. A local part beyond ASCII would need SMTPUTF8 on every hop
// (RFC 6531), quoted ones are refused with everything else that could end the
// command they are sent in. Invalid otherwise, with the reason in words.
func Address(raw string) (string, error) {
	parsed, err := mail.ParseAddress(raw)
	if err != nil || parsed.Name != "" || parsed.Address != raw {
		return "", typus.Errorf(typus.Invalid, "not an e-mail address like name@example.com")
	}
	at := strings.LastIndexByte(raw, '@')
	local, domain := raw[:at], raw[at+1:]
	if len(local) > maxLocal || strings.ContainsFunc(local, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return "", typus.Errorf(typus.Invalid, "the part before the @ must be 1 to %d plain ASCII characters", maxLocal)
	}
	domain, err = idna.Lookup.ToASCII(domain)
	if err != nil || domain == "" {
		return "", typus.Errorf(typus.Invalid, "the part after the @ is not a domain name").WithCause(err)
	}
	if len(local)+1+len(domain) > maxAddress {
		return "", typus.Errorf(typus.Invalid, "the address is longer than %d characters", maxAddress)
	}
	return local + "@" + domain, nil
}
