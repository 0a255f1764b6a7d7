package access

import (
	"cmp"
	"context"
	"fmt"

	"typus"
	"typus/internal/auth"
	"typus/internal/clerk"
	"typus/internal/store"
)

// KeyLimit says what a new key may do; the zero value is everything.
type KeyLimit struct {
	Scope       typus.KeyScope // "": typus.ScopeAll
	OnePosition bool           // of PositionID only
	PositionID  int64          // 0: of the account's default one
}

// CreateKey is CreateLimitedKey for a key that may do everything.
func (s *Steps) CreateKey(ctx context.Context, accountID int64, name string, by typus.Actor) (int64, string, error) {
	return s.CreateLimitedKey(ctx, accountID, name, KeyLimit{}, by)
}

// CreateLimitedKey makes an API key and returns it; it can never be shown again (API
// description 5.2), and what it may do never changes. Invalid for an empty or over-long
// name, an unknown scope, and a position that the account does not have; Conflict: the form
// was sent before; Forbidden: by may make none, or no longer; NotFound for the account.
//
// Who may: the face lets admins only, of those whose reach is every position, and this asks
// once more.
func (s *Steps) CreateLimitedKey(ctx context.Context, accountID int64, name string, limit KeyLimit, by typus.Actor) (int64, string, error) {
	var secret string
	key := typus.APIKey{
		AccountID: accountID, Name: typus.TypedName(name), CreatedBy: by.Name, CreatedAt: s.now(),
		Scope: cmp.Or(limit.Scope, typus.ScopeAll),
	}
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		account, err := s.mayMakeKeys(ctx, tx, accountID, by)
		if err != nil {
			return err
		}
		secret = newKey(account)
		key.Hash = auth.Hash(secret)
		if err := limited(ctx, tx, &key, limit); err != nil {
			return err
		}
		return s.clerk.Once(ctx, tx, accountID, by, func() (int64, error) {
			var err error
			if key.ID, err = tx.AddAPIKey(ctx, key); err != nil {
				return 0, err
			}
			return key.ID, s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditKeyCreated, Detail: keyInWords(key)})
		})
	})
	return key.ID, secret, err
}

// newKey is a key that says by its first letters whether it opens a test world.
func newKey(account typus.Account) string {
	if account.IsWorld() {
		return auth.NewTestKey()
	}
	return auth.NewAPIKey()
}

// mayMakeKeys locks and returns the account, so that a role which is just being changed
// counts. Forbidden.
func (s *Steps) mayMakeKeys(ctx context.Context, tx *store.Tx, accountID int64, by typus.Actor) (typus.Account, error) {
	account, role, err := s.lockAs(ctx, tx, accountID, by)
	if err == nil {
		err = account.Open()
	}
	if err != nil || by.UserID == 0 {
		return account, err
	}
	if role != typus.RoleOwner && role != typus.RoleAdmin {
		return account, typus.Errorf(typus.Forbidden, "only owners and admins make API keys")
	}
	reader, err := tx.ReaderFor(ctx, accountID, by.UserID)
	if err == nil && !reader.Positions.Everything {
		err = typus.Errorf(typus.Forbidden, "only who sees every position makes an API key")
	}
	return account, err
}

// limited checks what people say of a new key, and sets its position. The default one becomes
// a row. Invalid.
func limited(ctx context.Context, tx *store.Tx, key *typus.APIKey, limit KeyLimit) error {
	var f clerk.Faults
	f.Text("name", key.Name)
	f.When(!key.Scope.Valid(), "scope", "must be one of: all, invite, read-without-scores")
	if limit.OnePosition {
		p, err := tx.LockPosition(ctx, key.AccountID, limit.PositionID, key.CreatedAt)
		if err != nil && !typus.Is(err, typus.NotFound) {
			return err
		}
		f.When(err != nil, "position", "is no position of this account")
		key.PositionID, key.AtStandard = p.ID, p.Standard
	}
	return f.Err()
}

// keyInWords is what the audit log notes of a new key: its fingerprint, its scope, and the
// number of its position if there is one.
func keyInWords(k typus.APIKey) string {
	detail := k.Fingerprint() + " " + string(k.Scope)
	if k.PositionID != 0 {
		detail += fmt.Sprintf(" #%d", k.PositionID)
	}
	return detail
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
