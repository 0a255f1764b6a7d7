package access

import (
	"cmp"
	"context"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// FirstCredits is the note of the ledger's first entry.
const FirstCredits = "first credits"

// CreateAccount makes an account and grants its first credits. Plan, language,
// zone, role profile and validity get their defaults where a is empty. Invalid names
// every wrong field.
//
// Who may: the operator only, by the command line.
func (s *Steps) CreateAccount(ctx context.Context, a typus.Account, credits int64) (int64, error) {
	a = s.withDefaults(a)
	if err := s.checkAccount(a, credits); err != nil {
		return 0, err
	}
	var id int64
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		var err error
		id, err = s.addAccount(ctx, tx, a, credits)
		return err
	})
	return id, err
}

func (s *Steps) withDefaults(a typus.Account) typus.Account {
	a.Name, a.ContactEmail = typus.TypedName(a.Name), typus.TypedAddress(a.ContactEmail)
	a.Plan = cmp.Or(a.Plan, typus.PlanStarter)
	a.Language = cmp.Or(a.Language, "de")
	a.Zone = cmp.Or(a.Zone, typus.UTC)
	a.RoleProfile = cmp.Or(a.RoleProfile, "general_sales")
	if a.InviteDays == 0 {
		a.InviteDays = 30
	}
	a.CreatedAt = s.now()
	return a
}

func (s *Steps) addAccount(ctx context.Context, tx *store.Tx, a typus.Account, credits int64) (int64, error) {
	id, err := tx.AddAccount(ctx, a)
	if err != nil || credits == 0 {
		return id, err
	}
	_, err = tx.BookCredit(ctx, typus.CreditEntry{
		AccountID: id, Delta: credits, Reason: typus.ReasonGrant, Note: FirstCredits, Actor: typus.ActorOperator, CreatedAt: a.CreatedAt,
	})
	return id, err
}

func (s *Steps) checkAccount(a typus.Account, credits int64) error {
	var f clerk.Faults
	f.Account(a, s.instrument)
	f.When(credits < 0 || credits > typus.MaxGrant, "credits", "must be 0 to 1000000000")
	return f.Err()
}
