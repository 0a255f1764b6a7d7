package main

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/pflag"

	"typus/internal/mail/smtptest"
	"typus/internal/porttest"
)

// said is what the doctor found, by name; the worst of each.
type said map[string]finding

func (s said) take(found []finding) {
	for _, f := range found {
		if was, there := s[f.Name]; !there || was.State == fine || f.State == faulty {
			s[f.Name] = f
		}
	}
}

// visited runs the doctor as a command.
func visited(t *testing.T, environ []string) (int, said) {
	t.Helper()
	code, out, errOut := command(t, environ, "doctor", "--json")
	var answer struct {
		OK       bool      `json:"ok"`
		Findings []finding `json:"findings"`
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatalf("exit %d: %s%s: %v", code, out, errOut, err)
	}
	s := said{}
	s.take(answer.Findings)
	if answer.OK != (code == 0) {
		t.Errorf("exit %d with %+v", code, answer)
	}
	return code, s
}

// looked runs the doctor where a test replaces what it asks outside.
func looked(t *testing.T, environ []string, change func(d *doctor)) said {
	t.Helper()
	settings, err := loadSettings(pflag.NewFlagSet("", pflag.ContinueOnError), environ)
	if err != nil {
		t.Fatal(err)
	}
	d := &doctor{
		settings: settings, now: time.Now(), free: func(string) (int64, bool) { return 1 << 40, true },
		txt: func(context.Context, string) ([]string, error) { return nil, errors.New("no DNS here") },
	}
	change(d)
	d.look(t.Context())
	s := said{}
	s.take(d.found)
	return s
}

func (s said) wants(t *testing.T, name, state string, words ...string) {
	t.Helper()
	line := s[name].line()
	if s[name].State != state {
		t.Errorf("%s is %s, want %s", name, line, state)
	}
	for _, word := range words {
		if !strings.Contains(line, word) {
			t.Errorf("%q is not said: %s", word, line)
		}
	}
	if state == faulty && strings.Contains(line, "geheim") {
		t.Errorf("a secret is said: %s", line)
	}
}

func TestAnInstallationThatIsWellHasNoFault(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		server := smtptest.Start(t, nil)
		environ = append(environ, "TYPUS_SMTP_URL=smtp://"+server.Addr, "TYPUS_MAIL_FROM=Typus <typus@example.com>", "TYPUS_ERASURES="+filepath.Join(t.TempDir(), "list"))
		must[id](t, environ, "account", "create", "--name", "A")
		p := serve(t, environ)
		s := looked(t, environ, func(d *doctor) {
			d.txt = func(context.Context, string) ([]string, error) { return []string{"v=spf1 mx -all"}, nil }
		})
		for name, f := range s {
			if f.State == faulty {
				t.Errorf("%s", f.line())
			}
			if f.Remedy != "" && f.State == fine {
				t.Errorf("%s is well and has a remedy: %s", name, f.line())
			}
		}
		for _, name := range []string{"database", "integrity", "clock", "key", "erasures", "letters", "deliveries", "base URL", "mail server", "SPF"} {
			s.wants(t, name, fine)
		}
		p.stop(t)
	})
}

func TestEachFaultOfADatabaseIsSaidWithItsRemedy(t *testing.T) {
	for name, c := range map[string]struct {
		arm   func(t *testing.T, b *backedUp)
		what  string
		state string
		words []string
	}{
		"gone":    {func(t *testing.T, b *backedUp) { os.Remove(b.database) }, "database", faulty, []string{"there is no database at", "set TYPUS_DATABASE"}},
		"garbage": {func(t *testing.T, b *backedUp) { os.WriteFile(b.database, []byte("garbage"), 0o600) }, "database", faulty, []string{"no SQLite database"}},
		"an older schema": {func(t *testing.T, b *backedUp) {
			change(t, b.database, `delete from schema_migrations where name like '0001%' or name like '%tombstones.sql'`)
		}, "schema", faulty, []string{"older version", "typus migrate"}},
		"a newer schema": {func(t *testing.T, b *backedUp) {
			change(t, b.database, `insert into schema_migrations (name, applied_at) values ('9999_future.sql', 1)`)
		}, "schema", faulty, []string{"newer version", "use that version"}},
		"a clock that was ahead": {func(t *testing.T, b *backedUp) {
			change(t, b.database, `insert into clock_readings (machine, wall) values (1, ?)`, time.Now().Add(time.Hour).UnixMilli())
		}, "clock", faulty, []string{"differs by", "NTP"}},
		"another key": {func(t *testing.T, b *backedUp) {
			os.WriteFile(filepath.Join(filepath.Dir(b.database), "secret.key"), []byte(strings.Repeat("x", 40)), 0o600)
		}, "key", faulty, []string{"is not the key this database was made with"}},
		"no key": {func(t *testing.T, b *backedUp) { os.Remove(filepath.Join(filepath.Dir(b.database), "secret.key")) }, "key", faulty, []string{"is missing at", "put it back"}},
		"a key that all can read": {func(t *testing.T, b *backedUp) {
			os.Chmod(filepath.Join(filepath.Dir(b.database), "secret.key"), 0o644)
		}, "files", faulty, []string{"chmod 600", "secret.key"}},
		"a list that lacks one": {func(t *testing.T, b *backedUp) {
			change(t, b.database, `update candidates set erased_at = ? where id = ?`, time.Now().Add(-time.Hour).UnixMilli(), b.invite(t, "gone"))
		}, "erasures", faulty, []string{"1 erasure not in", "start the server"}},
		"a damaged list":       {func(t *testing.T, b *backedUp) { os.WriteFile(b.database+".erasures", []byte("x\n"), 0o600) }, "erasures", faulty, []string{"line 1 of"}},
		"a letter that waits":  {func(t *testing.T, b *backedUp) { b.queue(t) }, "letters", faulty, []string{"has been due for 1h0m0s", "TYPUS_SMTP_URL"}},
		"a delivery waits":     {func(t *testing.T, b *backedUp) { b.owe(t) }, "deliveries", faulty, []string{"has been due for 1h0m0s", "start the server"}},
		"no mail server":       {func(*testing.T, *backedUp) {}, "mail server", warning, []string{"none is set", "TYPUS_MAIL_FROM"}},
		"no server":            {func(*testing.T, *backedUp) {}, "base URL", faulty, []string{"does not answer", "start the server"}},
		"a database put aside": {func(t *testing.T, b *backedUp) { os.WriteFile(b.database+".before-20261130T120000Z", nil, 0o600) }, "put aside", warning, []string{"nobody is erased from it"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBackedUp(t)
			b.environ = append(b.environ, "TYPUS_ADDR="+porttest.Free(t))
			c.arm(t, b)
			before := files(t, filepath.Dir(b.database))
			code, s := visited(t, b.environ)
			s.wants(t, c.what, c.state, c.words...)
			if code != 1 { // at least no server answers
				t.Errorf("exit %d", code)
			}
			if after := files(t, filepath.Dir(b.database)); len(after) != len(before) {
				t.Errorf("the doctor has changed the files: %d before, %d after", len(before), len(after))
			}
		})
	}
}

// queue has a letter wait that has been due for an hour.
func (b *backedUp) queue(t *testing.T) {
	t.Helper()
	change(t, b.database, `insert into letters (account_id, kind, language, recipient, state, next_attempt_at, created_at) values (?, 'invitation', 'de', 'a@example.com', 'queued', ?, 1)`,
		b.account, time.Now().Add(-time.Hour).UnixMilli())
}

// owe has a delivery wait that has been due for an hour, for a webhook that is on.
func (b *backedUp) owe(t *testing.T) {
	t.Helper()
	must[id](t, b.environ, "webhook", "create", "--account", itoa(b.account), "--url", "https://hooks.example.com/a")
	change(t, b.database, `
		insert into webhook_events (id, account_id, type, candidate_id, occurred_at, payload_sha256) values ('evt_1', ?, 'candidate.completed', ?, 0, '')`, b.account, b.invite(t, "done"))
	change(t, b.database, `
		insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, next_attempt_at) values ('dlv_1', ?, 'evt_1', 1, 'auto', 'pending', ?)`,
		b.account, time.Now().Add(-time.Hour).UnixMilli())
}

func TestADamagedPageIsAFaultOfTheDatabase(t *testing.T) {
	b := newBackedUp(t)
	b.heavy(t, 5_000) // most of the file, its middle among it
	text, err := os.ReadFile(b.database)
	if err != nil {
		t.Fatal(err)
	}
	middle := len(text) / 2 / 4096 * 4096
	for i := middle; i < middle+4096; i++ {
		text[i] = 0x5a
	}
	if err := os.WriteFile(b.database, text, 0o600); err != nil {
		t.Fatal(err)
	}
	_, s := visited(t, b.environ)
	s.wants(t, "integrity", faulty, "typus restore")
}

func TestTheDiskIsLookedAt(t *testing.T) {
	b := newBackedUp(t)
	for free, want := range map[int64]string{100 << 20: faulty, 1 << 40: fine} {
		looked(t, b.environ, func(d *doctor) { d.free = func(string) (int64, bool) { return free, true } }).wants(t, "disk", want, "MB are free")
	}
	looked(t, b.environ, func(d *doctor) { d.free = func(string) (int64, bool) { return 0, false } }).wants(t, "disk", warning, "does not say")
}

// Whoever looks for a lost key has to know which one it is.
func TestTheKeyThatIsMissingIsNamedByItsFingerprint(t *testing.T) {
	b := newBackedUp(t)
	file := filepath.Join(filepath.Dir(b.database), "secret.key")
	_, s := visited(t, b.environ)
	_, fingerprint, found := strings.Cut(s["key"].line(), "its fingerprint is ")
	if !found || len(fingerprint) != 8 {
		t.Fatal(s["key"].line())
	}
	if err := os.WriteFile(file, []byte(strings.Repeat("x", 40)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, s = visited(t, b.environ)
	s.wants(t, "key", faulty, "(fingerprint "+fingerprint+")")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	_, s = visited(t, b.environ)
	s.wants(t, "key", faulty, "(fingerprint "+fingerprint+")")
}

func TestWhatAnswersAtTheBaseURLMustBeTypus(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	b := newBackedUp(t)
	_, s := visited(t, append(b.environ, "TYPUS_BASE_URL="+other.URL))
	s.wants(t, "base URL", faulty, "is not a working Typus", "TYPUS_ADDR")
}

func TestEachAccountsOwnHostIsAsked(t *testing.T) {
	b := newBackedUp(t)
	must[struct{}](t, b.environ, "account", "set", "--account", itoa(b.account), "--host", "tests.kunde.invalid")
	s := looked(t, append(b.environ, "TYPUS_BASE_URL=http://"+porttest.Free(t)), func(*doctor) {})
	s.wants(t, "host of account "+itoa(b.account), faulty, "http://tests.kunde.invalid:", "does not answer", "certificate")
}

func TestTheMailServerMustLetUsIn(t *testing.T) {
	b := newBackedUp(t)
	server := smtptest.Start(t, func(s *smtptest.Server) { s.Greeting = "554 no service" })
	for url, words := range map[string][]string{
		"smtp://" + server.Addr:               {"554"},
		"smtp://" + porttest.Free(t):          {"TYPUS_SMTP_URL"},
		"smtp://a:geheim@" + porttest.Free(t): {"TYPUS_SMTP_URL"},
	} {
		s := looked(t, append(b.environ, "TYPUS_SMTP_URL="+url, "TYPUS_MAIL_FROM=typus@example.com"), func(*doctor) {})
		s.wants(t, "mail server", faulty, words...)
	}
}

func TestTheRecordsOfTheSenderAreLookedUp(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	key := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	right := "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(public)
	b := newBackedUp(t)
	environ := append(b.environ, "TYPUS_SMTP_URL=smtp://"+porttest.Free(t), "TYPUS_MAIL_FROM=Typus <typus@example.com>",
		"TYPUS_DKIM_DOMAIN=example.com", "TYPUS_DKIM_SELECTOR=one", "TYPUS_DKIM_KEY="+key)
	none := &net.DNSError{Err: "no such host", IsNotFound: true}
	for name, c := range map[string]struct {
		spf, dkim []string
		err       error
		want      [2]string
	}{
		"both":            {[]string{"other", "v=spf1 mx -all"}, []string{right}, nil, [2]string{fine, fine}},
		"none":            {nil, nil, none, [2]string{faulty, faulty}},
		"another key":     {[]string{"v=spf1 a"}, []string{"v=DKIM1; p=AAAA"}, nil, [2]string{fine, faulty}},
		"other records":   {[]string{"google-site-verification=x"}, nil, nil, [2]string{faulty, faulty}},
		"no DNS":          {nil, nil, errors.New("timeout"), [2]string{warning, warning}},
		"a key in pieces": {[]string{"v=spf1 a"}, []string{right[:40] + " " + right[40:] + "; t=s"}, nil, [2]string{fine, fine}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			s := looked(t, environ, func(d *doctor) {
				d.txt = func(_ context.Context, name string) ([]string, error) {
					if asked = append(asked, name); name == "example.com" {
						return c.spf, c.err
					}
					return c.dkim, c.err
				}
			})
			s.wants(t, "SPF", c.want[0])
			s.wants(t, "DKIM", c.want[1])
			if !slices.Equal(asked, []string{"example.com", "one._domainkey.example.com"}) {
				t.Errorf("asked for %v", asked)
			}
		})
	}
}

// Each account with a sender of its own is looked at as the server is.
func TestTheRecordsOfEachAccountsSenderAreLookedUp(t *testing.T) {
	b := newBackedUp(t)
	environ := append(b.environ, "TYPUS_SMTP_URL=smtp://"+porttest.Free(t), "TYPUS_MAIL_FROM=Typus <typus@example.com>")
	for _, args := range [][]string{
		{"--from", "tests@signed.example", "--selector", "one"}, {"--from", "tests@unsigned.example", "--bounces", "b@bounces.example"}, {"--from", "tests@mail.example.com"},
	} {
		acc := itoa(must[id](t, environ, "account", "create", "--name", "A").ID)
		must[ownSenderOf](t, environ, append([]string{"account", "sender", "--account", acc}, args...)...)
	}
	first := b.account + 1
	own := must[ownSenderOf](t, environ, "account", "sender", "--account", itoa(first))
	right := map[string][]string{
		"example.com": {"v=spf1 mx -all"}, "signed.example": {"v=spf1 include:example.com -all"}, own.RecordName: {own.Record}, "bounces.example": {"v=spf1 a"},
	}
	look := func(records map[string][]string, more ...string) said {
		t.Helper()
		return looked(t, append(environ, more...), func(d *doctor) {
			d.txt = func(_ context.Context, name string) ([]string, error) {
				if texts := records[name]; texts != nil {
					return texts, nil
				}
				return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
			}
		})
	}
	name := func(what string, n int64) string { return what + " of account " + itoa(first+n) }
	s := look(right)
	s.wants(t, name("SPF", 0), fine)
	s.wants(t, name("DKIM", 0), fine, own.RecordName)
	s.wants(t, name("SPF", 1), fine, "bounces.example")
	s.wants(t, name("DKIM", 1), warning, "no key of unsigned.example", "typus account sender --account "+itoa(first+1))
	s.wants(t, name("SPF", 2), faulty, "mail.example.com has no record")
	s.wants(t, name("DKIM", 2), warning)
	_, file := dkimKey(t)
	s = look(right, "TYPUS_DKIM_DOMAIN=example.com", "TYPUS_DKIM_SELECTOR=typus", "TYPUS_DKIM_KEY_FILE="+file, "TYPUS_BOUNCE_ADDRESS=bounces@example.com")
	s.wants(t, name("DKIM", 1), warning)
	s.wants(t, name("DKIM", 2), fine, "mail.example.com")
	s.wants(t, name("SPF", 2), fine, "example.com")
	right[own.RecordName] = []string{"v=DKIM1; p=AAAA"}
	look(right).wants(t, name("DKIM", 0), faulty, "another key", "typus account sender --account "+itoa(first))
	change(t, b.database, `update account_senders set dkim_key = x'00' where account_id = ?`, first)
	look(right).wants(t, "sender of account "+itoa(first), faulty, "no letter of the account goes out", "set it anew")
	if got := must[ownSenderOf](t, environ, "account", "sender", "--account", itoa(first), "--selector", "one"); got.Record == "" || got.Record == own.Record {
		t.Errorf("a key that does not open is made anew: %+v", got)
	}
}

func TestTheDoctorSaysALineForEachThing(t *testing.T) {
	b := newBackedUp(t)
	code, out, errOut := command(t, append(b.environ, "TYPUS_ADDR="+porttest.Free(t)), "doctor")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 1 || len(lines) < 8 || errOut != "typus: 1 fault found\n" {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	for _, line := range lines {
		state, _, _ := strings.Cut(line, " ")
		if state != fine && state != warning && state != faulty {
			t.Errorf("a line begins with %q", state)
		}
	}
	if code, _, errOut := command(t, append(b.environ, "TYPUS_ADDR=nowhere"), "doctor"); code != 2 || !strings.Contains(errOut, "TYPUS_ADDR must be") {
		t.Errorf("a wrong setting: exit %d, %s", code, errOut)
	}
}

func TestPlainLinksAreAWarning(t *testing.T) {
	b := newBackedUp(t)
	settings, err := loadSettings(pflag.NewFlagSet("", pflag.ContinueOnError), append(b.environ, "TYPUS_BASE_URL=http://typus.invalid"))
	if err != nil {
		t.Fatal(err)
	}
	d := &doctor{settings: settings}
	d.baseURL(t.Context())
	if len(d.found) != 2 || d.found[0].State != warning || !strings.Contains(d.found[0].line(), "plain http") {
		t.Errorf("found %+v", d.found)
	}
}
