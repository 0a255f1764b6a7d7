package main

import (
	"path/filepath"
	"strings"
	"testing"

	"typus"
	"typus/internal/store"
)

func TestACommandMakesAKeyForWhatItMayDo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "typus.db")
	environ := []string{"TYPUS_DATABASE=" + path}
	must[id](t, environ, "account", "create", "--name", "A")
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var south int64
	err = s.InTx(t.Context(), func(tx *store.Tx) error {
		south, err = tx.AddPosition(t.Context(), typus.Position{AccountID: 1, Name: "Süd", Ref: "job-7", State: typus.PositionOpen, Reminders: typus.RemindersOfAccount})
		return err
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	create := []string{"key", "create", "--account", "1", "--name", "k"}
	must[newKey](t, environ, create...)
	must[newKey](t, environ, append(create, "--scope", "invite", "--position", "job-7")...)
	must[newKey](t, environ, append(create, "--scope", "read-without-scores", "--position", itoa(south))...)
	must[newKey](t, environ, append(create, "--position", "0")...)
	list := must[struct {
		Keys []struct {
			Scope    string `json:"scope"`
			Position *int64 `json:"position"`
		} `json:"keys"`
	}](t, environ, "key", "list", "--account", "1").Keys
	for i, scope := range []string{"all", "invite", "read-without-scores", "all"} {
		k := list[i]
		if k.Scope != scope || (k.Position == nil) != (i == 0) || (i == 1 || i == 2) && *k.Position != south || i == 3 && *k.Position == south {
			t.Errorf("key %d: %+v", i+1, k)
		}
	}
	for exit, args := range map[int][]string{2: {"--scope", "everything"}, 1: {"--position", "job-8"}} {
		if code, out, errOut := command(t, environ, append(create, args...)...); code != exit || out != "" || errOut == "" {
			t.Errorf("%v: exit %d, %q, %q", args, code, out, errOut)
		}
	}
}

func TestACommandMakesAKeyOfTheTestWorld(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		must[id](t, environ, "account", "create", "--name", "A")
		create := []string{"key", "create", "--account", "1", "--name", "CI"}
		for _, args := range [][]string{{"key", "list", "--account", "1", "--test"}, {"key", "revoke", "--account", "1", "--test", "--id", "1"}, {"key", "list", "--account", "2"}} {
			if code, _, said := command(t, environ, args...); code != 1 || !strings.Contains(said, "account") { // none has made a world
				t.Errorf("%q before there is a world: exit %d, %s", args, code, said)
			}
		}
		first, second := must[newTestKey](t, environ, append(create, "--test")...), must[newTestKey](t, environ, append(create, "--test")...)
		if !strings.HasPrefix(first.Key, "typ_test_") || first.World != 2 || second.World != 2 || first.Key == second.Key {
			t.Errorf("got %+v and %+v", first, second)
		}
		if _, out, _ := command(t, environ, append(create, "--test")...); !strings.Contains(out, "typus webhook create --account 2") {
			t.Errorf("says %s", out)
		}
		must[newKey](t, environ, create...)
		must[id](t, environ, "key", "revoke", "--account", "1", "--test", "--id", itoa(first.ID))
		for flag, want := range map[string]int{"--json": 1, "--test": 3} {
			_, out, _ := command(t, environ, "key", "list", "--account", "1", flag, "--json")
			if strings.Count(out, `"fingerprint"`) != want {
				t.Errorf("with %s: %s", flag, out)
			}
		}
		if code, _, said := command(t, environ, "key", "create", "--account", "2", "--name", "x", "--test"); code != 1 || !strings.Contains(said, "account") {
			t.Errorf("a world of a world: exit %d, %s", code, said)
		}
	})
}

type newTestKey struct {
	ID    int64  `json:"id"`
	Key   string `json:"key"`
	World int64  `json:"world"`
}
