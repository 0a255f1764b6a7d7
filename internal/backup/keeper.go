package backup

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"typus"
	"typus/internal/db"
	"typus/internal/store"
)

const (
	// KeepEvery is the pause between two turns of a Keeper: an erasure is on the list
	// within 5 seconds.
	KeepEvery = 2 * time.Second
	// lookBack is how far a turn looks back for erasures that were committed late.
	lookBack = 10 * time.Minute
	// compareEvery is how often a turn looks at all erasures there are: a clock may have
	// been wrong when one was written.
	compareEvery = time.Hour
	// pageOfList is how many erasures are read at once.
	pageOfList = 500
)

// Keeper keeps the list of erasures beside the database, so that it is at hand when the
// database has to be restored. One goroutine uses it.
type Keeper struct {
	store *store.Store
	path  string
	clock typus.Clock // by which candidates are erased

	size     int64 // of the file that was read or written last
	listed   map[person]bool
	ran      time.Time // when a turn was done last
	compared time.Time // likewise with all erasures
}

// NewKeeper makes a keeper of the list in a file, which it makes when there is none. The
// clock is that of the erasures, nil for the machine's.
func NewKeeper(st *store.Store, path string, clock typus.Clock) *Keeper {
	return &Keeper{store: st, path: path, clock: clock}
}

// Run adds to the list who is erased and not on it yet, and returns when that is synced.
// Errors are those of the database and of db.Refused.
func (k *Keeper) Run(ctx context.Context) error {
	begun := time.Now()
	if err := k.read(); err != nil {
		return err
	}
	after, whole := store.Cursor{At: k.clock.Now().Add(-lookBack)}, false
	if begun.Sub(k.compared) > compareEvery || begun.Sub(k.ran) > lookBack/2 {
		after, whole = store.Cursor{}, true
	}
	if err := eachPage(ctx, k.store, after, k.add); err != nil {
		return err
	}
	k.ran = begun
	if whole {
		k.compared = begun
	}
	return nil
}

// read reads the file, unless it is as long as this keeper has left it. What was cut off
// when it was written is taken away; the database knows it.
func (k *Keeper) read() error {
	info, err := os.Stat(k.path)
	if err == nil && k.listed != nil && info.Size() == k.size {
		return nil
	}
	k.listed, k.compared, k.size = nil, time.Time{}, 0
	if errors.Is(err, fs.ErrNotExist) {
		if err := writeWhole(k.path, nil); err != nil {
			return err
		}
		k.listed = map[person]bool{}
		return nil
	}
	if err != nil {
		return db.Refused(k.path, err)
	}
	text, err := os.ReadFile(k.path)
	if err != nil {
		return db.Refused(k.path, err)
	}
	whole := int64(bytes.LastIndexByte(text, '\n') + 1)
	list, err := parseList(k.path, text[:whole])
	if err != nil {
		return err
	}
	switch rest := text[whole:]; {
	case len(rest) == 0:
	case lacksOnlyItsEnd(rest):
		return k.complete()
	default:
		if err := os.Truncate(k.path, whole); err != nil {
			return db.Refused(k.path, err)
		}
	}
	k.size, k.listed = whole, personsOn(list)
	return nil
}

func personsOn(list []store.Tombstone) map[person]bool {
	on := map[person]bool{}
	for _, t := range list {
		on[personOf(t)] = true
	}
	return on
}

// complete ends the last line, and reads the file anew.
func (k *Keeper) complete() error {
	if err := appendSynced(k.path, []byte("\n")); err != nil {
		return err
	}
	return k.read()
}

// lacksOnlyItsEnd reports whether the last line of a list is one as an editor leaves it, and
// was not cut off while it was written: then its time of the erasure is before the other one.
func lacksOnlyItsEnd(line []byte) bool {
	t, ok := parseLine(string(line))
	return ok && bytes.Equal(bytes.TrimSpace(line), bytes.TrimSpace(formatList([]store.Tombstone{t})))
}

// add appends those of some erasures that are not listed.
func (k *Keeper) add(page []store.Tombstone) error {
	var fresh []store.Tombstone
	for _, t := range page {
		if !k.listed[personOf(t)] {
			fresh = append(fresh, t)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	text := formatList(fresh)
	if err := appendSynced(k.path, text); err != nil {
		k.listed = nil // to be read again: a part may have been written
		return err
	}
	k.size += int64(len(text))
	for _, t := range fresh {
		k.listed[personOf(t)] = true
	}
	return nil
}

// Unlisted counts the erasures before a time that a database knows of and the list in a file
// does not; of a file that is not there it knows none.
func Unlisted(ctx context.Context, st *store.Store, path string, before time.Time) (int, error) {
	list, err := ReadListIfAny(path)
	if err != nil {
		return 0, err
	}
	all, err := AllTombstones(ctx, st)
	if err != nil {
		return 0, err
	}
	listed, missing := personsOn(list), 0
	for _, t := range all {
		if t.ErasedAt.Before(before) && !listed[personOf(t)] {
			missing++
		}
	}
	return missing, nil
}

// AddToList adds to the list in a file what is not on it yet, and makes the file when there
// is none.
func AddToList(path string, list []store.Tombstone) error {
	k := NewKeeper(nil, path, nil)
	if err := k.read(); err != nil {
		return err
	}
	return k.add(list)
}

func appendSynced(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o600) //nolint:gosec // the operator names the file
	if err != nil {
		return db.Refused(path, err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return db.Refused(path, err)
	}
	return nil
}

// writeWhole makes a file with a text, for its owner's eyes, or none: it has its name only
// when it is complete and synced. One that is there is replaced. Made by root, it belongs to
// whom the directory belongs.
func writeWhole(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*.tmp") // mode 0600
	if err != nil {
		return db.Refused(path, err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // after the renaming there is none
	db.GiveToOwner(f, path)
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil {
		err = SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return db.Refused(path, err)
	}
	return nil
}

// SyncDir makes the names in a directory last.
func SyncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // where the operator keeps the files
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// syncFile makes what is in a file last.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // where the operator keeps the files
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
