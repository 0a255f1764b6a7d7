//go:build unix

package db

import (
	"os"
	"path/filepath"
	"syscall"
)

func giveToOwner(f *os.File, database string) {
	if os.Geteuid() != 0 {
		return
	}
	info, err := os.Stat(database)
	if err != nil {
		info, err = os.Stat(filepath.Dir(database))
	}
	if err != nil {
		return
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(owner.Uid), int(owner.Gid)) // where that is not possible, it stays root's
	}
}
