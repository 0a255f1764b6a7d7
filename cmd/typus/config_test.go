package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func load(t *testing.T, environ []string, args ...string) (settings, error) {
	t.Helper()
	c := &cobra.Command{}
	addSettings(c)
	if err := c.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	return loadSettings(c.Flags(), environ)
}

func TestAllWrongSettingsAreNamedAtOnce(t *testing.T) {
	_, err := load(t, []string{
		"TYPUS_DATABASE=postgres://localhost/typus", "TYPUS_ADDR=nowhere", "TYPUS_BASE_URL=https://typus.example.com/path",
		"TYPUS_STARTER_CREDITS=many", "TYPUS_LETTERS_PER_DAY=-1", "TYPUS_WEBHOOK_ALLOW_HTTP=perhaps", "TYPUS_WEBHOOK_ALLOW_NETS=10.0.0.0/8,all", "TYPUS_WEBHOOK_ALLOW_PORTS=all",
		"TYPUS_SMTP_URL=foo", "TYPUS_MAIL_FROM=bar", "TYPUS_BOUNCE_ADDRESS=bounces", "TYPUS_WEBHOOK_PROXY=baz", "TYPUS_WEBHOOK_HEADER_PREFIX=a b", "TYPUS_CA_FILE=/none",
		"TYPUS_TRUSTED_PROXIES=everybody", "TYPUS_SIGNUP=perhaps", "TYPUS_DKIM_DOMAIN=localhost", "TYPUS_DKIM_SELECTOR=a;b", "TYPUS_DKIM_KEY=geheim",
		"TYPUS_METRICS_ADDR=nowhere", "TYPUS_ERASURES=/none/list", "TYPUS_OTHER_SECRET_KEY=geheim", "TYPUS_NONSENSE=1", "TYPUS_MAIL_FROM_FILE=/x",
	})
	if err == nil {
		t.Fatal("no error")
	}
	text := message(err)
	known, _ := settingNames()
	for _, name := range append(known, "NONSENSE", "MAIL_FROM_FILE") {
		if name != "DATABASE" && !strings.Contains(text, "TYPUS_"+name+" ") {
			t.Errorf("%s is not named in: %s", name, text)
		}
	}
	if strings.Contains(text, "strconv") || strings.Contains(text, "[]uint16") || strings.Contains(text, "geheim") {
		t.Errorf("a driver's words or a secret in: %s", text)
	}
}

func TestTheListOfErasuresIsAFileInADirectoryThatIsThere(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{dir: "name a file in it", filepath.Join(dir, "none", "list"): "make it first", filepath.Join(dir, "list"): ""} {
		_, err := load(t, []string{"TYPUS_ERASURES=" + path})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(message(err), want) {
			t.Errorf("of %s: %v", path, err)
		}
	}
}

func TestAFlagGoesBeforeItsTwin(t *testing.T) {
	s, err := load(t, []string{"TYPUS_ADDR=127.0.0.1:1000"}, "--addr=127.0.0.1:2000")
	if err != nil || s.Addr != "127.0.0.1:2000" || s.BaseURL != "http://localhost:2000" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestASecretIsReadFromAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	os.WriteFile(file, []byte(strings.Repeat("k", 32)+"\n"), 0o600)
	s, err := load(t, []string{"TYPUS_SECRET_KEY_FILE=" + file})
	if err != nil || s.SecretKey != strings.Repeat("k", 32) {
		t.Errorf("%q, %v", s.SecretKey, err)
	}
}

func TestABaseURLIsRequiredOffLoopback(t *testing.T) {
	if _, err := load(t, []string{"TYPUS_ADDR=0.0.0.0:8080"}); err == nil || !strings.Contains(err.Error(), "TYPUS_BASE_URL") {
		t.Errorf("got %v", err)
	}
	s, err := load(t, []string{"TYPUS_ADDR=:8080", "TYPUS_BASE_URL=https://typus.example.com/"})
	if err != nil || s.BaseURL != "https://typus.example.com" || s.local() || s.policy().AllowHTTP || len(s.policy().AllowNets) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestALocalServerMayCallThisMachineButNotItself(t *testing.T) {
	s, err := load(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := s.policy()
	if !p.AllowHTTP || len(p.AllowNets) != 2 || strings.Join(p.OwnListeners, " ") != "127.0.0.1:8080 localhost:8080" {
		t.Errorf("%+v", p)
	}
}

func TestOneRuleSaysWhatLoopbackIs(t *testing.T) {
	for _, addr := range []string{"LOCALHOST:8080", "localhost.:8080", "[::1]:8080", "[::ffff:127.0.0.1]:8080"} {
		if s, err := load(t, []string{"TYPUS_ADDR=" + addr}); err != nil || !s.local() {
			t.Errorf("%s: local %t, %v", addr, err == nil && s.local(), err)
		}
	}
}

func TestABaseURLIsAnOriginAndAnAddressHasAPort(t *testing.T) {
	for _, base := range []string{"https://x.example.com?", "https://x.example.com:", "https://x.example.com/a", "https://u@x.example.com", "ftp://x.example.com", "x.example.com", "https://"} {
		if s, err := load(t, []string{"TYPUS_BASE_URL=" + base}); err == nil {
			t.Errorf("%s became %s", base, s.BaseURL)
		}
	}
	for _, addr := range []string{"127.0.0.1:0", "127.0.0.1:", "127.0.0.1", "127.0.0.1:65536"} {
		if _, err := load(t, []string{"TYPUS_ADDR=" + addr}); err == nil {
			t.Errorf("%s is taken", addr)
		}
	}
}

func TestASecretIsGivenOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	os.WriteFile(file, []byte(strings.Repeat("k", 32)), 0o600)
	if _, err := load(t, []string{"TYPUS_SECRET_KEY_FILE=" + file, "TYPUS_SECRET_KEY=" + strings.Repeat("k", 32)}); err == nil {
		t.Error("a secret and its file pass together")
	}
}

func TestADatabaseAddressOfAnotherKindIsRefused(t *testing.T) {
	for _, address := range []string{"mysql://u:p@h/db", "Postgres://h/db", "sqlite:typus.db", "file:typus.db?mode=ro", "a.db?mode=ro"} {
		if _, err := load(t, []string{"TYPUS_DATABASE=" + address}); err == nil || !strings.Contains(err.Error(), "TYPUS_DATABASE") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// What Kubernetes adds to a pod because of a Service called typus is no setting of an
// operator's, and no typing slip.
func TestWhatKubernetesInjectsIsPassedOver(t *testing.T) {
	s, err := load(t, []string{
		"TYPUS_SERVICE_HOST=10.96.0.7", "TYPUS_SERVICE_PORT=80", "TYPUS_SERVICE_PORT_HTTP=80", "TYPUS_PORT=tcp://10.96.0.7:80",
		"TYPUS_PORT_80_TCP=tcp://10.96.0.7:80", "TYPUS_PORT_80_TCP_PROTO=tcp", "TYPUS_PORT_80_TCP_PORT=80", "TYPUS_PORT_80_TCP_ADDR=10.96.0.7",
		"TYPUS_PORT_53_UDP=udp://10.96.0.7:53", "TYPUS_WEB_SERVICE_HOST=10.96.0.8", "TYPUS_WEB_PORT=tcp://10.96.0.8:80", "TYPUS_WEB_PORT_80_TCP_ADDR=10.96.0.8",
	})
	if err != nil || s.Addr != "127.0.0.1:8080" {
		t.Errorf("address %s, %v", s.Addr, err)
	}
	for _, pair := range []string{"TYPUS_PORT=8080", "TYPUS_PORT=", "TYPUS_WEB_PORT=80", "TYPUS_PORT_=x", "TYPUS_SERVICE=x"} {
		if _, err := load(t, []string{pair}); err == nil {
			t.Errorf("%s passes", pair)
		}
	}
}

func TestAnUnknownNameIsAnsweredWithTheOneThatWasMeant(t *testing.T) {
	for name, want := range map[string]string{
		"BASEURL": "BASE_URL", "BASE_URI": "BASE_URL", "base_url": "BASE_URL", "DATABASE_URL": "DATABASE", "DB": "DATABASE", "SMTP": "SMTP_URL", "SMPT_URL": "SMTP_URL",
		"PORT": "ADDR", "ADDRESS": "ADDR", "SECRET": "SECRET_KEY", "SECRET_KEYFILE": "SECRET_KEY_FILE", "SIGN_UP": "SIGNUP", "TRUSTED_PROXY": "TRUSTED_PROXIES",
		"STARTER_CREDIT": "STARTER_CREDITS", "WEBHOOK_ALLOW_NET": "WEBHOOK_ALLOW_NETS", "MAILFROM": "MAIL_FROM",
	} {
		_, err := load(t, []string{"TYPUS_" + name + "=x"})
		if err == nil || message(err) != "TYPUS_"+name+" is not a setting; did you mean TYPUS_"+want+"?" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnUnknownFlagIsAnsweredWithTheOneThatWasMeant(t *testing.T) {
	for flag, want := range map[string]string{"serve --baseurl=x": "--base-url", "serve --port=1": "--addr", "account create --plans=x": "--plan", "credits add --ref=x": "--reference"} {
		code, _, errOut := command(t, nil, strings.Fields(flag)...)
		if code != 2 || strings.Count(errOut, "\n") != 1 || !strings.HasSuffix(errOut, "; did you mean "+want+"?\n") {
			t.Errorf("%s: exit %d, %s", flag, code, errOut)
		}
	}
}
