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

// cameBefore says that an account has come here before, by its id and time in the file, and by
// how much its own id and those of its candidates went on.
type cameBefore struct{ account, created, accounts, candidates int64 }

// marks are a database, or a transaction on one.
type marks interface {
	Mark(ctx context.Context, name string) ([]byte, error)
}

// cameBeforeIn lists all that a database knows of.
func cameBeforeIn(ctx context.Context, s marks) ([]cameBefore, error) {
	text, err := s.Mark(ctx, cameMark)
	var all []cameBefore
	for line := range bytes.Lines(text) {
		var c cameBefore
		if _, err := fmt.Sscan(string(line), &c.account, &c.created, &c.accounts, &c.candidates); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, err
}

// keep adds it to what a database knows of. No other import writes there between the reading
// and the writing: the transaction has AwaitHosts, or no server runs.
func (c cameBefore) keep(ctx context.Context, tx *store.Tx) error {
	text, err := tx.Mark(ctx, cameMark)
	if err != nil {
		return err
	}
	return tx.ReplaceMark(ctx, cameMark, fmt.Appendf(text, "%d %d %d %d\n", c.account, c.created, c.accounts, c.candidates))
}
