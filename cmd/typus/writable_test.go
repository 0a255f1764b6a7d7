package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A command that writes a file at the end of its work refuses a place where it cannot, before
// anything is deleted, and before the log of an account says that something was handed out.
func TestAFileThatCannotBeWrittenIsSaidBeforeTheWork(t *testing.T) {
	dir := openTo(t, 0o777)
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(dir, "typus.db")}
	must[id](t, environ, "account", "create", "--name", "A", "--credits", "3")
	candidate := itoa(finishTwo(t, environ, 1))
	taken := filepath.Join(t.TempDir(), "taken")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "key")
	log := func() int {
		n := 0
		onSite(t, environ, func(s *site) error {
			a, err := s.store.Account(t.Context(), 1)
			if err != nil {
				return err
			}
			if !a.DeletingAt.IsZero() {
				t.Error("it is being deleted")
			}
			entries, err := s.store.Audit(t.Context(), 1, 1000)
			n = len(entries)
			return err
		})
		return n
	}
	was := log()
	whole := [][]string{
		{"account", "delete", "--account", "1", "--confirm", "A", "--protocol"},
		{"account", "export", "--account", "1", "--key-file", key, "--out"},
		{"export", "--account", "1", "--candidate", candidate, "--to"},
		{"erasures", "export"},
		{"backup"},
	}
	for _, args := range whole {
		for file, c := range map[string]struct {
			code int
			says string
		}{
			filepath.Join(dir, "none", "file"): {2, "there is no directory " + filepath.Join(dir, "none")},
			filepath.Join(taken, "file"):       {2, "through a file"},
			taken:                              {1, "is there already"},
		} {
			code, _, said := command(t, environ, append(append([]string{}, args...), file)...)
			oneSentence(t, code, c.code, said, c.says)
		}
	}
	if now := log(); now != was {
		t.Errorf("the log has %d lines more", now-was)
	}
	if testing.Short() {
		return
	}
	for _, name := range []string{"typus.db", "secret.key"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	shut := openTo(t, 0o555)
	for _, args := range whole {
		for i := range args {
			if args[i] == key { // which nobody else reads
				args[i] = filepath.Join(dir, "key")
			}
		}
		code, said := asNobody(t, environ, append(args, filepath.Join(shut, "file"))...)
		oneSentence(t, code, 1, said, shut, "may not make")
	}
	if left := files(t, shut); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	if now := log(); now != was {
		t.Errorf("the log has %d lines more", now-was)
	}
}
