package webhook

import (
	"time"

	"typus"
)

// MaxHint bounds what a receiver may ask for with Retry-After.
const MaxHint = 24 * time.Hour

// The waits before each attempt. Together they are 123 h 35 min 5 s, which is more than
// from the Thursday evening before Easter to the Tuesday morning after it (111 h).
// Standard Webhooks proposes the first ten waits; the last two, a day each, are ours.
var waits = [typus.DeliveryAttempts]time.Duration{
	0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour,
	20 * time.Hour, 24 * time.Hour, 24 * time.Hour, 24 * time.Hour,
}

// Backoff is how long to wait before a retry, the attempt that follows the given number of
// failures, 0 to 11. It is the wait of the ladder, or the receiver's hint (at most
// MaxHint) if that is longer, and jitter on top. Jitter is only added, never
// subtracted, so that "not before" stays true. It is uniform over a tenth of the wait,
// at least 2 s and at most 15 min; the first attempt has none. random gives numbers in
// [0, 1).
func Backoff(failures int, hint time.Duration, random func() float64) time.Duration {
	rung := waits[failures]
	wait := max(rung, min(hint, MaxHint))
	if failures == 0 {
		return wait
	}
	window := min(max(rung/10, 2*time.Second), 15*time.Minute)
	return wait + time.Duration(random()*float64(window))
}

// Wait is how long the ladder waits before the attempt that follows the given number of
// failures, 0 to 11, without what Backoff adds.
func Wait(failures int) time.Duration { return waits[failures] }
