package dashboard

import (
	"strings"

	"typus"
	"typus/internal/instrument"
)

// ownRoles are the own role profiles of the visitor's account. They are read once for a
// page, and only where one is needed, since most lists name none. A fault of the database
// leaves them out: it is logged, and the page says the keys.
func (f *face) ownRoles(v *visit) []typus.RoleProfile {
	if v.roles == nil {
		var all []typus.RoleProfile
		if v.Account.ID != 0 {
			var err error
			if all, err = f.Store.RoleProfiles(v.Context(), v.Account.ID); err != nil {
				f.Log.ErrorContext(v.Context(), "the role profiles cannot be read", "error", err)
			}
		}
		v.roles = &all
	}
	return *v.roles
}

// roleName is what a role profile is called in the reader's language; its key if nobody
// knows it.
func (f *face) roleName(v *visit, key string) string {
	if _, own := typus.OwnRoleID(key); !own {
		return inWords(f.Instrument.RoleName(v.lang, key), key)
	}
	if name := v.named[key]; name != "" {
		return name
	}
	for _, p := range f.ownRoles(v) {
		if p.Key() == key {
			return p.Name
		}
	}
	return key
}

// laterVersion is the newest version of an own role profile that has several, 0 for others.
func (f *face) laterVersion(v *visit, key string) int {
	if _, own := typus.OwnRoleID(key); !own {
		return 0
	}
	for _, p := range f.ownRoles(v) {
		if p.Key() == key && p.Version.Version > 1 {
			return p.Version.Version
		}
	}
	return 0
}

// roleOf is what a role profile asks for now; of an unknown one nothing is known.
func (f *face) roleOf(v *visit, in *instrument.Instrument, key string) instrument.Role {
	if _, own := typus.OwnRoleID(key); !own {
		role, _ := in.Role(key)
		return role
	}
	for _, p := range f.ownRoles(v) {
		if p.Key() != key || p.Version.Version == 0 {
			continue
		}
		role, err := roleSnapshot(p.Version)
		if err != nil {
			f.Log.ErrorContext(v.Context(), "a role profile cannot be read", "error", err)
		}
		return role
	}
	return instrument.Role{Key: key}
}

// signedInWords says which version of which role profile was signed.
func (f *face) signedInWords(v *visit, detail string) string {
	ref, basis, two := strings.Cut(detail, " ")
	key, version, versioned := strings.Cut(ref, "@")
	if !two || !versioned {
		return ""
	}
	said := "roles.audit.person"
	if basis == string(typus.RoleByExperts) {
		said = "roles.audit.experts"
	}
	return f.say(v, said, "Name", f.roleName(v, key), "Version", version)
}
