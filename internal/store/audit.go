package store

import (
	"context"

	"typus"
)

// AddAudit appends a line to the audit log; there is no way to change one.
func (t *Tx) AddAudit(ctx context.Context, a typus.AuditEntry) error {
	_, err := t.exec(ctx, `
		insert into audit_log (account_id, candidate_id, actor, action, detail, created_at) values ($1, $2, $3, $4, $5, $6)`,
		a.AccountID, idOrNull(a.CandidateID), a.Actor, a.Action, a.Detail, millis(a.CreatedAt))
	return err
}

const auditColumns = `id, account_id, coalesce(candidate_id, 0), actor, action, detail, created_at`

// Audit lists the newest lines about an account, at most limit, newest first.
func (r reads) Audit(ctx context.Context, accountID int64, limit int) ([]typus.AuditEntry, error) {
	return all(ctx, r, scanAudit, `
		select `+auditColumns+` from audit_log where account_id = $1 order by id desc limit $2`, accountID, limit)
}

// AuditOf lists what the audit log says of one candidate, oldest first.
func (r reads) AuditOf(ctx context.Context, accountID, candidateID int64) ([]typus.AuditEntry, error) {
	return all(ctx, r, scanAudit, `
		select `+auditColumns+`
		from audit_log where account_id = $1 and candidate_id = $2 order by id`, accountID, candidateID)
}

func scanAudit(row scanner) (typus.AuditEntry, error) {
	var a typus.AuditEntry
	err := row.Scan(&a.ID, &a.AccountID, &a.CandidateID, &a.Actor, &a.Action, &a.Detail, (*instant)(&a.CreatedAt))
	return a, err
}
