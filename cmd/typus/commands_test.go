package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"typus/internal/db/dbtest"
	"typus/internal/instrument"
	"typus/internal/waittest"
)

func TestTheCommandsWorkBesideARunningServer(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		p := serve(t, environ)
		account := must[id](t, environ, "account", "create", "--name", "Muster GmbH", "--credits", "3", "--contact-email", "hr@example.com")
		acc := "--account=" + itoa(account.ID)
		key := must[newKey](t, environ, "key", "create", acc, "--name", "CRM")
		if !regexp.MustCompile(`^typ_live_[0-9A-Za-z]{36}$`).MatchString(key.Key) {
			t.Errorf("key %q", key.Key)
		}
		receiver, err := startReceiver()
		if err != nil {
			t.Fatal(err)
		}
		defer receiver.close()
		hook := must[struct {
			ID     int64  `json:"id"`
			Secret string `json:"secret"`
		}](t, environ, "webhook", "create", acc, "--url", receiver.url)

		w := &walk{base: p.base, key: key.Key, secret: hook.Secret, receiver: receiver, test: instrument.Own(), out: discard(), client: &http.Client{Timeout: 30 * time.Second}, externalID: "crm-9"}
		if err := w.invite(t.Context()); err != nil {
			t.Fatal(err)
		}
		done := must[struct {
			ID      int64 `json:"id"`
			Overall int   `json:"overall"`
		}](t, environ, "candidate", "finish", acc, "--id", itoa(w.candidateID), "--seed", "7")
		if done.ID != w.candidateID || done.Overall < 1 || done.Overall > 100 {
			t.Errorf("finished %+v", done)
		}
		if err := w.receive(t.Context()); err != nil {
			t.Errorf("the webhook of a test finished by command: %v", err)
		}
		if err := w.readBack(t.Context()); err != nil {
			t.Error(err)
		}
		code, _, errOut := command(t, environ, "candidate", "finish", acc, "--id", itoa(w.candidateID))
		if code != 1 || !strings.Contains(errOut, "finished the test already") {
			t.Errorf("a second finish: exit %d, %s", code, errOut)
		}

		type balance struct {
			Balance int64 `json:"balance"`
		}
		if b := must[balance](t, environ, "credits", "show", acc); b.Balance != 2 {
			t.Errorf("balance %d", b.Balance)
		}
		if b := must[balance](t, environ, "credits", "add", acc, "--amount", "5", "--note", "invoice 7"); b.Balance != 7 {
			t.Errorf("balance %d", b.Balance)
		}
		accounts := must[struct {
			Accounts []struct {
				ID      int64  `json:"id"`
				Name    string `json:"name"`
				Plan    string `json:"plan"`
				Credits int64  `json:"credits"`
			} `json:"accounts"`
		}](t, environ, "account", "list")
		if len(accounts.Accounts) != 1 || accounts.Accounts[0].Credits != 7 || accounts.Accounts[0].Plan != "business" {
			t.Errorf("accounts %+v", accounts)
		}

		must[id](t, environ, "key", "revoke", acc, "--id", itoa(key.ID))
		waittest.Until(t, "the key opens nothing", func() bool { // a revoked key may live a second longer elsewhere
			_, err := w.call(t.Context(), "GET", "/api/v1/candidates", "", &struct{}{})
			return err != nil && strings.Contains(err.Error(), "401")
		})
		must[id](t, environ, "webhook", "delete", acc, "--id", itoa(hook.ID))
		if hooks := must[struct {
			Webhooks []id `json:"webhooks"`
		}](t, environ, "webhook", "list", acc); len(hooks.Webhooks) != 0 {
			t.Errorf("webhooks %+v", hooks)
		}
		user := must[struct {
			ID   int64  `json:"id"`
			Link string `json:"link"`
		}](t, environ, "user", "create", acc, "--email", "owner@example.com", "--role", "owner")
		if !strings.HasPrefix(user.Link, p.base+"/passwort/") {
			t.Errorf("link %q", user.Link)
		}
		p.stop(t)
		for _, secret := range []string{key.Key, hook.Secret, w.link[strings.LastIndexByte(w.link, '/')+1:], "aylin", "Öztürk", "owner@example.com"} {
			if strings.Contains(p.log.String(), secret) {
				t.Errorf("the log holds %q:\n%s", secret, p.log)
			}
		}
	})
}

func TestAnAnswersFileDecidesTheScores(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	account := must[id](t, environ, "account", "create", "--name", "A")
	acc := "--account=" + itoa(account.ID)
	file := filepath.Join(t.TempDir(), "answers.json")
	var pairs []string
	for _, it := range instrument.Own().Items() {
		pairs = append(pairs, fmt.Sprintf("%q:6", it.ID))
	}
	os.WriteFile(file, []byte("{"+strings.Join(pairs, ",")+"}"), 0o600)
	p := serve(t, environ)
	key := must[newKey](t, environ, "key", "create", acc, "--name", "k")
	w := &walk{base: p.base, key: key.Key, out: discard(), client: &http.Client{}, externalID: "x"}
	if err := w.invite(t.Context()); err != nil {
		t.Fatal(err)
	}
	code, _, errOut := command(t, environ, "candidate", "finish", acc, "--id", itoa(w.candidateID), "--answers", filepath.Join(t.TempDir(), "none"))
	if code != 2 || !strings.Contains(errOut, "cannot be read") {
		t.Errorf("a missing file: exit %d, %s", code, errOut)
	}
	done := must[struct {
		Overall int `json:"overall"`
	}](t, environ, "candidate", "finish", acc, "--id", itoa(w.candidateID), "--answers", file)
	if done.Overall != 58 { // every item answered with 6: golden vector G06
		t.Errorf("overall %d, want 58", done.Overall)
	}
}

func TestAWrongCommandLineIsOneLineAndExit2(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	must[id](t, environ, "account", "create", "--name", "A")
	for _, args := range [][]string{
		{"nonsense"}, {"--nonsense"}, {"account"}, {"account", "nonsense"}, {"account", "create"}, {"key", "create"},
		{"account", "create", "--name", ""}, {"account", "create", "--name", "A", "--plan", "gold"},
		{"account", "create", "--name", "A", "--credits", "many"}, {"account", "list", "extra"},
		{"credits", "add", "--account", "1", "--amount", "0", "--note", "x"},
		{"serve", "--addr", "nowhere"}, {"demo", "--addr", "0.0.0.0:1"},
		{"webhook", "create", "--account", "1", "--url", "http://10.0.0.1/hook"},
		{"user", "create", "--account", "1", "--email", "x"},
		{"key", "create", "--account", "1", "--name", "k", "--position", ""}, {"key", "create", "--account", "1", "--name", "k", "--scope="},
	} {
		code, out, errOut := command(t, environ, args...)
		if code != 2 || out != "" || strings.Count(errOut, "\n") != 1 || len(errOut) < 10 {
			t.Errorf("typus %s: exit %d, out %q, err %q", strings.Join(args, " "), code, out, errOut)
		}
	}
}

// Of a slip in a command's name together with flags, which belong to the command that was
// meant, the name is what to mend.
func TestAnUnknownCommandIsNamedBeforeItsFlags(t *testing.T) {
	groups := 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, child := range c.Commands() {
			walk(child)
		}
		path := strings.Fields(c.CommandPath())[1:]
		if !c.HasSubCommands() {
			code, _, errOut := command(t, nil, append(path, "--nonsense")...)
			want := 2
			if c.Annotations[piped] != "" {
				want = exitUsage
			}
			if code != want || !strings.Contains(errOut, "unknown flag: --nonsense") {
				t.Errorf("%s --nonsense: exit %d, %s", c.CommandPath(), code, errOut)
			}
			return
		}
		groups++
		for _, rest := range [][]string{{"slip"}, {"slip", "--account", "1"}, {"--account", "1", "slip"}, {"--account=1", "slip"}, {"--json", "slip", "--nonsense"}} {
			code, out, errOut := command(t, nil, append(slices.Clone(path), rest...)...)
			want := fmt.Sprintf("typus: there is no command %q; name one of: ", c.CommandPath()+" slip")
			if code != 2 || out != "" || !strings.HasPrefix(errOut, want) || strings.Count(errOut, "\n") != 1 || strings.Contains(errOut, "flag") {
				t.Errorf("%s %v: exit %d, %q, %s", c.CommandPath(), rest, code, out, errOut)
			}
		}
		for _, child := range c.Commands() {
			if code, _, errOut := command(t, nil, append(slices.Clone(path), child.Name(), "--help")...); code != 0 {
				t.Errorf("%s: exit %d, %s", child.CommandPath(), code, errOut)
			}
		}
	}
	walk(newApp(nil, nil, nil, nil).command())
	if groups < 7 {
		t.Errorf("%d commands that hold others", groups)
	}
}

func TestAnUnknownAccountIsExit1(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	must[id](t, environ, "account", "create", "--name", "A")
	for _, args := range [][]string{
		{"key", "create", "--account", "9", "--name", "k"}, {"key", "list", "--account", "9"}, {"key", "revoke", "--account", "9", "--id", "1"},
		{"webhook", "create", "--account", "9", "--url", "https://hooks.example.com/a"}, {"webhook", "list", "--account", "9"}, {"webhook", "delete", "--account", "9", "--id", "1"},
		{"credits", "show", "--account", "9"}, {"credits", "add", "--account", "9", "--amount", "1", "--note", "x"},
		{"candidate", "finish", "--account", "9", "--id", "1"}, {"user", "link", "--account", "9", "--email", "a@example.com"},
		{"user", "create", "--account", "9", "--email", "a@example.com"}, {"user", "list", "--account", "9"},
	} {
		code, out, errOut := command(t, environ, args...)
		if code != 1 || out != "" || strings.Count(errOut, "\n") != 1 || strings.Contains(strings.ToLower(errOut), "sql") {
			t.Errorf("typus %s: exit %d, out %q, err %q", strings.Join(args, " "), code, out, errOut)
		}
	}
}

func TestAPasswordIsReadFromStandardInput(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	must[id](t, environ, "account", "create", "--name", "A")
	for password, want := range map[string]int{"short\n": 2, "a long and unusual sentence\n": 0} {
		var out, errOut strings.Builder
		code := run(t.Context(), []string{"user", "create", "--account", "1", "--email", "o@example.com", "--password-stdin"}, environ, strings.NewReader(password), &out, &errOut)
		if code != want {
			t.Errorf("%q: exit %d, %s", password, code, errOut.String())
		}
	}
}

func TestACommandInTheWrongPlaceMakesNoNewInstallation(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "elsewhere")
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(dir, "typus.db")}
	code, _, errOut := command(t, environ, "account", "list")
	if code != 1 || !strings.Contains(errOut, "there is no database at") {
		t.Errorf("exit %d, %s", code, errOut)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a directory was made")
	}
	empty := []string{"TYPUS_DATABASE=" + dbtest.EmptyPostgres(t), "TYPUS_SECRET_KEY=" + strings.Repeat("s", 40)}
	if code, _, errOut := command(t, empty, "account", "list"); code != 1 || !strings.Contains(errOut, "typus migrate") {
		t.Errorf("on an empty PostgreSQL database: exit %d, %s", code, errOut)
	}
	must[id](t, empty, "account", "create", "--name", "A")
}

// What PostgreSQL says is shown to the operator, who has to mend it.
func TestTheCauseOfAMissingDatabaseIsShown(t *testing.T) {
	code, _, errOut := command(t, []string{"TYPUS_DATABASE=postgres://u:hidden@127.0.0.1:1/typus", "TYPUS_SECRET_KEY=" + strings.Repeat("s", 40)}, "account", "list")
	if code != 1 || !strings.Contains(errOut, "nothing listens at 127.0.0.1:1") || strings.Contains(errOut, "hidden") || strings.Count(errOut, "\n") != 1 {
		t.Errorf("exit %d, %s", code, errOut)
	}
}
