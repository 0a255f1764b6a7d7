package assess

import (
	"cmp"
	"context"
	"strings"

	"typus"
	"typus/internal/clerk"
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
	a.Plan = cmp.Or(a.Plan, typus.PlanStarter)
	a.Language = cmp.Or(a.Language, "de")
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
		AccountID: id, Delta: credits, Reason: typus.ReasonGrant, Note: FirstCredits, Actor: "operator", CreatedAt: a.CreatedAt,
	})
	return id, err
}

func (s *Steps) checkAccount(a typus.Account, credits int64) error {
	var f clerk.Faults
	f.Text("name", a.Name)
	f.When(!a.Plan.Valid(), "plan", "must be starter or business")
	f.Language(a.Language, s.instrument)
	f.Role(a.RoleProfile, s.instrument)
	f.When(a.InviteDays < 1 || a.InviteDays > 365, "invite_days", "must be 1 to 365")
	f.When(credits < 0 || credits > MaxGrant, "credits", "must be 0 to 1000000000")
	if a.ContactEmail != "" {
		f.Email("contact_email", a.ContactEmail)
	}
	return f.Err()
}

// MaxGrant bounds one grant: a slip of the finger, not a purchase.
const MaxGrant = 1_000_000_000

// Grant is what an operator gives an account.
type Grant struct {
	Amount    int64
	Note      string
	Reference string // "": every call books
	Actor     string
}

// GrantCredits books credits and returns the entry. A reference that the account's
// ledger has already books nothing: the entry is the earlier one, and the second
// result false. So an operator who does not know whether a grant was booked can give
// it again. Invalid for an amount outside 1 to 1,000,000,000 or an empty note;
// NotFound for the account; Conflict: under the reference stands another amount.
func (s *Steps) GrantCredits(ctx context.Context, accountID int64, g Grant) (typus.CreditEntry, bool, error) {
	g.Note, g.Reference = strings.TrimSpace(g.Note), strings.TrimSpace(g.Reference)
	if err := g.check(); err != nil {
		return typus.CreditEntry{}, false, err
	}
	var entry typus.CreditEntry
	var booked bool
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		// Grants of one account follow each other from here on, so none with the same
		// reference is booked between the look and the booking.
		if _, err := tx.LockAccount(ctx, accountID); err != nil {
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
	f.When(g.Amount < 1 || g.Amount > MaxGrant, "amount", "must be 1 to 1000000000")
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
