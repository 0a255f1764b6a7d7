package docs_test

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/server/servertest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// save is a receiver that keeps what it gets as files, the body once it is whole.
func save(t *testing.T, dir string) string {
	t.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var headers strings.Builder
		r.Header.Write(&headers)
		whole := filepath.Join(dir, "body.part")
		if os.WriteFile(filepath.Join(dir, "headers.txt"), []byte(headers.String()), 0o600) != nil || os.WriteFile(whole, body, 0o600) != nil || os.Rename(whole, filepath.Join(dir, "body.json")) != nil {
			t.Error("the delivery is not saved")
		}
	}))
	t.Cleanup(receiver.Close)
	return receiver.URL
}

// liveState is what of the live account must not change: its list, its credits, its days and
// what it sends.
func liveState(t *testing.T, s *servertest.Site) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v1/candidates?include=extra", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	list, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	account, err := s.Store.Account(t.Context(), s.Account)
	if err != nil {
		t.Fatal(err)
	}
	queued, err := s.Store.QueuedLetters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return string(list) + strconv.FormatInt(account.Credits, 10) + " credits, " + strconv.Itoa(queued) + " letters"
}

// runs is how often the script proves a connection: once, or TYPUS_RUNS times.
func runs(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("TYPUS_RUNS"))
	if err != nil {
		return 1
	}
	return n
}

func TestTheScriptOfTestModeProvesAConnection(t *testing.T) {
	if testing.Short() {
		t.Skip("curl and OpenSSL: not with -short")
	}
	storetest.Run(t, func(t *testing.T, st *store.Store) {
		s := servertest.Start(t, st)
		world, _ := s.TestWorld(t)
		invited, _, err := s.Steps.Invite(t.Context(), s.Account, assess.Invitation{Name: "Eva Kern", Email: "finish+closer@example.com", ExternalID: "live"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		dir := fetch(t, s.URL, "testmode.sh")
		secret := receiver(t, s, world, dir)
		before := liveState(t, s)
		for run := range runs(t) {
			_, key := s.TestWorld(t) // each may call a hundred times in a minute
			begun := time.Now()
			out, err := shell(dir, []string{"KEY=" + key, "SECRET=" + secret, "SAVED=" + dir}, "testmode.sh")
			if err != nil || !strings.Contains(out, "The connection works.") {
				t.Fatalf("run %d: %v: %s", run+1, err, out)
			}
			t.Logf("run %d: %s", run+1, time.Since(begun).Round(time.Millisecond))
		}
		if after := liveState(t, s); after != before || invited.Candidate.ID == 0 {
			t.Errorf("the live account was\n%s\nand is\n%s", before, after)
		}
	})
}

// receiver adds a webhook to a test world that saves what it gets in dir, and returns its
// secret.
func receiver(t *testing.T, s *servertest.Site, world int64, dir string) string {
	t.Helper()
	_, secret, err := s.Accounts.CreateEndpoint(t.Context(), world, save(t, dir), "", typus.Actor{Name: "operator"})
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// What differs between accounts is no fault of a connection, and what is wrong is named.
func TestTheScriptOfTestModeAsksNothingThatDependsOnTheLanguage(t *testing.T) {
	if testing.Short() {
		t.Skip("curl and OpenSSL: not with -short")
	}
	for what, c := range map[string]struct {
		account typus.Account
		secret  string // "" for the right one
		want    string
	}{
		"an English account":           {account: typus.Account{Language: "en"}, want: "The connection works."},
		"invitations that last longer": {account: typus.Account{InviteDays: 60}, want: "link: 200 instead of 410"},
		"another secret":               {secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", want: "wrong signature"},
	} {
		t.Run(what, func(t *testing.T) {
			s := servertest.Start(t, storetest.OpenSQLite(t))
			c.account.Name = "Sample Ltd"
			var err error
			if s.Account, err = s.Access.CreateAccount(t.Context(), c.account, 0); err != nil {
				t.Fatal(err)
			}
			world, key := s.TestWorld(t)
			dir := fetch(t, s.URL, "testmode.sh")
			secret := receiver(t, s, world, dir)
			secret = cmp.Or(c.secret, secret)
			out, err := shell(dir, []string{"KEY=" + key, "SECRET=" + secret, "SAVED=" + dir}, "testmode.sh")
			if works := strings.Contains(out, "The connection works."); works != (err == nil) || !strings.Contains(out, c.want) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// A webhook that never comes, a clock that never stands still and a key that is revoked on
// the way end the script with a message. Its pauses take no time here.
func TestTheScriptOfTestModeEndsWhenNothingComes(t *testing.T) {
	if testing.Short() {
		t.Skip("curl: not with -short")
	}
	for answer, want := range map[string]string{`{"move":null}`: "no webhook within a minute", `{"move":{"id":1}}`: "no end of the move within a minute", "": "no end of the move within a minute"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if answer == "" && r.Method == http.MethodGet {
				w.WriteHeader(http.StatusUnauthorized)
			}
			io.WriteString(w, answer)
		}))
		dir := fetch(t, s.URL, "testmode.sh")
		if err := os.WriteFile(filepath.Join(dir, "sleep"), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		out, err := shell(dir, []string{"KEY=k", "SECRET=s", "SAVED=" + dir, "PATH=" + dir + ":" + os.Getenv("PATH")}, "testmode.sh")
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v: %s", answer, err, out)
		}
		s.Close()
	}
}
