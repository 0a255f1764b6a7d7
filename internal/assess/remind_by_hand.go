package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// Remind queues a letter that reminds the candidate, at once. NotFound; Conflict,
// with the reason as the code of its field, when the test is finished, withdrawn,
// expired or declined, when the candidate wants no reminders, when the last letter
// came back and the address is still the same, when one is on its way, or when one
// was written in the last 24 hours. Suspended.
func (s *Steps) Remind(ctx context.Context, reader store.Reader, id int64, by typus.Actor) error {
	return s.write(ctx, reader, id, typus.LetterReminder, by, typus.AuditCandidateReminded)
}

// Resend queues the invitation letter again, to the present address; reminders follow
// it as they do a first one. NotFound; Conflict as for Remind, except that a letter
// which came back or went to another address is no reason against it.
func (s *Steps) Resend(ctx context.Context, reader store.Reader, id int64, by typus.Actor) error {
	return s.write(ctx, reader, id, typus.LetterInvitation, by, typus.AuditCandidateInvitationResent)
}

func (s *Steps) write(ctx context.Context, reader store.Reader, id int64, kind typus.LetterKind, by typus.Actor, action typus.AuditAction) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.ServeAccount(ctx, reader.AccountID); err != nil {
			return err
		}
		c, err := tx.LockCandidateFor(ctx, reader, id)
		if err != nil {
			return err
		}
		if err := s.writeAgain(ctx, tx, c, kind); err != nil {
			return err
		}
		return s.recordOf(ctx, tx, c, by, action, "")
	})
}

// writeAgain queues a letter to a candidate unless something is against it, which is a
// Conflict.
func (s *Steps) writeAgain(ctx context.Context, tx *store.Tx, c typus.Candidate, kind typus.LetterKind) error {
	r, err := tx.Reminding(ctx, c.AccountID, c.ID)
	if err != nil {
		return err
	}
	letters, err := tx.LettersOf(ctx, c.AccountID, c.ID)
	if err != nil {
		return err
	}
	if why := s.against(c, r, letters, kind); why != "" {
		return refused(why)
	}
	l := letterTo(c, kind, s.now())
	l.Urgent = true // somebody has asked for it and looks
	if _, err := tx.AddLetter(ctx, l); err != nil || kind != typus.LetterInvitation {
		return err
	}
	return s.followUp(ctx, tx, c)
}

// Against says why a user may not send a candidate a reminder, and why not an
// invitation, at the moment; each is "" if they may. letters are the letters to the
// candidate, oldest first. NotFound.
func (s *Steps) Against(ctx context.Context, c typus.Candidate, letters []typus.Letter) (reminder, invitation Obstacle, err error) {
	r, err := s.store.Reminding(ctx, c.AccountID, c.ID)
	if err != nil {
		return "", "", err
	}
	return s.against(c, r, letters, typus.LetterReminder), s.against(c, r, letters, typus.LetterInvitation), nil
}

// against says why a letter should not be written by hand, "" when it may be.
func (s *Steps) against(c typus.Candidate, r store.Reminding, letters []typus.Letter, kind typus.LetterKind) Obstacle {
	if why := s.Obstacle(c); why != "" {
		return why
	}
	if kind == typus.LetterReminder && !r.OffAt.IsZero() {
		return ObstacleUnwanted
	}
	last := newest(letters, typus.LetterInvitation)
	if l := newest(letters, typus.LetterReminder); l.ID > last.ID {
		last = l
	}
	same := typus.SameMailbox(last.To, c.Email)
	switch {
	case last.ID == 0:
		return ""
	case onItsWay(last):
		return ObstacleQueued
	case last.State == typus.LetterFailed && same && kind == typus.LetterReminder:
		return ObstacleBounced
	case last.State == typus.LetterSent && same && typus.Recent(last.CreatedAt, s.now(), day):
		return ObstacleRecent
	}
	return ""
}
