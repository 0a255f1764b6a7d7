package assess

import (
	"context"
	"time"

	"typus"
	"typus/internal/store"
)

// SetScoreSorting allows or forbids an account to sort its candidates by score.
// Allowing it means that by has read what such an order says and what it does
// not. NotFound.
func (s *Steps) SetScoreSorting(ctx context.Context, accountID int64, on bool, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		at, who, action := time.Time{}, "", "account.score_sorting_off"
		if on {
			at, who, action = s.now(), by.Name, "account.score_sorting_on"
		}
		if err := tx.SetScoreSorting(ctx, accountID, at, who); err != nil {
			return err
		}
		return tx.AddAudit(ctx, typus.AuditEntry{AccountID: accountID, UserID: by.UserID, Actor: by.Name, IP: by.IP, RequestID: by.RequestID, Action: action, CreatedAt: s.now()})
	})
}

// NoteView writes down that somebody looked at the report of a candidate.
func (s *Steps) NoteView(ctx context.Context, accountID, candidateID int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		return s.recordOf(ctx, tx, typus.Candidate{AccountID: accountID, ID: candidateID}, by, "report.viewed", "")
	})
}
