package main

import (
	"path/filepath"
	"strings"
	"testing"

	"typus/internal/backup"
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

// A suspension moves along with the account, and whoever takes it in is told.
func TestAMovedAccountSaysThatItIsSuspended(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		acc := itoa(must[id](t, environ, "account", "create", "--name", "Muster GmbH").ID)
		must[suspension](t, environ, "account", "suspend", "--account", acc, "--reason", "an invoice")
		dir := t.TempDir()
		file, key := filepath.Join(dir, "account.typus"), filepath.Join(dir, "file.key")
		must[backup.ExportedAccount](t, environ, "account", "export", "--account", acc, "--out", file, "--key-file", key)
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
