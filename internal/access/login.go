package access

import (
	"bytes"
	"context"
	"encoding/base64"
	"strings"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/clerk"
	"typus/internal/store"
)

// Device is where somebody logs in.
type Device struct {
	Cookie string // what LoggedIn.Device left there the last time, "" for nothing
	IP     string
	Agent  string // browser and system in words
}

// LoggedIn is a login that has begun or is complete.
type LoggedIn struct {
	Token   string // of the session, for its cookie
	Session typus.Session
	User    typus.User
	Device  string // what the device should keep for its next login; "" while a second factor is to come
}

// halfLife is how long a login waits for its second factor.
const halfLife = 15 * time.Minute

// LogIn begins a session with address and password. With a second factor the
// session is not verified until EnterCode. Unauthorized: there is no such user, or
// the password is another one; nothing tells the two apart, the time neither.
// TooMany, with the Wait.
func (s *Steps) LogIn(ctx context.Context, email, password string, d Device) (LoggedIn, error) {
	email = strings.TrimSpace(email)
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
// makes sure that they are the same still. Unauthorized: they are not.
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
const stranger = ""

// checkPassword does the same work whoever it is about.
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

// refuseLogin writes one line of the audit log where there is somebody to write
// it for, and makes one commit in any case: its time would tell who is a user.
func (s *Steps) refuseLogin(ctx context.Context, u typus.User, found bool, who string) error {
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		if !found {
			return tx.KeepTry(ctx, who, s.now())
		}
		return s.auditUser(ctx, tx, u, "user.login_failed", stranger)
	})
	if err != nil {
		return err
	}
	return typus.Errorf(typus.Unauthorized, "the address or the password is wrong")
}

// newSession makes a session for a user who has given the password.
func (s *Steps) newSession(u typus.User, d Device) LoggedIn {
	now := s.now()
	out := LoggedIn{Token: auth.NewSession(), User: u}
	out.Session = typus.Session{
		Hash: auth.Hash(out.Token), UserID: u.ID, AccountID: u.AccountID, Verified: !u.HasTOTP,
		ConfirmedAt: now, CreatedAt: now, SeenAt: now, ExpiresAt: now.Add(halfLife), IP: d.IP, Agent: d.Agent,
	}
	if out.Session.Verified {
		s.complete(&out)
	}
	return out
}

// complete makes a whole login of a session.
func (s *Steps) complete(out *LoggedIn) {
	out.Session.Verified, out.Device = true, s.deviceCookie(out.User.Email)
	out.Session.ExpiresAt = out.Session.CreatedAt.Add(typus.SessionLife)
}

// beginSession stores a new session; a verified one is a login.
func (s *Steps) beginSession(ctx context.Context, tx *store.Tx, out *LoggedIn) error {
	if err := s.addSession(ctx, tx, out.Session); err != nil || !out.Session.Verified {
		return err
	}
	return s.noteLogin(ctx, tx, out.User)
}

// maxSessions bounds the logins of one user; beyond it the oldest ends (our choice).
const maxSessions = 50

func (s *Steps) addSession(ctx context.Context, tx *store.Tx, session typus.Session) error {
	// First the room, then the session: it is never the one that ends.
	if err := tx.TrimSessions(ctx, session.AccountID, session.UserID, maxSessions-1); err != nil {
		return err
	}
	return tx.AddSession(ctx, session)
}

func (s *Steps) noteLogin(ctx context.Context, tx *store.Tx, u typus.User) error {
	if err := tx.TouchLogin(ctx, u.AccountID, u.ID, s.now()); err != nil {
		return err
	}
	return s.auditUser(ctx, tx, u, "user.logged_in", u.Email)
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

// gone turns what is not there any more into Unauthorized.
func gone(err error) error {
	if typus.Is(err, typus.NotFound) {
		return typus.Errorf(typus.Unauthorized, "the login has ended")
	}
	return err
}

// LogOut ends a session. One that has ended already is no error.
func (s *Steps) LogOut(ctx context.Context, session typus.Session, u typus.User) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		err := tx.DeleteSession(ctx, session.AccountID, session.UserID, session.Hash)
		if typus.Is(err, typus.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.auditUser(ctx, tx, u, "user.logged_out", u.Email)
	})
}

// EndSession ends one session of a user, or all of them but the one with the hash
// keep when hash is "". NotFound: there is no such session.
func (s *Steps) EndSession(ctx context.Context, u typus.User, hash, keep string, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if hash != "" {
			if err := tx.DeleteSession(ctx, u.AccountID, u.ID, hash); err != nil {
				return err
			}
			return s.auditBy(ctx, tx, u, "user.session_ended", by)
		}
		if err := tx.DeleteOtherSessions(ctx, u.AccountID, u.ID, keep); err != nil {
			return err
		}
		return s.auditBy(ctx, tx, u, "user.sessions_ended", by)
	})
}

// Confirm checks the password of a user who is logged in, as often as a login
// may be tried. Unauthorized: it is another one. TooMany, with the Wait.
func (s *Steps) Confirm(ctx context.Context, session typus.Session, password string) error {
	_, err := s.confirm(ctx, session, password)
	return err
}

// confirm returns what the password was checked against, for lockSame.
func (s *Steps) confirm(ctx context.Context, session typus.Session, password string) (store.Credentials, error) {
	u := typus.User{AccountID: session.AccountID, ID: session.UserID}
	return s.passwordOf(ctx, u, password, clerk.CodeTries(u.ID, "password"), func(tx *store.Tx) error {
		return tx.ConfirmSession(ctx, session.AccountID, session.Hash, s.now())
	})
}

// passwordOf checks the password of a user, as often as who may try, and returns what
// it was checked against, for lockSame; then, nil for nothing, is done in the
// transaction that forgets the tries. Unauthorized: it is another one; TooMany, with
// the Wait.
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
			return s.auditBy(ctx, tx, c.User, "user.password_wrong", typus.ActorOf(ctx))
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

// renewSessions ends all sessions of a user and gives the one that asked for it a
// new token: what was known of the old ones is worth nothing now. A session of
// somebody else gets none.
// Unauthorized: the session that asked has ended meanwhile.
func (s *Steps) renewSessions(ctx context.Context, tx *store.Tx, u typus.User, current typus.Session) (LoggedIn, error) {
	if current.UserID == u.ID {
		if err := tx.DeleteSession(ctx, u.AccountID, u.ID, current.Hash); err != nil {
			return LoggedIn{}, gone(err)
		}
	}
	if _, err := tx.DeleteSessions(ctx, u.AccountID, u.ID); err != nil {
		return LoggedIn{}, err
	}
	if current.UserID != u.ID {
		return LoggedIn{}, nil
	}
	out := LoggedIn{Token: auth.NewSession(), User: u, Session: current}
	out.Session.Hash, out.Session.SeenAt = auth.Hash(out.Token), s.now()
	return out, tx.AddSession(ctx, out.Session)
}

// What a device keeps is sealed, so that nobody can make one up.
const devicePlace = "device"

// deviceCookie lets a device be known again: the address it has logged in with
// and an id that its tries are counted by.
func (s *Steps) deviceCookie(email string) string {
	plain := auth.NewToken() + auth.Hash(strings.ToLower(email))
	return base64.RawURLEncoding.EncodeToString(s.box.Seal([]byte(plain), devicePlace))
}

// knownDevice is the id of a device that has logged in with this address before,
// "" for any other.
func (s *Steps) knownDevice(cookie, email string) string {
	sealed, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil || cookie == "" {
		return ""
	}
	plain, err := s.box.Open(sealed, devicePlace)
	if err != nil {
		return ""
	}
	id, ok := strings.CutSuffix(string(plain), auth.Hash(strings.ToLower(email)))
	if !ok || !auth.WellFormedToken(id) {
		return ""
	}
	return id
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
