package clerk

import (
	"context"
	"fmt"
	"strings"
	"time"

	"typus"
	"typus/internal/store"
)

// Audit writes what somebody did into the audit log, with one statement for a few lines. Every
// line of the log is written here, except that a webhook was switched off because of failures.
// The lines need not say who did it and when.
func (c *Clerk) Audit(ctx context.Context, tx *store.Tx, by typus.Actor, lines ...typus.AuditEntry) error {
	for i := range lines {
		e := &lines[i]
		e.Actor, e.UserID, e.IP, e.RequestID, e.CreatedAt = by.Name, by.UserID, by.IP, by.RequestID, c.clock.Now()
	}
	return tx.AddAudit(ctx, lines...)
}

// AuditPosition writes a line about a position. It names a position by its id only, and
// the default one not at all: who reads the log may not reach it.
func (c *Clerk) AuditPosition(ctx context.Context, tx *store.Tx, by typus.Actor, p typus.Position, action typus.AuditAction, detail string) error {
	if !p.Standard {
		detail = strings.TrimSpace(fmt.Sprintf("#%d %s", p.ID, detail))
	}
	return c.Audit(ctx, tx, by, typus.AuditEntry{AccountID: p.AccountID, Action: action, Detail: detail})
}

// DayOf is the day of a stored time for the detail of an audit line, YYYY-MM-DD, as the
// account's people see it. A time in words does not go back with the others when the
// clock of the world is moved on.
func (c *Clerk) DayOf(ctx context.Context, tx *store.Tx, accountID int64, at time.Time) (string, error) {
	account, err := tx.Account(ctx, accountID)
	if err != nil {
		return "", err
	}
	return account.DayOf(at), nil
}

// NoteExport notes in the audit log that somebody exported data of the account. detail
// says which data, or is "" if action says it.
func (c *Clerk) NoteExport(ctx context.Context, accountID int64, action typus.AuditAction, detail string, by typus.Actor) error {
	return c.store.InTx(ctx, func(tx *store.Tx) error {
		return c.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: action, Detail: detail})
	})
}
