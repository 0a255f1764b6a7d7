package backup

import (
	"bytes"
	"context"
	"fmt"

	"typus/internal/store"
)

// cameMark keeps which accounts have come here with other ids than their file has. Lists of
// erasures of this server know the ids here, and the same file may be taken in again once the
// account was deleted, or in its place.
const cameMark = "moved-ids"

// CameBefore says that an account has come here before, by its id and time in the file, and by
// how much its own id and those of its candidates went on.
type CameBefore struct{ Account, Created, Accounts, Candidates int64 }

// marks are a database, or a transaction on one.
type marks interface {
	Mark(ctx context.Context, name string) ([]byte, error)
}

// cameBeforeIn lists all that a database knows of.
func cameBeforeIn(ctx context.Context, s marks) ([]CameBefore, error) {
	text, err := s.Mark(ctx, cameMark)
	var all []CameBefore
	for line := range bytes.Lines(text) {
		var c CameBefore
		if _, err := fmt.Sscan(string(line), &c.Account, &c.Created, &c.Accounts, &c.Candidates); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, err
}

// Keep adds it to what a database knows of. No other import writes there between the reading
// and the writing: the transaction has AwaitHosts, or no server runs. Errors are those of the
// database.
func (c CameBefore) Keep(ctx context.Context, tx *store.Tx) error {
	text, err := tx.Mark(ctx, cameMark)
	if err != nil {
		return err
	}
	return tx.ReplaceMark(ctx, cameMark, fmt.Appendf(text, "%d %d %d %d\n", c.Account, c.Created, c.Accounts, c.Candidates))
}

// ErasedSince finds who of a file of an account was erased since it was written, by the ids of
// the file and by those that they have had here.
type ErasedSince struct {
	listed map[person]store.Tombstone
	before []CameBefore
}

// ErasedSinceBy looks in a list of erasures, and knows who has come to a database before.
// Errors are those of the database.
func ErasedSinceBy(ctx context.Context, st *store.Store, list []store.Tombstone) (ErasedSince, error) {
	before, err := cameBeforeIn(ctx, st)
	e := ErasedSince{map[person]store.Tombstone{}, before}
	for _, t := range list {
		e.listed[personOf(t)] = t
	}
	return e, err
}

// Lists reports whether an erasure is on the list.
func (e ErasedSince) Lists(t store.Tombstone) bool {
	_, found := e.listed[personOf(t)]
	return found
}

// Of is when a row of the file of an account was erased, by the id and the time of the row;
// false where nothing is known of that.
func (e ErasedSince) Of(account, begun int64, row store.Tombstone) (store.Tombstone, bool) {
	stone, found := e.listed[personOf(row)]
	for _, c := range e.before {
		by := c.Candidates
		if row.Account {
			by = c.Accounts
		}
		if !found && c.Account == account && c.Created == begun {
			here := row
			here.ID += by
			stone, found = e.listed[personOf(here)]
		}
	}
	return stone, found
}
