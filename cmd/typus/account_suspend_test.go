package main

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/accountfile"
	"typus/internal/accounts"
	"typus/internal/instrument"
	"typus/internal/store"
)

// The command says what holds, the list marks who is suspended, and what cannot be done is one
// line.
func TestAnAccountIsSuspendedAndResumed(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		acc := itoa(must[id](t, environ, "account", "create", "--name", "Muster GmbH").ID)
		first := must[suspension](t, environ, "account", "suspend", "--account", acc, "--reason", " an invoice ")
		if first.SuspendedAt == nil || first.Reason != "an invoice" {
			t.Fatalf("%+v", first)
		}
		if again := must[suspension](t, environ, "account", "suspend", "--account", acc, "--reason", "two invoices"); *again.SuspendedAt != *first.SuspendedAt || again.Reason != "two invoices" {
			t.Errorf("%+v", again)
		}
		if again := must[suspension](t, environ, "account", "suspend", "--account", acc); *again.SuspendedAt != *first.SuspendedAt || again.Reason != "two invoices" {
			t.Errorf("without a reason: %+v", again)
		}
		if again := must[suspension](t, environ, "account", "suspend", "--account", acc, "--reason", ""); again.SuspendedAt == nil || again.Reason != "" {
			t.Errorf("with an empty reason: %+v", again)
		}
		if _, out, _ := command(t, environ, "account", "list"); !strings.Contains(out, "suspended since ") {
			t.Error(out)
		}
		if code, _, errOut := command(t, environ, "account", "suspend", "--account", acc, "--reason", strings.Repeat("x", 201)); code != 2 || !strings.Contains(errOut, "reason") {
			t.Errorf("%d %s", code, errOut)
		}
		for _, said := range []string{"serves again", "was not suspended"} {
			if code, out, errOut := command(t, environ, "account", "resume", "--account", acc); code != 0 || !strings.Contains(out, said) {
				t.Errorf("%d %s %s, want %q", code, out, errOut, said)
			}
		}
		if _, out, _ := command(t, environ, "account", "list"); strings.Contains(out, "suspended since") {
			t.Error(out)
		}
		for _, c := range []string{"suspend", "resume"} {
			if code, _, errOut := command(t, environ, "account", c, "--account", "9"); code != 1 || !strings.Contains(errOut, "no such account") {
				t.Errorf("%s: %d %s", c, code, errOut)
			}
		}
	})
}

// A resume that is cut off, once the account serves again and before all that has waited is
// due, leaves nothing that the next one does not do. It is cut off by a statement that fails: a
// kill leaves the same in the database, but where it hits is chance.
func TestAResumeThatIsCutOffIsDoneByTheNext(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		account := must[id](t, environ, "account", "create", "--name", "Muster GmbH").ID
		s := beside(t, environ)
		defer s.store.Close()
		wantStands := func(when string, suspended bool, waiting int) {
			t.Helper()
			a, err := s.store.Account(t.Context(), account)
			if err != nil {
				t.Fatal(err)
			}
			list, err := s.store.LetterLog(t.Context(), store.WholeAccount(account), typus.LetterStandPostponed, 0, 10_000)
			if err != nil {
				t.Fatal(err)
			}
			if a.Suspended() != suspended || len(list) != waiting {
				t.Fatalf("%s: suspended: %t, %d letters wait; want %t, %d", when, a.Suspended(), len(list), suspended, waiting)
			}
		}
		must[suspension](t, environ, "account", "suspend", "--account", itoa(account))
		holdLetters(t, s, account, 600)
		wantStands("at first", true, 600)
		cut, batches := typus.Errorf(typus.Internal, "cut off"), 0
		watched := s.store.Watched(func(query string) error {
			if !strings.Contains(query, "update letters set state = 'queued', held_until = null") {
				return nil
			}
			if batches++; batches == 2 {
				return cut
			}
			return nil
		})
		steps := accounts.New(accounts.Options{Store: watched, Box: s.box, Instrument: instrument.Own(), Guard: s.guard, BaseURL: s.settings.BaseURL})
		if _, err := steps.Resume(t.Context(), account, asOperator()); !errors.Is(err, cut) {
			t.Fatalf("%v, want that it is cut off", err)
		}
		wantStands("cut off", false, 100)
		must[suspension](t, environ, "account", "resume", "--account", itoa(account))
		wantStands("after the next one", false, 0)
	})
}

// holdLetters adds letters to a suspended account, and has them held as the courier does.
func holdLetters(t *testing.T, s *site, account int64, n int) {
	t.Helper()
	err := s.store.InTx(t.Context(), func(tx *store.Tx) error {
		letters := slices.Repeat([]typus.Letter{{AccountID: account, Kind: typus.LetterDigest, Language: "de", To: "ada@example.com", CreatedAt: time.Now()}}, n)
		return tx.AddLetters(t.Context(), letters)
	})
	for held := n; err == nil && held > 0; {
		var going []typus.Letter
		going, held, err = s.store.ClaimOrHold(t.Context(), store.Claim{Owner: "me", Lease: time.Minute, Limit: 500})
		if len(going) > 0 {
			t.Fatalf("%d letters of a suspended account go out", len(going))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A suspension moves along with the account, and whoever takes it in is told.
func TestAMovedAccountSaysThatItIsSuspended(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		acc := itoa(must[id](t, environ, "account", "create", "--name", "Muster GmbH").ID)
		must[suspension](t, environ, "account", "suspend", "--account", acc, "--reason", "an invoice")
		dir := t.TempDir()
		file, key := filepath.Join(dir, "account.typus"), filepath.Join(dir, "file.key")
		must[accountfile.ExportedAccount](t, environ, "account", "export", "--account", acc, "--out", file, "--key-file", key)
		to := anotherDatabase(t, environ)
		must[struct{}](t, to, "migrate")
		if code, out, errOut := command(t, to, "account", "import", file, "--key-file", key); code != 0 || !strings.Contains(out, "suspended since ") || !strings.Contains(out, "(an invoice)") {
			t.Errorf("%d %s %s", code, out, errOut)
		}
		if _, out, _ := command(t, to, "account", "resume", "--account", acc); !strings.Contains(out, "serves again") {
			t.Error(out)
		}
	})
}
