package assess

import (
	"context"
	"time"

	"typus"
	"typus/internal/store"
)

// ExpireDue notes which invitations have run out unfinished, over all accounts. After
// that the same external_id can be invited again; the audit log says so once for each.
// What has run out is judged by a settled time, because it cannot be undone. Errors are
// those of eachDue.
func (s *Steps) ExpireDue(ctx context.Context, settled time.Time) error {
	return s.eachDue(ctx, "noting that an invitation has run out", func(ctx context.Context, after store.Due, limit int) ([]store.Due, error) {
		return s.store.DueExpiries(ctx, settled, after, limit)
	}, func(ctx context.Context, d store.Due) error { return s.expire(ctx, d, settled) })
}

func (s *Steps) expire(ctx context.Context, d store.Due, settled time.Time) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		expired, err := tx.ExpireCandidate(ctx, d.AccountID, d.CandidateID, settled)
		if err != nil || !expired {
			return err
		}
		return s.clerk.Audit(ctx, tx, typus.Actor{Name: typus.ActorServer}, typus.AuditEntry{AccountID: d.AccountID, CandidateID: d.CandidateID, Action: typus.AuditCandidateExpired})
	})
}
