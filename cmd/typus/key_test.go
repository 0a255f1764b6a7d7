package main

import (
	"path/filepath"
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
