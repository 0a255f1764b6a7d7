//go:build linux || darwin

package db

import "golang.org/x/sys/unix"

// FreeSpace is how many bytes this user may still write on the disk of a path. False: the
// system does not say.
func FreeSpace(path string) (int64, bool) {
	var fs unix.Statfs_t
	if unix.Statfs(path, &fs) != nil {
		return 0, false
	}
	return int64(fs.Bavail) * int64(fs.Bsize), true //nolint:gosec,unconvert // no disk is so large; the size of a block has another type on darwin
}
