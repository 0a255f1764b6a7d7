package assess

import (
	"context"
	"strings"

	"typus"
	"typus/internal/store"
)

// FirstCredits is the note of the ledger's first entry.
const FirstCredits = "first credits"

// CreateAccount makes an account and grants its first credits. Plan, language,
// role profile and validity get their defaults where a is empty. Invalid names
// every wrong field.
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
	a.Name, a.ContactEmail = strings.TrimSpace(a.Name), strings.TrimSpace(a.ContactEmail)
	a.Plan = typus.Plan(or(string(a.Plan), string(typus.PlanStarter)))
	a.Language = or(a.Language, "de")
	a.RoleProfile = or(a.RoleProfile, "general_sales")
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
		AccountID: id, Delta: credits, Reason: typus.ReasonGrant, Note: FirstCredits, Actor: "operator", CreatedAt: a.CreatedAt,
	})
	return id, err
}

func (s *Steps) checkAccount(a typus.Account, credits int64) error {
	var f faults
	f.text("name", a.Name)
	f.when(!a.Plan.Valid(), "plan", "must be starter or business")
	f.check("language", s.languageFault, a.Language)
	f.check("role_profile", s.roleFault, a.RoleProfile)
	f.when(a.InviteDays < 1 || a.InviteDays > 365, "invite_days", "must be 1 to 365")
	f.when(credits < 0 || credits > MaxGrant, "credits", "must be 0 to 1000000000")
	if a.ContactEmail != "" {
		f.email("contact_email", a.ContactEmail)
	}
	return f.err()
}

// MaxGrant bounds one grant: a slip of the finger, not a purchase.
const MaxGrant = 1_000_000_000

// GrantCredits books credits and returns the new balance. Invalid for an amount
// outside 1 to 1,000,000,000 or an empty note; NotFound for the account.
func (s *Steps) GrantCredits(ctx context.Context, accountID, amount int64, note, actor string) (int64, error) {
	note = strings.TrimSpace(note)
	var f faults
	f.when(amount < 1 || amount > MaxGrant, "amount", "must be 1 to 1000000000")
	f.text("note", note)
	if err := f.err(); err != nil {
		return 0, err
	}
	var entry typus.CreditEntry
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockAccount(ctx, accountID); err != nil {
			return err
		}
		var err error
		entry, err = tx.BookCredit(ctx, typus.CreditEntry{
			AccountID: accountID, Delta: amount, Reason: typus.ReasonGrant, Note: note, Actor: actor, CreatedAt: s.now(),
		})
		return err
	})
	return entry.BalanceAfter, err
}
