package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// audit writes what somebody did into the audit log; every line of it is written
// here, but that a webhook was switched off by its failures. Who did it and when need
// not stand in e.
func (s *Steps) audit(ctx context.Context, tx *store.Tx, by typus.Actor, e typus.AuditEntry) error {
	e.Actor, e.UserID, e.IP, e.RequestID, e.CreatedAt = by.Name, by.UserID, by.IP, by.RequestID, s.now()
	return tx.AddAudit(ctx, e)
}

// recordOf writes a line about a candidate. The audit log is never erased, so
// detail holds no name and no address.
func (s *Steps) recordOf(ctx context.Context, tx *store.Tx, c typus.Candidate, by typus.Actor, action, detail string) error {
	return s.audit(ctx, tx, by, typus.AuditEntry{AccountID: c.AccountID, CandidateID: c.ID, Action: action, Detail: detail})
}

// auditUser writes a line about a user. The user did it where the actor is their
// own address.
func (s *Steps) auditUser(ctx context.Context, tx *store.Tx, u typus.User, action, actor string) error {
	by := typus.ActorOf(ctx)
	by.Name = actor
	if actor == u.Email {
		by.UserID = u.ID
	}
	return s.auditBy(ctx, tx, u, action, by)
}

// auditBy writes a line about a user, with their address and role.
func (s *Steps) auditBy(ctx context.Context, tx *store.Tx, u typus.User, action string, by typus.Actor) error {
	return s.audit(ctx, tx, by, typus.AuditEntry{AccountID: u.AccountID, Action: action, Detail: u.Email + " " + string(u.Role)})
}

// NoteExport writes down that somebody took data of the account along; detail
// says which, "" when action does.
func (s *Steps) NoteExport(ctx context.Context, accountID int64, action, detail string, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		return s.audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: action, Detail: detail})
	})
}
