package typus

import "time"

// Clock tells the time by which the product decides what is due, late or over; nil
// is the machine's own. It is handed to whatever decides, so that a test can move
// it both ways and the demo can live through the weeks before it began. Deadlines
// on a network and durations in a log go by time.Now.
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

// Ahead is how far a stored time lies ahead of now: 0 once it has come, and also
// when it lies further ahead than the given most, which is as far as whatever wrote
// it can reach. Then it was written while a clock was wrong, and nobody waits for it.
func Ahead(at, now time.Time, most time.Duration) time.Duration {
	if d := at.Sub(now); d > 0 && d <= most {
		return d
	}
	return 0
}

// Recent reports whether a stored time lies less than a span before now. One further
// ahead of now than the clocks of two servers differ was written while a clock was
// wrong and counts as long past.
func Recent(at, now time.Time, span time.Duration) bool {
	age := now.Sub(at)
	return age < span && age >= -Skew
}
