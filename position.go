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

// Position is what an account hires for. It says who reads its candidates, and how.
type Position struct {
	ID           int64 // 0: the default one of an account that has said nothing about it yet
	AccountID    int64
	Name         string // "" for the default one, which every language has its own name for
	Standard     bool   // the account's default one: that of candidates without a position
	State        PositionState
	Confidential bool // for owners and for those it names
	Blind        bool // members and interviewers rate before they see a result
	BlindAll     bool // so does everybody else; counts only with Blind
	CreatedAt    time.Time
}
