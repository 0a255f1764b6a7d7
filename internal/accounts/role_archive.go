package accounts

import (
	"context"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// Codes of the Field "role_profile" of a Conflict: what still takes a role profile that is to
// be archived.
const (
	CodeOfAccount  = "account"
	CodeOfPosition = "position"
)

// CodeRoleGone is the code of the Field "position" of a Conflict: it names a role profile
// that is not offered any more.
const CodeRoleGone = "role_profile"

// ArchiveRole takes an own role profile out of what can be chosen; an archived one stays as it
// is. Invitations and closed positions that name it, and results, keep it. NotFound. Conflict:
// the account's settings take it (CodeOfAccount), or an open position (CodeOfPosition).
//
// Who may: the face lets admins only.
func (s *Steps) ArchiveRole(ctx context.Context, accountID, id int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		p, err := tx.LockRoleProfile(ctx, accountID, id)
		if err != nil || !p.ArchivedAt.IsZero() {
			return err
		}
		if err := takesRole(ctx, tx, p); err != nil {
			return err
		}
		return s.setArchived(ctx, tx, p, s.now(), typus.AuditRoleArchived, by)
	})
}

// takesRole is the Conflict of ArchiveRole. Whoever is about to name the profile has locked it
// (naming).
func takesRole(ctx context.Context, tx *store.Tx, p typus.RoleProfile) error {
	account, err := tx.Account(ctx, p.AccountID)
	if err != nil {
		return err
	}
	if account.RoleProfile == p.Key() {
		return roleConflict(CodeOfAccount, "the account's settings take it")
	}
	taken, err := tx.PositionTakesRole(ctx, p.AccountID, p.Key())
	if err == nil && taken {
		err = roleConflict(CodeOfPosition, "an open position takes it")
	}
	return err
}

func roleConflict(code, msg string) error {
	return &typus.Error{Kind: typus.Conflict, Msg: msg, Fields: []typus.Field{{Name: "role_profile", Code: code, Msg: msg}}}
}

// OfferRole lets an archived role profile be chosen again; any other stays as it is. NotFound.
// Invalid: there are MaxRoleProfiles.
//
// Who may: the face lets admins only.
func (s *Steps) OfferRole(ctx context.Context, accountID, id int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockAccount(ctx, accountID); err != nil {
			return err
		}
		p, err := tx.LockRoleProfile(ctx, accountID, id)
		if err != nil || p.ArchivedAt.IsZero() {
			return err
		}
		if err := roomForRole(ctx, tx, accountID); err != nil {
			return err
		}
		return s.setArchived(ctx, tx, p, time.Time{}, typus.AuditRoleOffered, by)
	})
}

func (s *Steps) setArchived(ctx context.Context, tx *store.Tx, p typus.RoleProfile, at time.Time, action typus.AuditAction, by typus.Actor) error {
	p.ArchivedAt = at
	if err := tx.SetRoleArchived(ctx, p); err != nil {
		return err
	}
	return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: p.AccountID, Action: action, Detail: p.Key()})
}

// naming reads role profiles for whoever is about to name one in a transaction: it is not
// archived meanwhile.
type naming struct{ tx *store.Tx }

// RoleProfile implements clerk.RoleReader.
func (n naming) RoleProfile(ctx context.Context, accountID, id int64) (typus.RoleProfile, error) {
	return n.tx.LockRoleProfile(ctx, accountID, id)
}

// RoleProfiles implements clerk.RoleReader.
func (n naming) RoleProfiles(ctx context.Context, accountID int64) ([]typus.RoleProfile, error) {
	return n.tx.RoleProfiles(ctx, accountID)
}

// checkRole is Conflict with CodeRoleGone if a position names a role profile that is not
// offered.
func (s *Steps) checkRole(ctx context.Context, tx *store.Tx, p typus.Position) error {
	var f clerk.Faults
	if err := f.OwnRole(ctx, naming{tx}, p.AccountID, p.RoleProfile, s.instrument); err != nil {
		return err
	}
	if f.Err() != nil {
		return stateConflict(CodeRoleGone, "its role profile is not offered any more")
	}
	return nil
}
