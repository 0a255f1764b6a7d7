package mail

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
)

// Greet makes a connection, encrypts it, logs in and leaves, without sending anything.
// Errors are those of Send: they say at which stage it ended.
func (s *SMTP) Greet(ctx context.Context) error {
	c := conversation{server: s, before: func() error { return nil }}
	defer c.quit()
	return c.connect(ctx)
}

// TXT is the record to publish for a DKIM key: where, and what it says (RFC 6376, 3.6.1; RFC
// 8463, 4). Both are "" for the zero value. Invalid: the settings are not right.
func (d DKIM) TXT() (string, string, error) {
	name, public, err := d.Record()
	if err != nil || name == "" {
		return "", "", err
	}
	kind := "rsa"
	if key, err := d.key(); err != nil {
		return "", "", err
	} else if _, ed := key.(ed25519.PrivateKey); ed {
		kind = "ed25519"
	}
	return name, "v=DKIM1; k=" + kind + "; p=" + public, nil
}

// Record is where the public half of a DKIM key is published (RFC 6376, 3.6.2), and the
// key as its p= says it. Invalid: the settings are not right.
func (d DKIM) Record() (string, string, error) {
	o, err := d.options()
	if err != nil || o == nil {
		return "", "", err
	}
	var public []byte
	if key, ok := o.Signer.Public().(ed25519.PublicKey); ok {
		public = key // as it is, RFC 8463, 4
	} else if public, err = x509.MarshalPKIXPublicKey(o.Signer.Public()); err != nil {
		return "", "", err
	}
	return o.Selector + "._domainkey." + o.Domain, base64.StdEncoding.EncodeToString(public), nil
}
