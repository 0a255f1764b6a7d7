package accounts

import (
	"context"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// lettersNamed is how long the recipients of letters to an account's own people are
// kept (our choice).
const lettersNamed = 365 * 24 * time.Hour

// ForgetRecipients empties the recipients of letters to accounts' own people after
// a year. Those of letters to candidates go with their candidate.
func (s *Steps) ForgetRecipients(ctx context.Context, settled time.Time) error {
	before := settled.Add(-lettersNamed)
	_, err := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.ForgetRecipients(ctx, before) })
	return err
}

// NoteTrial counts a letter that users send to themselves without the outbox, and notes
// it in the audit log. TooMany, with the Wait.
//
// Who may: the face lets admins only.
func (s *Steps) NoteTrial(ctx context.Context, u typus.User, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := s.clerk.Try(ctx, tx, clerk.LetterPace, clerk.ByAddress("trial", u.Email)); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: u.AccountID, Action: typus.AuditLetterTried, Detail: u.Email + " " + string(u.Role)})
	})
}
