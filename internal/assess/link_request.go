package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// RequestLink tells the team by letter, once in 24 hours, that the candidate of an
// expired link would still like to take part. It extends nothing. NotFound; Conflict
// when the link still works, the test is finished or the invitation was withdrawn.
func (s *Steps) RequestLink(ctx context.Context, token string) error {
	return s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error {
		if c.Stand(s.now()) != typus.StandExpired {
			return typus.Errorf(typus.Conflict, "the link has not run out")
		}
		asked, err := s.linkRequested(ctx, tx, c)
		if err != nil || asked {
			return err
		}
		account, err := tx.Account(ctx, c.AccountID)
		if err != nil {
			return err
		}
		if err := s.tellTeam(ctx, tx, account, c, typus.LetterLinkRequested); err != nil {
			return err
		}
		return s.recordOf(ctx, tx, c, typus.Actor{Name: typus.ActorCandidate}, typus.AuditCandidateLinkRequested, "")
	})
}

// LinkRequested reports whether the candidate has asked for a new link in the
// last 24 hours.
func (s *Steps) LinkRequested(ctx context.Context, c typus.Candidate) (bool, error) {
	return s.linkRequested(ctx, s.store, c)
}

// audits is where the audit log is read: the Store or a Tx.
type audits interface {
	AuditOf(ctx context.Context, accountID, candidateID int64) ([]typus.AuditEntry, error)
}

func (s *Steps) linkRequested(ctx context.Context, from audits, c typus.Candidate) (bool, error) {
	lines, err := from.AuditOf(ctx, c.AccountID, c.ID)
	for _, l := range lines {
		if l.Action == typus.AuditCandidateLinkRequested && typus.Recent(l.CreatedAt, s.now(), day) {
			return true, err
		}
	}
	return false, err
}
