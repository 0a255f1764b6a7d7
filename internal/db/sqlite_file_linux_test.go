package db_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A process that opens its database once more keeps the locks it has on the files
// beside it: POSIX takes them all away where one descriptor of the file is closed.
func TestOpeningAgainKeepsTheLocks(t *testing.T) {
	path := template.SQLite(t)
	s := open(t, path)
	if _, err := accounts(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	shared := must[*os.File](t)(os.OpenFile(path+"-shm", os.O_RDWR, 0))
	defer shared.Close()
	if !locked(t, shared) {
		t.Fatal("there is no lock: the test says nothing")
	}
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if !locked(t, shared) {
		t.Error("the locks are gone")
	}
}

// locked reports whether anybody, this process too, has a lock on any of the file.
func locked(t *testing.T, f *os.File) bool {
	t.Helper()
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &lock); err != nil {
		t.Fatal(err)
	}
	return lock.Type != unix.F_UNLCK
}
