package accounts

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/text/unicode/norm"

	"typus"
	"typus/internal/clerk"
	"typus/internal/instrument"
	"typus/internal/panel"
	"typus/internal/store"
)

const (
	// maxRoleReason bounds why a role profile is as it is, in code points (our choice).
	maxRoleReason = 600
	// MaxRoleProfiles is how many own role profiles an account has at most, archived ones
	// aside (our choice): they stand in lists to choose from.
	MaxRoleProfiles = 50
)

// CodeTooMany is the code of a fault in a role profile: the account has MaxRoleProfiles.
// CodeNoWeight: nothing is important, so nothing weighs anything. Other codes are those
// of the instrument.
const (
	CodeTooMany  = "too_many"
	CodeNoWeight = "no_weight"
)

// RoleDraft is what somebody signs for an own role profile.
type RoleDraft struct {
	Name   string
	Reason string    // why there is another version; the first needs none
	Asks   []RoleAsk // of each dimension, in the order of the test

	RoundID int64 // of the experts whose proposal it began with, 0 for none
}

// RoleAsk is what a draft asks for in one dimension.
type RoleAsk struct {
	Weight    int // percent
	Low, High int // High 100: nothing is too much
	WhyZone   string
	WhyUpper  string
}

// AddRole makes an own role profile with its first version, for whoever says how
// important each dimension is, from 1 to 5, and signs it: the weights follow from that
// (panel.Weights), the zones are those of a profile of the test. It returns its id.
// Conflict as of clerk.Once. Invalid: the fields are base, name, and importance_ and the
// key of a dimension.
//
// Who may: the face lets admins only.
func (s *Steps) AddRole(ctx context.Context, accountID int64, base, name string, importance map[string]int, by typus.Actor) (int64, error) {
	role, err := s.firstRole(base, &name, importance)
	if err != nil {
		return 0, err
	}
	var id int64
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		return s.clerk.Once(ctx, tx, accountID, by, func() (int64, error) {
			if id, err = s.addRoleProfile(ctx, tx, accountID, base, name); err != nil {
				return 0, err
			}
			v := typus.RoleVersion{ProfileID: id, Version: 1, Basis: typus.RoleByPerson, Grounds: typus.RoleGrounds{Importance: importance}}
			return id, s.signRole(ctx, tx, accountID, role, v, by)
		})
	})
	return id, err
}

// firstRole is what the first version asks for, by one person's word. name becomes what
// is stored.
func (s *Steps) firstRole(base string, name *string, importance map[string]int) (instrument.Role, error) {
	var f clerk.Faults
	role, known := s.instrument.Role(base)
	if !known {
		f.Add("base", typus.CodeInvalid, "must be a role profile of the test")
		role = s.instrument.Roles()[0] // for its dimensions: all that is wrong is said at once
	}
	*name = norm.NFC.String(oneLine(*name))
	f.Text("name", *name)
	role.Name, role.Zones = *name, append([]instrument.Zone(nil), role.Zones...)
	values := make([]float64, len(role.Zones))
	complete := true
	for i, z := range role.Zones {
		values[i] = float64(importance[z.Dimension])
		if values[i] < 1 || values[i] > panel.Most {
			complete = false
			f.Add("importance_"+z.Dimension, typus.CodeRequired, "must be 1 to 5")
		}
	}
	if weights, some := panel.Weights(values); some {
		for i, w := range weights {
			role.Zones[i].Weight = float64(w) / 100
		}
	} else if complete {
		f.Add("importance_"+role.Zones[0].Dimension, CodeNoWeight, "must be above 1 for one dimension at least")
	}
	return role, f.Err()
}

// addRoleProfile adds a profile without a version. Invalid: there are MaxRoleProfiles.
func (s *Steps) addRoleProfile(ctx context.Context, tx *store.Tx, accountID int64, base, name string) (int64, error) {
	if _, err := tx.LockAccount(ctx, accountID); err != nil { // so that two forms do not both find room
		return 0, err
	}
	if err := roomForRole(ctx, tx, accountID); err != nil {
		return 0, err
	}
	return tx.AddRoleProfile(ctx, typus.RoleProfile{AccountID: accountID, Name: name, Base: base, CreatedAt: s.now()})
}

// roomForRole is Invalid if the account, which the caller has locked, has MaxRoleProfiles.
func roomForRole(ctx context.Context, tx *store.Tx, accountID int64) error {
	all, err := tx.RoleProfiles(ctx, accountID)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(p typus.RoleProfile) bool { return !p.ArchivedAt.IsZero() })
	if len(all) >= MaxRoleProfiles {
		return typus.WrongFields([]typus.Field{{Name: "name", Code: CodeTooMany, Msg: fmt.Sprintf("must not be one more than %d", MaxRoleProfiles)}})
	}
	return nil
}

// signRole stores a version of a profile that the caller has locked or made, signed by a user.
func (s *Steps) signRole(ctx context.Context, tx *store.Tx, accountID int64, role instrument.Role, v typus.RoleVersion, by typus.Actor) error {
	user, err := tx.User(ctx, accountID, by.UserID)
	if err != nil {
		return err
	}
	v.UserID, v.SignedBy, v.SignedAt = user.ID, user.Called(), s.now()
	role.Key, role.Version = typus.RoleProfile{ID: v.ProfileID}.Key(), v.Version
	role.Confirmed.By, role.Confirmed.On = string(v.Basis), v.SignedAt.UTC().Format(time.DateOnly)
	if v.Profile, err = json.Marshal(role); err != nil {
		return err
	}
	if err := tx.AddRoleVersion(ctx, accountID, role.Name, v); err != nil {
		return err
	}
	detail := role.Ref() + " " + string(v.Basis)
	return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditRoleSigned, Detail: detail})
}

// SignRole lets draft say what the next version of an own role profile asks for, by the
// one that is stored now; draft reports false if nothing is to be stored after all. A
// version is never changed. The number of the new one is returned, 0 for none. NotFound.
// Invalid: the fields are name and reason, and weight_, low_, high_, zone_ and upper_
// (the reasons) and the key of a dimension; that the weights do not sum to 100 stands at
// the first weight.
//
// Who may: the face lets admins only.
func (s *Steps) SignRole(ctx context.Context, accountID, id int64, by typus.Actor, draft func(now typus.RoleProfile) (RoleDraft, bool)) (int, error) {
	version := 0
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		version = 0
		now, err := tx.LockRoleProfile(ctx, accountID, id)
		if err != nil {
			return err
		}
		d, goOn := draft(now)
		if !goOn {
			return nil
		}
		v := typus.RoleVersion{ProfileID: id, Version: now.Version.Version + 1, Basis: typus.RoleByPerson}
		role, err := s.drafted(now, d, &v)
		if err != nil {
			return err
		}
		if err := s.restOn(ctx, tx, accountID, now, d, &role, &v); err != nil {
			return err
		}
		version = v.Version
		return s.signRole(ctx, tx, accountID, role, v, by)
	})
	return version, err
}

// restOn says what the weights of a version rest on: on experts only where they are what
// the experts propose, or those of a version that rests on experts; else on the word of
// whoever signs.
func (s *Steps) restOn(ctx context.Context, tx *store.Tx, accountID int64, now typus.RoleProfile, d RoleDraft, role *instrument.Role, v *typus.RoleVersion) error {
	round := d.RoundID
	if round == 0 && now.Version.Basis == typus.RoleByExperts {
		round = now.Version.RoundID
	}
	if round == 0 {
		return nil
	}
	proposed, raters, err := s.proposal(ctx, tx, accountID, now.ID, round)
	if err != nil || proposed == nil {
		return err
	}
	v.RoundID, v.Grounds.Proposed, v.Basis = round, proposed, typus.RoleByExperts
	role.Confirmed.Raters = raters
	for i, z := range role.Zones {
		if proposed[z.Dimension] != d.Asks[i].Weight {
			v.Basis, role.Confirmed.Raters = typus.RoleByPerson, 0
		}
	}
	return nil
}

// drafted is what a draft asks for, with the grounds for it in v.
func (s *Steps) drafted(now typus.RoleProfile, d RoleDraft, v *typus.RoleVersion) (instrument.Role, error) {
	base, known := s.instrument.Role(now.Base)
	if !known || len(d.Asks) != len(base.Zones) {
		return instrument.Role{}, typus.Errorf(typus.Internal, "role profile %d began with one that this test does not have", now.ID)
	}
	var f clerk.Faults
	role := instrument.Role{Name: norm.NFC.String(oneLine(d.Name)), Below: base.Below}
	v.Reason = norm.NFC.String(oneLine(d.Reason))
	f.Text("name", role.Name)
	if v.Version > 1 && typus.Blank(v.Reason) {
		f.Add("reason", typus.CodeRequired, "must say why there is another version")
	} else {
		f.AtMost("reason", v.Reason, maxRoleReason)
	}
	v.Grounds = typus.RoleGrounds{Zones: map[string]string{}, Uppers: map[string]string{}}
	for i, ask := range d.Asks {
		z := instrument.Zone{Dimension: base.Zones[i].Dimension, Weight: float64(ask.Weight) / 100, Low: float64(ask.Low), High: float64(ask.High)}
		if z.High < 100 {
			z.Above = s.tooMuch()
		}
		role.Zones = append(role.Zones, z)
		s.grounds(&f, base.Zones[i], z, ask, v.Grounds)
	}
	s.roleFaults(&f, role)
	return role, f.Err()
}

// grounds wants a reason for a zone that is not the one it began with, and another for an
// upper bound of its own.
func (s *Steps) grounds(f *clerk.Faults, base, z instrument.Zone, ask RoleAsk, into typus.RoleGrounds) {
	zone, upper := norm.NFC.String(oneLine(ask.WhyZone)), norm.NFC.String(oneLine(ask.WhyUpper))
	if z.Low == base.Low && z.High == base.High {
		zone = "" // nothing is changed, and nothing to be explained
	} else {
		wanted(f, "zone_"+z.Dimension, zone)
	}
	switch {
	case z.High >= 100:
		upper = ""
	case z.High != base.High:
		wanted(f, "upper_"+z.Dimension, upper)
	default:
		f.AtMost("upper_"+z.Dimension, upper, maxRoleReason)
	}
	if zone != "" {
		into.Zones[z.Dimension] = zone
	}
	if upper != "" {
		into.Uppers[z.Dimension] = upper
	}
}

func wanted(f *clerk.Faults, field, text string) {
	if _, unsafe := typus.UnsafeRune(text); !unsafe && typus.Blank(text) {
		f.Add(field, typus.CodeRequired, "must say why")
		return
	}
	f.AtMost(field, text, maxRoleReason)
}

// roleFaults adds what is wrong with weights and zones, each at the field that is to be
// changed.
func (s *Steps) roleFaults(f *clerk.Faults, role instrument.Role) {
	for _, fault := range s.instrument.RoleFaults(role) {
		switch fault.Code {
		case instrument.RoleSum:
			f.Add("weight_"+role.Zones[0].Dimension, fault.Code, "the weights must sum to 100 percent")
		case instrument.RoleWeight:
			f.Add("weight_"+fault.Dimension, fault.Code, "must be 0 to 100 percent")
		case instrument.RoleRange:
			f.Add("low_"+fault.Dimension, fault.Code, "must lie between 1 and 100")
		case instrument.RoleCrossed:
			f.Add("high_"+fault.Dimension, fault.Code, "must not lie below the beginning of the zone")
		case instrument.RoleNarrow:
			msg := fmt.Sprintf("must lie at least %d points above the beginning of the zone", s.instrument.Narrowest(fault.Dimension))
			f.Add("high_"+fault.Dimension, fault.Code, msg)
		}
	}
}

// tooMuch is what a point above a zone costs in the profiles of the test.
func (s *Steps) tooMuch() float64 {
	most := 0.0
	for _, r := range s.instrument.Roles() {
		for _, z := range r.Zones {
			most = max(most, z.Above)
		}
	}
	return most
}
