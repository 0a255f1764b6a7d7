package main

import (
	"bytes"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"

	"typus/internal/mail/mailpittest"
	"typus/internal/waittest"
)

// The key and the record are made as the README says.
func TestAServerSignsTheLettersItSends(t *testing.T) {
	record, file := dkimKey(t)
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
	waittest.Until(t, "a letter has arrived", func() bool { return mailServer.Count() > 0 })
	m := mailServer.Messages()[0]
	list, err := dkim.VerifyWithOptions(bytes.NewReader(m.Raw), &dkim.VerifyOptions{LookupTXT: func(name string) ([]string, error) {
		return map[string][]string{"typus._domainkey.example.com": {record}}[name], nil
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

// dkimKey returns the record to publish and the file of the private key, both
// made by the lines of the README.
func dkimKey(t *testing.T) (record, file string) {
	t.Helper()
	_, text, _ := strings.Cut(readme(t), "- **Sign letters**")
	code := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, 5)
	if len(code) != 5 {
		t.Fatal("the README does not say how to sign letters")
	}
	dir := t.TempDir()
	sh := func(line string) string {
		t.Helper()
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return string(out)
	}
	sh(code[0][1])
	_, name, _ := strings.Cut(code[1][1], "TYPUS_DKIM_KEY_FILE=")
	return code[3][1] + sh(code[4][1]), filepath.Join(dir, name)
}
