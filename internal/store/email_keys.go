package store

import (
	"context"

	"typus"
	"typus/internal/db"
)

// keyBatch is how many addresses keyAddresses reads at once.
const keyBatch = 500

// unkeyed is an address without its key, and the key of its row.
type unkeyed struct {
	row   [2]int64
	email string
}

func scanUnkeyed(row db.Row) (unkeyed, error) {
	var u unkeyed
	err := row.Scan(&u.row[0], &u.row[1], &u.email)
	return u, err
}

// keyAddresses writes the keys of those addresses that the migration could not convert
// to lower case. If an older server erases or corrects an address in the meantime, its
// former key is not written back.
func keyAddresses(ctx context.Context, tx *db.Tx) error {
	err := keyRows(ctx, tx, 1,
		`select id, 0, email from candidates where email_key = '' and email <> '' and id > $1 order by id limit $2`,
		`update candidates set email_key = $1 where id = $2 and email = $3`)
	if err != nil {
		return err
	}
	return keyRows(ctx, tx, 2,
		`select import_id, n, email from import_rows where email_key = '' and email <> '' and (import_id, n) > ($1, $2) order by import_id, n limit $3`,
		`update import_rows set email_key = $1 where import_id = $2 and n = $3 and email = $4`)
}

// keyRows does so in one table. numbers is how many integer columns the table's key
// has.
func keyRows(ctx context.Context, tx *db.Tx, numbers int, next, set string) error {
	place := func(u unkeyed) []any {
		return []any{u.row[0], u.row[1]}[:numbers]
	}
	var last unkeyed
	for {
		list, err := db.All(ctx, tx, scanUnkeyed, next, append(place(last), keyBatch)...)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, u := range list {
			args := append([]any{typus.MailboxKey(u.email)}, place(u)...)
			if _, err := tx.Exec(ctx, set, append(args, u.email)...); err != nil {
				return err
			}
		}
		last = list[len(list)-1]
	}
}
