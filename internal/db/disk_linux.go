package db

import "golang.org/x/sys/unix"

// networkDisk names the file system of a path if it is one that does not keep
// its locks between machines or processes, "" otherwise.
func networkDisk(path string) string {
	var fs unix.Statfs_t
	if unix.Statfs(path, &fs) != nil {
		return ""
	}
	return networkKind(uint32(fs.Type)) //nolint:gosec // magic numbers have 32 bits
}

// networkKind names a kind of file system, "" unless it is one of those.
func networkKind(magic uint32) string {
	switch magic {
	case unix.NFS_SUPER_MAGIC:
		return "NFS"
	case unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		return "Windows network (SMB)"
	case unix.FUSE_SUPER_MAGIC:
		return "FUSE"
	default:
		return ""
	}
}
