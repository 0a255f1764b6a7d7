package typus

import "time"

// Clock tells the time by which the product decides what is due, late or over. A nil
// Clock is the machine's own. Whatever decides is handed a Clock, so that a test can
// move time in both directions and the demo can play the weeks before it began.
// Deadlines on a network and durations in a log use time.Now.
type Clock func() time.Time

// Now is the time in UTC, to the millisecond, which is how times are stored.
func (c Clock) Now() time.Time {
	now := time.Now
	if c != nil {
		now = c
	}
	return now().UTC().Truncate(time.Millisecond)
}

// Skew is how far the clocks of two servers on one database may differ.
const Skew = time.Minute

// Ahead is how far a stored time lies ahead of now, and 0 once it has come. The most is
// the furthest ahead that its writer can have meant. A time beyond that was written
// while a clock was wrong, so Ahead is 0 and nobody waits for it.
func Ahead(at, now time.Time, most time.Duration) time.Duration {
	if d := at.Sub(now); d > 0 && d <= most {
		return d
	}
	return 0
}

// Recent reports whether a stored time lies less than span before now. A time that is
// more than Skew ahead of now was written while a clock was wrong and counts as long
// past.
func Recent(at, now time.Time, span time.Duration) bool {
	age := now.Sub(at)
	return age < span && age >= -Skew
}
