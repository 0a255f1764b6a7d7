package typus

import "time"

// KeyScope says what a key may do. A word that is not known here may do nothing.
type KeyScope string

// The scopes of a key (our choice: the API description knows keys that may do everything).
const (
	ScopeAll           KeyScope = "all"                 // invite, and read everything
	ScopeInvite        KeyScope = "invite"              // invite, and read nobody
	ScopeWithoutScores KeyScope = "read-without-scores" // read who stands where and no result; invite nobody
)

// KeyScopes are all scopes, the widest first.
func KeyScopes() []KeyScope { return []KeyScope{ScopeAll, ScopeInvite, ScopeWithoutScores} }

// Valid reports whether s is one of KeyScopes.
func (s KeyScope) Valid() bool { return s.Invites() || s.Reads() }

// Invites reports whether a key of the scope may invite candidates.
func (s KeyScope) Invites() bool { return s == ScopeAll || s == ScopeInvite }

// Reads reports whether a key of the scope may read candidates.
func (s KeyScope) Reads() bool { return s == ScopeAll || s == ScopeWithoutScores }

// ReadsResults reports whether a key of the scope may read scores, and links that lead to
// them.
func (s KeyScope) ReadsResults() bool { return s == ScopeAll }

// APIKey is a key of an account as it is stored: the key itself is never kept,
// only its SHA-256 (API description 5.2). What it may do never changes.
type APIKey struct {
	ID         int64
	AccountID  int64
	Name       string
	Hash       string // lower-case hex SHA-256 of the whole key
	CreatedBy  string // who created it: a user's e-mail or "operator"
	CreatedAt  time.Time
	LastUsedAt time.Time // zero: never used; kept to the minute
	ExpiresAt  time.Time // zero: never expires
	RevokedAt  time.Time // zero: in use
	Scope      KeyScope
	PositionID int64  // the only position that it invites to and reads candidates of; 0: every one
	AtStandard bool   // that is the account's default one, which its candidates do not name
	Test       bool   // it opens a test world
	Host       string // of its account

	SuspendedAt time.Time // since when its account has been suspended, zero: it is not
}

// Fingerprint is what people compare keys by: the first 8 hex digits of the
// hash, so that `printf %s KEY | sha256sum` shows the same.
func (k APIKey) Fingerprint() string { return k.Hash[:8] }

// Limited reports whether the key may do less than everything in its account.
func (k APIKey) Limited() bool { return k.Scope != ScopeAll || k.PositionID != 0 }

// Live reports whether the key opens the API at the given time.
func (k APIKey) Live(at time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || at.Before(k.ExpiresAt))
}

// RefusedCall is a call of the API that was refused, as the log of calls keeps it: without
// its body, its query, and any id in its path.
type RefusedCall struct {
	ID        int64
	AccountID int64
	KeyID     int64
	Method    string
	Route     string // the pattern of the route, "" where there is none
	Status    int
	Code      string // of the answer, such as "invalid_input"
	RequestID string
	At        time.Time
}

// Calls counts the calls of the API in some time.
type Calls struct {
	AccountID int64
	KeyID     int64  // 0 when all keys are counted together
	Day       string // 2026-11-27, UTC; "" when the days are counted together
	Answered  int
	Refused   int
}

// All is every call, refused or not.
func (c Calls) All() int { return c.Answered + c.Refused }
