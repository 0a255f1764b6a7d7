//go:build unix

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes the exclusive lock of a file and keeps it while the file is
// open. The kernel frees it with the process, however that ends.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
