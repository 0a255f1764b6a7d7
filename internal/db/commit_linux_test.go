package db_test

import (
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"typus"
	"typus/internal/db"
)

// A disk that fails in the middle of a commit leaves open whether the next start
// finds it; one whose closure had failed by itself is known to be undone.
func TestACommitThatTheDiskRefusesIsOfUnknownOutcome(t *testing.T) {
	s := openSQLite(t)
	write(t, s, func(tx *db.Tx) error { return addNamed(t.Context(), tx, "before") })
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	restore := func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Error(err)
		}
	}
	defer restore() // also where the closure breaks off: every later test would fail
	err := s.InTx(t.Context(), func(tx *db.Tx) error {
		// From here on no file of this process grows: the disk is read, not written.
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1, Max: limit.Max}); err != nil {
			return err
		}
		return addNamed(t.Context(), tx, "unknown")
	})
	restore()
	hasKind(t, "a commit that could not be written", err, typus.OutcomeUnknown)
	write(t, s, func(tx *db.Tx) error { return addNamed(t.Context(), tx, "after") })
	if got := names(t, s); strings.Contains(got, "unknown") {
		t.Errorf("this process goes on without it, and reads %q", got)
	}
}
