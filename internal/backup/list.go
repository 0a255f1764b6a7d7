package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/db"
	"typus/internal/store"
)

// ListBeside is the name of the list of erasures that a server on an SQLite database keeps
// unless it is told another.
func ListBeside(database string) string { return database + ".erasures" }

// ofAccount begins a line about an account; the others are about candidates.
const ofAccount = "account"

// formatList writes a line for each erasure: the candidate's id, when it was created and
// when it was erased, in unix milliseconds; before those of an account, a word that says so.
func formatList(list []store.Tombstone) []byte {
	b := []byte{} // none is not null
	for _, t := range list {
		if t.Account {
			b = append(b, ofAccount+" "...)
		}
		b = fmt.Appendf(b, "%d %d %d\n", t.ID, db.Millis(t.CreatedAt), db.Millis(t.ErasedAt))
	}
	return b
}

// parseList reads what formatList has written. A last line without an end was cut off while
// it was written, or an editor has left the end away: it counts if it tells who it is about,
// and is passed over otherwise. Invalid: another line is no erasure.
func parseList(name string, text []byte) ([]store.Tombstone, error) {
	var list []store.Tombstone
	n := 0
	for line := range bytes.Lines(text) {
		n++
		t, ok := parseLine(string(line))
		if !ok && line[len(line)-1] != '\n' {
			break
		}
		if !ok {
			return nil, typus.Errorf(typus.Invalid, "line %d of %s is no erasure: id, created_at and erased_at in milliseconds are expected; the file is damaged or another one; take a copy of it from before (a server whose list is moved away makes a new one)", n, name)
		}
		list = append(list, t)
	}
	return list, nil
}

// What the numbers of a line can be at most: ids have up to 15 digits, and the times of a
// list that is not damaged are those of our days. A wrong id would be passed over by all that
// come after.
const (
	MostID   = 999_999_999_999_999
	MostTime = 253_402_300_799_999 // in milliseconds: the end of the year 9999
)

func parseLine(line string) (store.Tombstone, bool) {
	fields := strings.Fields(line)
	account := len(fields) > 0 && fields[0] == ofAccount
	if account {
		fields = fields[1:]
	}
	if len(fields) != 3 {
		return store.Tombstone{}, false
	}
	var numbers [3]int64
	for i, most := range []int64{MostID, MostTime, MostTime} {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil || n <= 0 || n > most {
			return store.Tombstone{}, false
		}
		numbers[i] = n
	}
	created, erased := numbers[1], max(numbers[1], numbers[2]) // which may have been cut off
	return store.Tombstone{Account: account, ID: numbers[0], CreatedAt: time.UnixMilli(created).UTC(), ErasedAt: time.UnixMilli(erased).UTC()}, true
}

// ReadList reads a list of erasures from a file. Invalid: it is none, or there is no such
// file. Other errors are those of db.Refused.
func ReadList(path string) ([]store.Tombstone, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if errors.Is(err, fs.ErrNotExist) {
		return nil, typus.Errorf(typus.Invalid, "there is no list of erasures at %s", path)
	}
	if err != nil {
		return nil, db.Refused(path, err)
	}
	return parseList(path, text)
}

// ReadListIfAny is ReadList, and empty where there is no file, or no name of one.
func ReadListIfAny(path string) ([]store.Tombstone, error) {
	if _, err := os.Stat(path); path == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return ReadList(path)
}

// person is by what a list knows somebody, or an account: an id alone could be given again.
type person struct {
	account     bool
	id, created int64
}

func personOf(t store.Tombstone) person { return person{t.Account, t.ID, db.Millis(t.CreatedAt)} }

// together is what several lists say, each erasure once.
func together(lists ...[]store.Tombstone) []store.Tombstone {
	seen := map[person]bool{}
	var all []store.Tombstone
	for _, list := range lists {
		for _, t := range list {
			if p := personOf(t); !seen[p] {
				seen[p] = true
				all = append(all, t)
			}
		}
	}
	return all
}

// highest are the highest ids on a list, by the table whose they are.
func highest(list []store.Tombstone) map[string]int64 {
	ids := map[string]int64{}
	for _, t := range list {
		table := "candidates"
		if t.Account {
			table = "accounts"
		}
		ids[table] = max(ids[table], t.ID)
	}
	return ids
}

// Export writes the list of all erasures that a database and a list know of to a file that is
// not there yet, and returns how many there are. Errors are those of Writable, too.
func Export(ctx context.Context, st *store.Store, list, to string) (int, error) {
	if err := Writable(to); err != nil {
		return 0, err
	}
	beside, err := ReadListIfAny(list)
	if err != nil {
		return 0, err
	}
	within, err := AllTombstones(ctx, st)
	if err != nil {
		return 0, err
	}
	all := together(beside, within)
	return len(all), writeWhole(to, formatList(all))
}
