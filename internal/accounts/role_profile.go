package accounts

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

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

// LookAgain is after how many months a role profile is to be looked at again: work changes
// (our choice).
const LookAgain = 24

// Codes of a fault in a role profile, beside those of the instrument.
const (
	CodeTooMany     = "too_many"     // the account has MaxRoleProfiles
	CodeNoWeight    = "no_weight"    // nothing is important, so nothing weighs anything
	CodeNotProposed = "not_proposed" // a weight is not the one that the experts propose, and nothing says why
	CodeUnchanged   = "unchanged"    // it asks for what the newest version asks for, which is not to be looked at again yet
)

// RoleDraft is what somebody signs for an own role profile.
type RoleDraft struct {
	Name   string
	Reason string    // why there is another version; the first needs none
	Asks   []RoleAsk // of each dimension, in the order of the test

	RoundID int64 // of the experts whose proposal it began with, 0 for none
	Signed  bool  // without it nothing is stored
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
// Conflict as of clerk.Once. Invalid: the fields are base, name, sign, and importance_ and
// the key of a dimension.
//
// Who may: the face lets admins only.
func (s *Steps) AddRole(ctx context.Context, accountID int64, base, name string, importance map[string]int, signed bool, by typus.Actor) (int64, error) {
	var f clerk.Faults
	role := s.firstRole(&f, base, &name, importance)
	if !signed {
		f.Add("sign", typus.CodeRequired, "must be signed")
	}
	if err := f.Err(); err != nil {
		return 0, err
	}
	var id int64
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		return s.clerk.Once(ctx, tx, accountID, by, func() (int64, error) {
			var err error
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
func (s *Steps) firstRole(f *clerk.Faults, base string, name *string, importance map[string]int) instrument.Role {
	role, known := s.instrument.Role(base)
	if !known {
		f.Add("base", typus.CodeInvalid, "must be a role profile of the test")
		role = s.instrument.Roles()[0] // for its dimensions: all that is wrong is said at once
	}
	*name = label(*name)
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
	return role
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
	role.Confirmed.By = string(v.Basis)
	if role.Confirmed.On, err = s.clerk.DayOf(ctx, tx, accountID, v.SignedAt); err != nil {
		return err
	}
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
// Conflict as of clerk.Once, with that number. Invalid: the fields are name, reason and
// sign, and weight_, low_, high_, zone_ and upper_ (the reasons) and the key of a
// dimension; that the weights do not sum to 100 stands at the first weight.
//
// Who may: the face lets admins only.
func (s *Steps) SignRole(ctx context.Context, accountID, id int64, by typus.Actor, draft func(now typus.RoleProfile) (RoleDraft, bool)) (int, error) {
	version := 0
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		return s.clerk.Once(ctx, tx, accountID, by, func() (int64, error) {
			var err error
			version, err = s.signNext(ctx, tx, accountID, id, by, draft)
			return int64(version), err
		})
	})
	if errors.Is(err, errNoDraft) {
		return 0, nil
	}
	return version, err
}

// errNoDraft undoes a step in which nothing is to be stored after all.
var errNoDraft = errors.New("there is nothing to sign")

func (s *Steps) signNext(ctx context.Context, tx *store.Tx, accountID, id int64, by typus.Actor, draft func(now typus.RoleProfile) (RoleDraft, bool)) (int, error) {
	now, err := tx.LockRoleProfile(ctx, accountID, id)
	if err != nil {
		return 0, err
	}
	d, goOn := draft(now)
	if !goOn {
		return 0, errNoDraft
	}
	var f clerk.Faults
	v := typus.RoleVersion{ProfileID: id, Version: now.Version.Version + 1, Basis: typus.RoleByPerson}
	role, err := s.drafted(&f, now, d, &v)
	if err == nil {
		err = s.restOn(ctx, tx, accountID, now, d, &role, &v)
	}
	if err == nil {
		err = s.signable(&f, now, d, role, v)
	}
	if err == nil {
		err = f.Err()
	}
	if err != nil {
		return 0, err
	}
	return v.Version, s.signRole(ctx, tx, accountID, role, v, by)
}

// restOn says what the weights of a version rest on: on experts where they are what the
// experts propose, else on the word of whoever signs. What experts proposed once stays
// with all later versions, also of weights that are not theirs any more.
func (s *Steps) restOn(ctx context.Context, tx *store.Tx, accountID int64, now typus.RoleProfile, d RoleDraft, role *instrument.Role, v *typus.RoleVersion) error {
	for _, round := range []int64{d.RoundID, now.Version.RoundID} {
		if round == 0 {
			continue
		}
		proposed, raters, err := s.proposal(ctx, tx, accountID, now.ID, round)
		if err != nil {
			return err
		}
		if proposed == nil {
			continue
		}
		v.RoundID, v.Grounds.Proposed = round, proposed
		if asProposed(proposed, role.Zones, d.Asks) {
			v.Basis, role.Confirmed.Raters = typus.RoleByExperts, raters
		}
		return nil
	}
	return nil
}

func asProposed(proposed map[string]int, zones []instrument.Zone, asks []RoleAsk) bool {
	for i, z := range zones {
		if proposed[z.Dimension] != asks[i].Weight {
			return false
		}
	}
	return true
}

// signable adds what speaks against signing a version: nobody has, nothing says why a
// weight is not as proposed, or it is the newest one over again, before that is to be
// looked at again.
func (s *Steps) signable(f *clerk.Faults, now typus.RoleProfile, d RoleDraft, role instrument.Role, v typus.RoleVersion) error {
	if v.Version == 1 && v.Grounds.Proposed != nil && v.Basis == typus.RoleByPerson && typus.Blank(v.Reason) {
		f.Add("reason", CodeNotProposed, "must say why a weight is not the one that the experts propose")
	}
	same, err := sameRole(now.Version, role, v)
	switch {
	case err != nil:
		return err
	case !d.Signed:
		f.Add("sign", typus.CodeRequired, "must be signed")
	case same && s.now().Before(now.Version.SignedAt.AddDate(0, LookAgain, 0)):
		f.Add("sign", CodeUnchanged, "asks for what the newest version asks for")
	}
	return nil
}

// sameRole reports whether a version asks for what the one before asks for, on the same
// grounds.
func sameRole(before typus.RoleVersion, role instrument.Role, v typus.RoleVersion) (bool, error) {
	if before.Version == 0 {
		return false, nil
	}
	var was instrument.Role
	if err := json.Unmarshal(before.Profile, &was); err != nil {
		return false, typus.Errorf(typus.Internal, "a role profile cannot be read").WithCause(err)
	}
	alike := func(a, b instrument.Zone) bool { return a.Weight == b.Weight && a.Low == b.Low && a.High == b.High }
	return was.Name == role.Name && slices.EqualFunc(was.Zones, role.Zones, alike) && before.RoundID == v.RoundID && before.Basis == v.Basis &&
		maps.Equal(before.Grounds.Zones, v.Grounds.Zones) && maps.Equal(before.Grounds.Uppers, v.Grounds.Uppers), nil
}

// RoleOf is what a draft asks for, without a name: the zones of the profile that it began
// with, with the weights and bounds of the draft, which has one ask for each.
func (s *Steps) RoleOf(base instrument.Role, d RoleDraft) instrument.Role {
	role := instrument.Role{Below: base.Below}
	for i, ask := range d.Asks {
		z := instrument.Zone{Dimension: base.Zones[i].Dimension, Weight: float64(ask.Weight) / 100, Low: float64(ask.Low), High: float64(ask.High)}
		if z.High < 100 {
			z.Above = s.tooMuch()
		}
		role.Zones = append(role.Zones, z)
	}
	return role
}

// drafted is what a draft asks for, with the grounds for it in v.
func (s *Steps) drafted(f *clerk.Faults, now typus.RoleProfile, d RoleDraft, v *typus.RoleVersion) (instrument.Role, error) {
	base, known := s.instrument.Role(now.Base)
	if !known || len(d.Asks) != len(base.Zones) {
		return instrument.Role{}, typus.Errorf(typus.Internal, "role profile %d began with one that this test does not have", now.ID)
	}
	role := s.RoleOf(base, d)
	role.Name, v.Reason = label(d.Name), norm.NFC.String(oneLine(d.Reason))
	f.Text("name", role.Name)
	if v.Version > 1 && typus.Blank(v.Reason) {
		f.Add("reason", typus.CodeRequired, "must say why there is another version")
	} else {
		f.AtMost("reason", v.Reason, maxRoleReason)
	}
	v.Grounds = typus.RoleGrounds{Zones: map[string]string{}, Uppers: map[string]string{}}
	for i, ask := range d.Asks {
		s.grounds(f, base.Zones[i], role.Zones[i], ask, v.Grounds)
	}
	s.roleFaults(f, role)
	return role, nil
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
