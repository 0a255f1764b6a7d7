package mail

import "time"

// The waits between attempts at a letter: soon at first, since greylisting lets
// the second attempt pass after minutes.
var steps = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour}

// MaxStep is the longest of them.
const MaxStep = 4*time.Hour + 24*time.Minute

// Step is how long to wait after so many attempts at a letter, from 1: one step of
// the ladder after the other, and the last, four hours, without end. Up to a tenth
// is added, which keeps a full outbox from coming back all at once. random gives
// numbers in [0, 1).
func Step(attempts int, random func() float64) time.Duration {
	wait := steps[min(max(attempts, 1), len(steps))-1]
	return wait + time.Duration(random()*float64(wait)/10)
}
