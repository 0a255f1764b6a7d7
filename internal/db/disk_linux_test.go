package db_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"typus"
	"typus/internal/db"
)

// smallDisk mounts a disk of 12 MB. It needs the right to mount, which a
// container may lack, but not that of CI; the limit of pages in the writer's tests needs
// nothing.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=12m"); err != nil {
		if errors.Is(err, unix.EPERM) && os.Getenv("CI") == "" {
			t.Skip("not allowed to mount a small disk")
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestAFullDiskRefusesCleanlyAndHeals(t *testing.T) {
	dir := smallDisk(t)
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 6<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	// The log is up to 4 MB long; folding it in takes as much again in the file.
	s := open(t, filepath.Join(dir, "typus.db"))
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	var stored []string
	add := func(i int) error {
		name := fmt.Sprint("a", i)
		err := s.InTx(t.Context(), func(tx *db.Tx) error {
			if err := setMark(t.Context(), tx, name, 50_000); err != nil {
				return err
			}
			return addNamed(t.Context(), tx, name)
		})
		if err == nil {
			stored = append(stored, name)
		}
		return err
	}
	refused := 0
	for i := 0; refused < 5; i++ {
		if err := add(i); err != nil {
			hasKind(t, "a write on a full disk", err, typus.Unavailable)
			if !db.DiskFull(err) || !strings.Contains(err.Error(), "the disk of the database is full") || !s.Full() {
				t.Errorf("a full disk (known: %t) is called %v", s.Full(), err)
			}
			refused++
		}
		if i > 1000 {
			t.Fatal("the disk does not get full")
		}
	}
	check := func() {
		t.Helper()
		if got := strings.Fields(names(t, s)); !slices.Equal(got, stored) {
			t.Errorf("stored %d accounts, acknowledged %d", len(got), len(stored))
		}
	}
	check()
	room := func() error {
		return s.FindRoom(t.Context(), func(tx *db.Tx) error { return setMark(t.Context(), tx, "room", 1<<20) })
	}
	if err := room(); !db.DiskFull(err) || !s.Full() {
		t.Errorf("room is found on a full disk: %v", err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := room(); err != nil || s.Full() {
		t.Errorf("no room is found: %v", err)
	}
	for i := range 5 {
		if err := add(2000 + i); err != nil {
			t.Errorf("after space was freed: %v", err)
		}
	}
	check()
	if got := must[string](t)(db.One(t.Context(), s, db.ScanText, "", "pragma integrity_check")); got != "ok" {
		t.Errorf("integrity: %q", got)
	}
}

// No test can mount them everywhere; their numbers are those of Linux (magic.h).
func TestFileSystemsWhoseLocksDoNotHoldAreKnown(t *testing.T) {
	for magic, want := range map[uint32]string{
		0x6969: "NFS", 0x517b: "Windows network (SMB)", 0xfe534d42: "Windows network (SMB)", 0xff534d42: "Windows network (SMB)", 0x65735546: "FUSE",
		0xef53: "", 0x58465342: "", 0x9123683e: "", 0x01021994: "", 0x794c7630: "", // ext4, XFS, Btrfs, tmpfs, overlay
	} {
		if got := db.NetworkKind(magic); got != want {
			t.Errorf("%#x is %q, want %q", magic, got, want)
		}
	}
}
