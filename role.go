package typus

import (
	"strconv"
	"strings"
	"time"
)

// RoleProfile is what an account itself asks for of a position, beside the role profiles of
// the test. Version is the newest one; its number is 0 while none is signed, and then the
// profile cannot be chosen.
type RoleProfile struct {
	ID        int64
	AccountID int64
	Name      string
	Base      string // key of the profile of the test that it began with
	CreatedAt time.Time

	ArchivedAt time.Time // zero while it is offered; whatever names it keeps it
	Version    RoleVersion
}

// Offered reports whether the profile can be chosen.
func (p RoleProfile) Offered() bool { return p.Version.Version > 0 && p.ArchivedAt.IsZero() }

// Key is the key of the profile wherever one of the test could stand. It cannot be the
// key of one of the test, which holds no hyphen.
func (p RoleProfile) Key() string { return ownRole + strconv.FormatInt(p.ID, 10) }

const ownRole = "own-"

// OwnRoleID is the id of an account's own role profile from its key; false for any other key.
func OwnRoleID(key string) (int64, bool) {
	digits, own := strings.CutPrefix(key, ownRole)
	id, err := strconv.ParseInt(digits, 10, 64)
	return id, own && err == nil && id > 0 && digits == strconv.FormatInt(id, 10)
}

// RoleBasis says what the weights of a version rest on.
type RoleBasis string

// What a version rests on.
const (
	RoleByPerson  RoleBasis = "person"  // one person has said what is important
	RoleByExperts RoleBasis = "experts" // several have, each on their own
)

// RoleVersion is one version of an own role profile. Nothing changes it.
type RoleVersion struct {
	ProfileID int64
	Version   int    // from 1 on
	Profile   []byte // JSON: what it asks for, as results keep it
	Grounds   RoleGrounds
	Basis     RoleBasis
	RoundID   int64  // of the experts, 0 for none
	Reason    string // why there is another version, "" for the first
	UserID    int64  // who signed it, and may be gone
	SignedBy  string // as they were called
	SignedAt  time.Time
}

// RoleGrounds say, by dimension, why a version is as it is.
type RoleGrounds struct {
	Importance map[string]int    // 1 to 5, as one person answered; nil where nobody was asked in this way
	Proposed   map[string]int    // percent, as the rule proposed; nil for no proposal
	Zones      map[string]string // why a zone is another one than in the profile that it began with
	Uppers     map[string]string // why more than that is too much
}

// RoleRound is a question to several experts about what a position asks for, each on their own.
type RoleRound struct {
	ID        int64
	ProfileID int64
	UserID    int64  // who asked them, and may be gone
	AskedBy   string // as they were called
	CreatedAt time.Time
	ExpiresAt time.Time // of the links
	ClosedAt  time.Time // zero while answers are taken
	Named     bool      // the names of the experts are still there
}

// Open reports whether experts may still answer.
func (r RoleRound) Open(now time.Time) bool { return r.ClosedAt.IsZero() && now.Before(r.ExpiresAt) }

// RoleExpert is one who is asked in a round.
type RoleExpert struct {
	ID          int64
	RoundID     int64
	Name        string // "" once it was erased
	Task        string // what they have to do with the position; "" once it was erased
	Language    string
	TokenHash   string
	SealedToken []byte
	AnsweredAt  time.Time // zero until they have
	Answers     map[string]RoleAnswer
}

// TokenAAD is the place that the sealed token is bound to.
func (e RoleExpert) TokenAAD() string { return "role_expert|" + e.TokenHash }

// RoleAnswer is what an expert says about one statement.
type RoleAnswer struct {
	Importance int  // 1 to 5, 0: cannot judge it
	FromStart  bool // somebody must be able to do it from day one
}
