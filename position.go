package typus

import (
	"cmp"
	"time"
)

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

// For whom: as the account says (NoticeFacts), for its own company, for a client whose name
// candidates are told, or for one that is only described to them.
const (
	ClientOfAccount ClientKind = ""
	ClientOwn       ClientKind = "own"
	ClientNamed     ClientKind = "named"
	ClientDescribed ClientKind = "described"
)

// Valid reports whether k is one of the four kinds.
func (k ClientKind) Valid() bool {
	return k == ClientOfAccount || k == ClientOwn || k == ClientNamed || k == ClientDescribed
}

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
	ClientName   string         // of ClientNamed; "" otherwise
	ClientWords  OwnWords       // of ClientDescribed: what kind of company it is; empty otherwise
	Notice       NoticeFacts    // Consequence, Basis and Officer where the notice says others than the account's; the rest is empty
	LogoType     string         // media type of its own logo, "" for the account's
	LogoHash     string         // hex SHA-256 of that
	RoleProfile  string         // key of a role profile, "" for the account's
	Language     string         // "de" or "en", "" for the account's
	InviteDays   int            // days an invitation link stays valid, 0 for the account's
	Reminders    int            // letters to those who have not finished, 0 to 2, or RemindersOfAccount
	OwnResult    OwnResultTerms // when candidates see their own result, the zero ones for the account's
	CreatedAt    time.Time
}

// Over is the account as invitations to the position, and the candidates it invites, see it:
// what the position says takes the place of the account's settings.
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
	if p.LogoHash != "" {
		a.LogoType, a.LogoHash = p.LogoType, p.LogoHash
	}
	a.OwnResult = p.OwnResult.Or(a.OwnResult)
	a.Notice = p.noticeOver(a.Notice)
	return a
}

// noticeOver are an account's facts with those of the position in their place.
func (p Position) noticeOver(n NoticeFacts) NoticeFacts {
	if p.ClientKind != ClientOfAccount {
		n.Client, n.ClientKind = p.ClientName, p.ClientWords
	}
	if p.Notice.Consequence != ConsequenceOpen {
		n.Consequence, n.ConsequenceOwn = p.Notice.Consequence, p.Notice.ConsequenceOwn
	}
	if p.Notice.Basis.Any() {
		n.Basis = p.Notice.Basis
	}
	n.Officer = cmp.Or(p.Notice.Officer, n.Officer)
	return n
}
