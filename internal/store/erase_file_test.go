package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"typus/internal/store"
	"typus/internal/store/storetest"
)

// What is erased is gone from the file, not just from its rows.
func TestTheFileKeepsNothingOfWhatWasErased(t *testing.T) {
	path := storetest.SQLite(t)
	s := storetest.Open(t, path)
	account := newAccount(t, s)
	var ids []int64
	for range 200 {
		ids = append(ids, newCandidate(t, s, account, func(c *store.NewCandidate) {
			c.Name, c.Email = "Kim Kanarienname", "kanarienmail@example.com"
		}))
	}
	for _, id := range ids {
		write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, id, noon) })
	}
	if err := s.Close(); err != nil { // which empties the log into the file
		t.Fatal(err)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(bytes.ToLower(body), []byte("kanarien")); n > 0 {
			t.Errorf("%s holds the words %d times", filepath.Base(file), n)
		}
	}
}
