package accounts

import (
	"context"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// SetLetterTemplate stores an account's own text of a letter. Letters that wait
// already are written with it. Invalid names every wrong field.
//
// Who may: the face lets admins only.
func (s *Steps) SetLetterTemplate(ctx context.Context, t typus.LetterTemplate, by typus.Actor) error {
	t, wrong := t.Check()
	f := clerk.Faults(wrong)
	f.ChosenLanguage(t.Language, s.instrument)
	if err := f.Err(); err != nil {
		return err
	}
	t.ChangedBy, t.ChangedAt = by.Name, s.now()
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.SetLetterTemplate(ctx, t); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: t.AccountID, Action: typus.AuditLetterTemplateChanged, Detail: string(t.Kind) + " " + t.Language})
	})
}

// ResetLetterTemplate takes an account's own text away, so that ours is sent
// again; without one it changes nothing.
//
// Who may: the face lets admins only.
func (s *Steps) ResetLetterTemplate(ctx context.Context, accountID int64, kind typus.LetterKind, language string, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		dropped, err := tx.DropLetterTemplate(ctx, accountID, kind, language)
		if err != nil || !dropped {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditLetterTemplateReset, Detail: string(kind) + " " + language})
	})
}
