package access

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// InviteUser adds a person to the account, who reads the candidates of all positions or,
// with a reach, of those that it says, and sends a letter with a link that sets the first
// password. It also returns the link, which is good for 7 days. An address with
// which somebody logs in to another account is invited as well. Invalid names every
// wrong field; Conflict: the account has the address already, or the form was sent
// before; Forbidden: only an owner makes owners; TooMany, with the Wait, when letters
// to the address were asked for too often.
//
// Who may: the face lets admins only, and this asks once more (lockTeam).
func (s *Steps) InviteUser(ctx context.Context, u typus.User, by typus.Actor, reach ...Reach) (string, error) {
	u.Email, u.Name, u.CreatedAt = typus.TypedAddress(u.Email), given(u.Name), s.now()
	if err := checkUser(u, nil, ""); err != nil {
		return "", err
	}
	token := ""
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		account, err := s.lockTeam(ctx, tx, u.AccountID, by, u.Role)
		if err != nil {
			return err
		}
		return s.clerk.Once(ctx, tx, u.AccountID, by, func() (int64, error) {
			_, err := tx.UserByEmail(ctx, u.AccountID, u.Email)
			if err == nil {
				return 0, typus.Errorf(typus.Conflict, "this address is in the team already")
			}
			if !typus.Is(err, typus.NotFound) {
				return 0, err
			}
			if u.ID, err = tx.AddInvitedUser(ctx, u); err != nil {
				return 0, err
			}
			for _, r := range reach {
				if _, err := s.reach(ctx, tx, u, nil, r, by); err != nil {
					return 0, err
				}
			}
			token, err = s.sendInvitation(ctx, tx, u, account, typus.AuditUserInvited, by)
			return u.ID, err
		})
	})
	if err != nil {
		return "", err
	}
	return s.passwordLink(token), nil
}

// InviteUserAgain makes a new link for a person who has not accepted yet. Earlier links
// end. Conflict: the person has accepted, or the form was sent before; Forbidden;
// NotFound; TooMany, with the Wait, when letters to the address were asked for too
// often.
//
// Who may: the face lets admins only, and this asks once more (lockTeam).
func (s *Steps) InviteUserAgain(ctx context.Context, accountID, userID int64, by typus.Actor) (string, error) {
	token := ""
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		u, account, err := s.lockMember(ctx, tx, accountID, userID, by)
		if err != nil {
			return err
		}
		return s.clerk.Once(ctx, tx, accountID, by, func() (int64, error) {
			if u.HasPassword {
				return 0, typus.Errorf(typus.Conflict, "this person has accepted already")
			}
			token, err = s.sendInvitation(ctx, tx, u, account, typus.AuditUserLinkMade, by)
			return u.ID, err
		})
	})
	if err != nil {
		return "", err
	}
	return s.passwordLink(token), nil
}

// invitationKey counts invitations by account, so that invitations which other accounts
// sent to the same address neither hinder this one nor become visible.
func invitationKey(u typus.User) string {
	return clerk.ByAddress(fmt.Sprintf("invitation %d", u.AccountID), u.Email)
}

// sendInvitation sends a letter with a new link, returns the link's token, and notes
// the action in the audit log. TooMany, with the Wait.
func (s *Steps) sendInvitation(ctx context.Context, tx *store.Tx, u typus.User, account typus.Account, action typus.AuditAction, by typus.Actor) (string, error) {
	if err := s.clerk.Try(ctx, tx, clerk.LetterPace, invitationKey(u)); err != nil {
		return "", err
	}
	if err := s.auditBy(ctx, tx, u, action, by); err != nil {
		return "", err
	}
	link := typus.UserLink{Purpose: typus.LinkPassword, ExpiresAt: s.now().Add(typus.InviteLinkLife)}
	if by.UserID != 0 {
		link.Detail = strconv.FormatInt(by.UserID, 10)
	}
	token, err := s.addLink(ctx, tx, u, link)
	if err != nil {
		return "", err
	}
	return token, s.writeTo(ctx, tx, u, account, u.Email, typus.LetterTeamInvitation, token)
}

// lockTeam locks the account, so that changes of its team wait for each other, and
// checks that by may still make users with the role. Forbidden: only an owner makes
// owners; Unauthorized: by is no longer a user.
func (s *Steps) lockTeam(ctx context.Context, tx *store.Tx, accountID int64, by typus.Actor, role typus.UserRole) (typus.Account, error) {
	account, mine, err := s.lockAs(ctx, tx, accountID, by)
	if err != nil {
		return account, err
	}
	return account, mayTouch(mine, role)
}

// lockMember is lockTeam for a change of one of its users, to one of the roles.
func (s *Steps) lockMember(ctx context.Context, tx *store.Tx, accountID, userID int64, by typus.Actor, roles ...typus.UserRole) (typus.User, typus.Account, error) {
	account, mine, err := s.lockAs(ctx, tx, accountID, by)
	if err != nil {
		return typus.User{}, account, err
	}
	u, err := tx.User(ctx, accountID, userID)
	if err != nil {
		return u, account, err
	}
	return u, account, mayTouch(mine, append(roles, u.Role)...)
}

// lockAs locks the account and returns the role that by has in it. Of a test world the account
// that it belongs to is locked before it, under whose lock roles change. The operator has the
// rights of an owner. Unauthorized: by is no longer a user.
func (s *Steps) lockAs(ctx context.Context, tx *store.Tx, accountID int64, by typus.Actor) (typus.Account, typus.UserRole, error) {
	account, err := tx.Account(ctx, accountID)
	if err == nil && account.IsWorld() {
		_, err = tx.LockAccount(ctx, account.ParentID)
	}
	if err == nil {
		account, err = tx.LockAccount(ctx, accountID)
	}
	if err != nil || by.UserID == 0 {
		return account, typus.RoleOwner, err
	}
	me, err := tx.User(ctx, accountID, by.UserID)
	if err != nil {
		return account, "", gone(err)
	}
	return account, me.Role, nil
}

// mayTouch returns Forbidden if a user with the role mine may not make or change users
// with the given roles.
func mayTouch(mine typus.UserRole, roles ...typus.UserRole) error {
	if mine != typus.RoleOwner && mine != typus.RoleAdmin {
		return typus.Errorf(typus.Forbidden, "only owners and admins change the team")
	}
	if mine != typus.RoleOwner && slices.Contains(roles, typus.RoleOwner) {
		return typus.Errorf(typus.Forbidden, "only an owner may make or change an owner")
	}
	return nil
}

// keepOwner returns Conflict if the account would be left without an owner who can log
// in.
func (s *Steps) keepOwner(ctx context.Context, tx *store.Tx, u typus.User) error {
	if u.Role != typus.RoleOwner || !u.HasPassword {
		return nil
	}
	owners, err := tx.Owners(ctx, u.AccountID)
	if err == nil && owners <= 1 {
		err = typus.Errorf(typus.Conflict, "the last owner stays; make somebody else an owner first")
	}
	return err
}

// ChangeRole changes a user's role. All sessions of the user end; if current is one of
// them, it goes on with a new token. agreed is asked, perhaps more than once, about the user
// as stored at that moment. Nothing changes unless it agrees; nil agrees to everything.
// Conflict: the last owner must stay one; Forbidden; NotFound; Invalid.
//
// Who may: the face lets admins only, and this asks once more (lockTeam).
func (s *Steps) ChangeRole(ctx context.Context, accountID, userID int64, role typus.UserRole, current typus.Session, by typus.Actor, agreed func(now typus.User) bool) (LoggedIn, error) {
	if !role.Valid() {
		return LoggedIn{}, typus.Errorf(typus.Invalid, "there is no such role")
	}
	var out LoggedIn
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		u, _, err := s.lockMember(ctx, tx, accountID, userID, by, role)
		if err != nil || u.Role == role || agreed != nil && !agreed(u) {
			return err
		}
		if err := s.keepOwner(ctx, tx, u); err != nil {
			return err
		}
		if err := tx.SetUserRole(ctx, accountID, userID, role); err != nil {
			return err
		}
		if err := s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: u.AccountID, Action: typus.AuditUserRoleChanged, Detail: u.Email + " " + string(u.Role) + " → " + string(role)}); err != nil {
			return err
		}
		out, err = s.renewSessions(ctx, tx, u, current)
		return err
	})
	return out, err
}

// RemoveUser takes a person out of the account, with their sessions and links.
// Conflict: the last owner stays; Forbidden; NotFound.
//
// Who may: the face lets admins only, and this asks once more (lockTeam).
func (s *Steps) RemoveUser(ctx context.Context, accountID, userID int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		u, _, err := s.lockMember(ctx, tx, accountID, userID, by)
		if err != nil {
			return err
		}
		if err := s.keepOwner(ctx, tx, u); err != nil {
			return err
		}
		if err := tx.RemoveUser(ctx, accountID, userID); err != nil {
			return err
		}
		return s.auditBy(ctx, tx, u, typus.AuditUserRemoved, by)
	})
}

// EndSessionsOf ends all sessions of a user of the account, for those who manage
// the team. Forbidden; NotFound.
//
// Who may: the face lets admins only, and this asks once more (lockTeam).
func (s *Steps) EndSessionsOf(ctx context.Context, accountID, userID int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		u, _, err := s.lockMember(ctx, tx, accountID, userID, by)
		if err != nil {
			return err
		}
		if _, err := tx.DeleteSessions(ctx, accountID, userID); err != nil {
			return err
		}
		return s.auditBy(ctx, tx, u, typus.AuditUserSessionsEnded, by)
	})
}
