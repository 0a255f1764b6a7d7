package main

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/instrument"
	"typus/internal/store"
	"typus/internal/waittest"
)

// An account is deleted beside a running server: its key is refused, its links lead nowhere,
// and the protocol says how many rows went and nothing about who it was.
func TestAnAccountIsDeletedBesideARunningServer(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		p := serve(t, environ)
		gone := must[id](t, environ, "account", "create", "--name", "Abschied GmbH").ID
		stays := must[id](t, environ, "account", "create", "--name", "Bleibt GmbH").ID
		acc := "--account=" + itoa(gone)
		must[id](t, environ, "user", "create", acc, "--email", "owner@example.com", "--role", "owner")
		w := &walk{base: p.base, key: must[newKey](t, environ, "key", "create", acc, "--name", "CRM").Key, test: instrument.Own(), out: discard(), client: &http.Client{Timeout: 30 * time.Second}, externalID: "crm-9"}
		if err := w.invite(t.Context()); err != nil {
			t.Fatal(err)
		}
		must[id](t, environ, "candidate", "finish", acc, "--id", itoa(w.candidateID))

		code, _, errOut := command(t, environ, "account", "delete", acc, "--confirm", "abschied gmbh")
		oneSentence(t, code, 2, errOut, "--confirm must be its name")
		file := filepath.Join(t.TempDir(), "protocol.json")
		done := must[protocol](t, environ, "account", "delete", acc, "--confirm", "Abschied GmbH", "--protocol", file)
		if done.Server != p.base || done.AccountID != gone || done.Candidates != 1 || done.Rows < 10 || done.EndedAt.Before(done.BegunAt) || done.BegunAt.IsZero() {
			t.Errorf("the protocol says %+v", done)
		}
		for _, d := range done.Tables {
			if d.Present > d.Deleted {
				t.Errorf("of %s %d rows were there and %d are deleted", d.Table, d.Present, d.Deleted)
			}
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"Abschied", "owner", "@", "crm-9", "aylin"} {
			if strings.Contains(strings.ToLower(string(text)), strings.ToLower(word)) {
				t.Errorf("the protocol holds %q: %s", word, text)
			}
		}
		var written protocol
		if err := json.Unmarshal(text, &written); err != nil || written.Rows != done.Rows {
			t.Errorf("%+v, %v", written, err)
		}

		waittest.Until(t, "the key opens nothing", func() bool { // a server may know a key a second longer
			_, err := w.call(t.Context(), "GET", "/api/v1/candidates", "", &struct{}{})
			return err != nil && strings.Contains(err.Error(), "401")
		})
		resp, err := http.Get(w.link)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("the link of a test answers %d", resp.StatusCode)
		}
		again := must[protocol](t, environ, "account", "delete", acc, "--confirm", "Abschied GmbH")
		if again.Rows != done.Rows || !again.EndedAt.Equal(done.EndedAt) {
			t.Errorf("told once more: %+v", again)
		}
		code, _, errOut = command(t, environ, "account", "delete", acc, "--confirm", "Abschied GmbH", "--protocol", file)
		oneSentence(t, code, 1, errOut, "is there already")
		code, _, errOut = command(t, environ, "key", "create", acc, "--name", "CRM")
		oneSentence(t, code, 1, errOut, "no such account")
		if plan := planOf(t, environ, stays); plan == "none" || planOf(t, environ, gone) != "none" {
			t.Errorf("the other account: %s", plan)
		}
		p.stop(t)
	})
}

// A list of accounts says which are bounded, and how a deletion that was cut off goes on.
func TestTheListOfAccountsSaysWhatIsBoundedAndWhatIsBeingDeleted(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		for _, name := range []string{"Offen GmbH", "Klein GmbH", "Muster's GmbH"} {
			must[id](t, environ, "account", "create", "--name", name)
		}
		must[id](t, environ, "account", "set", "--account", "2", "--max-people", "500", "--letters-a-day", "20")
		onSite(t, environ, func(s *site) error {
			return s.store.InTx(t.Context(), func(tx *store.Tx) error {
				a, err := tx.LockToBegin(t.Context(), 3)
				if err != nil {
					return err
				}
				return tx.BeginDeletion(t.Context(), a, time.Now())
			})
		})
		list := must[struct {
			Accounts []struct {
				MaxPeople   int     `json:"max_people"`
				LettersADay int     `json:"letters_a_day"`
				DeletingAt  *string `json:"deleting_at"`
			} `json:"accounts"`
		}](t, environ, "account", "list").Accounts
		if len(list) != 3 || list[0].MaxPeople+list[0].LettersADay != 0 || list[1].MaxPeople != 500 || list[1].LettersADay != 20 || list[1].DeletingAt != nil || list[2].DeletingAt == nil {
			t.Errorf("%+v", list)
		}
		_, out, _ := command(t, environ, "account", "list")
		lines := strings.Split(strings.TrimSpace(out), "\n")
		goOn := `typus account delete --account 3 --confirm 'Muster'\''s GmbH'`
		if len(lines) != 6 || strings.TrimSpace(lines[3]) != "at most 500 people, at most 20 letters a day" || !strings.HasSuffix(lines[5], goOn) {
			t.Errorf("%s", out)
		}
		must[protocol](t, environ, "account", "delete", "--account", "3", "--confirm", "Muster's GmbH")
		if _, out, _ := command(t, environ, "account", "list"); strings.Contains(out, "Muster") {
			t.Errorf("once it is deleted: %s", out)
		}
	})
}

// A backup from before brings back neither the account nor its people.
func TestADeletedAccountDoesNotComeBackWithABackup(t *testing.T) {
	b := newBackedUp(t)
	b.invite(t, "kim")
	stays := must[id](t, b.environ, "account", "create", "--name", "Bleibt GmbH").ID
	copied := b.backup(t, "before.db")
	must[protocol](t, b.environ, "account", "delete", "--account", itoa(b.account), "--confirm", "Muster GmbH")
	if done := b.restore(t, copied); done.Gone != 1 || done.Known != 2 || done.Erased != 0 {
		t.Errorf("restored: %+v", done)
	}
	b.opened(t, func(s *site) {
		if _, err := s.store.Account(t.Context(), b.account); !typus.Is(err, typus.NotFound) {
			t.Errorf("the account: %v", err)
		}
		if n, err := s.store.CountRows(t.Context(), b.account); n != 0 || err != nil {
			t.Errorf("%d of its people are back, %v", n, err)
		}
		if _, err := s.store.Account(t.Context(), stays); err != nil {
			t.Errorf("the other account: %v", err)
		}
	})
	if list, err := os.ReadFile(b.database + ".erasures"); err != nil || strings.Count(string(list), "account "+itoa(b.account)+" ") != 1 {
		t.Errorf("the list is %q, %v", list, err)
	}
}

// Another list that a restore is given comes besides the one that is kept beside the database.
func TestAnotherListDoesNotReplaceTheOneBesideTheDatabase(t *testing.T) {
	b := newBackedUp(t)
	copied := b.backup(t, "before.db")
	must[protocol](t, b.environ, "account", "delete", "--account", itoa(b.account), "--confirm", "Muster GmbH")
	list, other := b.database+".erasures", filepath.Join(t.TempDir(), "other")
	if code, _, errOut := command(t, b.environ, "erasures", "export", other); code != 0 {
		t.Fatal(errOut)
	}
	err := errors.Join(os.Rename(other, list), os.WriteFile(other, nil, 0o600), os.Remove(b.database))
	if err != nil {
		t.Fatal(err)
	}
	if done := must[restored](t, b.environ, "restore", copied, "--erasures", other); done.Gone != 1 || done.List != list {
		t.Errorf("restored: %+v", done)
	}
}
