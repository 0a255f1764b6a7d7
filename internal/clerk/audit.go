package clerk

import (
	"context"

	"typus"
	"typus/internal/store"
)

// Audit writes what somebody did into the audit log; every line of it is written
// here, but that a webhook was switched off by its failures. Who did it and when need
// not stand in e.
func (c *Clerk) Audit(ctx context.Context, tx *store.Tx, by typus.Actor, e typus.AuditEntry) error {
	e.Actor, e.UserID, e.IP, e.RequestID, e.CreatedAt = by.Name, by.UserID, by.IP, by.RequestID, c.clock.Now()
	return tx.AddAudit(ctx, e)
}

// NoteExport writes down that somebody took data of the account along; detail
// says which, "" when action does.
func (c *Clerk) NoteExport(ctx context.Context, accountID int64, action, detail string, by typus.Actor) error {
	return c.store.InTx(ctx, func(tx *store.Tx) error {
		return c.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: action, Detail: detail})
	})
}
