package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestASecondServerOnOneFileIsRefused(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	p := serve(t, environ)
	code, _, errOut := command(t, append(environ, "TYPUS_ADDR="+freeAddress(t)), "serve")
	if code != 1 || strings.Count(errOut, "\n") != 1 {
		t.Errorf("exit %d, %s", code, errOut)
	}
	if code, _, _ := command(t, environ, "migrate"); code != 1 {
		t.Errorf("migrate beside a server: exit %d", code)
	}
	p.stop(t)
	if code, out, errOut := command(t, environ, "migrate"); code != 0 || !strings.Contains(out, "up to date") {
		t.Errorf("exit %d, %s %s", code, out, errOut)
	}
}

func TestAnotherSecretKeyIsRefused(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		must[id](t, environ, "account", "create", "--name", "A")
		code, _, errOut := command(t, append(environ, "TYPUS_SECRET_KEY="+strings.Repeat("x", 32)), "account", "list")
		if code != 2 || !strings.Contains(errOut, "TYPUS_SECRET_KEY") {
			t.Errorf("exit %d, %s", code, errOut)
		}
	})
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
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db"), "TYPUS_ADDR=" + freeAddress(t)}
	if code, _, errOut := command(t, environ, "serve", "--no-migrate"); code != 1 || !strings.Contains(errOut, "typus migrate") {
		t.Errorf("exit %d, %s", code, errOut)
	}
}

func TestATakenAddressIsOneLine(t *testing.T) {
	p := serve(t, []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")})
	addr := strings.TrimPrefix(p.base, "http://localhost")
	code, _, errOut := command(t, []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db"), "TYPUS_ADDR=127.0.0.1" + addr}, "serve")
	if code != 1 || !strings.Contains(errOut, "cannot listen") {
		t.Errorf("exit %d, %s", code, errOut)
	}
}

func TestNothingAcknowledgedIsLostByKill9(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		account := must[id](t, environ, "account", "create", "--name", "A", "--plan", "business", "--credits", "100")
		acc := "--account=" + itoa(account.ID)
		type round struct {
			key     string // a key a round: no round passes the rate
			invited []int64
		}
		var rounds []round
		for n := range 4 {
			r := round{key: must[newKey](t, environ, "key", "create", acc, "--name", "k").Key}
			p := serve(t, environ)
			go func() {
				time.Sleep(time.Duration(150+70*n) * time.Millisecond)
				p.Process.Kill()
			}()
			w := &walk{base: p.base, key: r.key, out: discard(), client: &http.Client{Timeout: 10 * time.Second}}
			for len(r.invited) < 60 {
				w.externalID = "r" + itoa(int64(n)) + "-" + itoa(int64(len(r.invited)))
				if w.invite(t.Context()) != nil {
					break
				}
				r.invited = append(r.invited, w.candidateID)
			}
			p.Wait()
			rounds = append(rounds, r)
		}
		p := serve(t, environ)
		found := 0
		for _, r := range rounds {
			w := &walk{base: p.base, key: r.key, out: discard(), client: &http.Client{Timeout: 10 * time.Second}}
			for _, n := range r.invited {
				if got := apiCall(t, w, "GET", "/api/v1/candidates/"+itoa(n)+"?by=id", ""); got["id"] != float64(n) {
					t.Errorf("candidate %d is lost", n)
				}
				found++
			}
		}
		if found < 4 {
			t.Fatalf("only %d invitations were acknowledged; the test says nothing", found)
		}
	})
}
