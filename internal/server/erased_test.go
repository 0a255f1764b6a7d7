package server_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/server/servertest"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/waittest"
)

// A person who is erased is gone from the files of a server that goes on working.
func TestWhoIsErasedIsGoneFromTheFilesOfARunningServer(t *testing.T) {
	path := storetest.SQLite(t)
	s := servertest.Start(t, storetest.Open(t, path))
	in, _, err := s.Steps.Invite(t.Context(), s.Account, assess.Invitation{Name: "Kim Kanarienname", Email: "kanarien@example.com", ExternalID: "kanariencrm"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := in.Candidate.ID
	err = s.Store.InTx(t.Context(), func(tx *store.Tx) error {
		if err := tx.TagCandidate(t.Context(), store.WholeAccount(s.Account), id, "Kanarienmarke"); err != nil {
			return err
		}
		_, err := tx.AddNote(t.Context(), typus.Note{AccountID: s.Account, CandidateID: id, UserID: 1, Body: "Kanariennotiz", CreatedAt: time.Now()})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(holding(t, path)) == 0 {
		t.Error("the person is in no file before they are erased")
	}
	if err := s.Steps.Erase(t.Context(), store.WholeAccount(s.Account), id, typus.Actor{Name: "operator"}); err != nil {
		t.Fatal(err)
	}
	// Every 20 seconds in which something was written the log is emptied, and what is
	// left is gone after the second time (store's own tests). The server has work to do
	// meanwhile, and not so much that it writes over all of its log anyway: an
	// invitation, and one more for each time.
	work := func() {
		in := assess.Invitation{Name: "Ada Muster", Email: "ada@example.com"}
		if _, _, err := s.Steps.Invite(t.Context(), s.Account, in, nil); err != nil {
			t.Fatal(err)
		}
	}
	work()
	size := logSize(t, path)
	gone := waittest.So(10*time.Minute, func() bool {
		was := size
		if size = logSize(t, path); size < was {
			work()
			size = logSize(t, path)
		}
		return len(holding(t, path)) == 0
	})
	if !gone {
		t.Fatalf("ten minutes after the erasure the person is in %v", holding(t, path))
	}
}

// logSize is how many bytes the log beside a database has.
func logSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// holding names the files of a database that hold the canary.
func holding(t *testing.T, path string) []string {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	var names []string
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(bytes.ToLower(body), []byte("kanarien")) {
			names = append(names, filepath.Base(file))
		}
	}
	return names
}
