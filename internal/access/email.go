package access

import (
	"context"

	"typus"
	"typus/internal/auth"
	"typus/internal/clerk"
	"typus/internal/store"
)

// ChangeEmail sends a letter to a new address with a link that makes it the user's. An
// earlier link of this kind, to another address, ends. The answer is the same if the
// address is already somebody's login. Unauthorized: the password is wrong; TooMany,
// with the Wait; Invalid: the address.
//
// Who may: the face lets users change themselves only.
func (s *Steps) ChangeEmail(ctx context.Context, session typus.Session, u typus.User, email, password string, by typus.Actor) error {
	email = typus.TypedAddress(email)
	var f clerk.Faults
	f.Email("email", email)
	f.When(typus.SameMailbox(email, u.Email), "email", "is the address you log in with already")
	if f.Err() != nil {
		return f.Err()
	}
	checked, err := s.confirm(ctx, session, password)
	if err != nil {
		return err
	}
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := lockSame(ctx, tx, checked); err != nil {
			return err
		}
		if err := s.clerk.Try(ctx, tx, clerk.LetterPace, clerk.LetterTries(email, by.IP)...); err != nil {
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
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: u.AccountID, Action: typus.AuditUserEmailChangeAsked, Detail: u.Email + " → " + email})
	})
	return err
}

// Owns reports whether a session belongs to a user and is complete, second factor
// included.
func Owns(session typus.Session, u typus.User) bool {
	return session.Verified && session.UserID == u.ID
}

// ConfirmEmail makes the address of a one-time link the user's. The link alone is not
// enough, because a letter to a mistyped address reaches a stranger: it also needs a
// session of the user, or the present address and the password. Other links of the user
// end. The former address is told, with a link that takes the change back, unless the
// operator has just let the user in. NotFound: the link; Unauthorized: the present
// address or the password is wrong, and the error does not tell which; TooMany, with
// the Wait, by the counts of the log-in; Conflict: the address is already somebody's
// login.
func (s *Steps) ConfirmEmail(ctx context.Context, token string, session typus.Session, present, password string, d Device) (typus.User, error) {
	o, err := s.LinkOf(ctx, token, typus.LinkEmail)
	if err != nil {
		return o.User, err
	}
	u := o.User
	if !Owns(session, u) {
		if !typus.SameMailbox(typus.TypedAddress(present), u.Email) {
			password = "" // which nobody has, and which is checked as long as any other
		}
		who := clerk.LoginTries(u.Email, d.IP, s.knownDevice(d.Cookie, u.Email))
		if _, err := s.passwordOf(ctx, u, password, who, nil); err != nil {
			if _, dead := s.LinkOf(ctx, token, typus.LinkEmail); dead != nil {
				return u, dead // a second click found the login moved already
			}
			return u, err
		}
	}
	u.Email = o.Link.Detail
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		former, err := s.useLink(ctx, tx, u, token)
		if err != nil {
			return err
		}
		if err := s.moveLogin(ctx, tx, former.User, u.Email, typus.AuditUserEmailChanged, former.Email); err != nil {
			return err
		}
		return s.tellFormer(ctx, tx, former)
	})
	return u, err
}

// moveLogin makes an address the one with which a user logs in, and notes in the audit
// log by which of the two addresses it was done.
func (s *Steps) moveLogin(ctx context.Context, tx *store.Tx, u typus.User, email string, action typus.AuditAction, by string) error {
	if err := tx.SetEmail(ctx, u.AccountID, u.ID, email); err != nil {
		return err
	}
	actor := typus.ActorOf(ctx)
	actor.Name, actor.UserID = by, u.ID
	return s.clerk.Audit(ctx, tx, actor, typus.AuditEntry{AccountID: u.AccountID, Action: action, Detail: u.Email + " → " + email})
}

// tellFormer writes to the address that a user had until now, with a link that brings
// it back. If the operator has just let the user in, the letter has no such link,
// because an intruder may read that address.
func (s *Steps) tellFormer(ctx context.Context, tx *store.Tx, former store.Credentials) error {
	rescued, err := tx.TakeRescue(ctx, former.AccountID, former.ID, s.now())
	if err != nil {
		return err
	}
	if rescued {
		return s.tellUser(ctx, tx, former.User, typus.LetterEmailMoved)
	}
	account, err := tx.Account(ctx, former.AccountID)
	if err != nil {
		return err
	}
	token, now := auth.NewSession(), s.now()
	err = tx.AddRestoreLink(ctx, former.AccountID, typus.UserLink{
		Hash: auth.Hash(token), UserID: former.ID, Detail: former.Email, CreatedAt: now, ExpiresAt: now.Add(typus.TakeBackLife), TOTPAt: former.TOTPAt,
	})
	if err != nil {
		return err
	}
	return s.writeTo(ctx, tx, former.User, account, former.Email, typus.LetterEmailChanged, token)
}

// TakeBackEmail makes a former address the user's again, with a new password, and
// begins a session, which waits for the second factor as a login does. It ends what an
// intruder may have done in the meantime: all sessions, all links except those of still
// earlier addresses, and a second factor that was set up since. Invalid: the password;
// NotFound: the link; Conflict: the address has become somebody else's login.
func (s *Steps) TakeBackEmail(ctx context.Context, token, password string, d Device) (LoggedIn, error) {
	o, err := s.LinkOf(ctx, token, typus.LinkRestore)
	if err != nil {
		return LoggedIn{}, err
	}
	u := o.User
	u.Email = o.Link.Detail
	hash, err := newHash(ctx, "password", password, u, o.Account.Name)
	if err != nil {
		return LoggedIn{}, err
	}
	var out LoggedIn
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := s.useLink(ctx, tx, u, token)
		if err != nil {
			return err
		}
		if err := s.moveLogin(ctx, tx, c.User, u.Email, typus.AuditUserEmailRestored, u.Email); err != nil {
			return err
		}
		if err := s.tellUser(ctx, tx, c.User, typus.LetterEmailRestored); err != nil {
			return err
		}
		c.Email = u.Email
		if c.HasTOTP && !c.TOTPAt.Equal(o.Link.TOTPAt) {
			if err := s.dropSecondFactor(ctx, tx, c.User, typus.LetterTOTPOff); err != nil {
				return err
			}
			c.HasTOTP, c.SealedTOTP = false, nil
		}
		if err := s.setPassword(ctx, tx, c, hash); err != nil {
			return err
		}
		if _, err := tx.DeleteSessions(ctx, c.AccountID, c.ID); err != nil {
			return err
		}
		out = s.newSession(c.User, d)
		return s.beginSession(ctx, tx, &out)
	})
	return out, err
}
