package main

import (
	"strings"
	"testing"
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
		if again := must[suspension](t, environ, "account", "suspend", "--account", acc, "--reason", "two invoices"); !again.SuspendedAt.Equal(*first.SuspendedAt) || again.Reason != "two invoices" {
			t.Errorf("%+v", again)
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
