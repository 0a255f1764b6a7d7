package access

import (
	"cmp"
	"context"

	"typus"
	"typus/internal/store"
)

// tellUser queues a letter to a user about a change of how they log in.
func (s *Steps) tellUser(ctx context.Context, tx *store.Tx, u typus.User, kind typus.LetterKind) error {
	account, err := tx.Account(ctx, u.AccountID)
	if err != nil {
		return err
	}
	_, err = tx.AddLetter(ctx, typus.Letter{
		AccountID: u.AccountID, UserID: u.ID, Kind: kind, Language: cmp.Or(u.Language, account.Language), To: u.Email, CreatedAt: s.now(),
	})
	return err
}

// writeTo queues a letter that brings a user a one-time token.
func (s *Steps) writeTo(ctx context.Context, tx *store.Tx, u typus.User, account typus.Account, to string, kind typus.LetterKind, token string) error {
	l := typus.Letter{
		AccountID: u.AccountID, UserID: u.ID, Kind: kind, Language: cmp.Or(u.Language, account.Language), To: to, CreatedAt: s.now(),
	}
	l.Detail = s.box.Seal([]byte(token), l.DetailAAD())
	_, err := tx.AddLetter(ctx, l)
	return err
}
