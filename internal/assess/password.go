package assess

import (
	"context"
	"strings"

	"typus"
	"typus/internal/auth"
	"typus/internal/store"
)

// ForgetPassword has a letter sent with a link that sets a new password, if the
// address is a login. The answer is the same if it is none. TooMany, with the Wait,
// when letters to the address or from the network were asked for too often.
func (s *Steps) ForgetPassword(ctx context.Context, email string, d Device) error {
	email = strings.TrimSpace(email)
	queued := false
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		queued = false
		if err := s.try(ctx, tx, letterPace, letterTries(email, d.IP)...); err != nil {
			return err
		}
		c, found, err := tx.CredentialsByLogin(ctx, email)
		if err != nil {
			return err
		}
		if !found {
			return s.sendNothing(ctx, tx, email)
		}
		queued = true
		return s.sendReset(ctx, tx, c.User)
	})
	if queued && err == nil {
		s.wake()
	}
	return err
}

// sendNothing makes as many statements as sendReset, none of which changes a row:
// the time of an answer must not tell who has a login.
func (s *Steps) sendNothing(ctx context.Context, tx *store.Tx, email string) error {
	if _, err := tx.AnyAccount(ctx); err != nil {
		return err
	}
	for range 2 {
		_ = s.box.Seal([]byte(auth.NewSession()), devicePlace)
		if err := tx.KeepTry(ctx, "nobody "+auth.Hash(email), s.now()); err != nil {
			return err
		}
	}
	return tx.EndUserLinks(ctx, 0, 0, s.now())
}

func letterTries(email, ip string) []string {
	return []string{addressKey("letter", email), "letters " + networkOf(ip)}
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
	return s.auditUser(ctx, tx, u, "user.password_forgotten", stranger)
}

// LinkOf finds a one-time link that can still be used. NotFound: it cannot, or
// there is none.
func (s *Steps) LinkOf(ctx context.Context, token string, purpose typus.LinkPurpose) (store.LinkOwner, error) {
	o, err := s.store.UserLinkByToken(ctx, auth.Hash(token))
	if err == nil && (!o.Link.Usable(s.now()) || o.Link.Purpose != purpose) {
		err = typus.Errorf(typus.NotFound, "this link has been used or has run out")
	}
	return o, err
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
	var f faults
	f.remark("name", u.Name)
	f.password("password", password, u, o.Account.Name)
	if f.err() != nil {
		return LoggedIn{}, f.err()
	}
	hash, err := auth.HashPassword(ctx, password)
	if err != nil {
		return LoggedIn{}, err
	}
	var out LoggedIn
	action := "user.password_set"
	if isNew {
		action = "user.joined"
	}
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := s.useLink(ctx, tx, u, token); err != nil {
			return err
		}
		now, err := tx.LockCredentials(ctx, u.AccountID, u.ID)
		if err != nil {
			return err
		}
		u.HasTOTP = now.HasTOTP // it may have been turned on since the link was read
		out = s.newSession(u, d)
		if err := tx.SetPassword(ctx, u.AccountID, u.ID, hash); err != nil {
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

// ChangePassword sets a new password for a user who gives the present one. All
// sessions end but this one, which gets a new token. Unauthorized: the present
// password is another one; TooMany, with the Wait; Invalid: the new one.
func (s *Steps) ChangePassword(ctx context.Context, session typus.Session, u typus.User, company, present, password string, by typus.Actor) (LoggedIn, error) {
	checked, err := s.confirm(ctx, session, present)
	if err != nil {
		return LoggedIn{}, err
	}
	var f faults
	if f.password("new_password", password, u, company); f.err() != nil {
		return LoggedIn{}, f.err()
	}
	hash, err := auth.HashPassword(ctx, password)
	if err != nil {
		return LoggedIn{}, err
	}
	var out LoggedIn
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := lockSame(ctx, tx, checked); err != nil {
			return err
		}
		if err := tx.SetPassword(ctx, u.AccountID, u.ID, hash); err != nil {
			return err
		}
		if err := tx.EndUserLinks(ctx, u.AccountID, u.ID, s.now()); err != nil {
			return err
		}
		if err := s.auditBy(ctx, tx, u, "user.password_changed", by); err != nil {
			return err
		}
		var err error
		out, err = s.renewSessions(ctx, tx, u, session)
		return err
	})
	return out, err
}

// ChangeEmail has a letter sent to a new address with a link that makes it the
// user's. The answer is the same when it is somebody's login already. Unauthorized:
// the password is another one; TooMany, with the Wait; Invalid: the address.
func (s *Steps) ChangeEmail(ctx context.Context, session typus.Session, u typus.User, email, password string, by typus.Actor) error {
	email = strings.TrimSpace(email)
	var f faults
	f.email("email", email)
	f.when(strings.EqualFold(email, u.Email), "email", "is the address you log in with already")
	if f.err() != nil {
		return f.err()
	}
	checked, err := s.confirm(ctx, session, password)
	if err != nil {
		return err
	}
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := lockSame(ctx, tx, checked); err != nil {
			return err
		}
		if err := s.try(ctx, tx, letterPace, letterTries(email, by.IP)...); err != nil {
			return err
		}
		account, err := tx.Account(ctx, u.AccountID)
		if err != nil {
			return err
		}
		token, err := s.addLink(ctx, tx, u, typus.UserLink{
			Purpose: typus.LinkEmail, Detail: email, ExpiresAt: s.now().Add(typus.MailLinkLife),
		})
		if err != nil {
			return err
		}
		if err := s.writeTo(ctx, tx, u, account, email, typus.LetterEmailChange, token); err != nil {
			return err
		}
		return s.audit(ctx, tx, by, typus.AuditEntry{AccountID: u.AccountID, Action: "user.email_change_asked", Detail: u.Email + " → " + email})
	})
	if err == nil {
		s.wake()
	}
	return err
}

// useLink ends a one-time link of a user. NotFound: it was used, or has run out.
func (s *Steps) useLink(ctx context.Context, tx *store.Tx, u typus.User, token string) error {
	used, err := tx.UseUserLink(ctx, u.AccountID, u.ID, auth.Hash(token), s.now())
	if err == nil && !used {
		err = typus.Errorf(typus.NotFound, "this link has been used or has run out")
	}
	return err
}

// ConfirmEmail makes the address of a one-time link the user's. NotFound: the
// link; Conflict: the address is somebody's login already.
func (s *Steps) ConfirmEmail(ctx context.Context, token string) (typus.User, error) {
	o, err := s.LinkOf(ctx, token, typus.LinkEmail)
	if err != nil {
		return o.User, err
	}
	u := o.User
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := s.useLink(ctx, tx, u, token); err != nil {
			return err
		}
		if err := tx.SetEmail(ctx, u.AccountID, u.ID, o.Link.Detail); err != nil {
			return err
		}
		by := typus.ActorOf(ctx)
		by.Name, by.UserID = u.Email, u.ID
		return s.audit(ctx, tx, by, typus.AuditEntry{AccountID: u.AccountID, Action: "user.email_changed", Detail: u.Email + " → " + o.Link.Detail})
	})
	u.Email = o.Link.Detail
	return u, err
}

// RenameUser changes what a user is called. Invalid.
func (s *Steps) RenameUser(ctx context.Context, u typus.User, name string, by typus.Actor) error {
	name = given(name)
	var f faults
	if f.remark("name", name); f.err() != nil {
		return f.err()
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.SetUserName(ctx, u.AccountID, u.ID, name); err != nil {
			return err
		}
		return s.auditBy(ctx, tx, u, "user.renamed", by)
	})
}

// NoteTrial counts a letter that a user sends to themself past the outbox, and
// writes it down. TooMany, with the Wait.
func (s *Steps) NoteTrial(ctx context.Context, u typus.User, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := s.try(ctx, tx, letterPace, addressKey("trial", u.Email)); err != nil {
			return err
		}
		return s.auditBy(ctx, tx, u, "letter.tried", by)
	})
}
