package assess

import (
	"context"
	"strings"
	"unicode/utf8"

	"typus"
	"typus/internal/auth"
	"typus/internal/store"
	"typus/internal/webhook"
)

// maxEndpoints bounds the webhooks of one account (our choice).
const maxEndpoints = 10

// CreateAccount makes an account and grants its first credits. Plan, language,
// role profile and validity get their defaults where a is empty. Invalid names
// every wrong field.
func (s *Steps) CreateAccount(ctx context.Context, a typus.Account, credits int64) (int64, error) {
	a.Name = strings.TrimSpace(a.Name)
	a.Plan = typus.Plan(or(string(a.Plan), string(typus.PlanStarter)))
	a.Language = or(a.Language, "de")
	a.RoleProfile = or(a.RoleProfile, "general_sales")
	if a.InviteDays == 0 {
		a.InviteDays = 30
	}
	a.CreatedAt = s.now()
	if err := s.checkAccount(a, credits); err != nil {
		return 0, err
	}
	var id int64
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		var err error
		if id, err = tx.AddAccount(ctx, a); err != nil || credits == 0 {
			return err
		}
		_, err = tx.BookCredit(ctx, typus.CreditEntry{
			AccountID: id, Delta: credits, Reason: typus.ReasonGrant, Note: "first credits", Actor: "operator", CreatedAt: a.CreatedAt,
		})
		return err
	})
	return id, err
}

func (s *Steps) checkAccount(a typus.Account, credits int64) error {
	var f faults
	f.text("name", a.Name)
	f.when(!a.Plan.Valid(), "plan", "starter or business")
	if code, msg := s.languageFault(a.Language); code != "" {
		f.when(true, "language", msg)
	}
	if code, msg := s.roleFault(a.RoleProfile); code != "" {
		f.when(true, "role_profile", msg)
	}
	f.when(a.InviteDays < 1 || a.InviteDays > 365, "invite_days", "1 to 365")
	f.when(credits < 0 || credits > maxGrant, "credits", "0 to 1000000000")
	if a.ContactEmail != "" {
		_, msg := emailFault(a.ContactEmail)
		f.when(msg != "", "contact_email", msg)
	}
	return f.err()
}

// CreateUser adds a person to an account; with a password it can log in at
// once. Invalid names every wrong field; Conflict when the address is taken;
// NotFound for the account.
func (s *Steps) CreateUser(ctx context.Context, u typus.User, password string, withPassword bool) (int64, error) {
	u.Email = strings.TrimSpace(u.Email)
	u.CreatedAt = s.now()
	var f faults
	_, msg := emailFault(u.Email)
	f.when(msg != "", "email", msg)
	f.when(!u.Role.Valid(), "role", "owner, admin, member or viewer")
	hash := ""
	if withPassword {
		account, err := s.store.Account(ctx, u.AccountID)
		if err != nil {
			return 0, err
		}
		msg := auth.PasswordFault(password, u.Email, "", account.Name)
		f.when(msg != "", "password", msg)
		if hash, err = auth.HashPassword(password); err != nil {
			return 0, err
		}
	}
	if err := f.err(); err != nil {
		return 0, err
	}
	var id int64
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Account(ctx, u.AccountID); err != nil {
			return err
		}
		var err error
		if id, err = tx.AddUser(ctx, u, hash); err != nil {
			return err
		}
		return tx.AddAudit(ctx, typus.AuditEntry{AccountID: u.AccountID, Actor: "operator", Action: "user.created", Detail: string(u.Role), CreatedAt: u.CreatedAt})
	})
	return id, err
}

// CreateKey makes an API key and returns it; it can never be shown again
// (seed 5.2). Invalid for an empty or over-long name; NotFound for the account.
func (s *Steps) CreateKey(ctx context.Context, accountID int64, name, actor string) (int64, string, error) {
	name = strings.TrimSpace(name)
	var f faults
	if f.text("name", name); f.err() != nil {
		return 0, "", f.err()
	}
	key := auth.NewAPIKey()
	var id int64
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Account(ctx, accountID); err != nil {
			return err
		}
		now := s.now()
		var err error
		id, err = tx.AddAPIKey(ctx, typus.APIKey{
			AccountID: accountID, Name: name, Hash: auth.Hash(key), CreatedBy: actor, CreatedAt: now,
		})
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, typus.AuditEntry{AccountID: accountID, Actor: actor, Action: "key.created", Detail: name, CreatedAt: now})
	})
	return id, key, err
}

// RevokeKey ends a key for ever; revoking again changes nothing. NotFound.
func (s *Steps) RevokeKey(ctx context.Context, accountID, id int64, actor string) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		now := s.now()
		if err := tx.RevokeAPIKey(ctx, accountID, id, now); err != nil {
			return err
		}
		return tx.AddAudit(ctx, typus.AuditEntry{AccountID: accountID, Actor: actor, Action: "key.revoked", CreatedAt: now})
	})
}

// CreateEndpoint adds a webhook and returns its secret, which signs all
// deliveries to it. Invalid when the guard refuses the address; Conflict when the
// account has ten endpoints already; NotFound for the account.
func (s *Steps) CreateEndpoint(ctx context.Context, accountID int64, url, description, actor string) (int64, string, error) {
	url, err := s.guard.CheckURL(url)
	if err != nil {
		return 0, "", err
	}
	secret := webhook.NewSecret()
	var id int64
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockAccount(ctx, accountID); err != nil {
			return err
		}
		others, err := tx.Endpoints(ctx, accountID)
		if err != nil {
			return err
		}
		if len(others) >= maxEndpoints {
			return typus.Errorf(typus.Conflict, "an account has at most %d webhooks; delete one first", maxEndpoints)
		}
		now := s.now()
		id, err = tx.AddEndpoint(ctx, typus.Endpoint{
			AccountID: accountID, URL: url, Description: description, Status: typus.EndpointActive, CreatedAt: now,
		})
		if err != nil {
			return err
		}
		_, err = tx.AddSecret(ctx, accountID, id, typus.SecretCurrent, s.box.KeyID(), now, func(secretID int64) ([]byte, error) {
			return s.box.Seal([]byte(secret), webhook.SecretAAD(secretID, id)), nil
		})
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, typus.AuditEntry{AccountID: accountID, Actor: actor, Action: "webhook.created", Detail: url, CreatedAt: now})
	})
	return id, secret, err
}

// DeleteEndpoint ends a webhook and cancels what was still to be delivered to
// it. NotFound.
func (s *Steps) DeleteEndpoint(ctx context.Context, accountID, id int64, actor string) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		now := s.now()
		if err := tx.SetEndpointStatus(ctx, accountID, id, typus.EndpointDeleted, "", now); err != nil {
			return err
		}
		return tx.AddAudit(ctx, typus.AuditEntry{AccountID: accountID, Actor: actor, Action: "webhook.deleted", CreatedAt: now})
	})
}

// maxGrant bounds one grant: a slip of the finger, not a purchase.
const maxGrant = 1_000_000_000

// GrantCredits books credits and returns the new balance. Invalid for an amount
// outside 1 to 1,000,000,000 or an empty note; NotFound for the account.
func (s *Steps) GrantCredits(ctx context.Context, accountID, amount int64, note, actor string) (int64, error) {
	note = strings.TrimSpace(note)
	var f faults
	f.when(amount < 1 || amount > maxGrant, "amount", "1 to 1000000000")
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

// faults collects wrong fields.
type faults []typus.Field

func (f *faults) when(wrong bool, field, msg string) {
	if wrong {
		*f = append(*f, typus.Field{Name: field, Code: typus.CodeInvalid, Msg: msg})
	}
}

// text wants 1 to 200 visible characters.
func (f *faults) text(field, value string) {
	_, unsafe := typus.UnsafeRune(value)
	f.when(unsafe || value == "" || utf8.RuneCountInString(value) > maxName, field, "1 to 200 characters, no control characters")
}

func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return &typus.Error{Kind: typus.Invalid, Msg: f[0].Name + ": " + f[0].Msg, Fields: f}
}
