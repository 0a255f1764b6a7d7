package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// MaxWorldCandidates bounds the candidates of a test world (our choice): it is for trying a
// connection, and moving its clock on touches all of them.
const MaxWorldCandidates = 1000

// roomFor makes sure that a test world has room for n more candidates; a live account always
// has. The world stays locked, so that no two invitations find the same room. Conflict: it
// is full.
func roomFor(ctx context.Context, tx *store.Tx, account typus.Account, n int) error {
	if !account.IsWorld() {
		return nil
	}
	if _, err := tx.LockAccount(ctx, account.ID); err != nil {
		return err
	}
	there, err := tx.CountPeople(ctx, account.ID)
	if err != nil || there+n <= MaxWorldCandidates {
		return err
	}
	return typus.Errorf(typus.Conflict, "a test world has at most %d candidates; reset it to begin anew", MaxWorldCandidates)
}
