package store

import (
	"context"

	"typus"
	"typus/internal/db"
)

const senderColumns = `account_id, address, name, bounce_address, dkim_domain, dkim_selector, dkim_key`

func scanSender(row db.Row) (typus.Sender, error) {
	var s typus.Sender
	err := row.Scan(&s.AccountID, &s.Address, &s.Name, &s.BounceAddress, &s.DKIMDomain, &s.DKIMSelector, &s.SealedKey)
	return s, err
}

// Sender reads in whose name letters of an account go out. False: in the server's, as those of
// test worlds do, which have none of their own.
func (r *reads) Sender(ctx context.Context, accountID int64) (typus.Sender, bool, error) {
	return db.Maybe(ctx, r, scanSender, `select `+senderColumns+` from account_senders where account_id = $1`, accountID)
}

// Senders lists those of all accounts that have one, for the operator.
func (r *reads) Senders(ctx context.Context) ([]typus.Sender, error) {
	return db.All(ctx, r, scanSender, `select `+senderColumns+` from account_senders order by account_id`)
}

// SetSender stores in whose name letters of an account go out, in place of what was stored. The
// caller has locked the account.
func (t *Tx) SetSender(ctx context.Context, s typus.Sender) error {
	_, err := t.db.Exec(ctx, `
		insert into account_senders (`+senderColumns+`) values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (account_id) do update set address = excluded.address, name = excluded.name, bounce_address = excluded.bounce_address,
			dkim_domain = excluded.dkim_domain, dkim_selector = excluded.dkim_selector, dkim_key = excluded.dkim_key`,
		s.AccountID, s.Address, s.Name, s.BounceAddress, s.DKIMDomain, s.DKIMSelector, s.SealedKey)
	return err
}

// DropSender lets the letters of an account go out in the server's name. The caller has locked
// the account.
func (t *Tx) DropSender(ctx context.Context, accountID int64) error {
	_, err := t.db.Exec(ctx, `delete from account_senders where account_id = $1`, accountID)
	return err
}
