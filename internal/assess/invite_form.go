package assess

import (
	"context"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// InviteByForm is Invite for a user who fills in a form. The same form sent twice, as
// by a double click, makes one candidate and returns it both times. Conflict if a
// link to a candidate with this address works, unless again is true;
// OpenInvitation says which candidate.
// Conflict also as for Invite (see BegunAs and AccountFull). Suspended.
// Forbidden: the user does not read the candidates of the position, or there is none.
func (s *Steps) InviteByForm(ctx context.Context, reader store.Reader, i Invitation, again bool, by typus.Actor) (Invited, error) {
	accountID := reader.AccountID
	if err := s.mayInviteTo(ctx, reader, i.PositionID); err != nil {
		return Invited{}, err
	}
	i.InvitedBy = by.UserID
	i, wrong := s.Check(i)
	if err := typus.WrongFields(wrong); err != nil {
		return Invited{}, err
	}
	if err := s.CheckOwnRole(ctx, accountID, i.RoleProfile); err != nil {
		return Invited{}, err
	}
	var (
		out     Invited
		account typus.Account
	)
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		var err error
		if account, err = tx.ServeAccount(ctx, accountID); err != nil {
			return err
		}
		return s.clerk.Once(ctx, tx, accountID, by, func() (int64, error) {
			if err := tx.LockInviting(ctx, accountID); err != nil {
				return 0, err
			}
			_, open, err := s.openInvitation(ctx, tx.OpenByEmail, accountID, i)
			if err == nil && open && !again {
				err = typus.Errorf(typus.Conflict, "this address has an open invitation already")
			}
			if err != nil {
				return 0, err
			}
			if out, err = s.invite(ctx, tx, account, i); err != nil {
				return 0, err
			}
			return out.Candidate.ID, s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, CandidateID: out.Candidate.ID, Action: typus.AuditCandidateInvited})
		})
	})
	if id, sent := clerk.SentBefore(err); sent {
		c, err := s.store.Candidate(ctx, accountID, id)
		if err != nil {
			return Invited{}, err
		}
		return s.invited(account, c, "")
	}
	if err != nil {
		if typus.Is(err, typus.NoCredit) {
			s.tellRefused(ctx, accountID)
		}
		return Invited{}, err
	}
	return out, nil
}

// mayInviteTo is Forbidden for a user who would not read whom they invite.
func (s *Steps) mayInviteTo(ctx context.Context, reader store.Reader, positionID int64) error {
	if positionID == 0 && reader.AtStandard() {
		return nil
	}
	_, err := s.store.PositionFor(ctx, reader, positionID)
	if typus.Is(err, typus.NotFound) {
		return typus.Errorf(typus.Forbidden, "who invites must read whom they have invited")
	}
	return err
}

// OpenInvitation is the candidate whom an invitation would repeat, or else the newest
// candidate of its position with its mailbox (typus.MailboxKey), whose link works,
// declined or not.
// NotFound, also for a candidate whom the user does not read.
func (s *Steps) OpenInvitation(ctx context.Context, reader store.Reader, i Invitation) (typus.Candidate, error) {
	accountID := reader.AccountID
	if ref := openRef(accountID, i); ref != "" {
		c, err := s.store.CandidateByOpenRef(ctx, accountID, ref)
		if err == nil && c.Stand(s.now()) != typus.StandExpired {
			return s.store.CandidateFor(ctx, reader, c.ID)
		}
		if err != nil && !typus.Is(err, typus.NotFound) {
			return c, err
		}
	}
	id, _, err := s.openInvitation(ctx, s.store.OpenByEmail, accountID, i)
	if err != nil {
		return typus.Candidate{}, err
	}
	return s.store.CandidateFor(ctx, reader, id)
}

func (s *Steps) openInvitation(ctx context.Context, open openByEmail, accountID int64, i Invitation) (int64, bool, error) {
	found, err := open(ctx, accountID, i.PositionID, []string{i.Email}, s.now())
	id, known := found[typus.MailboxKey(i.Email)]
	return id, known, err
}
