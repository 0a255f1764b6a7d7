package db

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"typus"
)

// errLocked says that another process has the lock of a file.
var errLocked = errors.New("locked by another process")

// Refused says in one sentence why the operating system does not let us use a file or
// directory: which one, as which user, whose it is, and the remedy. Forbidden: this
// user may not use it. Invalid: the path leads nowhere. Conflict: the disk is full or
// read-only.
func Refused(path string, err error) *typus.Error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return forbidden(path)
	case errors.Is(err, syscall.EROFS):
		return typus.Errorf(typus.Conflict, "%s is on a file system that is read-only here; mount it for writing, let the service write there (systemd: ReadWritePaths=%s; a container: a volume), or choose another place", path, filepath.Dir(path))
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return noRoomFor(path, err)
	case errors.Is(err, syscall.ENOTDIR):
		return typus.Errorf(typus.Invalid, "%s leads through a file as if it were a directory; choose another place", path)
	case errors.Is(err, syscall.EISDIR):
		return typus.Errorf(typus.Invalid, "%s is a directory where a file is needed", path)
	}
	return typus.Errorf(typus.Conflict, "%s cannot be used: %s", path, reason(err))
}

// reason is what the system says, without the path and the call that a PathError
// repeats.
func reason(err error) error {
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number
	}
	return err
}

// forbidden finds what is in the way: the file or directory itself, or the first
// directory on the way to it.
func forbidden(path string) *typus.Error {
	at := path
	info, err := os.Stat(at)
	for err != nil && at != filepath.Dir(at) {
		missing := errors.Is(err, fs.ErrNotExist)
		at = filepath.Dir(at)
		if info, err = os.Stat(at); err == nil {
			return inTheWay(path, at, info, missing)
		}
	}
	if err != nil {
		return typus.Errorf(typus.Forbidden, "the user %s may not use %s; choose another place", currentUser(), path)
	}
	may := "read and write the file"
	if info.IsDir() {
		may = "write in the directory"
	}
	return typus.Errorf(typus.Forbidden, "the user %s may not %s %s (%s); %s", currentUser(), may, at, rights(info), asItsOwner(at, info))
}

// asItsOwner is the remedy to run the command as the owner of the files. A change of
// owner or mode could take the files from a server that is running on them.
func asItsOwner(at string, info fs.FileInfo) string {
	switch owner := ownerOf(info); owner {
	case "":
		return "run typus as its owner"
	case currentUser():
		mode := "u+rw"
		if info.IsDir() {
			mode = "u+rwx"
		}
		return fmt.Sprintf("let its owner use it (chmod %s %s)", mode, at)
	default:
		return fmt.Sprintf("run typus as its owner: sudo -u %s typus …", owner)
	}
}

// HandOver says how to hand an installation, which commands have made as another user,
// over to the server's user. It is "" if the directory may hold more than the database,
// which is so unless it is open to its owner only.
func HandOver(path string) string {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		return ""
	}
	return fmt.Sprintf("or, if the server shall run as %[1]s and none runs now, give all of it to that user: chown -R %[1]s %[2]s", currentUser(), dir)
}

// inTheWay is the error about a directory above the path.
func inTheWay(path, at string, info fs.FileInfo, absent bool) *typus.Error {
	me := currentUser()
	if !absent {
		return typus.Errorf(typus.Forbidden, "the user %s may not enter the directory %s (%s), in which %s lies; %s",
			me, at, rights(info), path, asItsOwner(at, info))
	}
	return typus.Errorf(typus.Forbidden, "the user %s may not make %s in the directory %s (%s); make a directory of that user's own (install -d -o %s -m 700 DIRECTORY) and put the database there",
		me, path, at, rights(info), me)
}

// rights say who owns a file, and what its mode lets others do.
func rights(info fs.FileInfo) string {
	owner := "it belongs to " + ownerOf(info)
	if ownerOf(info) == "" {
		owner = "somebody else's"
	}
	return fmt.Sprintf("%s, mode %s", owner, info.Mode())
}
