package typus

import "time"

// APIKey is a key of an account as it is stored: the key itself is never kept,
// only its SHA-256 (API description 5.2).
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
}

// Fingerprint is what people compare keys by: the first 8 hex digits of the
// hash, so that `printf %s KEY | sha256sum` shows the same.
func (k APIKey) Fingerprint() string { return k.Hash[:8] }

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
