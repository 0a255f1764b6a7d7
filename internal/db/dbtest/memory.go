package dbtest

import "syscall"

// memory is where Linux keeps files in memory.
const memory = "/dev/shm"

// room is what the databases of all packages together stay below, in bytes.
const room = 4 << 30

// place is where tests keep databases, open to all users: in memory where it has room, since a
// commit to a disk waits for the disk and a database of PostgreSQL is a thousand files; else
// /tmp. A container has 64 MB of such memory unless it was given more.
func place() string {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memory, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < room { //nolint:gosec // a block has a size
		return "/tmp"
	}
	return memory
}
