package access

import (
	"context"

	"typus"
	"typus/internal/auth"
	"typus/internal/store"
)

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

// complete makes a session a complete login.
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
	// Old sessions are ended before the new one is added, so that the new one is never
	// among them.
	if err := tx.TrimSessions(ctx, session.AccountID, session.UserID, maxSessions-1); err != nil {
		return err
	}
	return tx.AddSession(ctx, session)
}

func (s *Steps) noteLogin(ctx context.Context, tx *store.Tx, u typus.User) error {
	if err := tx.TouchLogin(ctx, u.AccountID, u.ID, s.now()); err != nil {
		return err
	}
	return s.auditUser(ctx, tx, u, typus.AuditUserLoggedIn, u.Email)
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
		return s.auditUser(ctx, tx, u, typus.AuditUserLoggedOut, u.Email)
	})
}

// EndSession ends one session of a user or, if hash is "", all of them except the one
// with the hash keep. NotFound: there is no such session.
//
// Who may: the face lets users change themselves only.
func (s *Steps) EndSession(ctx context.Context, u typus.User, hash, keep string, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if hash != "" {
			if err := tx.DeleteSession(ctx, u.AccountID, u.ID, hash); err != nil {
				return err
			}
			return s.auditBy(ctx, tx, u, typus.AuditUserSessionEnded, by)
		}
		if err := tx.DeleteOtherSessions(ctx, u.AccountID, u.ID, keep); err != nil {
			return err
		}
		return s.auditBy(ctx, tx, u, typus.AuditUserSessionsEnded, by)
	})
}

// renewSessions ends all sessions of a user and gives the session that asked for it a
// new token, so that nobody can use an old one. A session of another user gets none.
// Unauthorized: the session that asked has ended in the meantime.
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
