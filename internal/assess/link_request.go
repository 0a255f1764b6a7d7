package assess

import (
	"context"
	"slices"

	"typus"
	"typus/internal/store"
)

// RequestLink tells the team by letter, once in 24 hours and not while such a letter is held,
// that the candidate of an expired link would still like to take part. It extends nothing.
// NotFound; Conflict when the link still works, the test is finished or the invitation was
// withdrawn.
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
// last 24 hours, or earlier and the letter about it is held until their account serves again.
func (s *Steps) LinkRequested(ctx context.Context, c typus.Candidate) (bool, error) {
	return s.linkRequested(ctx, s.store, c)
}

// requests is where it is read what a candidate has asked for: the Store or a Tx.
type requests interface {
	AuditOf(ctx context.Context, accountID, candidateID int64) ([]typus.AuditEntry, error)
	LettersOf(ctx context.Context, accountID, candidateID int64) ([]typus.Letter, error)
}

func (s *Steps) linkRequested(ctx context.Context, from requests, c typus.Candidate) (bool, error) {
	lines, err := from.AuditOf(ctx, c.AccountID, c.ID)
	if err != nil {
		return false, err
	}
	ever := false
	for _, l := range lines {
		if l.Action != typus.AuditCandidateLinkRequested {
			continue
		}
		if ever = true; typus.Recent(l.CreatedAt, s.now(), day) {
			return true, nil
		}
	}
	if !ever {
		return false, nil
	}
	letters, err := from.LettersOf(ctx, c.AccountID, c.ID)
	return slices.ContainsFunc(letters, func(l typus.Letter) bool {
		return l.Kind == typus.LetterLinkRequested && l.Stand() == typus.LetterStandPostponed
	}), err
}
