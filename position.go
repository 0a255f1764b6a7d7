package typus

import "time"

// PositionState says whether a position is being filled.
type PositionState string

// The states of a position.
const (
	PositionOpen     PositionState = "open"
	PositionClosed   PositionState = "closed"
	PositionArchived PositionState = "archived"
)

// ClientKind says for whom an account hires.
type ClientKind string

// For whom: for the account's own company, for a client whose name candidates are told, or
// for one that is only described to them.
const (
	ClientOwn       ClientKind = ""
	ClientNamed     ClientKind = "named"
	ClientDescribed ClientKind = "described"
)

// Valid reports whether k is one of the three kinds.
func (k ClientKind) Valid() bool { return k == ClientOwn || k == ClientNamed || k == ClientDescribed }

// RemindersOfAccount is the value of Position.Reminders that leaves their number to the
// account.
const RemindersOfAccount = -1

// Position is what an account hires for. It says who reads its candidates, and how, and
// what invitations to it take unless they say otherwise.
type Position struct {
	ID           int64 // 0: the default one of an account that has said nothing about it yet
	AccountID    int64
	Name         string // "" for the default one, which every language has its own name for
	Ref          string // the account's own id of the job, as in its CRM; "" for none, otherwise of one position only
	Standard     bool   // the account's default one: that of candidates without a position
	State        PositionState
	ClosedAt     time.Time // zero while open
	Confidential bool      // for owners and for those it names
	Blind        bool      // members and interviewers rate before they see a result
	BlindAll     bool      // so does everybody else; counts only with Blind
	ClientKind   ClientKind
	ClientName   string         // name or description of the client, "" for the account's own company
	RoleProfile  string         // key of a role profile, "" for the account's
	Language     string         // "de" or "en", "" for the account's
	InviteDays   int            // days an invitation link stays valid, 0 for the account's
	Reminders    int            // letters to those who have not finished, 0 to 2, or RemindersOfAccount
	OwnResult    OwnResultTerms // when candidates see their own result, the zero ones for the account's
	CreatedAt    time.Time
}

// Over is the account as invitations to the position see it: what the position says takes
// the place of the account's settings.
func (p Position) Over(a Account) Account {
	if p.RoleProfile != "" {
		a.RoleProfile = p.RoleProfile
	}
	if p.Language != "" {
		a.Language = p.Language
	}
	if p.InviteDays > 0 {
		a.InviteDays = p.InviteDays
	}
	if p.Reminders != RemindersOfAccount {
		a.Reminders = p.Reminders
	}
	a.OwnResult = p.OwnResult.Or(a.OwnResult)
	return a
}
