package store

import (
	"context"
	"database/sql/driver"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/db"
)

const (
	roleVersionColumns = `v.version, v.profile, v.grounds, v.basis, coalesce(v.round_id, 0), v.reason, v.user_id, v.signed_by, v.signed_at`
	roleProfileColumns = `p.id, p.account_id, p.name, p.base, p.created_at, p.archived_at, coalesce(v.version, 0), v.profile, coalesce(v.grounds, ''), coalesce(v.basis, ''),
		coalesce(v.round_id, 0), coalesce(v.reason, ''), coalesce(v.user_id, 0), coalesce(v.signed_by, ''), v.signed_at`
	noRoleProfile = "there is no such role profile"
)

// rolesOfAccount are the own role profiles of the account $1. A test world has those of the
// account that it belongs to.
var rolesOfAccount = `
	select ` + roleProfileColumns + `
	from role_profiles p left join role_versions v on v.profile_id = p.id
		and v.version = (select max(n.version) from role_versions n where n.profile_id = p.id)
	where p.account_id = ` + homeOf(`$1`)

func roleVersionFields(v *typus.RoleVersion) []any {
	return []any{&v.Version, &v.Profile, (*roleGrounds)(&v.Grounds), (*string)(&v.Basis), &v.RoundID, &v.Reason, &v.UserID, &v.SignedBy, (*db.Instant)(&v.SignedAt)}
}

func scanRoleProfile(row db.Row) (typus.RoleProfile, error) {
	var p typus.RoleProfile
	err := row.Scan(append([]any{&p.ID, &p.AccountID, &p.Name, &p.Base, (*db.Instant)(&p.CreatedAt), (*db.Instant)(&p.ArchivedAt)}, roleVersionFields(&p.Version)...)...)
	p.Version.ProfileID = p.ID
	return p, err
}

// RoleProfiles lists the own role profiles of an account with their newest versions,
// oldest first.
func (r *reads) RoleProfiles(ctx context.Context, accountID int64) ([]typus.RoleProfile, error) {
	return db.All(ctx, r, scanRoleProfile, rolesOfAccount+` order by p.id`, accountID)
}

// RoleProfile reads an own role profile of an account with its newest version. NotFound.
func (r *reads) RoleProfile(ctx context.Context, accountID, id int64) (typus.RoleProfile, error) {
	return db.One(ctx, r, scanRoleProfile, noRoleProfile, rolesOfAccount+` and p.id = $2`, accountID, id)
}

// RoleVersions lists the versions of a role profile of an account, newest first; none
// where there is no such profile.
func (r *reads) RoleVersions(ctx context.Context, accountID, id int64) ([]typus.RoleVersion, error) {
	scan := func(row db.Row) (typus.RoleVersion, error) {
		v := typus.RoleVersion{ProfileID: id}
		return v, row.Scan(roleVersionFields(&v)...)
	}
	return db.All(ctx, r, scan, `
		select `+roleVersionColumns+` from role_versions v join role_profiles p on p.id = v.profile_id
		where p.account_id = $1 and p.id = $2 order by v.version desc`, accountID, id)
}

// LockRoleProfile is RoleProfile for whoever changes it: nobody else does until the
// transaction ends. NotFound.
func (t *Tx) LockRoleProfile(ctx context.Context, accountID, id int64) (typus.RoleProfile, error) {
	if err := t.db.Lock(ctx, `select id from role_profiles where account_id = $1 and id = $2`, accountID, id); err != nil {
		return typus.RoleProfile{}, err
	}
	return t.RoleProfile(ctx, accountID, id)
}

// AddRoleProfile adds a role profile without a version.
func (t *Tx) AddRoleProfile(ctx context.Context, p typus.RoleProfile) (int64, error) {
	return db.One(ctx, t, db.ScanInt, noRoleProfile,
		`insert into role_profiles (account_id, name, base, created_at) values ($1, $2, $3, $4) returning id`,
		p.AccountID, p.Name, p.Base, db.Millis(p.CreatedAt))
}

// SetRoleArchived stores since when a role profile is archived; the zero time for one that is
// offered. The caller has locked it. NotFound.
func (t *Tx) SetRoleArchived(ctx context.Context, p typus.RoleProfile) error {
	return t.db.Must(ctx, noRoleProfile, `update role_profiles set archived_at = $1 where account_id = $2 and id = $3`, db.MillisOrNull(p.ArchivedAt), p.AccountID, p.ID)
}

// PositionTakesRole reports whether an open position of an account, other than its default
// one, names a role profile.
func (t *Tx) PositionTakesRole(ctx context.Context, accountID int64, key string) (bool, error) {
	n, err := db.One(ctx, t, db.ScanInt, noPosition,
		`select count(*) from positions where account_id = $1 and role_profile = $2 and state = '`+string(typus.PositionOpen)+`'`, accountID, key)
	return n > 0, err
}

// AddRoleVersion adds a version to a role profile of the account, which the caller has
// locked, and calls the profile as the version is called. Nothing changes a version
// afterwards. NotFound.
func (t *Tx) AddRoleVersion(ctx context.Context, accountID int64, name string, v typus.RoleVersion) error {
	if err := t.db.Must(ctx, noRoleProfile, `update role_profiles set name = $1 where account_id = $2 and id = $3`, name, accountID, v.ProfileID); err != nil {
		return err
	}
	_, err := t.db.Exec(ctx, `
		insert into role_versions (profile_id, version, profile, grounds, basis, round_id, reason, user_id, signed_by, signed_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		v.ProfileID, v.Version, v.Profile, roleGrounds(v.Grounds), string(v.Basis), db.IDOrNull(v.RoundID), v.Reason, v.UserID, v.SignedBy, db.Millis(v.SignedAt))
	return err
}

// roleGrounds is a column: a JSON object with what is known, and "" where nothing is.
type roleGrounds typus.RoleGrounds

// storedGrounds are the members of the column. Their names stay, because old rows have them.
type storedGrounds struct {
	Importance map[string]int    `json:"importance,omitempty"`
	Proposed   map[string]int    `json:"proposed,omitempty"`
	Zones      map[string]string `json:"zones,omitempty"`
	Uppers     map[string]string `json:"uppers,omitempty"`
}

// Value implements driver.Valuer.
func (g roleGrounds) Value() (driver.Value, error) {
	text, err := json.Marshal(storedGrounds(g), json.Deterministic(true))
	if string(text) == "{}" {
		text = nil
	}
	return string(text), err
}

// Scan implements sql.Scanner. Internal: the column holds what Value did not make.
func (g *roleGrounds) Scan(src any) error {
	var s storedGrounds
	if err := scanJSON(src, &s, "the grounds of a role profile are damaged"); err != nil {
		return err
	}
	*g = roleGrounds(s)
	return nil
}

// scanJSON reads a column that holds JSON, or "". Internal, with the text damaged: it
// holds something else.
func scanJSON(src, into any, damaged string) error {
	var text []byte
	switch src := src.(type) {
	case string:
		text = []byte(src)
	case []byte:
		text = src
	}
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return typus.Errorf(typus.Internal, "%s", damaged).WithCause(err)
	}
	return nil
}
