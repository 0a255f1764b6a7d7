// Package backup copies an installation on SQLite (hot backup), puts a copy back in its place
// (restore), and keeps the list of those whom no copy may bring back (tombstones).
package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/db"
	"typus/internal/seal"
	"typus/internal/store"
)

// The marks that a copy has, and a database in use has not.
const (
	factsMark    = "backup"
	erasuresMark = "backup_erasures"
)

// SecretMark is the mark by which a database knows its secret key. While the key is changed,
// a second one stands under this name with the fingerprint behind it (SecretMarkOf).
const SecretMark = "secret_key_check"

// SecretMarkOf is the mark of a further key, by its fingerprint.
func SecretMarkOf(keyID string) string { return SecretMark + " " + keyID }

// formerMark holds the fingerprints of keys that this database had before, in the clear.
const formerMark = "secret_key_former"

// KeysOf are the fingerprints of the keys under which a database has values, by its marks: one,
// or two while the key is changed; none where no key was used yet.
func KeysOf(ctx context.Context, s *store.Store) ([]string, error) {
	marks, err := s.Marks(ctx, SecretMark)
	var keys []string
	for _, name := range slices.Sorted(maps.Keys(marks)) {
		keys = append(keys, seal.KeyIDOf(marks[name]))
	}
	return keys, err
}

// SetKeys leaves one key of those that KeysOf lists, by its mark, and notes the others as
// former ones: their backups are still this database's.
func SetKeys(ctx context.Context, tx *store.Tx, mark []byte) error {
	marks, err := tx.Marks(ctx, SecretMark)
	if err != nil {
		return err
	}
	known, err := tx.Mark(ctx, formerMark)
	if err != nil {
		return err
	}
	former := strings.Fields(string(known))
	for name, value := range marks {
		if id := seal.KeyIDOf(value); id != seal.KeyIDOf(mark) && !slices.Contains(former, id) {
			former = append(former, id)
		}
		if _, err := tx.TakeMark(ctx, name); err != nil {
			return err
		}
	}
	if err := tx.ReplaceMark(ctx, formerMark, []byte(strings.Join(former, " "))); err != nil {
		return err
	}
	return tx.ReplaceMark(ctx, SecretMark, mark)
}

// Facts are what a backup says of itself.
type Facts struct {
	MadeAt  time.Time `json:"made_at"`
	Key     string    `json:"key"`     // the fingerprint of the secret key
	Schema  string    `json:"schema"`  // the newest migration
	Version string    `json:"version"` // of the program that made it

	SecondKey  string   `json:"second_key,omitempty"`  // likewise, of a backup that was made while the key was changed
	FormerKeys []string `json:"former_keys,omitempty"` // those that the database had before
}

// Keys are the fingerprints of the keys that are needed to use the backup.
func (f Facts) Keys() []string {
	if f.SecondKey == "" {
		return []string{f.Key}
	}
	return []string{f.Key, f.SecondKey}
}

// setKeys notes the keys that a database has and had.
func (f *Facts) setKeys(ctx context.Context, s *store.Store) error {
	keys, err := KeysOf(ctx, s)
	if err != nil {
		return err
	}
	former, err := s.Mark(ctx, formerMark)
	f.Key, f.SecondKey, f.FormerKeys = "", "", strings.Fields(string(former))
	if len(keys) > 0 {
		f.Key = keys[0]
	}
	if len(keys) > 1 {
		f.SecondKey = keys[1]
	}
	return err
}

// Order says what to copy, and where to.
type Order struct {
	Database string // the SQLite file
	To       string // a file that is not there yet, or a directory in which it gets a name by the time
	Keep     int    // how many backups named by the time stay in the directory, 0 for all
	Erasures string // the list of erasures beside the database; there may be none
	Version  string
	Now      time.Time
	// Free is how many bytes may still be written beside a file; false: nobody knows.
	Free func(path string) (int64, bool)
}

// Made is a backup that was made.
type Made struct {
	Facts
	store.Volume
	File    string   `json:"file"`
	Bytes   int64    `json:"bytes"`
	Erased  int      `json:"erased"`            // erasures that it lists
	Removed []string `json:"removed,omitempty"` // older backups
}

// nameForm is what a backup is called that gets its name by the time (UTC), and partForm one
// that is not complete.
var (
	nameForm = regexp.MustCompile(`^typus-\d{8}T\d{6}Z\.db$`)
	partForm = regexp.MustCompile(`^typus-\d{8}T\d{6}Z\.db(\.[0-9a-f]{8})?\.part$`)
)

const nameLayout = "typus-20060102T150405Z.db"

// partOf is the name of a backup until it is complete. Whoever copies another database to the
// same place, maybe in the same second, has another one.
func partOf(file, database string) string {
	host, _ := os.Hostname()
	if whole, err := filepath.Abs(database); err == nil {
		database = whole
	}
	sum := sha256.Sum256([]byte(host + "\x00" + database))
	return file + "." + hex.EncodeToString(sum[:4]) + ".part"
}

// roomFor is how many bytes must be free to copy so many.
func roomFor(size int64) int64 { return size/2*5 + 1<<20 }

// RoomFor is how many bytes must be free on a disk for a backup of a database, and for a
// restore.
func RoomFor(database string) int64 { return roomFor(sizeOf(database) + sizeOf(database+"-wal")) }

// Make copies a database, beside a server or without one, into a file that has its name
// only when the copy is complete, checked and synced. Only its owner can read it.
// Conflict: the file is there, another backup is under way, there is no room, or too much
// is written meanwhile. Invalid: there is no database, or no file can have this name.
func Make(ctx context.Context, o Order) (Made, error) {
	file, err := o.file()
	if err != nil {
		return Made{}, err
	}
	database, err := db.FileItself(o.Database)
	if err != nil {
		return Made{}, err
	}
	held, err := db.HoldCopying(database)
	if err != nil {
		return Made{}, err
	}
	defer held.Close()
	part := partOf(file, database)
	if nameForm.MatchString(filepath.Base(file)) {
		if err := o.sweep(filepath.Dir(file), strings.TrimPrefix(part, file)); err != nil {
			return Made{}, err
		}
	}
	if err := refuseFull(o.Free, filepath.Dir(file), RoomFor(database), "the database; make room, or choose another disk"); err != nil {
		return Made{}, err
	}
	defer removeAll(part)
	if err := beginPart(part); err != nil {
		return Made{}, err
	}
	if err := db.CopyFile(ctx, database, part); err != nil {
		return Made{}, err
	}
	made, err := o.label(ctx, part)
	if err != nil {
		return Made{}, err
	}
	if err := finish(ctx, part, file); err != nil {
		return Made{}, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return Made{}, db.Refused(file, err)
	}
	made.File, made.Bytes = file, info.Size()
	made.Removed, err = o.prune(ctx, file, append(made.FormerKeys, made.Keys()...))
	return made, err
}

// file is the name that the backup gets.
func (o Order) file() (string, error) {
	file := o.To
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, o.Now.UTC().Format(nameLayout))
	}
	if o.Keep > 0 && !nameForm.MatchString(filepath.Base(file)) {
		return "", typus.Errorf(typus.Invalid, "--keep counts backups that are named by their time: name a directory, in which this one gets such a name (%s)", nameLayout)
	}
	if _, err := os.Lstat(file); err == nil {
		return "", thereAlready(file)
	}
	return file, Writable(file)
}

// refuseFull refuses to begin what would fill the disk of a directory. It needs two and a half
// times of something, which of says, with the remedy.
func refuseFull(free func(string) (int64, bool), dir string, needed int64, of string) error {
	if left, known := free(dir); known && left < needed {
		return typus.Errorf(typus.Conflict, "the disk of %s has %d MB free, and %d MB are needed, which is two and a half times %s", dir, left>>20, needed>>20, of)
	}
	return nil
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// beginPart makes the file for its owner only. What is there under this name was left by a
// backup that was cut off, since nobody else makes one now.
func beginPart(part string) error {
	removeAll(part)
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator names the file
	if err != nil {
		return db.Refused(part, err)
	}
	return f.Close()
}

// removeAll removes an SQLite file and what may lie beside it.
func removeAll(path string) {
	for _, end := range []string{"", "-wal", "-shm", "-journal", ".lock"} {
		_ = os.Remove(path + end)
	}
}

// label writes into the copy what it is, with the erasures until now: those that are in it
// and those that are only on the list beside the database.
func (o Order) label(ctx context.Context, part string) (Made, error) {
	s, err := store.Open(ctx, part)
	if err != nil {
		return Made{}, err
	}
	made, err := o.labelled(ctx, s)
	return made, errors.Join(err, s.Close())
}

func (o Order) labelled(ctx context.Context, s *store.Store) (Made, error) {
	facts, err := o.facts(ctx, s)
	if err != nil {
		return Made{}, err
	}
	beside, err := ReadListIfAny(o.Erasures)
	if err != nil {
		return Made{}, err
	}
	within, err := AllTombstones(ctx, s)
	if err != nil {
		return Made{}, err
	}
	all := together(beside, within)
	volume, err := s.CountVolume(ctx)
	if err != nil {
		return Made{}, err
	}
	text, err := json.Marshal(facts)
	if err != nil {
		return Made{}, err
	}
	return Made{Facts: facts, Volume: volume, Erased: len(all)}, s.InTx(ctx, func(tx *store.Tx) error {
		return errors.Join(tx.ReplaceMark(ctx, factsMark, text), tx.ReplaceMark(ctx, erasuresMark, formatList(all)))
	})
}

func (o Order) facts(ctx context.Context, s *store.Store) (Facts, error) {
	schema, err := s.Newest(ctx)
	if err != nil {
		return Facts{}, err
	}
	if schema == "" {
		return Facts{}, typus.Errorf(typus.Conflict, "the database %s is empty: there is nothing to back up", o.Database)
	}
	f := Facts{MadeAt: o.Now.UTC().Truncate(time.Second), Schema: schema, Version: o.Version}
	err = f.setKeys(ctx, s)
	return f, err
}

// AllTombstones lists all erasures of live accounts that a database, or a transaction on one,
// knows of.
func AllTombstones(ctx context.Context, s tombstones) ([]store.Tombstone, error) {
	var all []store.Tombstone
	err := eachPage(ctx, s, store.Cursor{}, func(page []store.Tombstone) error {
		all = append(all, page...)
		return nil
	})
	return all, err
}

// tombstones are a database, or a transaction on one.
type tombstones interface {
	Tombstones(ctx context.Context, after store.Cursor, limit int) ([]store.Tombstone, error)
}

// eachPage calls do with the erasures after a place in their order, up to 500 at once, until
// an error.
func eachPage(ctx context.Context, s tombstones, after store.Cursor, do func([]store.Tombstone) error) error {
	for {
		page, err := s.Tombstones(ctx, after, pageOfList)
		if err != nil {
			return err
		}
		if err := do(page); err != nil || len(page) < pageOfList {
			return err
		}
		last := page[len(page)-1]
		after = store.Cursor{At: last.ErasedAt, ID: last.ID}
	}
}

// finish stamps the copy, checks it, syncs it and gives it its name.
func finish(ctx context.Context, part, file string) error {
	if err := db.Stamp(part); err != nil {
		return err
	}
	if err := db.CheckFile(ctx, part); err != nil {
		return err
	}
	if err := syncFile(part); err != nil {
		return db.Refused(part, err)
	}
	if err := GiveName(part, file); err != nil {
		return err
	}
	if err := SyncDir(filepath.Dir(file)); err != nil {
		return db.Refused(filepath.Dir(file), err)
	}
	return nil
}

// Writable refuses a name that is taken, or where nothing can be written: before long work at
// whose end a file is made. Conflict: the file is there, or the disk is full or read-only;
// Invalid: there is no such directory; Forbidden: it is not this user's to write in.
func Writable(file string) error {
	switch _, err := os.Lstat(file); {
	case err == nil:
		return typus.Errorf(typus.Conflict, "%s is there already; name another file", file)
	case !errors.Is(err, fs.ErrNotExist):
		return db.Refused(file, err)
	}
	if _, err := os.Stat(filepath.Dir(file)); errors.Is(err, fs.ErrNotExist) {
		return typus.Errorf(typus.Invalid, "there is no directory %s; make it first, for its owner only (mkdir -m 700)", filepath.Dir(file))
	}
	f, err := os.CreateTemp(filepath.Dir(file), "typus-*.tmp")
	if err != nil {
		return db.Refused(file, err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return db.Refused(file, err)
	}
	return nil
}

// GiveName gives a complete file its name, which the caller removes under the other one.
// Conflict: somebody else has taken the name meanwhile, whose file stays.
func GiveName(part, file string) error {
	err := os.Link(part, file)
	if errors.Is(err, fs.ErrExist) {
		return thereAlready(file)
	}
	if err != nil { // a disk that knows no second names
		if _, there := os.Lstat(file); there == nil {
			return thereAlready(file)
		}
		err = os.Rename(part, file)
	}
	if err != nil {
		return db.Refused(file, err)
	}
	return nil
}

func thereAlready(file string) error {
	return typus.Errorf(typus.Conflict, "%s is there already; name another file, or a directory", file)
}

// halfAfter is the age from which a backup of another database that is not complete was left
// behind.
const halfAfter = 24 * time.Hour

// sweep removes from a directory what was left of backups named by their time that were cut
// off: at once those of this database, whose names end with mine and which nobody makes now,
// and with Keep those of others once they are old.
func (o Order) sweep(dir, mine string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return db.Refused(dir, err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.Type().IsRegular() || !partForm.MatchString(e.Name()) {
			continue
		}
		if strings.HasSuffix(e.Name(), mine) || o.Keep > 0 && o.Now.Sub(info.ModTime()) > halfAfter {
			removeAll(filepath.Join(dir, e.Name()))
		}
	}
	return nil
}

// prune removes from the directory of a backup that was just made all but the newest of this
// installation that are named by their time. All else stays: what has another name, is no
// backup, belongs to a secret key that is none of keys, or is of a later time, which a wrong
// clock has shown.
func (o Order) prune(ctx context.Context, file string, keys []string) ([]string, error) {
	if o.Keep == 0 {
		return nil, nil
	}
	dir := filepath.Dir(file)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, db.Refused(dir, err)
	}
	var backups, removed []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !e.Type().IsRegular() || !nameForm.MatchString(e.Name()) || e.Name() > filepath.Base(file) {
			continue
		}
		if facts, err := FactsOf(ctx, path); err == nil && slices.Contains(keys, facts.Key) {
			backups = append(backups, path)
		}
	}
	slices.Sort(backups) // by their times
	for _, path := range backups[:max(0, len(backups)-o.Keep)] {
		if err := os.Remove(path); err != nil {
			return removed, db.Refused(path, err)
		}
		removed = append(removed, path)
	}
	return removed, nil
}

// FactsOf reads what a backup says of itself. Invalid: the file is no backup that Make has
// made, or is damaged.
func FactsOf(ctx context.Context, file string) (Facts, error) {
	text, err := db.Peek(ctx, file, `select value from server_marks where name = $1`, factsMark)
	if err != nil {
		return Facts{}, err
	}
	var f Facts
	if text == nil || json.Unmarshal(text, &f) != nil {
		return Facts{}, typus.Errorf(typus.Invalid, "%s is a database of Typus, but not one that typus backup has made or typus restore has put aside", file)
	}
	return f, nil
}
