package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// recordOf writes a line about a candidate. The audit log is never erased, so
// detail holds no name and no address.
func (s *Steps) recordOf(ctx context.Context, tx *store.Tx, c typus.Candidate, by typus.Actor, action typus.AuditAction, detail string) error {
	return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: c.AccountID, CandidateID: c.ID, Action: action, Detail: detail})
}
