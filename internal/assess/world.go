package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// MaxWorldCandidates bounds the candidates of a test world, the erased too (our choice): it is
// for trying a connection, and moving its clock on touches all of them.
const MaxWorldCandidates = 1000

// holdClock keeps the clock of a test world where it is until somebody is invited to it, or
// an address that was typed at its public link is kept, or a list; in a live account there is
// nothing to wait for. It comes before anything else is locked.
func holdClock(ctx context.Context, tx *store.Tx, account typus.Account) error {
	if !account.IsWorld() {
		return nil
	}
	return tx.LockInviting(ctx, account.ID)
}

// roomFor makes sure that a test world has room for n more candidates; a live account always
// has. The caller has taken LockInviting, so that no two invitations find the same room, and
// nobody moves the clock meanwhile. Conflict: it is full.
func roomFor(ctx context.Context, tx *store.Tx, account typus.Account, n int) error {
	if !account.IsWorld() {
		return nil
	}
	there, err := tx.CountRows(ctx, account.ID)
	if err != nil || there+n <= MaxWorldCandidates {
		return err
	}
	return typus.Errorf(typus.Conflict, "a test world has at most %d candidates; reset it to begin anew", MaxWorldCandidates)
}
