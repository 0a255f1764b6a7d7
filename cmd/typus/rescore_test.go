package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"typus/internal/assess"
	"typus/internal/store"
)

func TestAStoredResultThatWasChangedIsFound(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		type checked struct {
			Results     int         `json:"results"`
			Differences []differing `json:"differences"`
		}
		account := must[id](t, environ, "account", "create", "--name", "Muster GmbH", "--credits", "3")
		if got := must[checked](t, environ, "rescore", "--verify"); got.Results != 0 || len(got.Differences) != 0 {
			t.Errorf("without results: %+v", got)
		}
		changed := finishTwo(t, environ, account.ID)
		if got := must[checked](t, environ, "rescore", "--verify"); got.Results != 2 || len(got.Differences) != 0 {
			t.Errorf("two results: %+v", got)
		}
		code, out, errOut := command(t, environ, "rescore", "--verify")
		if code != 0 || out != "2 results computed again, 0 differences\n" || errOut != "" {
			t.Errorf("exit %d: %s%s", code, out, errOut)
		}
		changeResult(t, environ, account.ID, changed)
		code, out, errOut = command(t, environ, "rescore", "--verify")
		want := "account " + itoa(account.ID) + ", candidate " + itoa(changed) + ", salespersona@2.0.0: meta.norm_kind is \"empirical\", computed \"theoretical\"\n" +
			"3 results computed again, 1 difference\n"
		if code != 1 || out != want || errOut != "typus: 1 of 3 stored results says something else than the answers give\n" {
			t.Errorf("exit %d: %s%s", code, out, errOut)
		}
		code, out, errOut = command(t, environ, "rescore")
		if code != 2 || out != "" || !strings.Contains(errOut, "needs --verify") {
			t.Errorf("without --verify: exit %d: %s%s", code, out, errOut)
		}
	})
}

// finishTwo finishes two tests and returns whose the second one is.
func finishTwo(t *testing.T, environ []string, account int64) int64 {
	t.Helper()
	var last int64
	for _, name := range []string{"Kim Beispiel", "Mia Muster"} {
		last = invited(t, environ, account, name)
		must[id](t, environ, "candidate", "finish", "--account="+itoa(account), "--id", itoa(last))
	}
	return last
}

// onSite works on the database of an environment, beside every command.
func onSite(t *testing.T, environ []string, do func(s *site) error) {
	t.Helper()
	s := beside(t, environ)
	defer s.store.Close()
	if err := do(s); err != nil {
		t.Fatal(err)
	}
}

// beside opens the installation of an environment, as commands do beside a server. Whoever
// calls it closes it.
func beside(t *testing.T, environ []string) *site {
	t.Helper()
	settings, err := loadSettings(pflag.NewFlagSet("", pflag.ContinueOnError), environ)
	if err != nil {
		t.Fatal(err)
	}
	s, err := openSite(t.Context(), settings, openBeside)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func invited(t *testing.T, environ []string, account int64, name string) int64 {
	t.Helper()
	var made int64
	onSite(t, environ, func(s *site) error {
		out, _, err := s.steps.Invite(t.Context(), account, assess.Invitation{Name: name, Email: "kim@example.com", ExternalID: name}, nil)
		made = out.Candidate.ID
		return err
	})
	return made
}

// changeResult stores a result beside the true one that claims another norm.
func changeResult(t *testing.T, environ []string, account, candidate int64) {
	t.Helper()
	onSite(t, environ, func(s *site) error {
		kept, err := s.store.Result(t.Context(), account, candidate)
		if err != nil {
			return err
		}
		kept.Scores = bytes.Replace(kept.Scores, []byte(`"norm_kind":"theoretical"`), []byte(`"norm_kind":"empirical"`), 1)
		return s.store.InTx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.AddResult(t.Context(), account, kept)
			return err
		})
	})
}
