package access

import (
	"bytes"
	"context"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/clerk"
	"typus/internal/store"
)

// halfLife is how long a login waits for its second factor.
const halfLife = 15 * time.Minute

// LogIn begins a session with address and password. With a second factor the session is
// not verified until EnterCode. Unauthorized: there is no such user, or the password is
// wrong; neither the error nor the time tells which. TooMany, with the Wait.
func (s *Steps) LogIn(ctx context.Context, email, password string, d Device) (LoggedIn, error) {
	email = typus.TypedAddress(email)
	who := clerk.LoginTries(email, d.IP, s.knownDevice(d.Cookie, email))
	if err := s.store.InTx(ctx, func(tx *store.Tx) error { return s.clerk.Try(ctx, tx, clerk.LoginPace, who...) }); err != nil {
		return LoggedIn{}, err
	}
	c, found, err := s.store.CredentialsByLogin(ctx, email)
	if err != nil {
		return LoggedIn{}, err
	}
	right, err := checkPassword(ctx, password, c)
	if err != nil {
		return LoggedIn{}, err
	}
	if !right {
		return LoggedIn{}, s.refuseLogin(ctx, c.User, found, who[0])
	}
	better, err := rehashed(ctx, password, c)
	if err != nil {
		return LoggedIn{}, err
	}
	var out LoggedIn
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := lockSame(ctx, tx, c); err != nil {
			return err
		}
		out = s.newSession(c.User, d)
		if err := s.clerk.Forgive(ctx, tx, who); err != nil {
			return err
		}
		if better != "" {
			if err := tx.SetPassword(ctx, c.AccountID, c.ID, better); err != nil {
				return err
			}
		}
		return s.beginSession(ctx, tx, &out)
	})
	return out, err
}

// lockSame locks a user whose credentials were checked before the transaction, and
// makes sure that they are still the same. Unauthorized: they are not.
func lockSame(ctx context.Context, tx *store.Tx, checked store.Credentials) error {
	now, err := tx.LockCredentials(ctx, checked.AccountID, checked.ID)
	if err != nil {
		return gone(err)
	}
	if now.PasswordHash != checked.PasswordHash || now.HasTOTP != checked.HasTOTP || !bytes.Equal(now.SealedTOTP, checked.SealedTOTP) || now.Email != checked.Email {
		return typus.Errorf(typus.Unauthorized, "the password or the second factor has just been changed")
	}
	return nil
}

// stranger is the actor where nobody has proved who they are.
const stranger = typus.ActorStranger

// checkPassword does the same work for every user, and for one that does not exist.
func checkPassword(ctx context.Context, password string, c store.Credentials) (bool, error) {
	if c.PasswordHash == "" {
		return false, auth.CheckNoPassword(ctx, password)
	}
	return auth.CheckPassword(ctx, password, c.PasswordHash)
}

// rehashed is a hash of today's strength if the stored one is weaker, "" if not.
func rehashed(ctx context.Context, password string, c store.Credentials) (string, error) {
	if !auth.Outdated(c.PasswordHash) {
		return "", nil
	}
	return auth.HashPassword(ctx, password)
}

// refuseLogin writes one line of the audit log if there is such a user. It makes one
// commit in either case, so that the time does not tell who is a user.
func (s *Steps) refuseLogin(ctx context.Context, u typus.User, found bool, who string) error {
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		if !found {
			return tx.KeepTry(ctx, who, s.now())
		}
		return s.auditUser(ctx, tx, u, typus.AuditUserLoginFailed, stranger)
	})
	if err != nil {
		return err
	}
	return typus.Errorf(typus.Unauthorized, "the address or the password is wrong")
}

// EnterCode completes a login with a code of the second factor or a recovery
// code. The session gets a new token. Unauthorized: the code is wrong, was used
// before, or the session waits for none. TooMany, with the Wait.
func (s *Steps) EnterCode(ctx context.Context, session typus.Session, code string, d Device) (LoggedIn, error) {
	var out LoggedIn
	c, err := s.store.Credentials(ctx, session.AccountID, session.UserID)
	if err != nil {
		return out, gone(err)
	}
	who := clerk.CodeTries(c.ID, s.knownDevice(d.Cookie, c.Email))
	err = s.proveInTx(ctx, c, code, who, func(tx *store.Tx) error {
		if err := tx.DeleteSession(ctx, session.AccountID, session.UserID, session.Hash); err != nil {
			return gone(err)
		}
		out = s.newSession(c.User, d)
		s.complete(&out)
		out.Session.ConfirmedAt = session.ConfirmedAt
		if err := s.addSession(ctx, tx, out.Session); err != nil {
			return err
		}
		return s.noteLogin(ctx, tx, c.User)
	})
	return out, err
}

// gone turns NotFound into Unauthorized: what was checked no longer exists.
func gone(err error) error {
	if typus.Is(err, typus.NotFound) {
		return typus.Errorf(typus.Unauthorized, "the login has ended")
	}
	return err
}

// ForgetLogins removes what has run out: sessions, one-time links, counts of
// failures, sign-ups. It is a chore.
func (s *Steps) ForgetLogins(ctx context.Context, settled time.Time) error {
	for _, drop := range []func(tx *store.Tx) (int, error){
		func(tx *store.Tx) (int, error) { return tx.DropSessions(ctx, settled) },
		func(tx *store.Tx) (int, error) { return tx.DropUserLinks(ctx, settled.Add(-24*time.Hour)) },
		func(tx *store.Tx) (int, error) { return clerk.DropTries(ctx, tx, settled) },
		func(tx *store.Tx) (int, error) { return tx.DropSignUps(ctx, settled) },
	} {
		if _, err := s.store.InBatches(ctx, drop); err != nil {
			return err
		}
	}
	return nil
}
