package access

import (
	"context"

	"typus"
	"typus/internal/auth"
	"typus/internal/clerk"
	"typus/internal/store"
)

// CreateUser adds a person to an account. With a password the person can log in
// at once; with nil it returns a one-time link that sets one, good for 7 days.
// Invalid names every wrong field; Conflict when the address is taken; NotFound
// for the account.
//
// Who may: the operator only, by the command line.
func (s *Steps) CreateUser(ctx context.Context, u typus.User, password *string, actor string) (int64, string, error) {
	u.Email, u.Name, u.CreatedAt = typus.TypedAddress(u.Email), given(u.Name), s.now()
	account, err := s.store.Account(ctx, u.AccountID)
	if wrong := checkUser(u, password, account.Name); wrong != nil {
		return 0, "", wrong
	}
	if err == nil {
		err = account.Itself()
	}
	if err != nil {
		return 0, "", err
	}
	hash := ""
	if password != nil {
		if hash, err = auth.HashPassword(ctx, *password); err != nil {
			return 0, "", err
		}
	}
	token := ""
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		var err error
		if u.ID, err = tx.AddUser(ctx, u, hash); err != nil {
			return err
		}
		if err := s.auditUser(ctx, tx, u, typus.AuditUserCreated, actor); err != nil || password != nil {
			return err
		}
		token, err = s.addPasswordLink(ctx, tx, u, actor)
		return err
	})
	return u.ID, s.passwordLink(token), err
}

// given is the name of a user as it is stored, or "" if nothing of it is visible.
func given(name string) string {
	if typus.Blank(name) {
		return ""
	}
	return typus.TypedName(name)
}

func checkUser(u typus.User, password *string, company string) error {
	var f clerk.Faults
	f.Email("email", u.Email)
	f.Remark("name", u.Name)
	f.When(!u.Role.Valid(), "role", "must be owner, admin, member, viewer or interviewer")
	if password != nil {
		checkPasswordOf(&f, "password", *password, u, company)
	}
	return f.Err()
}

// checkPasswordOf adds a fault if a password is easy to guess.
func checkPasswordOf(f *clerk.Faults, field, password string, u typus.User, company string) {
	if msg := auth.PasswordFault(password, u.Email, u.Name, company); msg != "" {
		f.Add(field, typus.CodeInvalid, msg)
	}
}

// NewPasswordLink makes a one-time link that sets a new password, good for 7 days.
// Using it ends all ways back to former addresses, and the next change of the address
// within its 7 days gives no way back, because the login may have been in wrong hands.
// NotFound when the account has no user of that address.
//
// Who may: the operator only, by the command line.
func (s *Steps) NewPasswordLink(ctx context.Context, accountID int64, email, actor string) (string, error) {
	token := ""
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		u, err := tx.UserByEmail(ctx, accountID, typus.TypedAddress(email))
		if err != nil {
			return err
		}
		token, err = s.addPasswordLink(ctx, tx, u, actor)
		return err
	})
	return s.passwordLink(token), err
}

// addPasswordLink makes a link that the operator hands on.
func (s *Steps) addPasswordLink(ctx context.Context, tx *store.Tx, u typus.User, actor string) (string, error) {
	link := typus.UserLink{Purpose: typus.LinkPassword, ExpiresAt: s.now().Add(typus.InviteLinkLife)}
	if u.HasPassword {
		link.Detail = typus.LinkOfOperator
	}
	token, err := s.addLink(ctx, tx, u, link)
	if err != nil {
		return "", err
	}
	return token, s.auditUser(ctx, tx, u, typus.AuditUserLinkMade, actor)
}

// addLink stores the hash of a new token and ends the user's earlier links of its
// purpose; the token itself is never kept.
func (s *Steps) addLink(ctx context.Context, tx *store.Tx, u typus.User, l typus.UserLink) (string, error) {
	token := auth.NewSession()
	l.Hash, l.UserID, l.CreatedAt = auth.Hash(token), u.ID, s.now()
	return token, tx.ReplaceUserLink(ctx, u.AccountID, l)
}

func (s *Steps) passwordLink(token string) string {
	if token == "" {
		return ""
	}
	return s.links.Password(token)
}

// RecoverUser is NewPasswordLink for a user who has also lost the second factor. It
// removes the factor as ResetSecondFactor does, in the same transaction, and reports
// false if there was none.
//
// Who may: the operator only, by the command line.
func (s *Steps) RecoverUser(ctx context.Context, accountID int64, email, actor string) (string, bool, error) {
	token, had := "", false
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		u, err := tx.UserByEmail(ctx, accountID, typus.TypedAddress(email))
		if err != nil {
			return err
		}
		if had, err = s.resetSecondFactor(ctx, tx, u, typus.Actor{Name: actor}); err != nil {
			return err
		}
		token, err = s.addPasswordLink(ctx, tx, u, actor)
		return err
	})
	return s.passwordLink(token), had, err
}

// auditUser writes a line about a user. If the actor is the user's own address, the
// line says that the user did it.
func (s *Steps) auditUser(ctx context.Context, tx *store.Tx, u typus.User, action typus.AuditAction, actor string) error {
	by := typus.ActorOf(ctx)
	by.Name = actor
	if actor == u.Email {
		by.UserID = u.ID
	}
	return s.auditBy(ctx, tx, u, action, by)
}

// auditBy writes a line about a user, with their address and role.
func (s *Steps) auditBy(ctx context.Context, tx *store.Tx, u typus.User, action typus.AuditAction, by typus.Actor) error {
	return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: u.AccountID, Action: action, Detail: u.Email + " " + string(u.Role)})
}

// RenameUser changes what a user is called. agreed is asked, perhaps more than once, about the
// user as stored at that moment, and nothing changes unless it agrees. Invalid; NotFound.
//
// Who may: the face lets users change themselves only.
func (s *Steps) RenameUser(ctx context.Context, u typus.User, name string, by typus.Actor, agreed func(now typus.User) bool) error {
	name = given(name)
	var f clerk.Faults
	if f.Remark("name", name); f.Err() != nil {
		return f.Err()
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockAccount(ctx, u.AccountID); err != nil {
			return err
		}
		now, err := tx.User(ctx, u.AccountID, u.ID)
		if err != nil || now.Name == name || agreed != nil && !agreed(now) {
			return err
		}
		if err := tx.SetUserName(ctx, u.AccountID, u.ID, name); err != nil {
			return err
		}
		return s.auditBy(ctx, tx, u, typus.AuditUserRenamed, by)
	})
}
