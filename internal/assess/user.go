package assess

import (
	"context"
	"strings"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/store"
)

// linkLife is how long a set-password link is good for (our choice).
const linkLife = 7 * 24 * time.Hour

// CreateUser adds a person to an account. With a password the person can log in
// at once; with nil it returns a one-time link that sets one, good for 7 days.
// Invalid names every wrong field; Conflict when the address is taken; NotFound
// for the account.
func (s *Steps) CreateUser(ctx context.Context, u typus.User, password *string, actor string) (int64, string, error) {
	u.Email, u.CreatedAt = strings.TrimSpace(u.Email), s.now()
	account, err := s.store.Account(ctx, u.AccountID)
	if wrong := checkUser(u, password, account.Name); wrong != nil {
		return 0, "", wrong
	}
	if err != nil {
		return 0, "", err
	}
	hash := ""
	if password != nil {
		if hash, err = auth.HashPassword(*password); err != nil {
			return 0, "", err
		}
	}
	token := ""
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		var err error
		if u.ID, err = tx.AddUser(ctx, u, hash); err != nil {
			return err
		}
		if err := s.auditUser(ctx, tx, u, "user.created", actor); err != nil || password != nil {
			return err
		}
		token, err = s.addPasswordLink(ctx, tx, u, actor)
		return err
	})
	return u.ID, s.passwordLink(token), err
}

func checkUser(u typus.User, password *string, company string) error {
	var f faults
	f.email("email", u.Email)
	f.when(!u.Role.Valid(), "role", "must be owner, admin, member or viewer")
	if password != nil {
		if msg := auth.PasswordFault(*password, u.Email, "", company); msg != "" {
			f.add("password", typus.CodeInvalid, msg)
		}
	}
	return f.err()
}

// NewPasswordLink makes a one-time link that sets a new password, good for 7
// days. NotFound when the account has no user of that address.
func (s *Steps) NewPasswordLink(ctx context.Context, accountID int64, email, actor string) (string, error) {
	token := ""
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		u, err := tx.UserByEmail(ctx, accountID, strings.TrimSpace(email))
		if err != nil {
			return err
		}
		token, err = s.addPasswordLink(ctx, tx, u, actor)
		return err
	})
	return s.passwordLink(token), err
}

// addPasswordLink stores the hash of a new token; the token itself is never kept.
func (s *Steps) addPasswordLink(ctx context.Context, tx *store.Tx, u typus.User, actor string) (string, error) {
	token, now := auth.NewToken(), s.now()
	if err := tx.AddUserLink(ctx, u.ID, auth.Hash(token), now, now.Add(linkLife)); err != nil {
		return "", err
	}
	return token, s.auditUser(ctx, tx, u, "user.link_made", actor)
}

func (s *Steps) passwordLink(token string) string {
	if token == "" {
		return ""
	}
	return s.baseURL + "/passwort/" + token
}

func (s *Steps) auditUser(ctx context.Context, tx *store.Tx, u typus.User, action, actor string) error {
	return tx.AddAudit(ctx, typus.AuditEntry{
		AccountID: u.AccountID, Actor: actor, Action: action, Detail: u.Email + " " + string(u.Role), CreatedAt: s.now(),
	})
}
