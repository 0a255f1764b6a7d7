package mail_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"

	"typus"
	"typus/internal/mail"
	"typus/internal/mail/mailpittest"
)

func TestASignedLetterIsVerifiedAndAChangedOneIsNot(t *testing.T) {
	server := mailpittest.Start(t)
	short := letter("anna@example.com")
	short.Text, short.HTML = "\n.\n..\nGrüße  \t\n\n\n", "<p>\n.\n</p>"
	long := letter("anna@bücher.example")
	long.FromName, long.ToName, long.ReplyTo = "Müller & Söhne 🏭", "Zoë Größe 🦊", "chef@example.com"
	long.Subject = strings.Repeat("Einladung für Zoë 🦊 ", 12)
	rsaKey, edKey := rsaKey(t, 2048), edKey(t)
	for _, c := range []struct {
		key    crypto.Signer
		form   func(*testing.T, crypto.Signer) string
		record string
		domain string
		lookup string
	}{
		{rsaKey, pkcs8, "v=DKIM1; k=rsa; p=" + spki(t, rsaKey), "example.com", "typus._domainkey.example.com"},
		{rsaKey, pkcs1, "v=DKIM1; p=" + spki(t, rsaKey), "Bücher.example", "typus._domainkey.xn--bcher-kva.example"},
		{edKey, pkcs8, "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(edKey.Public().(ed25519.PublicKey)), "example.com", "typus._domainkey.example.com"},
	} {
		s, err := mail.NewSMTP(mail.SMTPOptions{URL: server.URL(), From: operator, DKIM: mail.DKIM{Domain: c.domain, Selector: "typus", Key: c.form(t, c.key)}})
		if err != nil {
			t.Fatal(err)
		}
		before := len(server.Messages())
		accepted(t, s, short, long)
		got := server.Messages()[before:]
		if len(got) != 2 {
			t.Fatalf("%d letters arrived, want 2", len(got))
		}
		verify := func(raw []byte) error { t.Helper(); return verified(t, raw, c.lookup, c.record) }
		for n, m := range got {
			if err := verify(m.Raw); err != nil {
				t.Errorf("%T for %s, letter %d: %v in\n%s", c.key, c.domain, n, err, m.Raw)
			}
		}
		raw := got[1].Raw
		head, body, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
		for what, changed := range map[string][]byte{
			"a second From":    append([]byte("From: otto@example.org\r\n"), raw...),
			"a second subject": append([]byte("Subject: Gewonnen\r\n"), raw...),
			"another reply":    bytes.Replace(raw, []byte("chef@example.com"), []byte("otto@example.org"), 1),
			"another type":     append([]byte("Content-Type: text/html\r\n"), raw...),
			"another body":     bytes.Join([][]byte{head, bytes.Replace(body, []byte("Guten"), []byte("Guter"), 1)}, []byte("\r\n\r\n")),
		} {
			if bytes.Equal(changed, raw) {
				t.Fatalf("%s: nothing was changed in\n%s", what, raw)
			}
			if verify(changed) == nil {
				t.Errorf("%T for %s, %s: still verified", c.key, c.domain, what)
			}
		}
	}
}

func TestWithoutAKeyALetterIsNotSigned(t *testing.T) {
	server := mailpittest.Start(t)
	accepted(t, foreign(t, server), letter("anna@example.com"))
	if m := server.Messages()[0]; m.Header.Get("DKIM-Signature") != "" {
		t.Error("there is a signature")
	}
}

func TestWrongDKIMSettingsAreNamedWithoutTheKey(t *testing.T) {
	good := mail.DKIM{Domain: "example.com", Selector: "typus", Key: pkcs8(t, edKey(t))}
	if faults := good.Check(); len(faults) != 0 {
		t.Errorf("good settings: %v", faults)
	}
	elliptic, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change func(*mail.DKIM)
		want   string
	}{
		{func(d *mail.DKIM) { d.Domain = "" }, "domain"},
		{func(d *mail.DKIM) { d.Domain = "localhost" }, "domain"},
		{func(d *mail.DKIM) { d.Domain = "example.com; s=x" }, "domain"},
		{func(d *mail.DKIM) { d.Domain = "a@example.com" }, "domain"},
		{func(d *mail.DKIM) { d.Selector = "" }, "selector"},
		{func(d *mail.DKIM) { d.Selector = "a;b" }, "selector"},
		{func(d *mail.DKIM) { d.Selector = "-a" }, "selector"},
		{func(d *mail.DKIM) { d.Selector = "a..b" }, "selector"},
		{func(d *mail.DKIM) { d.Key = "" }, "key"},
		{func(d *mail.DKIM) { d.Key = "geheim" }, "key"},
		{func(d *mail.DKIM) { d.Key = strings.Replace(d.Key, "M", "N", 1) }, "key"},
		{func(d *mail.DKIM) { d.Key = pkcs8(t, elliptic) }, "key"},
		{func(d *mail.DKIM) { d.Key = pkcs8(t, rsaKey(t, 1024)) }, "key"},
		{func(d *mail.DKIM) { *d = mail.DKIM{Domain: "example.com"} }, "selector key"},
	} {
		d := good
		c.change(&d)
		var names []string
		for _, f := range d.Check() {
			names = append(names, f.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%q %q: %s named, want %s", d.Domain, d.Selector, got, c.want)
		}
		_, err := mail.NewSMTP(mail.SMTPOptions{URL: "smtp://mail.example.com", From: operator, DKIM: d})
		if typus.KindOf(err) != typus.Invalid || strings.Contains(fmt.Sprint(err), "geheim") {
			t.Errorf("%q %q: %v, want kind invalid in words", d.Domain, d.Selector, err)
		}
	}
}

// verified checks the one signature of raw with a name server that knows one record.
func verified(t *testing.T, raw []byte, name, record string) error {
	t.Helper()
	list, err := dkim.VerifyWithOptions(bytes.NewReader(raw), &dkim.VerifyOptions{LookupTXT: func(asked string) ([]string, error) {
		if asked != name {
			return nil, fmt.Errorf("no such name: %s", asked)
		}
		return []string{record}, nil
	}})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d signatures, %v in\n%s", len(list), err, raw)
	}
	return list[0].Err
}

func rsaKey(t *testing.T, bits int) crypto.Signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func edKey(t *testing.T) crypto.Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func pkcs8(t *testing.T, key crypto.Signer) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func pkcs1(_ *testing.T, key crypto.Signer) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key.(*rsa.PrivateKey))}))
}

// spki is the public key as an RSA record holds it (RFC 6376, 3.6.1).
func spki(t *testing.T, key crypto.Signer) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(der)
}
