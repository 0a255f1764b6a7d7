package typus

// LetterStand says where a letter stands in words for people. The log of letters is
// filtered by it.
type LetterStand string

// Where a letter stands. Each letter stands in exactly one way.
const (
	LetterStandWaiting   LetterStand = "waiting"   // not tried yet, or tried for the first time right now
	LetterStandDeferred  LetterStand = "deferred"  // tried in vain, and to be tried again
	LetterStandPostponed LetterStand = "postponed" // above the account's daily number, to be tried when its time comes
	LetterStandSent      LetterStand = "sent"
	LetterStandUncertain LetterStand = "uncertain" // handed over, and nobody knows what came of it
	LetterStandBounced   LetterStand = "bounced"   // refused for good
	LetterStandHeld      LetterStand = "held"      // not sent unless a person says so
)

// Stand is where the letter stands. An attempt under way is counted already.
func (l Letter) Stand() LetterStand {
	switch {
	case l.State == LetterSent:
		return LetterStandSent
	case l.State == LetterUncertain:
		return LetterStandUncertain
	case l.State == LetterFailed:
		return LetterStandBounced
	case l.State == LetterHeld && !l.HeldUntil.IsZero():
		return LetterStandPostponed
	case l.State == LetterHeld:
		return LetterStandHeld
	case l.State == LetterQueued && l.Attempts > 0 || l.State == LetterSending && l.Attempts > 1:
		return LetterStandDeferred
	}
	return LetterStandWaiting
}

// OnItsWay reports whether the letter goes out without anybody doing something.
func (s LetterStand) OnItsWay() bool {
	return s == LetterStandWaiting || s == LetterStandDeferred || s == LetterStandPostponed
}

// Stuck reports whether the letter goes only if a person says so: it came back, or is
// held or uncertain.
func (s LetterStand) Stuck() bool { return !s.OnItsWay() && s != LetterStandSent }

// WorthRetrying reports whether sending the letter again at once brings it any sooner:
// what waits for its first attempt goes at once, and what is above the daily number is
// put off once more.
func (l Letter) WorthRetrying() bool {
	return l.Stand().Stuck() || l.Stand() == LetterStandDeferred && l.State == LetterQueued
}
