package typus

import "time"

// Keeping is what decides besides the account how long a candidate is kept.
type Keeping struct {
	DecidedAt time.Time // of the newest decision, if it ends the application (Stage.Ends); zero otherwise
	ClosedAt  time.Time // of the candidate's position, zero while it is open
	Until     time.Time // until when somebody wants them to be kept, zero: nobody does
	Reason    string    // why they do
}

// The retention of a new account, in days (our choice): after the decision, at most after the
// test where nothing is decided, and after the end of an invitation that was not followed.
const (
	NewKeepFinishedDays   = 180
	NewKeepUndecidedDays  = 365
	NewKeepUnfinishedDays = 60
)

// KeptFor is the account with the retention of a new one that keeps results for so many days
// after the decision; 0: until they are erased by hand.
func (a Account) KeptFor(days int) Account {
	a.KeepFinishedDays, a.KeepUnfinishedDays, a.KeepFromDecision = 0, NewKeepUnfinishedDays, true
	return a.FinishedKeptFor(days)
}

// FinishedKeptFor is the account with another number of days for results; 0: until they are
// erased by hand. The bound of what nothing is decided about goes along: it is never lower,
// and there is none where there is nothing to bound.
func (a Account) FinishedKeptFor(days int) Account {
	switch {
	case days == 0:
		a.KeepUndecidedDays = 0
	case a.KeepFinishedDays == 0:
		a.KeepUndecidedDays = max(days, NewKeepUndecidedDays)
	case a.KeepUndecidedDays > 0:
		a.KeepUndecidedDays = max(days, a.KeepUndecidedDays)
	}
	a.KeepFinishedDays = days
	return a
}

// MaxKeep is how far ahead somebody may want a candidate to be kept (our choice).
const MaxKeep = 3 * 365 * 24 * time.Hour

// EraseAt is when the retention of a candidate is over, as the account counts it; the zero
// time: never. A result is kept from when the test was handed in or, where the account says
// so, from what ended the application: the decision, else the closing of the position. While
// nothing is decided, it is then kept for no longer than KeepUndecidedDays, which is never
// less than KeepFinishedDays. A test that was never finished is kept from the end of its
// invitation.
func (a Account) EraseAt(c Candidate, k Keeping) time.Time {
	days, from := a.KeepFinishedDays, c.CompletedAt
	if from.IsZero() {
		days, from = a.KeepUnfinishedDays, c.ExpiresAt
	}
	if days == 0 {
		return time.Time{}
	}
	at := from.Add(inDays(days))
	if a.KeepFromDecision && !c.CompletedAt.IsZero() {
		ended := k.DecidedAt
		if ended.IsZero() {
			ended = k.ClosedAt
		}
		at = later(at, ended.Add(inDays(days)))
		if most := c.CompletedAt.Add(inDays(a.KeepUndecidedDays)); k.DecidedAt.IsZero() && a.KeepUndecidedDays > 0 && at.After(most) {
			at = most
		}
	}
	return later(at, k.Until)
}

func inDays(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
