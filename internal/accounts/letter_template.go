package accounts

import (
	"context"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// SetLetterTemplate stores an account's own text of a letter. Letters that wait
// already are written with it. agreed is asked, perhaps more than once, about the own text
// that is stored at that moment, nil if there is none. Nothing changes unless it agrees; a nil
// agreed agrees to everything. Invalid names every wrong field; NotFound for the account.
//
// Who may: the face lets admins only.
func (s *Steps) SetLetterTemplate(ctx context.Context, t typus.LetterTemplate, by typus.Actor, agreed func(now *typus.LetterTemplate) bool) error {
	t, wrong := t.Check()
	f := clerk.Faults(wrong)
	f.ChosenLanguage(t.Language, s.instrument)
	if err := f.Err(); err != nil {
		return err
	}
	t.ChangedBy, t.ChangedAt = by.Name, s.now()
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		now, err := lockTemplate(ctx, tx, t.AccountID, t.Kind, t.Language)
		if err != nil || agreed != nil && !agreed(now) {
			return err
		}
		if now != nil && now.Subject == t.Subject && now.Body == t.Body {
			return nil // it stays with who changed it, and when
		}
		if err := tx.SetLetterTemplate(ctx, t); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: t.AccountID, Action: typus.AuditLetterTemplateChanged, Detail: string(t.Kind) + " " + t.Language})
	})
}

// ResetLetterTemplate takes an account's own text away, so that ours is sent
// again; without one it changes nothing. agreed is that of SetLetterTemplate. NotFound for the
// account.
//
// Who may: the face lets admins only.
func (s *Steps) ResetLetterTemplate(ctx context.Context, accountID int64, kind typus.LetterKind, language string, by typus.Actor, agreed func(now *typus.LetterTemplate) bool) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		now, err := lockTemplate(ctx, tx, accountID, kind, language)
		if err != nil || now == nil || agreed != nil && !agreed(now) {
			return err
		}
		if _, err := tx.DropLetterTemplate(ctx, accountID, kind, language); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditLetterTemplateReset, Detail: string(kind) + " " + language})
	})
}

// lockTemplate reads the account's own text of a letter, nil if there is none, under the lock
// of the account. NotFound for the account.
func lockTemplate(ctx context.Context, tx *store.Tx, accountID int64, kind typus.LetterKind, language string) (*typus.LetterTemplate, error) {
	if _, err := tx.LockAccount(ctx, accountID); err != nil {
		return nil, err
	}
	return tx.LetterTemplate(ctx, accountID, kind, language)
}
