package mail

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/emersion/go-msgauth/dkim"

	"typus"
)

// DKIM says how letters are signed (RFC 6376, RFC 8463). The zero value signs
// none; otherwise all three are needed.
type DKIM struct {
	Domain   string // that answers for the letters, such as example.com
	Selector string // the public key is the TXT record at <Selector>._domainkey.<Domain>
	Key      string // private key in PEM: RSA of 2048 bits or more (PKCS #8 or #1), or Ed25519 (PKCS #8)
}

// minRSA is the least number of bits of an RSA key: receivers may refuse less
// than 1024, and signers should not use less than 2048 (RFC 8301, 3.2).
const minRSA = 2048

var selectors = regexp.MustCompile(`^[0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?(\.[0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?)*$`)

// signedHeaders are the headers that the signature covers. Where a second header of a
// name would change what people see, the name stands once more than the letter has it,
// so that none can be added on the way (RFC 6376, 5.4.2).
var signedHeaders = []string{
	"From", "From", "To", "To", "Subject", "Subject", "Reply-To", "Reply-To", "Date", "Date", "Message-ID", "Message-ID",
	"MIME-Version", "MIME-Version", "Content-Type", "Content-Type", "Content-Language", "Auto-Submitted",
	"List-Unsubscribe", "List-Unsubscribe-Post", // must be covered, or no mail program offers the click (RFC 8058, 4)
}

// Check names what is wrong with the settings: Field.Name is "domain",
// "selector" or "key", its words are a predicate and never hold the key.
func (d DKIM) Check() []typus.Field {
	if d == (DKIM{}) {
		return nil
	}
	var faults []typus.Field
	add := func(name, value string, err error) {
		switch {
		case value == "":
			faults = append(faults, typus.Field{Name: name, Code: typus.CodeRequired, Msg: "is required to sign letters: domain, selector and key belong together"})
		case err != nil:
			faults = append(faults, typus.Field{Name: name, Code: typus.CodeInvalid, Msg: err.Error()})
		}
	}
	_, domainErr := d.domain()
	add("domain", d.Domain, domainErr)
	add("selector", d.Selector, d.selector())
	_, keyErr := d.key()
	add("key", d.Key, keyErr)
	return faults
}

// options are nil when no letter is signed.
func (d DKIM) options() (*dkim.SignOptions, error) {
	if d == (DKIM{}) {
		return nil, nil
	}
	if faults := d.Check(); len(faults) > 0 {
		return nil, typus.Errorf(typus.Invalid, "the DKIM %s %s", faults[0].Name, faults[0].Msg)
	}
	domain, err := d.domain()
	if err != nil {
		return nil, err
	}
	key, err := d.key()
	if err != nil {
		return nil, err
	}
	return &dkim.SignOptions{
		Domain: domain, Selector: d.Selector, Signer: key, HeaderKeys: signedHeaders,
		// Servers on the way fold headers anew.
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
	}, nil
}

// domain is the domain in the form for the wire, as it may stand after the @ of an
// address.
func (d DKIM) domain() (string, error) {
	wire, err := Address("x@" + d.Domain)
	if err != nil {
		return "", errors.New("is not a domain such as example.com")
	}
	return strings.TrimPrefix(wire, "x@"), nil
}

func (d DKIM) selector() error {
	if len(d.Selector) > 63 || !selectors.MatchString(d.Selector) {
		return errors.New("must be letters, digits, hyphens and dots, such as typus2026")
	}
	return nil
}

// key reads the private key. The cause of a failure is left out: it could quote
// what it read.
func (d DKIM) key() (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(d.Key))
	if block == nil {
		return nil, errors.New("is not PEM; it must begin with -----BEGIN PRIVATE KEY-----")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil, errors.New("is no private key in PKCS #8 or PKCS #1 without a password")
	}
	switch key := key.(type) {
	case ed25519.PrivateKey:
		return key, nil
	case *rsa.PrivateKey:
		if key.N.BitLen() < minRSA {
			return nil, errors.New("is too short; an RSA key needs 2048 bits")
		}
		return key, nil
	}
	return nil, errors.New("must be an RSA or an Ed25519 key")
}

// signs is how a message is signed: with the key of who sends it, or else with the operator's;
// nil: not at all.
func (s *SMTP) signs(m Message) *dkim.SignOptions {
	if m.Sender != nil && m.Sender.dkim != nil {
		return m.Sender.dkim
	}
	return s.dkim
}

// writeSigned writes a message, with its signature before it unless sign is nil.
func writeSigned(w io.Writer, msg io.WriterTo, sign *dkim.SignOptions) error {
	var plain bytes.Buffer
	if _, err := msg.WriteTo(&plain); err != nil {
		return err
	}
	message := refold(plain.Bytes())
	if sign == nil {
		_, err := w.Write(message)
		return err
	}
	return dkim.Sign(w, bytes.NewReader(message), sign)
}
