package sandbox

import (
	"context"
	"strconv"

	"typus"
	"typus/internal/store"
)

// MaxBalance bounds a balance that somebody sets (our choice).
const MaxBalance = 1_000_000_000

// Reset deletes everything that belongs to a test world but its keys, the positions that a key
// is limited to, and its webhooks, gives it Credits, and has it show the real time again, also
// while its clock is being moved, which ends there. Forbidden: the account is live. NotFound.
func (s *Steps) Reset(ctx context.Context, worldID int64, who typus.Actor) error {
	world, err := s.store.Account(ctx, worldID)
	if err == nil {
		err = onlyWorld(world)
	}
	if err != nil {
		return err
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.LockToReset(ctx, worldID); err != nil {
			return err
		}
		if err := tx.ResetWorld(ctx, worldID); err != nil {
			return err
		}
		if err := s.grant(ctx, tx, worldID, Credits, typus.ActorOperator); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, who, typus.AuditEntry{AccountID: worldID, Action: typus.AuditWorldReset})
	})
}

// SetBalance gives a test world a balance of credits, by an entry in its ledger. Invalid: the
// balance is below zero or above MaxBalance. Forbidden: the account is live. NotFound.
func (s *Steps) SetBalance(ctx context.Context, worldID, balance int64, who typus.Actor) error {
	if balance < 0 || balance > MaxBalance {
		return typus.WrongFields([]typus.Field{{Name: "balance", Code: typus.CodeInvalid, Msg: "must be a number from 0 to " + strconv.Itoa(MaxBalance)}})
	}
	return s.change(ctx, worldID, typus.AuditWorldCredits, strconv.FormatInt(balance, 10), who, func(tx *store.Tx, world typus.Account) error {
		if balance == world.Credits {
			return nil
		}
		return s.grant(ctx, tx, worldID, balance-world.Credits, who.Name)
	})
}

// grant books credits of a test world, or fewer of them.
func (s *Steps) grant(ctx context.Context, tx *store.Tx, worldID, delta int64, actor string) error {
	_, err := tx.BookCredit(ctx, typus.CreditEntry{
		AccountID: worldID, Delta: delta, Reason: typus.ReasonGrant, Note: "test world", Actor: actor, CreatedAt: s.now(),
	})
	return err
}
