package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/porttest"
	"typus/internal/store"
)

func TestASecondServerOnOneFileIsRefused(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	p := serve(t, environ)
	code, _, errOut := command(t, append(environ, "TYPUS_ADDR="+porttest.Free(t)), "serve")
	if code != 1 || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, ": a server is running on") {
		t.Errorf("exit %d, %s", code, errOut)
	}
	p.stop(t)
	if code, out, errOut := command(t, environ, "migrate"); code != 0 || !strings.Contains(out, "is current") {
		t.Errorf("exit %d, %s %s", code, out, errOut)
	}
}

// What lets strangers do more than they should is said when the server starts,
// and only then.
func TestTheServerSaysWhatIsOpen(t *testing.T) {
	const plain, relay = "links are plain http: http://typus.example.com", "TYPUS_LETTERS_PER_DAY bounds them"
	for name, c := range map[string]struct {
		environ      []string
		plain, relay bool
	}{
		"links without https, and sign-up": {[]string{"TYPUS_BASE_URL=http://typus.example.com", "TYPUS_SIGNUP=open"}, true, true},
		"links with https, and a bound":    {[]string{"TYPUS_BASE_URL=https://typus.example.com", "TYPUS_SIGNUP=open", "TYPUS_LETTERS_PER_DAY=100"}, false, false},
		"as it comes":                      {nil, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := serve(t, append(c.environ, "TYPUS_DATABASE="+filepath.Join(t.TempDir(), "typus.db")))
			p.stop(t)
			if log := p.log.String(); strings.Contains(log, plain) != c.plain || strings.Contains(log, relay) != c.relay {
				t.Errorf("the log says: %s", log)
			} else if name == "as it comes" && (strings.Contains(log, `"level":"WARN"`) || !strings.Contains(log, "to try them out") || !strings.Contains(log, "wait in the outbox")) {
				t.Errorf("what is normal on somebody's own machine is no warning: %s", log)
			}
		})
	}
}

// Only a proxy that is trusted says where a request comes from; what anybody else
// writes there changes neither the audit log nor how guesses are counted.
func TestOnlyATrustedProxySaysWhereARequestComesFrom(t *testing.T) {
	for name, c := range map[string]struct {
		proxies, want string
		tried         int // of ten guesses that claim to come from ten networks
	}{
		"nobody is trusted": {"", "127.0.0.1", 5},
		"another network":   {"TYPUS_TRUSTED_PROXIES=10.0.0.0/8", "127.0.0.1", 5},
		"this machine":      {"TYPUS_TRUSTED_PROXIES=127.0.0.0/8", "198.51.9.7", 10},
	} {
		t.Run(name, func(t *testing.T) {
			database := filepath.Join(t.TempDir(), "typus.db")
			environ := []string{"TYPUS_DATABASE=" + database}
			must[id](t, environ, "account", "create", "--name", "A")
			if code, _, errOut := command(t, environ, "user", "create", "--account", "1", "--email", "ada@example.com", "--role", "owner"); code != 0 {
				t.Fatal(errOut)
			}
			if c.proxies != "" {
				environ = append(environ, c.proxies)
			}
			p := serve(t, environ)
			base := strings.Replace(p.base, "localhost", "127.0.0.1", 1)
			for n := range 10 {
				form := url.Values{"email": {"ada@example.com"}, "password": {"wrong wrong wrong"}}
				req, err := http.NewRequestWithContext(t.Context(), "POST", base+"/anmelden", strings.NewReader(form.Encode()))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				req.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.1, 198.51.%d.7", n))
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
			}
			p.stop(t)
			st, err := store.Open(t.Context(), database)
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			entries, err := st.AuditLog(t.Context(), store.WholeAccount(1), store.AuditFilter{Action: "user.login_failed", Limit: 20})
			if err != nil {
				t.Fatal(err)
			}
			if len(entries) != c.tried || entries[0].IP != c.want {
				t.Errorf("%d guesses were tried, the last from %+v, want %d and %s", len(entries), entries[:min(1, len(entries))], c.tried, c.want)
			}
		})
	}
}

func TestAnotherSecretKeyIsRefused(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		must[id](t, environ, "account", "create", "--name", "A")
		code, _, errOut := command(t, append(environ, "TYPUS_SECRET_KEY="+strings.Repeat("x", 32)), "account", "list")
		if code != 2 || !strings.Contains(errOut, "TYPUS_SECRET_KEY is not the key") || !strings.Contains(errOut, "backed up with the database") {
			t.Errorf("exit %d, %s", code, errOut)
		}
		file := filepath.Join(t.TempDir(), "other.key")
		os.WriteFile(file, []byte(strings.Repeat("x", 32)), 0o600)
		given := slices.DeleteFunc(slices.Clone(environ), func(pair string) bool { return strings.HasPrefix(pair, "TYPUS_SECRET_KEY=") })
		code, _, errOut = command(t, append(given, "TYPUS_SECRET_KEY_FILE="+file), "account", "list")
		if code != 2 || !strings.Contains(errOut, file+" (TYPUS_SECRET_KEY_FILE) is not the key") {
			t.Errorf("exit %d, %s", code, errOut)
		}
	})
}

func TestACommandThatKnowsOnlyItsAddressMakesTheServersLinks(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	account := must[id](t, environ, "account", "create", "--name", "A")
	must[id](t, environ, "user", "create", "--account", itoa(account.ID), "--email", "a@example.com")
	serve(t, append(environ, "TYPUS_BASE_URL=https://typus.example.com")).stop(t)
	linkWith := func(more ...string) string {
		return must[linkAnswer](t, append(environ, more...), "user", "link", "--account", itoa(account.ID), "--email", "a@example.com").Link
	}
	for want, link := range map[string]string{
		"https://typus.example.com/": linkWith("TYPUS_ADDR=127.0.0.1:9999"),
		"https://other.example.com/": linkWith("TYPUS_ADDR=127.0.0.1:9999", "TYPUS_BASE_URL=https://other.example.com"),
	} {
		if !strings.HasPrefix(link, want) {
			t.Errorf("got %s, want %s…", link, want)
		}
	}
}

func TestMigrateBesideAServerSaysThatTheSchemaIsCurrent(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		p := serve(t, append(environ, "TYPUS_BASE_URL=https://typus.example.com"))
		code, out, errOut := command(t, environ, "migrate")
		if code != 0 || out != "the schema is current\n" {
			t.Errorf("exit %d, %s%s", code, out, errOut)
		}
		must[id](t, environ, "account", "create", "--name", "A")
		if link := must[userAnswer](t, environ, "user", "create", "--account", "1", "--email", "a@example.com").Link; link == nil || !strings.HasPrefix(*link, "https://typus.example.com/") {
			t.Errorf("migrate took the server's place: %v", link)
		}
		p.stop(t)
	})
}

func TestAMissingSecretKeyIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(dir, "typus.db")}
	must[id](t, environ, "account", "create", "--name", "A")
	if err := os.Remove(filepath.Join(dir, "secret.key")); err != nil {
		t.Fatal(err)
	}
	code, _, errOut := command(t, environ, "account", "list")
	if code != 2 || !strings.Contains(errOut, "is missing at") {
		t.Errorf("exit %d, %s", code, errOut)
	}
	if _, err := os.Stat(filepath.Join(dir, "secret.key")); err == nil {
		t.Error("a new key hides the loss of the old one")
	}
}

func TestTheSecretKeyIsMadeForItsOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	must[id](t, []string{"TYPUS_DATABASE=" + filepath.Join(dir, "typus.db")}, "account", "create", "--name", "A")
	info, err := os.Stat(filepath.Join(dir, "secret.key"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestServeWithoutMigrationRefusesAnEmptyDatabase(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db"), "TYPUS_ADDR=" + porttest.Free(t)}
	if code, _, errOut := command(t, environ, "serve", "--no-migrate"); code != 1 || !strings.Contains(errOut, "typus migrate") {
		t.Errorf("exit %d, %s", code, errOut)
	}
}

func TestATakenAddressIsOneLine(t *testing.T) {
	p := serve(t, []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")})
	addr := strings.TrimPrefix(p.base, "http://localhost")
	code, _, errOut := command(t, []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db"), "TYPUS_ADDR=127.0.0.1" + addr}, "serve")
	if code != 1 || !strings.Contains(errOut, addr+" already") || !strings.Contains(errOut, "TYPUS_ADDR") {
		t.Errorf("exit %d, %s", code, errOut)
	}
}

// What a server has acknowledged is there after kill -9, and nothing is half
// there: every finished test has one ledger entry and one event, and the balance
// is what they sum up to. (The disk is not cut off here; that a commit is synced
// before it is answered is the store's test.)
func TestNothingAcknowledgedIsLostByKill9(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		account := must[id](t, environ, "account", "create", "--name", "A", "--plan", "business", "--credits", "1000")
		acc := "--account=" + itoa(account.ID)
		key := must[newKey](t, environ, "key", "create", acc, "--name", "k").Key
		must[id](t, environ, "webhook", "create", acc, "--url", "https://hooks.example.com/a")
		s := beside(t, environ)
		defer s.store.Close()

		var acknowledged []int64
		finished := 0
		for round := range 5 {
			ready := readyTests(t, s, account.ID, round, 12)
			p := serve(t, environ)
			w := &walk{base: p.base, key: key, out: discard(), client: &http.Client{Timeout: time.Minute}}
			for n, token := range ready {
				if n == 3+round { // in the middle of what follows
					time.AfterFunc(time.Duration(2*round)*time.Millisecond, func() { p.Process.Kill() })
				}
				w.externalID = fmt.Sprintf("r%d-%d", round, n)
				if w.invite(t.Context()) != nil {
					break
				}
				acknowledged = append(acknowledged, w.candidateID)
				if !handIn(w.client, p.base+"/t/"+token+"/fertig") {
					break
				}
				finished++
			}
			p.Process.Kill()
			p.Wait()
		}
		if len(acknowledged) < 25 || finished < 25 {
			t.Fatalf("only %d invitations and %d finishes were acknowledged; the test says nothing", len(acknowledged), finished)
		}
		for _, n := range acknowledged {
			if _, err := s.store.Candidate(t.Context(), account.ID, n); err != nil {
				t.Errorf("invitation %d is lost: %v", n, err)
			}
		}
		checkBooks(t, s, account.ID, finished)
	})
}

// readyTests makes tests with every item answered and returns their tokens.
func readyTests(t *testing.T, s *site, account int64, round, count int) []string {
	t.Helper()
	version := sha256.Sum256([]byte("text"))
	var tokens []string
	for i := range count {
		out, _, err := s.steps.Invite(t.Context(), account, assess.Invitation{Name: "P", Email: fmt.Sprintf("p%d.%d@example.com", round, i)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.steps.Begin(t.Context(), out.Token, typus.Notice{Version: hex.EncodeToString(version[:]), Language: "de", At: time.Now()}, "text"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.steps.Answer(t.Context(), out.Token, plausible(instrument.Own(), uint64(i))); err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, out.Token)
	}
	return tokens
}

// handIn posts the last form and reports whether it was acknowledged.
func handIn(client *http.Client, address string) bool {
	resp, err := client.Post(address, "application/x-www-form-urlencoded", nil)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK && strings.HasSuffix(resp.Request.URL.Path, "/fertig")
}

// checkBooks compares candidates, ledger, results and events, row for row. At
// least the acknowledged tests are finished; one more may be that was cut off.
func checkBooks(t *testing.T, s *site, account int64, acknowledged int) {
	t.Helper()
	finished := 0
	filter := store.CandidateFilter{Status: typus.StatusFinished, Limit: 100}
	for {
		list, next, err := s.store.Candidates(t.Context(), account, filter)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			finished++
			event, err := s.store.EventOf(t.Context(), account, c.ID, typus.EventCandidateCompleted)
			if err != nil {
				t.Errorf("candidate %d is finished without an event: %v", c.ID, err)
			}
			if d, err := s.store.DeliveriesOf(t.Context(), account, event.ID); err != nil || len(d) != 1 {
				t.Errorf("event %s has %d deliveries, %v", event.ID, len(d), err)
			}
			if _, err := s.store.Result(t.Context(), account, c.ID); err != nil {
				t.Errorf("candidate %d is finished without a result: %v", c.ID, err)
			}
		}
		if next == (store.Cursor{}) {
			break
		}
		filter.After = next
	}
	entries, err := s.store.CreditEntries(t.Context(), account, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.store.Account(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	if finished < acknowledged || len(entries) != finished+1 || found.Credits != 1000-int64(finished) {
		t.Errorf("%d acknowledged, %d finished, %d ledger entries, balance %d", acknowledged, finished, len(entries), found.Credits)
	}
}
