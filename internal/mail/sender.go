package mail

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	netmail "net/mail"
	"strings"

	"github.com/emersion/go-msgauth/dkim"

	"typus"
)

// Sender is in whose name a letter goes out in place of the operator's.
type Sender struct {
	from netmail.Address   // without a name: that of the letter
	dkim *dkim.SignOptions // nil: the operator's key signs
}

// Opener opens what was sealed in a place; seal.Box is one.
type Opener interface {
	// Open returns an error for what was sealed with another key or in another place.
	Open(sealed []byte, place string) ([]byte, error)
}

// OpenSender makes ready what is stored of a sender. The error is that of the opener, or
// Invalid: nobody can write with what is stored.
func OpenSender(box Opener, s typus.Sender) (*Sender, error) {
	key, err := OpenDKIM(box, s)
	if err != nil {
		return nil, err
	}
	return newSender(s, key)
}

// OpenDKIM opens the key of a sender, the zero value for none. The error is that of the opener.
func OpenDKIM(box Opener, s typus.Sender) (DKIM, error) {
	if s.DKIMDomain == "" {
		return DKIM{}, nil
	}
	key, err := box.Open(s.SealedKey, s.KeyAAD())
	return DKIM{Domain: s.DKIMDomain, Selector: s.DKIMSelector, Key: string(key)}, err
}

func newSender(s typus.Sender, key DKIM) (*Sender, error) {
	address, err := Address(s.Address)
	if err != nil {
		return nil, err
	}
	options, err := key.options()
	return &Sender{from: netmail.Address{Name: s.Name, Address: address}, dkim: options}, err
}

// NewKey makes a private DKIM key in PEM: RSA, which every receiver can check. The error is
// that of the system's randomness.
func NewKey() (string, error) {
	key, err := rsa.GenerateKey(rand.Reader, minRSA)
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), err
}

// OnWire is d with its domain in the form for the wire, if it is one.
func (d DKIM) OnWire() DKIM {
	if wire, err := d.domain(); err == nil {
		d.Domain = strings.ToLower(wire)
	}
	return d
}

// Aligned reports whether receivers take a signature for one of the address, as it is on the
// wire: its domain is the same, above or below (RFC 7489, 3.1.1). Nothing is signed by the zero
// value, which speaks against no address.
func (d DKIM) Aligned(address string) bool {
	if d == (DKIM{}) {
		return true
	}
	_, of, _ := strings.Cut(strings.ToLower(address), "@")
	domain := d.OnWire().Domain
	return of == domain || strings.HasSuffix(of, "."+domain) || strings.HasSuffix(domain, "."+of)
}
