package main

import (
	"bytes"
	"net/http"
	netmail "net/mail"
	"os"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"

	"typus/internal/mail/smtptest"
	"typus/internal/waittest"
)

type ownSenderOf struct {
	From          string `json:"from"`
	BounceAddress string `json:"bounce_address"`
	Domain        string `json:"dkim_domain"`
	RecordName    string `json:"dkim_record_name"`
	Record        string `json:"dkim_record"`
}

// Letters of an account go out in its name and with its signature. What the mail server holds
// against one account stops no letter of another, and what comes back is known.
func TestEachAccountWritesInItsOwnName(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		sink := smtptest.Start(t, func(s *smtptest.Server) {
			s.Sender = func(from string) string {
				return map[bool]string{true: "550 5.7.1 not a sender of yours"}[strings.HasSuffix(from, "@refused.example")]
			}
		})
		environ = append(environ, "TYPUS_SMTP_URL="+sink.URL(), "TYPUS_MAIL_FROM=Typus <typus@example.com>")
		p := serve(t, environ)
		key := map[string]string{}
		for _, name := range []string{"own", "refused", "server"} {
			acc := itoa(must[id](t, environ, "account", "create", "--name", name+" GmbH").ID)
			key[name] = must[newKey](t, environ, "key", "create", "--account", acc, "--name", "CRM").Key
		}
		own := must[ownSenderOf](t, environ, "account", "sender", "--account", "1", "--from", "Müller, Söhne <tests@Bücher.example>",
			"--bounces", "bounces@bücher.example", "--selector", "typus1")
		if own.From != "Müller, Söhne <tests@xn--bcher-kva.example>" || own.RecordName != "typus1._domainkey.xn--bcher-kva.example" || !strings.HasPrefix(own.Record, "v=DKIM1; k=rsa; p=") {
			t.Fatalf("the sender is %+v", own)
		}
		must[ownSenderOf](t, environ, "account", "sender", "--account", "2", "--from", "tests@refused.example")
		for _, name := range []string{"refused", "own", "server"} {
			w := &walk{base: p.base, key: key[name], out: discard(), client: &http.Client{}}
			var invited any
			if _, err := w.call(t.Context(), http.MethodPost, "/api/v1/invites", `{"name":"Zoë","email":"zoe@`+name+`.example.com"}`, &invited); err != nil {
				t.Fatal(err)
			}
		}
		waittest.Until(t, "two letters are sent", func() bool { return len(sink.Envelopes()) == 2 })
		waittest.Until(t, "the log names the foreign sender", func() bool { return strings.Contains(p.log.String(), "not a sender of yours") })
		got := map[string]smtptest.Envelope{}
		for _, e := range sink.Envelopes() {
			got[strings.TrimSuffix(strings.TrimPrefix(e.To[0], "zoe@"), ".example.com")] = e
		}
		from := func(name string) *netmail.Address {
			m, err := netmail.ReadMessage(bytes.NewReader(got[name].Raw))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			list, err := m.Header.AddressList("From")
			if err != nil || len(list) != 1 {
				t.Fatalf("%s: %v, %v", name, list, err)
			}
			return list[0]
		}
		if f := from("own"); f.Name != "Müller, Söhne" || f.Address != "tests@xn--bcher-kva.example" {
			t.Errorf("the letter comes from %v", f)
		}
		if f := from("server"); f.Name != "server GmbH" || f.Address != "typus@example.com" || got["server"].From != "typus@example.com" {
			t.Errorf("a letter of an account without a sender comes from %v", f)
		}
		signed, err := dkim.VerifyWithOptions(bytes.NewReader(got["own"].Raw), &dkim.VerifyOptions{LookupTXT: func(name string) ([]string, error) {
			return map[string][]string{own.RecordName: {own.Record}}[name], nil
		}})
		if err != nil || len(signed) != 1 || signed[0].Err != nil || signed[0].Domain != own.Domain {
			t.Errorf("%+v, %v in\n%s", signed, err, got["own"].Raw)
		}
		back := got["own"].From
		if !strings.HasPrefix(back, "bounces+") || !strings.HasSuffix(back, "@xn--bcher-kva.example") {
			t.Errorf("reports come to %s", back)
		}
		waittest.Until(t, "the letter counts as undeliverable", func() bool { // the server may not have noted yet that the letter is sent
			_, out, _ := pipe(t, environ, deliveryReport(back, "failed", "5.1.1", "550 5.1.1 no such user"))
			return strings.Contains(out, "is undeliverable")
		})
		p.stop(t)
	})
}

func TestTheSenderOfAnAccountIsSetAndForgottenByCommand(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		must[id](t, environ, "account", "create", "--name", "A")
		sender := func(args ...string) ownSenderOf {
			t.Helper()
			return must[ownSenderOf](t, environ, append([]string{"account", "sender", "--account", "1"}, args...)...)
		}
		if got := sender(); got != (ownSenderOf{}) {
			t.Errorf("a new account has %+v", got)
		}
		first := sender("--from", "Muster <tests@mail.example.com>", "--selector", "one", "--domain", "example.com")
		if first.Domain != "example.com" || first.Record == "" {
			t.Errorf("the sender is %+v", first)
		}
		renamed := first
		renamed.From = "tests@mail.example.com"
		if got := sender("--from", "tests@mail.example.com"); got != renamed {
			t.Errorf("what is not named has changed: %+v", got)
		}
		if got := sender("--selector", "one", "--domain", "Example.COM"); got != renamed {
			t.Errorf("the same key again: %+v", got)
		}
		_, file := dkimKey(t)
		given := sender("--selector", "two", "--key-file", file)
		if given.RecordName != "two._domainkey.mail.example.com" || given.Record == first.Record {
			t.Errorf("another key: %+v", given)
		}
		pem, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		inside := strings.Split(string(pem), "\n")[1]
		for _, args := range [][]string{{"account", "sender", "--account", "1"}, {"account", "sender", "--account", "1", "--json"}} {
			if _, out, errOut := command(t, environ, args...); strings.Contains(out+errOut, inside) || strings.Contains(out+errOut, "PRIVATE") {
				t.Errorf("%v prints the key:\n%s%s", args, out, errOut)
			}
		}
		if got := sender("--selector", ""); got.RecordName != "" || got.Record != "" || got.From != renamed.From {
			t.Errorf("without a key: %+v", got)
		}
		for _, args := range [][]string{
			{"--from", "nobody"}, {"--from", "a@example.com, b@example.com"}, {"--from", ""}, {"--bounces", "a+b@example.com"}, {"--domain", "example.com"},
			{"--selector", "x", "--domain", "example.org"}, {"--selector", "x", "--domain", "ample.com"}, {"--selector", "x y"},
			{"--selector", "x", "--key-file", file + ".none"}, {"--remove", "--from", "a@example.com"},
		} {
			if code, _, errOut := command(t, environ, append([]string{"account", "sender", "--account", "1"}, args...)...); code != 2 || errOut == "" {
				t.Errorf("%q: exit %d, %s", args, code, errOut)
			}
		}
		sender("--selector", "three")
		if code, _, errOut := command(t, environ, "account", "sender", "--account", "1", "--from", "tests@example.org"); code != 2 || !strings.Contains(errOut, "domain must be the domain of tests@example.org") {
			t.Errorf("a sender that the key does not fit: exit %d, %s", code, errOut)
		}
		if got := sender("--remove"); got != (ownSenderOf{}) {
			t.Errorf("after its removal: %+v", got)
		}
		if got := sender("--remove"); got != (ownSenderOf{}) {
			t.Errorf("after its removal again: %+v", got)
		}
		if code, _, errOut := command(t, environ, "account", "sender", "--account", "9"); code != 1 || !strings.Contains(errOut, "no such account") {
			t.Errorf("an unknown account: exit %d, %s", code, errOut)
		}
		if code, _, errOut := command(t, environ, "account", "sender", "--account", "1", "--bounces", "b@example.com"); code != 2 || !strings.Contains(errOut, "from must be") {
			t.Errorf("no sender: exit %d, %s", code, errOut)
		}
	})
}
