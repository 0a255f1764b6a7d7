package access

import (
	"context"

	"typus"
	"typus/internal/auth"
	"typus/internal/clerk"
	"typus/internal/store"
)

// ForgetPassword sends a letter with a link that sets a new password, if there is a
// login with the address. The answer is the same if there is none. TooMany, with the
// Wait, if letters to the address or from the network were asked for too often.
func (s *Steps) ForgetPassword(ctx context.Context, email string, d Device) error {
	email = typus.TypedAddress(email)
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := s.clerk.Try(ctx, tx, clerk.LetterPace, clerk.LetterTries(email, d.IP)...); err != nil {
			return err
		}
		c, found, err := tx.CredentialsByLogin(ctx, email)
		if err != nil {
			return err
		}
		if !found {
			return s.sendNothing(ctx, tx, email)
		}
		now, err := tx.LockCredentials(ctx, c.AccountID, c.ID)
		if typus.Is(err, typus.NotFound) || err == nil && now.Email != c.Email { // it has just ceased to be a login
			return s.sendNothing(ctx, tx, email)
		}
		if err != nil {
			return err
		}
		return s.sendReset(ctx, tx, now.User)
	})
}

// sendNothing makes as many statements as sendReset without changing a row, so that the
// time of an answer does not tell who has a login.
func (s *Steps) sendNothing(ctx context.Context, tx *store.Tx, email string) error {
	if _, err := tx.AnyAccount(ctx); err != nil {
		return err
	}
	for range 3 {
		if _, err := tx.LockCredentials(ctx, 0, 0); err != nil && !typus.Is(err, typus.NotFound) {
			return err
		}
	}
	for range 3 {
		_ = s.box.Seal([]byte(auth.NewSession()), devicePlace)
		if err := tx.KeepTry(ctx, "nobody "+auth.Hash(email), s.now()); err != nil {
			return err
		}
	}
	return tx.EndUserLinks(ctx, 0, 0, s.now())
}

func (s *Steps) sendReset(ctx context.Context, tx *store.Tx, u typus.User) error {
	account, err := tx.Account(ctx, u.AccountID)
	if err != nil {
		return err
	}
	token, err := s.addLink(ctx, tx, u, typus.UserLink{Purpose: typus.LinkPassword, ExpiresAt: s.now().Add(typus.MailLinkLife)})
	if err != nil {
		return err
	}
	if err := s.writeTo(ctx, tx, u, account, u.Email, typus.LetterPasswordReset, token); err != nil {
		return err
	}
	return s.auditUser(ctx, tx, u, typus.AuditUserPasswordForgotten, stranger)
}

// SetPasswordByLink sets a password by a one-time link and begins a session; with
// a second factor it waits for the code as a login does. All other links and all
// sessions of the user end. Invalid: the password or the name; NotFound: the link;
// Conflict: the address has become a login of another account.
func (s *Steps) SetPasswordByLink(ctx context.Context, token, name, password string, d Device) (LoggedIn, error) {
	o, err := s.LinkOf(ctx, token, typus.LinkPassword)
	if err != nil {
		return LoggedIn{}, err
	}
	u, isNew := o.User, !o.User.HasPassword
	if name = given(name); name != "" {
		u.Name = name
	}
	var f clerk.Faults
	f.Remark("name", u.Name)
	checkPasswordOf(&f, "password", password, u, o.Account.Name)
	if f.Err() != nil {
		return LoggedIn{}, f.Err()
	}
	hash, err := auth.HashPassword(ctx, password)
	if err != nil {
		return LoggedIn{}, err
	}
	var out LoggedIn
	action := typus.AuditUserPasswordSet
	if isNew {
		action = typus.AuditUserJoined
	}
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		now, err := s.useLink(ctx, tx, u, token)
		if err != nil {
			return err
		}
		u.HasTOTP = now.HasTOTP // it may have been turned on since the link was read
		out = s.newSession(u, d)
		if err := s.setPassword(ctx, tx, now, hash); err != nil {
			return err
		}
		if u.Name != o.User.Name {
			if err := tx.SetUserName(ctx, u.AccountID, u.ID, u.Name); err != nil {
				return err
			}
		}
		if _, err := tx.DeleteSessions(ctx, u.AccountID, u.ID); err != nil {
			return err
		}
		if err := s.auditUser(ctx, tx, u, action, u.Email); err != nil {
			return err
		}
		return s.beginSession(ctx, tx, &out)
	})
	return out, err
}

// setPassword replaces the password of a locked user, and tells the user unless it is
// their first. A second factor that waits for its first code is removed, because
// whoever knew the old password may know its seed.
func (s *Steps) setPassword(ctx context.Context, tx *store.Tx, c store.Credentials, hash string) error {
	if err := tx.SetPassword(ctx, c.AccountID, c.ID, hash); err != nil {
		return err
	}
	if c.SealedTOTP != nil && !c.HasTOTP {
		if err := tx.SetTOTP(ctx, c.AccountID, c.ID, nil); err != nil {
			return err
		}
	}
	if !c.HasPassword {
		return nil
	}
	return s.tellUser(ctx, tx, c.User, typus.LetterPasswordChanged)
}

// newHash is the hash of a password that a user has chosen. Invalid names the field.
func newHash(ctx context.Context, field, password string, u typus.User, company string) (string, error) {
	var f clerk.Faults
	if checkPasswordOf(&f, field, password, u, company); f.Err() != nil {
		return "", f.Err()
	}
	return auth.HashPassword(ctx, password)
}

// ChangePassword sets a new password for a user who gives the present one. All
// sessions end but this one, which gets a new token. Unauthorized: the present
// password is another one; TooMany, with the Wait; Invalid: the new one.
//
// Who may: the face lets users change themselves only.
func (s *Steps) ChangePassword(ctx context.Context, session typus.Session, u typus.User, company, present, password string, by typus.Actor) (LoggedIn, error) {
	checked, err := s.confirm(ctx, session, present)
	if err != nil {
		return LoggedIn{}, err
	}
	hash, err := newHash(ctx, "new_password", password, u, company)
	if err != nil {
		return LoggedIn{}, err
	}
	var out LoggedIn
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := lockSame(ctx, tx, checked); err != nil {
			return err
		}
		if err := s.setPassword(ctx, tx, checked, hash); err != nil {
			return err
		}
		if err := tx.EndUserLinks(ctx, u.AccountID, u.ID, s.now()); err != nil {
			return err
		}
		if err := s.auditBy(ctx, tx, u, typus.AuditUserPasswordChanged, by); err != nil {
			return err
		}
		var err error
		out, err = s.renewSessions(ctx, tx, u, session)
		return err
	})
	return out, err
}

// useLink ends a one-time link of a user, who is locked until the transaction ends.
// NotFound: it was used, was replaced or has run out, or the user is gone.
func (s *Steps) useLink(ctx context.Context, tx *store.Tx, u typus.User, token string) (store.Credentials, error) {
	c, err := tx.LockCredentials(ctx, u.AccountID, u.ID)
	if err != nil {
		return c, err
	}
	used, err := tx.UseUserLink(ctx, u.AccountID, u.ID, auth.Hash(token), s.now())
	if err == nil && !used {
		err = deadLink()
	}
	return c, err
}
