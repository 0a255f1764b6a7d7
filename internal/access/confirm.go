package access

import (
	"context"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// Confirm checks the password of a user who is logged in, at the pace of log-ins.
// Unauthorized: it is wrong. TooMany, with the Wait.
func (s *Steps) Confirm(ctx context.Context, session typus.Session, password string) error {
	_, err := s.confirm(ctx, session, password)
	return err
}

// confirm is Confirm, and also returns the credentials it has checked, for lockSame.
func (s *Steps) confirm(ctx context.Context, session typus.Session, password string) (store.Credentials, error) {
	u := typus.User{AccountID: session.AccountID, ID: session.UserID}
	return s.passwordOf(ctx, u, password, clerk.CodeTries(u.ID, "password"), func(tx *store.Tx) error {
		return tx.ConfirmSession(ctx, session.AccountID, session.Hash, s.now())
	})
}

// passwordOf checks the password of a user, at the pace of who, and returns the
// credentials it has checked, for lockSame. If then is not nil, it runs in the
// transaction that forgets the tries. Unauthorized: the password is wrong; TooMany,
// with the Wait.
func (s *Steps) passwordOf(ctx context.Context, u typus.User, password string, who []string, then func(tx *store.Tx) error) (store.Credentials, error) {
	if err := s.store.InTx(ctx, func(tx *store.Tx) error { return s.clerk.Try(ctx, tx, clerk.LoginPace, who...) }); err != nil {
		return store.Credentials{}, err
	}
	c, err := s.store.Credentials(ctx, u.AccountID, u.ID)
	if err != nil {
		return c, gone(err)
	}
	right, err := checkPassword(ctx, password, c)
	if err != nil {
		return c, err
	}
	if !right {
		err := s.store.InTx(ctx, func(tx *store.Tx) error {
			return s.auditBy(ctx, tx, c.User, typus.AuditUserPasswordWrong, typus.ActorOf(ctx))
		})
		if err != nil {
			return c, err
		}
		return c, typus.Errorf(typus.Unauthorized, "the password is wrong")
	}
	return c, s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := s.clerk.Forgive(ctx, tx, who); err != nil {
			return err
		}
		if err := lockSame(ctx, tx, c); err != nil || then == nil {
			return err
		}
		return then(tx)
	})
}
