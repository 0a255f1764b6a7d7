package access

import (
	"context"
	"strings"

	"typus"
	"typus/internal/auth"
	"typus/internal/clerk"
	"typus/internal/store"
)

// CreateKey makes an API key and returns it; it can never be shown again (API
// description 5.2). Invalid for an empty or over-long name; Conflict: the form was sent
// before; NotFound for the account.
//
// Who may: the face lets admins only.
func (s *Steps) CreateKey(ctx context.Context, accountID int64, name string, by typus.Actor) (int64, string, error) {
	name = strings.TrimSpace(name)
	var f clerk.Faults
	if f.Text("name", name); f.Err() != nil {
		return 0, "", f.Err()
	}
	secret := auth.NewAPIKey()
	key := typus.APIKey{AccountID: accountID, Name: name, Hash: auth.Hash(secret), CreatedBy: by.Name, CreatedAt: s.now()}
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Account(ctx, accountID); err != nil {
			return err
		}
		return s.clerk.Once(ctx, tx, accountID, by, func() (int64, error) {
			var err error
			if key.ID, err = tx.AddAPIKey(ctx, key); err != nil {
				return 0, err
			}
			return key.ID, s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditKeyCreated, Detail: key.Fingerprint()})
		})
	})
	return key.ID, secret, err
}

// RevokeKey ends a key for ever. Revoking again changes nothing, and of several
// at once one does it. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) RevokeKey(ctx context.Context, accountID, id int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		key, err := tx.APIKey(ctx, accountID, id)
		if err != nil {
			return err
		}
		now := s.now()
		ended, err := tx.RevokeAPIKey(ctx, accountID, id, now)
		if err != nil || !ended {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditKeyRevoked, Detail: key.Fingerprint()})
	})
}
