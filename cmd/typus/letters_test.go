package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"

	"typus/internal/mail/mailpittest"
)

func TestAServerSignsTheLettersItSends(t *testing.T) {
	public, file := dkimKey(t)
	mailServer := mailpittest.Start(t)
	environ := []string{
		"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db"), "TYPUS_SMTP_URL=" + mailServer.URL(), "TYPUS_MAIL_FROM=Typus <typus@mail.example.com>",
		"TYPUS_DKIM_DOMAIN=example.com", "TYPUS_DKIM_SELECTOR=typus", "TYPUS_DKIM_KEY_FILE=" + file,
	}
	p := serve(t, environ)
	must[id](t, environ, "account", "create", "--name", "Müller & Söhne <GmbH> 🏭")
	w := &walk{base: p.base, key: must[newKey](t, environ, "key", "create", "--account", "1", "--name", "CRM").Key, out: discard(), client: &http.Client{}, externalID: "crm-42"}
	body := `{"name":"Zoë Größe 🦊","email":"zoe@bücher.example","external_id":"crm-42"}`
	var answer struct {
		URL string `json:"invite_url"`
	}
	if _, err := w.call(t.Context(), http.MethodPost, "/api/v1/invites", body, &answer); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return mailServer.Count() > 0 })
	m := mailServer.Messages()[0]
	list, err := dkim.VerifyWithOptions(bytes.NewReader(m.Raw), &dkim.VerifyOptions{LookupTXT: func(name string) ([]string, error) {
		return []string{"v=DKIM1; k=ed25519; p=" + public}, nil
	}})
	if err != nil || len(list) != 1 || list[0].Err != nil || list[0].Domain != "example.com" {
		t.Errorf("%+v, %v in\n%s", list, err, m.Raw)
	}
	if !strings.Contains(m.Text, answer.URL) || m.To[0].Address != "zoe@xn--bcher-kva.example" || !strings.Contains(m.From.Name, "Müller & Söhne") {
		t.Errorf("from %v to %v:\n%s", m.From, m.To, m.Text)
	}
}

func TestDKIMIsSetWholeOrNotAtAll(t *testing.T) {
	_, file := dkimKey(t)
	all := map[string]string{"DKIM_DOMAIN": "TYPUS_DKIM_DOMAIN=example.com", "DKIM_SELECTOR": "TYPUS_DKIM_SELECTOR=typus", "DKIM_KEY": "TYPUS_DKIM_KEY_FILE=" + file}
	if s, err := load(t, []string{all["DKIM_DOMAIN"], all["DKIM_SELECTOR"], all["DKIM_KEY"]}); err != nil || !strings.HasPrefix(s.DKIMKey, "-----BEGIN") {
		t.Errorf("all three: %v", err)
	}
	for missing := range all {
		var environ []string
		for name, pair := range all {
			if name != missing {
				environ = append(environ, pair)
			}
		}
		_, err := load(t, environ)
		if err == nil || !strings.HasPrefix(message(err), "TYPUS_"+missing+" is required") || strings.Count(message(err), "TYPUS_") != 1 {
			t.Errorf("without %s: %v", missing, err)
		}
	}
}

// dkimKey returns the public half for the record and the file of the private one.
func dkimKey(t *testing.T) (string, string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dkim.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(public), file
}
