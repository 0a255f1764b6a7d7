package backup

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/db"
	"typus/internal/store"
)

// idsPassedOver is by how much ids move on with each restore. Those who were invited after the
// backup are not known to it, and their ids stand in other systems: nobody else may ever have
// one. So it is with whatever else has an id, which may be in a page that is open, in the
// address to which mail servers report days later that a letter was returned, in the answer to
// a command, or in a contract.
const idsPassedOver = 1_000_000

// fewPassedOver is the same for what people make one by one, so that its ids stay short.
const fewPassedOver = 1000

// madeByHand are the tables of what people make one by one.
var madeByHand = []string{
	"accounts", "users", "positions", "core_questions", "role_profiles", "role_rounds", "role_experts", "api_keys", "webhook_endpoints", "public_links",
}

// Staged is a backup on its way into the place of a database.
type Staged struct {
	Facts
	Path     string // the copy of it beside the database, which is worked on
	file     string
	database string
	held     io.Closer
	came     []CameBefore // since the backup, or before it
}

// Stage checks a backup and copies it beside the database that it is to replace, which need
// not be there. It holds the lock of a server until Close. The keys are the fingerprints of the
// secret keys that are at hand. Conflict: a server runs, or there is no room. Invalid: the file
// is no backup, is damaged or cut off, or was made with another key.
func Stage(ctx context.Context, file, database string, keys []string, free func(string) (int64, bool)) (*Staged, error) {
	if err := db.CheckFile(ctx, file); err != nil {
		return nil, err
	}
	facts, err := FactsOf(ctx, file)
	if err != nil {
		return nil, err
	}
	for _, key := range facts.Keys() {
		if !slices.Contains(keys, key) {
			return nil, typus.Errorf(typus.Invalid, "%s was made with the secret key of the fingerprint %s, and the one that is given has %s; put the right one in its place first, or set it as TYPUS_OTHER_SECRET_KEY", file, key, strings.Join(keys, " and "))
		}
	}
	if database, err = db.FileItself(database); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(database), 0o700); err != nil {
		return nil, db.Refused(filepath.Dir(database), err)
	}
	if same(file, database) || same(file, database+".restore") {
		return nil, typus.Errorf(typus.Invalid, "%s is the database itself, or about to be; take a file of another name", file)
	}
	s := &Staged{Facts: facts, Path: database + ".restore", file: file, database: database}
	if s.held, err = db.Hold(database); err != nil {
		return nil, err
	}
	if err := s.copy(free); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func same(a, b string) bool {
	one, err := os.Stat(a)
	two, other := os.Stat(b)
	return err == nil && other == nil && os.SameFile(one, two)
}

// copy makes the working copy. What has its name was left by a restore that was cut off.
func (s *Staged) copy(free func(string) (int64, bool)) error {
	removeAll(s.Path)
	if err := refuseFull(free, filepath.Dir(s.database), roomFor(sizeOf(s.file)), "the backup; make room and try again"); err != nil {
		return err
	}
	in, err := os.Open(s.file)
	if err != nil {
		return db.Refused(s.file, err)
	}
	defer func() { _ = in.Close() }() // it was only read
	out, err := os.OpenFile(s.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return db.Refused(s.Path, err)
	}
	db.GiveToOwner(out, s.database)
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return db.Refused(s.Path, err)
	}
	if err := db.CheckFile(context.Background(), s.Path); err != nil {
		return err
	}
	return db.Unstamp(s.Path)
}

// Close gives up what was not put in its place, and the lock.
func (s *Staged) Close() error {
	removeAll(s.Path)
	return s.held.Close()
}

// Known lists all erasures that are known: by the list that a server keeps, which need not
// be there, by the one in another file if there is a name of it, by the backup, and by the
// database that is there, if it can still be read. Invalid: a list is damaged, or more is
// not there.
func (s *Staged) Known(ctx context.Context, list, more string) ([]store.Tombstone, error) {
	beside, err := ReadListIfAny(list)
	if err != nil {
		return nil, err
	}
	var further []store.Tombstone
	if more != "" {
		if further, err = ReadList(more); err != nil {
			return nil, err
		}
	}
	text, err := db.Peek(ctx, s.file, `select value from server_marks where name = $1`, erasuresMark)
	if err != nil {
		return nil, err
	}
	then, err := parseList(s.file, text)
	if err != nil {
		return nil, err
	}
	return together(beside, further, then, s.ofFormer(ctx)), nil
}

// ofFormer lists the erasures of the last seconds of a server that was killed, which are not
// on the list yet. A database that cannot be read any more is no reason not to restore.
func (s *Staged) ofFormer(ctx context.Context) []store.Tombstone {
	if _, err := os.Stat(s.database); err != nil {
		return nil
	}
	former, err := store.Open(ctx, s.database)
	if err != nil {
		return nil
	}
	defer func() { _ = former.Close() }() // it was only read
	s.came, _ = cameBeforeIn(ctx, former) // likewise
	list, err := AllTombstones(ctx, former)
	if err != nil {
		return nil
	}
	return list
}

// CarryOver gives a database that is to take the place of the former one what Known has found
// there besides, without which the list of erasures would not find everybody: by how much the
// ids of accounts went on that have come here. Errors are those of the database.
func (s *Staged) CarryOver(ctx context.Context, st *store.Store) error {
	return st.InTx(ctx, func(tx *store.Tx) error {
		there, err := cameBeforeIn(ctx, tx)
		if err != nil {
			return err
		}
		for _, c := range s.came {
			if slices.Contains(there, c) {
				continue
			}
			if err := c.Keep(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// Applied says what a list of erasures has done to a database.
type Applied struct {
	Known  int   `json:"known"`            // erasures that the list has
	Erased int   `json:"erased"`           // people who were there all the same
	Gone   int   `json:"accounts_deleted"` // accounts likewise, with all their people
	LastID int64 `json:"passed_to"`        // the last id of a candidate that nobody gets any more
}

// Apply deletes again the accounts on a list, erases whoever else is on it, has the ids of each
// table go on where none has ever been given, on the list or after the backup, and ends all
// logins: who was logged in then may have been removed from the team since. Errors are those of
// the database.
func Apply(ctx context.Context, st *store.Store, steps *assess.Steps, accounts *accounts.Steps, list []store.Tombstone) (Applied, error) {
	gone, err := accounts.DeleteListed(ctx, list)
	a := Applied{Known: len(list), Gone: gone}
	if err != nil {
		return a, err
	}
	a.Erased, err = steps.EraseListed(ctx, list, typus.Actor{Name: typus.ActorOperator})
	if err != nil {
		return a, err
	}
	return a, st.InTx(ctx, func(tx *store.Tx) error {
		listed := highest(list)
		for _, t := range store.MovedTables() {
			if !t.Counted() {
				continue
			}
			by := int64(idsPassedOver)
			if slices.Contains(madeByHand, t.Name) {
				by = fewPassedOver
			}
			last, err := tx.ReserveIDs(ctx, t.Name, listed[t.Name], by)
			if err != nil {
				return err
			}
			if t.Name == "candidates" {
				a.LastID = last
			}
		}
		_, err := tx.EndSessions(ctx)
		return err
	})
}

// Unlabel makes a backup a database in use, which does not say of itself that it is one.
func Unlabel(ctx context.Context, st *store.Store) error {
	return st.InTx(ctx, func(tx *store.Tx) error {
		for _, mark := range []string{factsMark, erasuresMark} {
			if _, err := tx.TakeMark(ctx, mark); err != nil {
				return err
			}
		}
		return nil
	})
}

// Replace puts the copy, which must be closed, in the place of the database, which stays
// beside it under a name by the time; "" when there was none. After a crash in between one
// of the two is there whole. Conflict: another program has the database open.
func (s *Staged) Replace(ctx context.Context, facts Facts) (string, error) {
	if sizeOf(s.Path+"-wal") > 0 {
		return "", typus.Errorf(typus.Internal, "the copy %s was not closed", s.Path)
	}
	if err := syncFile(s.Path); err != nil {
		return "", db.Refused(s.Path, err)
	}
	aside, err := s.putAside(ctx, facts)
	if err != nil {
		return "", err
	}
	if err := os.Rename(s.Path, s.database); err != nil {
		return "", db.Refused(s.database, err)
	}
	if err := SyncDir(filepath.Dir(s.database)); err != nil {
		return "", db.Refused(filepath.Dir(s.database), err)
	}
	return aside, nil
}

// putAside gives the database another name besides its own, and takes its log away, which
// SQLite would otherwise take for that of its successor.
func (s *Staged) putAside(ctx context.Context, facts Facts) (string, error) {
	if _, err := os.Stat(s.database); errors.Is(err, fs.ErrNotExist) {
		return "", s.takeLog("")
	}
	err := s.label(ctx, facts)
	if err == nil {
		err = db.Fold(ctx, s.database)
	}
	if err == nil { // who has copied a backup here by hand has left its stamp in it
		err = db.Unstamp(s.database)
	}
	if typus.Is(err, typus.Conflict) { // all else is what a restore may be the remedy for
		return "", err
	}
	base := s.database + ".before-" + facts.MadeAt.UTC().Format("20060102T150405Z")
	aside := base
	for n := 2; ; n++ {
		err := os.Link(s.database, aside)
		if err == nil {
			return aside, s.takeLog(aside)
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", db.Refused(aside, err)
		}
		aside = base + "-" + strconv.Itoa(n)
	}
}

// label makes the former database a backup, which can be restored. It fails for one that
// cannot be read any more.
func (s *Staged) label(ctx context.Context, facts Facts) error {
	former, err := store.Open(ctx, s.database)
	if err != nil {
		return err
	}
	facts.Schema, err = former.Newest(ctx)
	err = errors.Join(err, facts.setKeys(ctx, former))
	text, faulty := json.Marshal(facts)
	if err = errors.Join(err, faulty); err == nil {
		err = former.InTx(ctx, func(tx *store.Tx) error { return tx.ReplaceMark(ctx, factsMark, text) })
	}
	return errors.Join(err, former.Close())
}

// takeLog renames what could not be folded into its database along with it, and removes
// what has none.
func (s *Staged) takeLog(aside string) error {
	for _, end := range []string{"-wal", "-journal", "-shm"} {
		name := s.database + end
		take := func() error { return os.Remove(name) }
		if aside != "" && end != "-shm" && sizeOf(name) > 0 {
			take = func() error { return os.Rename(name, aside+end) }
		}
		if err := take(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return db.Refused(name, err)
		}
	}
	return nil
}
