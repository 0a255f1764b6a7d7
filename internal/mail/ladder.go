package mail

import "time"

// The waits between attempts at a letter. The first are short, because greylisting lets
// the second attempt pass after minutes.
var waits = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour}

// MaxBackoff is the longest of them.
const MaxBackoff = 4*time.Hour + 24*time.Minute

// Backoff is how long to wait after a number of attempts at a letter, counted from 1. The
// last wait, four hours, is repeated without end. Up to a tenth is added as jitter, so
// that a full outbox does not come back all at once. random gives numbers in [0, 1).
func Backoff(attempts int, random func() float64) time.Duration {
	wait := waits[min(max(attempts, 1), len(waits))-1]
	return wait + time.Duration(random()*float64(wait)/10)
}
