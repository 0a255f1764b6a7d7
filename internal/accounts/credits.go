package accounts

import (
	"context"
	"strings"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// Grant is what an operator gives an account.
type Grant struct {
	Amount    int64
	Note      string
	Reference string // "": every call books
	Actor     string
}

// GrantCredits books credits and returns the entry. If the account's ledger already has
// the reference, nothing is booked: the entry is the earlier one, and the second result
// is false. So an operator who does not know whether a grant was booked can repeat it.
// Invalid for an amount outside 1 to 1,000,000,000 or an empty note; NotFound for the
// account; Conflict if the reference was used with another amount.
//
// Who may: the operator only, by the command line.
func (s *Steps) GrantCredits(ctx context.Context, accountID int64, g Grant) (typus.CreditEntry, bool, error) {
	g.Note, g.Reference = strings.TrimSpace(g.Note), strings.TrimSpace(g.Reference)
	if err := g.check(); err != nil {
		return typus.CreditEntry{}, false, err
	}
	var entry typus.CreditEntry
	var booked bool
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		// From here on grants of one account wait for each other, so that none with the
		// same reference is booked between the look and the booking.
		account, err := tx.LockAccount(ctx, accountID)
		if err == nil {
			err = account.Itself()
		}
		if err != nil {
			return err
		}
		earlier, found, err := tx.GrantByReference(ctx, accountID, g.Reference)
		if err != nil {
			return err
		}
		if entry, booked = earlier, !found; found {
			return sameGrant(earlier, g)
		}
		entry, err = tx.BookCredit(ctx, typus.CreditEntry{
			AccountID: accountID, Delta: g.Amount, Reason: typus.ReasonGrant, Note: g.Note, Reference: g.Reference, Actor: g.Actor, CreatedAt: s.now(),
		})
		return err
	})
	return entry, booked, err
}

func (g Grant) check() error {
	var f clerk.Faults
	f.When(g.Amount < 1 || g.Amount > typus.MaxGrant, "amount", "must be 1 to 1000000000")
	f.Text("note", g.Note)
	f.Remark("reference", g.Reference)
	return f.Err()
}

func sameGrant(earlier typus.CreditEntry, g Grant) error {
	if earlier.Delta == g.Amount {
		return nil
	}
	return typus.Errorf(typus.Conflict, "the reference %q is booked already, with %d credits and not %d; nothing was booked now", g.Reference, earlier.Delta, g.Amount)
}
