package accountfile

import (
	"context"
	"errors"
	"os"

	"typus"
	"typus/internal/seal"
	"typus/internal/store"
)

// PlaceOf is the place that a sealed value of a row is bound to.
var PlaceOf = placeOf

// Uniques say in words what must not be on a server twice.
var Uniques = uniques

// SoundLogo looks at the logo of an account as an import does.
func SoundLogo(ctx context.Context, l typus.Logo) error {
	for _, t := range store.MovedTables() {
		if t.Name == "account_logos" {
			f := &inFile{logos: map[string]map[int64]typus.Logo{"accounts": {1: l}}}
			return f.soundLogo(ctx, t, "accounts", []any{int64(1), l.Body})
		}
	}
	return errors.New("there is no such table")
}

// WriteAccountFile writes the file of an account whose rows were changed: each by change,
// which is told its table and its number there. What is sealed stays so.
func WriteAccountFile(path string, key []byte, st *store.Store, account int64, change func(table int, row []any, k int)) error {
	ctx := context.Background()
	schema, err := st.Newest(ctx)
	if err != nil {
		return err
	}
	name, err := seal.NameOf(key)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w, err := newAccountWriter(f, accountHeader{Typus: "account", Format: accountFormat, Schema: schema, Account: account, Key: name, Salt: "x"}, key)
	if err != nil {
		return err
	}
	rows := map[int]int{}
	err = st.ReadMoved(ctx, account, func(table int, row []any) error {
		change(table, row, rows[table])
		rows[table]++
		return w.row(table, row)
	})
	return errors.Join(err, w.close(), f.Close())
}
