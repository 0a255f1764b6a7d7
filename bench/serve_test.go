package main

import (
	"path/filepath"
	"testing"

	"typus/internal/store"
)

func TestCommitsAreCounted(t *testing.T) {
	countCommits()
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "typus.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	before := commits.Load()
	if _, err := st.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := commits.Load() - before; n != 1 {
		t.Errorf("%d commits were counted for one", n)
	}
}
