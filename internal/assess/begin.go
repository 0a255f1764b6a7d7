package assess

import (
	"context"

	"typus"
	"typus/internal/auth"
	"typus/internal/clerk"
	"typus/internal/store"
)

// Begin stores the acknowledgement together with the text that was acknowledged, moves
// the candidate from offen to begonnen, and takes back a decline. The test goes on in the
// language in which the notice was read. Beginning again changes nothing. NotFound; Gone
// when the invitation expired or was withdrawn; Suspended.
func (s *Steps) Begin(ctx context.Context, token string, n typus.Notice, noticeText string) error {
	return s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error {
		switch stand := c.Stand(s.now()); stand {
		case typus.StandFinished:
			return nil
		case typus.StandWithdrawn, typus.StandExpired:
			return Working(stand)
		case typus.StandDeclined:
			if err := tx.TakeBackDecline(ctx, c.AccountID, c.ID); err != nil {
				return err
			}
		}
		if c.Begun() {
			return nil
		}
		if err := s.mayBegin(ctx, tx, c); err != nil {
			return err
		}
		now := s.now()
		if err := tx.AddNotice(ctx, n.Version, n.Language, noticeText, now); err != nil {
			return err
		}
		if err := s.chooseLanguage(ctx, tx, c, n.Language); err != nil {
			return err
		}
		_, err := tx.BeginCandidate(ctx, c.AccountID, c.ID, n, s.instrument.Ref(), now)
		return err
	})
}

// mayBegin is Suspended while no test of the candidate's account is begun.
func (s *Steps) mayBegin(ctx context.Context, tx *store.Tx, c typus.Candidate) error {
	account, err := tx.Account(ctx, c.AccountID)
	if err != nil {
		return err
	}
	return account.Serving()
}

// Decline stores "Ich möchte nicht teilnehmen"; the status stays as it is. Declining
// again, or after finishing, changes nothing. NotFound; Gone when the invitation expired
// or was withdrawn.
func (s *Steps) Decline(ctx context.Context, token string) error {
	return s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error {
		switch stand := c.Stand(s.now()); stand {
		case typus.StandFinished, typus.StandDeclined:
			return nil
		case typus.StandWithdrawn, typus.StandExpired:
			return Working(stand)
		}
		return s.decline(ctx, tx, c)
	})
}

// decline stores the decline of a candidate who may.
func (s *Steps) decline(ctx context.Context, tx *store.Tx, c typus.Candidate) error {
	declined, err := tx.DeclineCandidate(ctx, c.AccountID, c.ID, s.now())
	if err != nil || !declined {
		return err
	}
	return s.recordOf(ctx, tx, c, typus.Actor{Name: typus.ActorCandidate}, typus.AuditCandidateDeclined, "")
}

// SetLanguage stores the candidate's choice of language. Invalid for a
// language that the instrument does not speak.
func (s *Steps) SetLanguage(ctx context.Context, token, language string) error {
	return s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error { return s.chooseLanguage(ctx, tx, c, language) })
}

func (s *Steps) chooseLanguage(ctx context.Context, tx *store.Tx, c typus.Candidate, language string) error {
	var f clerk.Faults
	f.ChosenLanguage(language, s.instrument)
	if err := f.Err(); err != nil {
		return err
	}
	if c.Language == language && c.ChoseLanguage {
		return nil
	}
	return tx.SetCandidateLanguage(ctx, c.AccountID, c.ID, language)
}

// step finds the candidate of a link and changes it under its lock.
func (s *Steps) step(ctx context.Context, token string, change func(*store.Tx, typus.Candidate) error) error {
	hash := auth.Hash(token)
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidateByToken(ctx, hash)
		if err != nil {
			return err
		}
		return change(tx, c)
	})
}
