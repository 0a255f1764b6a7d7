package main

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/auth"
	"typus/internal/backup"
	"typus/internal/rekey"
	"typus/internal/store"
	"typus/internal/waittest"
	"typus/internal/webhook"
)

var formerKey, nextKey = strings.Repeat("f", 40), strings.Repeat("n", 40)

// lived is an installation that people use while its key is changed.
type lived struct {
	database string
	account  int64
	key      string
	hook     newHook
	receiver *answering
	users    []typus.User
	seeds    []string
	invited  int
	links    map[string]string // of candidates, by their external ids
	finished int
}

const passwordOfAll = "vier lose Wörter hier"

func (l *lived) keys(present, other string) []string {
	environ := []string{l.database, "TYPUS_SECRET_KEY=" + present}
	if other != "" {
		environ = append(environ, "TYPUS_OTHER_SECRET_KEY="+other)
	}
	return environ
}

// newLived has users with second factors, who log in once each: no code is good twice.
func newLived(t *testing.T, database string, users int) *lived {
	t.Helper()
	l := &lived{database: database, receiver: newAnswering(t), links: map[string]string{}}
	environ := l.keys(formerKey, "")
	l.account = must[id](t, environ, "account", "create", "--name", "Muster GmbH", "--credits", "100").ID
	acc := "--account=" + itoa(l.account)
	l.key = must[newKey](t, environ, "key", "create", acc, "--name", "CRM").Key
	l.hook = must[newHook](t, environ, "webhook", "create", acc, "--url", l.receiver.URL)
	s := beside(t, environ)
	defer func() { _ = s.store.Close() }()
	for i := range users {
		l.user(t, s, fmt.Sprintf("user%d@example.com", i))
	}
	return l
}

func (l *lived) user(t *testing.T, s *site, email string) {
	t.Helper()
	id, _, err := s.access.CreateUser(t.Context(), typus.User{AccountID: l.account, Email: email, Role: typus.RoleOwner}, new(passwordOfAll), operator)
	if err != nil {
		t.Fatal(err)
	}
	seed := auth.NewTOTPSeed()
	err = s.store.InTx(t.Context(), func(tx *store.Tx) error {
		if err := tx.SetTOTP(t.Context(), l.account, id, s.box.Seal([]byte(seed), access.TOTPPlace(id))); err != nil {
			return err
		}
		return tx.ConfirmTOTP(t.Context(), l.account, id, time.Now())
	})
	if err != nil {
		t.Fatal(err)
	}
	l.users, l.seeds = append(l.users, typus.User{ID: id, Email: email}), append(l.seeds, seed)
}

// letters adds some that bring a token.
func (l *lived) letters(t *testing.T, environ []string, n int) {
	t.Helper()
	s := beside(t, environ)
	defer func() { _ = s.store.Close() }()
	err := s.store.InTx(t.Context(), func(tx *store.Tx) error {
		for range n {
			letter := typus.Letter{AccountID: l.account, UserID: l.users[0].ID, Kind: typus.LetterPasswordReset, Language: "de", To: "user0@example.com", CreatedAt: time.Now()}
			letter.Detail = s.box.Seal([]byte("token"), letter.DetailAAD())
			if _, err := tx.AddLetter(t.Context(), letter); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// logsIn logs the next user in, with the second factor.
func (l *lived) logsIn(t *testing.T, base string) {
	t.Helper()
	u, seed := l.users[0], l.seeds[0]
	l.users, l.seeds = l.users[1:], l.seeds[1:]
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Timeout: time.Minute}
	post := func(path string, form url.Values, landed string) {
		t.Helper()
		resp, err := client.PostForm(base+path, form)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Request.URL.Path, landed) {
			t.Errorf("%s posts %s: %s at %s, want %s", u.Email, path, resp.Status, resp.Request.URL.Path, landed)
		}
	}
	post("/anmelden", url.Values{"email": {u.Email}, "password": {passwordOfAll}}, "/anmelden/code")
	code, err := auth.TOTPCode(seed, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	post("/anmelden/code", url.Values{"code": {code}}, "/dashboard")
}

// goesOn has one of each live through a step: a new candidate is invited, all former links
// are the same and open, a test is finished and its webhook arrives signed, and a user logs in.
func (l *lived) goesOn(t *testing.T, p *process, environ []string) {
	t.Helper()
	w := &walk{base: p.base, key: l.key, out: discard(), client: &http.Client{Timeout: time.Minute}}
	l.invited++
	for i := 1; i <= l.invited; i++ {
		w.externalID = fmt.Sprint("crm-", i)
		if err := w.invite(t.Context()); err != nil {
			t.Fatal(err)
		}
		token := w.link[strings.LastIndexByte(w.link, '/'):]
		if was, known := l.links[w.externalID]; known && was != token {
			t.Errorf("the link of %s is another one", w.externalID)
		}
		l.links[w.externalID] = token
		resp, err := w.client.Get(p.base + "/t" + token)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("the link of %s: %s", w.externalID, resp.Status)
		}
	}
	w.externalID = fmt.Sprint("done-", l.invited)
	if err := w.invite(t.Context()); err != nil {
		t.Fatal(err)
	}
	must[id](t, environ, "candidate", "finish", "--account", itoa(l.account), "--id", itoa(w.candidateID))
	l.finished++
	waittest.Until(t, "the webhook of "+w.externalID, func() bool { return l.receiver.requests() == l.finished })
	l.receiver.mu.Lock()
	got, body := l.receiver.got[l.finished-1], l.receiver.bodies[l.finished-1]
	l.receiver.mu.Unlock()
	if !webhook.Verify(l.hook.Secret, got.Header.Get("X-Service-Signature"), body) {
		t.Errorf("the webhook of %s is signed with another secret", w.externalID)
	}
	l.logsIn(t, p.base)
}

// killed starts a rotation as a process of its own that nobody reads from, so that it stands
// still where it says how far it is, and kills it there.
func (l *lived) killed(t *testing.T, environ []string) {
	t.Helper()
	s := beside(t, environ)
	defer func() { _ = s.store.Close() }()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := w.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := w.Write(make([]byte, 8<<20)); err == nil {
		t.Fatalf("a pipe took %d bytes that nobody reads", n)
	}
	c := exec.Command(os.Args[0], "secret", "rotate")
	c.Env, c.Stderr = append([]string{asTypus + "=1", "GORACE=" + os.Getenv("GORACE")}, environ...), w
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	var count rekey.Count
	waittest.Until(t, "something sealed anew", func() bool {
		if count, err = rekey.Look(t.Context(), s.store); err != nil {
			t.Fatal(err)
		}
		return count.Columns[string(store.SealedCandidateLinks)][s.otherKey()] == 0
	})
	if err := c.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = c.Wait() // it was killed
	if count, err = rekey.Look(t.Context(), s.store); err != nil || count.Keys[s.otherKey()] < 1000 || count.Outside(s.box.KeyIDs()...) != 0 {
		t.Errorf("after the kill: %v, %v", count, err)
	}
}

// A candidate, users with a second factor and a receiver of webhooks live through a whole
// change of the key; the rotation is killed in its middle once.
func TestPeopleLiveThroughAChangeOfTheSecretKey(t *testing.T) {
	if testing.Short() {
		t.Skip("processes: not with -short")
	}
	both(t, func(t *testing.T, environ []string) {
		l := newLived(t, environ[0], 9)
		several := strings.Contains(l.database, "postgres")
		l.letters(t, l.keys(formerKey, ""), 1200)
		p := serve(t, l.keys(formerKey, ""))
		l.goesOn(t, p, l.keys(formerKey, ""))
		if several { // each server gets to open with the next key before one seals with it
			q := serve(t, l.keys(formerKey, nextKey))
			p.stop(t)
			p = serve(t, l.keys(nextKey, formerKey))
			l.goesOn(t, q, l.keys(formerKey, nextKey))
			l.goesOn(t, p, l.keys(nextKey, formerKey))
			l.goesOn(t, q, l.keys(nextKey, formerKey))
			q.stop(t)
		} else {
			p.stop(t)
			p = serve(t, l.keys(nextKey, formerKey))
			l.goesOn(t, p, l.keys(nextKey, formerKey))
		}
		now := l.keys(nextKey, formerKey)
		if code, _, errOut := command(t, l.keys(formerKey, ""), "account", "list"); code != 2 || !strings.Contains(errOut, "TYPUS_OTHER_SECRET_KEY") {
			t.Errorf("the former key alone, after the next one has sealed: exit %d, %s", code, errOut)
		}
		l.killed(t, now)
		l.goesOn(t, p, now)
		turned := must[struct {
			rekey.Turned
		}](t, now, "secret", "rotate")
		if !turned.Done || turned.Damaged != 0 || turned.Sealed < 1000 {
			t.Errorf("turned %+v", turned)
		}
		l.goesOn(t, p, now)
		p.stop(t)
		alone := l.keys(nextKey, "")
		p = serve(t, alone)
		l.goesOn(t, p, alone)
		if _, out, _ := command(t, alone, "secret", "status"); strings.Count(out, "\n") != 1 || !strings.Contains(out, "(the secret key)") {
			t.Errorf("status: %s", out)
		}
		p.stop(t)
		if strings.Contains(p.log.String(), `"ERROR"`) {
			t.Errorf("the server complains: %s", p.log)
		}
		for _, environ := range [][]string{l.keys(formerKey, ""), l.keys(formerKey+"x", formerKey)} {
			if code, _, errOut := command(t, environ, "account", "list"); code != 2 || !strings.Contains(errOut, "is not the key this database was made with") {
				t.Errorf("the former key at the end: exit %d, %s", code, errOut)
			}
		}
	})
}

func TestARotationSaysWhatItCannotDo(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		l := newLived(t, environ[0], 1)
		if code, _, errOut := command(t, l.keys(nextKey, ""), "secret", "rotate"); code != 2 || !strings.Contains(errOut, "is not the key this database was made with") {
			t.Errorf("without the former key: exit %d, %s", code, errOut)
		}
		if code, _, errOut := command(t, l.keys(nextKey, "short"), "secret", "rotate"); code != 2 || !strings.Contains(errOut, "TYPUS_OTHER_SECRET_KEY must have at least 32") {
			t.Errorf("with half a key: exit %d, %s", code, errOut)
		}
		both := l.keys(nextKey, formerKey)
		s := beside(t, both)
		before := looked(t, both, func(*doctor) {})
		before.wants(t, "key", warning, "values lie under the second key, "+s.otherKey(), "typus secret rotate")
		if turned := must[rekey.Turned](t, both, "secret", "rotate"); !turned.Done {
			t.Errorf("turned %+v", turned)
		}
		looked(t, both, func(*doctor) {}).wants(t, "key", warning, "nothing lies under the second key", "remove TYPUS_OTHER_SECRET_KEY")
		looked(t, l.keys(nextKey, ""), func(*doctor) {}).wants(t, "key", fine, s.box.KeyID())

		// A server that was forgotten has sealed with the former key.
		former := s.otherKey()
		_ = s.store.Close()
		s = beside(t, both)
		defer func() { _ = s.store.Close() }()
		old, err := (&settings{SecretKey: formerKey}).boxOf([]byte(formerKey))
		if err != nil {
			t.Fatal(err)
		}
		u := l.users[0]
		err = s.store.InTx(t.Context(), func(tx *store.Tx) error {
			return tx.SetTOTP(t.Context(), l.account, u.ID, old.Seal([]byte(l.seeds[0]), access.TOTPPlace(u.ID)))
		})
		if err != nil {
			t.Fatal(err)
		}
		looked(t, l.keys(nextKey, ""), func(*doctor) {}).wants(t, "key", faulty, "1 value lies under keys that are not given ("+former+")", "TYPUS_OTHER_SECRET_KEY")
		for _, what := range []string{"status", "rotate"} {
			if code, _, errOut := command(t, l.keys(nextKey, ""), "secret", what); code != 1 || !strings.Contains(errOut, former) {
				t.Errorf("secret %s without the former key: exit %d, %s", what, code, errOut)
			}
		}
		if turned := must[rekey.Turned](t, both, "secret", "rotate"); !turned.Done || turned.Sealed != 1 {
			t.Errorf("turned %+v", turned)
		}
	})
}

// A backup of before is restored with both keys, one of the middle needs both, and
// typus backup --keep counts those of the former key as its own.
func TestBackupsOfTheFormerKeyAreRestoredWithBoth(t *testing.T) {
	b := newBackedUp(t)
	of := func(present, other string) *backedUp {
		with := *b
		with.environ = []string{"TYPUS_DATABASE=" + b.database, "TYPUS_SECRET_KEY=" + present}
		if other != "" {
			with.environ = append(with.environ, "TYPUS_OTHER_SECRET_KEY="+other)
		}
		return &with
	}
	raw, err := os.ReadFile(filepath.Join(filepath.Dir(b.database), "secret.key"))
	if err != nil {
		t.Fatal(err)
	}
	former := strings.TrimSpace(string(raw))
	somebody := b.invite(t, "somebody")
	before := b.backup(t, "typus-20261101T020000Z.db")
	middle := of(nextKey, former)
	middle.invite(t, "meanwhile")
	made := must[backup.Made](t, middle.environ, "backup", filepath.Join(b.backups, "typus-20261102T020000Z.db"))
	if made.SecondKey == "" || made.SecondKey == made.Key {
		t.Errorf("a backup of the middle says %+v", made)
	}
	must[rekey.Turned](t, middle.environ, "secret", "rotate")
	after := of(nextKey, "")
	for _, file := range []string{before, made.File} {
		if code, _, errOut := command(t, after.environ, "restore", file); code != 2 || !strings.Contains(errOut, "fingerprint "+made.Key) || !strings.Contains(errOut, "TYPUS_OTHER_SECRET_KEY") {
			t.Errorf("%s with the new key alone: exit %d, %s", file, code, errOut)
		}
	}
	if code, _, errOut := command(t, of(former, "").environ, "restore", made.File); code != 2 || !strings.Contains(errOut, "fingerprint "+made.SecondKey) {
		t.Errorf("a backup of the middle with the former key alone: exit %d, %s", code, errOut)
	}
	if code, out, errOut := command(t, middle.environ, "restore", before); code != 0 || !strings.Contains(out, "type typus secret rotate") {
		t.Errorf("with both: exit %d, %s%s", code, out, errOut)
	}
	must[rekey.Turned](t, middle.environ, "secret", "rotate")
	aside, err := filepath.Glob(b.database + ".before-*")
	if err != nil || len(aside) != 1 {
		t.Fatalf("put aside: %v, %v", aside, err)
	}
	if code, _, errOut := command(t, after.environ, "restore", aside[0]); code != 0 { // it was under the new key already
		t.Errorf("what was put aside: exit %d, %s", code, errOut)
	}
	if !after.isThere(t, somebody) {
		t.Error("who was in the backup is not there")
	}
	kept := must[backup.Made](t, after.environ, "backup", b.backups, "--keep", "1")
	if !slices.Contains(kept.Removed, before) || !slices.Contains(kept.Removed, made.File) {
		t.Errorf("removed %v", kept.Removed)
	}
}
