package typus

import "time"

// OwnResultPolicy says when a candidate sees their own result. The words are stored, so
// they must not change.
type OwnResultPolicy string

// The policies. Of whatever policy, the candidate's page says how to ask for the result:
// nobody can take that right away (GDPR Art. 15).
const (
	OwnResultAtOnce   OwnResultPolicy = "at_once"  // as soon as the test is handed in
	OwnResultReleased OwnResultPolicy = "released" // once somebody of the team has released it
	OwnResultNone     OwnResultPolicy = "none"     // not on the page, for a reason that it names
)

// OwnResultPolicies are all policies, in the order in which they are offered.
func OwnResultPolicies() []OwnResultPolicy {
	return []OwnResultPolicy{OwnResultReleased, OwnResultAtOnce, OwnResultNone}
}

// OwnResultTerms are a policy and why it is so.
type OwnResultTerms struct {
	Policy OwnResultPolicy // of a position: "" for the account's
	Reason string          // what candidates read with OwnResultNone; else ""
}

// Or are the terms, or others where they say nothing.
func (t OwnResultTerms) Or(others OwnResultTerms) OwnResultTerms {
	if t.Policy == "" {
		return others
	}
	return t
}

// OwnResult is what became of a candidate's own result on their page.
type OwnResult struct {
	ReleasedAt time.Time // zero: nobody has released it
	ReleasedBy string    // the user's e-mail at that time
	OpenedAt   time.Time // zero: the candidate has not seen it

	// The team has changed the address since the invitation, and the candidate has not
	// confirmed it: a code to it proves nobody.
	AddressChanged bool
}

// Shown reports whether the candidate may see the result.
func (o OwnResult) Shown(t OwnResultTerms) bool {
	return t.Policy == OwnResultAtOnce || t.Policy == OwnResultReleased && !o.ReleasedAt.IsZero()
}

// OwnCode is the code by which a candidate gets to their page on another device.
type OwnCode struct {
	Hash   string // keyed, so that whoever reads the database cannot try all codes
	MadeAt time.Time
	Tries  int
}

// OwnCodeLife is how long a code is good for, and OwnCodeTries how often somebody may be
// wrong about it.
const (
	OwnCodeLife  = 15 * time.Minute
	OwnCodeTries = 5
)

// Usable reports whether a code can be entered at a time.
func (c OwnCode) Usable(now time.Time) bool {
	return c.Hash != "" && c.Tries < OwnCodeTries && Recent(c.MadeAt, now, OwnCodeLife)
}
