package store

import (
	"context"

	"typus"
)

const (
	accountColumns = `id, name, plan, credits, language, role_profile, invite_days, contact_email, created_at`
	noAccount      = "there is no such account"
)

func accountFields(a *typus.Account) []any {
	return []any{&a.ID, &a.Name, &a.Plan, &a.Credits, &a.Language, &a.RoleProfile, &a.InviteDays, &a.ContactEmail, (*instant)(&a.CreatedAt)}
}

func scanAccount(row scanner) (typus.Account, error) {
	var a typus.Account
	err := row.Scan(accountFields(&a)...)
	return a, err
}

// AddAccount adds an account without credits, whatever a.Credits says: credits
// come through the ledger only (BookCredit).
func (t *Tx) AddAccount(ctx context.Context, a typus.Account) (int64, error) {
	return one(ctx, t.reads, scanInt, "", `
		insert into accounts (name, plan, language, role_profile, invite_days, contact_email, created_at)
		values ($1, $2, $3, $4, $5, $6, $7) returning id`,
		a.Name, string(a.Plan), a.Language, a.RoleProfile, a.InviteDays, a.ContactEmail, millis(a.CreatedAt))
}

// Account reads an account. NotFound.
func (r reads) Account(ctx context.Context, accountID int64) (typus.Account, error) {
	return one(ctx, r, scanAccount, noAccount, `select `+accountColumns+` from accounts where id = $1`, accountID)
}

// LockAccount reads an account for change, so that two writers of it follow
// each other. NotFound.
func (t *Tx) LockAccount(ctx context.Context, accountID int64) (typus.Account, error) {
	return one(ctx, t.reads, scanAccount, noAccount, `select `+accountColumns+` from accounts where id = $1`+t.d.lockRows, accountID)
}

// AnyAccount reports whether there is an account at all.
func (r reads) AnyAccount(ctx context.Context) (bool, error) {
	_, found, err := maybe(ctx, r, scanInt, `select id from accounts order by id limit 1`)
	return found, err
}

// Accounts lists all accounts by id, for the operator.
func (r reads) Accounts(ctx context.Context) ([]typus.Account, error) {
	return all(ctx, r, scanAccount, `select `+accountColumns+` from accounts order by id`)
}
