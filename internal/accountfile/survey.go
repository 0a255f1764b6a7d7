package accountfile

import (
	"context"
	"hash/maphash"
	"slices"
	"time"

	"typus"
	"typus/internal/backup"
	"typus/internal/db"
	"typus/internal/store"
)

// inFile is what there is to know of a file before the first row of it is written.
type inFile struct {
	rows   int
	ids    map[string][]int64         // of the rows of each table with a counting key, ascending
	named  map[string][]int64         // of rows that may be gone
	texts  map[string]map[uint64]bool // hashes of the ids that are texts: of events and deliveries
	seed   maphash.Seed
	logos  map[string]map[int64]typus.Logo // what the rows of accounts and positions say of theirs, by table and id
	since  backup.ErasedSince              // who is on the list
	erased []store.Tombstone               // who of the file is on it, by the id of the file
	begun  int64                           // when the account was made
	host   string                          // its own
	daily  any                             // letters_a_day
	world  int64                           // 0: none
}

// on reports whether a row of a table is in the file.
func (f *inFile) on(table string, id int64) bool {
	_, found := slices.BinarySearch(f.ids[table], id)
	return found
}

// survey reads the whole file and looks at every row.
func (o AccountImport) survey(ctx context.Context, file *accountFile) (*inFile, error) {
	in := &inFile{
		ids: map[string][]int64{}, named: map[string][]int64{}, texts: map[string]map[uint64]bool{}, seed: maphash.MakeSeed(),
		logos: map[string]map[int64]typus.Logo{"accounts": {}, "positions": {}},
	}
	var err error
	if in.since, err = backup.ErasedSinceBy(ctx, o.Store, o.Erasures); err != nil {
		return nil, err
	}
	in.rows, err = file.rows(func(table int, row []any) error {
		t := store.MovedTables()[table]
		if err := in.look(t, row); err != nil {
			return err
		}
		if err := in.sound(ctx, t, row); err != nil {
			return err
		}
		return in.lookErased(t, row, file.Account)
	})
	if err != nil {
		return nil, err
	}
	if len(in.ids["accounts"]) == 0 || in.ids["accounts"][0] != file.Account {
		return nil, in.wrong("accounts", "the account of the first line is not there")
	}
	for table, ids := range in.named {
		slices.Sort(ids)
		in.named[table] = slices.Compact(ids)
	}
	return in, nil
}

// lookErased refuses an account that was deleted here, and keeps who of it was erased since.
func (f *inFile) lookErased(t store.MovedTable, row []any, account int64) error {
	ofAccount := t.Name == "accounts"
	if !ofAccount && (t.Name != "candidates" || valueOf(t, row, "erased_at") != nil) {
		return nil
	}
	id := row[0].(int64)
	created, _ := valueOf(t, row, "created_at").(int64)
	stone, found := f.since.Of(account, f.begun, store.Tombstone{Account: ofAccount, ID: id, CreatedAt: time.UnixMilli(created)})
	switch {
	case !found:
	case ofAccount:
		return typus.Errorf(typus.Conflict, "the account %d was deleted on %s, and stays so: nobody of it is brought back", stone.ID, stone.ErasedAt.Format(time.DateOnly))
	default:
		stone.ID = id
		f.erased = append(f.erased, stone)
	}
	return nil
}

func (f *inFile) wrong(table, what string) error {
	return typus.Errorf(typus.Invalid, "the file holds what no account can: %s: %s; nothing was written", table, what)
}

// look refuses a row that no export has written, and keeps which ids it has.
func (f *inFile) look(t store.MovedTable, row []any) error {
	for i, c := range t.Columns {
		if !fits(c.Kind, row[i]) {
			return f.wrong(t.Name, c.Name+" is of another type")
		}
		if text, isText := row[i].(string); isText {
			if !f.lookText(t, c, text) {
				return f.wrong(t.Name, c.Name+" names a row of another account")
			}
			continue
		}
		id, isID := row[i].(int64)
		switch {
		case !isID:
		case c.Kind == store.MovedID:
			own := f.ids[t.Name]
			if id <= 0 || id > mostMovedID || len(own) > 0 && own[len(own)-1] >= id {
				return f.wrong(t.Name, "ids are not in their order")
			}
			f.ids[t.Name] = append(own, id)
		case c.Kind == store.MovedOwned && !f.on(c.Of, id):
			return f.wrong(t.Name, c.Name+" names a row of another account")
		case c.Kind == store.MovedNamed && id > mostMovedID:
			return f.wrong(t.Name, c.Name+" is no id")
		case c.Kind == store.MovedNamed && id > 0 && !f.on(c.Of, id):
			f.named[c.Of] = append(f.named[c.Of], id)
		}
	}
	if t.Name == "accounts" {
		return f.lookAccount(t, row)
	}
	return nil
}

// lookText keeps the ids that are texts, and is false for one that names no row of the file.
func (f *inFile) lookText(t store.MovedTable, c store.MovedColumn, text string) bool {
	hash := maphash.String(f.seed, text)
	if c.Kind == store.MovedUnique && c.Name == "id" {
		if f.texts[t.Name] == nil {
			f.texts[t.Name] = map[uint64]bool{}
		}
		f.texts[t.Name][hash] = true
	}
	return c.Kind != store.MovedOf || f.texts[c.Of][hash]
}

// lookAccount wants the account first, and then its test world.
func (f *inFile) lookAccount(t store.MovedTable, row []any) error {
	parent, isWorld := valueOf(t, row, "parent_id").(int64)
	switch n := len(f.ids["accounts"]); {
	case n == 1 && !isWorld && valueOf(t, row, "ahead") == int64(0):
		f.host, f.daily = textOf(t, row, "host"), valueOf(t, row, "letters_a_day")
		f.begun, _ = valueOf(t, row, "created_at").(int64)
		return nil
	case n == 2 && isWorld && parent == f.ids["accounts"][0] && textOf(t, row, "host") == f.host:
		f.world = row[0].(int64)
		if valueOf(t, row, "letters_a_day") != f.daily || valueOf(t, row, "max_people") != int64(0) {
			return f.wrong("accounts", "the test world has limits of its own")
		}
		return nil
	}
	return f.wrong("accounts", "it is not one account with its test world")
}

// fits reports whether a column can hold a value.
func fits(kind store.MovedKind, value any) bool {
	if value == nil {
		return kind != store.MovedID && !kind.Unique()
	}
	switch kind {
	case store.MovedNumber, store.MovedID, store.MovedOwned, store.MovedNamed:
		_, ok := value.(int64)
		return ok
	case store.MovedBytes, store.MovedSealed, store.MovedRoleJSON, store.MovedEvidence:
		_, ok := value.([]byte)
		return ok
	}
	text, ok := value.(string)
	return ok && db.Storable(text)
}
