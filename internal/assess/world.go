package assess

import (
	"context"
	"errors"
	"fmt"
	"math"

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

// holdRoom is holdClock that also lets those who invite wait for each other where an account
// may store so many people and no more. It comes before anything else is locked.
func holdRoom(ctx context.Context, tx *store.Tx, account typus.Account) error {
	if account.MaxPeople == 0 {
		return holdClock(ctx, tx, account)
	}
	return tx.LockInviting(ctx, account.ID)
}

// roomFor makes sure that there is room for n more candidates, in a test world or where the
// operator has set a bound. The caller has taken LockInviting, so that no two invitations find
// the same room, and nobody moves the clock meanwhile. Conflict: it is full.
func roomFor(ctx context.Context, tx *store.Tx, account typus.Account, n int) error {
	if !account.IsWorld() {
		room, err := RoomIn(ctx, tx, account)
		if err != nil || n <= room {
			return err
		}
		return accountFull(account)
	}
	there, err := tx.CountRows(ctx, account.ID)
	if err != nil || there+n <= MaxWorldCandidates {
		return err
	}
	return typus.Errorf(typus.Conflict, "a test world has at most %d candidates; reset it to begin anew", MaxWorldCandidates)
}

// countPeople is CountPeople of a Store or a Tx.
type countPeople interface {
	CountPeople(ctx context.Context, accountID int64) (int, error)
}

// RoomIn is how many more people an account may store: as good as any number where the operator
// has set no bound, 0 also where more are stored than a bound that was lowered.
func RoomIn(ctx context.Context, from countPeople, account typus.Account) (int, error) {
	if account.MaxPeople == 0 {
		return math.MaxInt, nil
	}
	there, err := from.CountPeople(ctx, account.ID)
	return max(0, account.MaxPeople-there), err
}

// accountFull is the Conflict of an account that stores as many people as it may. It names the
// remedies: to erase some, or the operator's word.
func accountFull(account typus.Account) error {
	msg := fmt.Sprintf("stores as many people as it may, %d; erase some who are no longer needed, or whoever runs this server "+
		"sets another bound with \"typus account set --account %d --max-people …\"; then the same request works", account.MaxPeople, account.ID)
	return &typus.Error{
		Kind: typus.Conflict, Msg: "the account " + msg, Fields: []typus.Field{{Name: "account", Code: typus.CodeAccountFull, Msg: msg}},
	}
}

// AccountFull reports whether err says that the account stores as many people as it may.
func AccountFull(err error) bool {
	e, is := errors.AsType[*typus.Error](err)
	return is && len(e.Fields) == 1 && e.Fields[0].Code == typus.CodeAccountFull
}
