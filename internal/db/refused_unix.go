//go:build unix

package db

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// usable asks whether this user may read and write a file.
func usable(name string) error {
	return unix.Faccessat(unix.AT_FDCWD, name, unix.R_OK|unix.W_OK, unix.AT_EACCESS)
}

// writable asks whether this user may make and remove files in a directory.
func writable(dir string) error {
	return unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS)
}

// currentUser is whom the process runs as, by name where it has one.
func currentUser() string { return userName(os.Geteuid()) }

// ownerOf is whose a file is, by name where the owner has one; empty if unknown.
func ownerOf(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return userName(int(stat.Uid))
}

// userName is the number itself for a user without a name, as in a container.
func userName(id int) string {
	number := strconv.Itoa(id)
	if u, err := user.LookupId(number); err == nil {
		return u.Username
	}
	return number
}
