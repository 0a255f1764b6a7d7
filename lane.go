package typus

import "time"

// Lane sorts endpoints by how long an attempt takes, so that quick ones never wait for
// slow ones.
type Lane string

// The lanes.
const (
	LaneQuick   Lane = "quick"   // the last attempt was answered, with whatever, within QuickAnswer
	LaneUnknown Lane = "unknown" // no attempt was made at this address yet
	LaneSlow    Lane = "slow"
)

// Lanes are all of them.
var Lanes = []Lane{LaneQuick, LaneUnknown, LaneSlow}

const (
	// QuickAnswer is the longest answer of an endpoint in the quick lane.
	QuickAnswer = time.Second
	// NoAnswer stands for the length of an attempt that was not answered.
	NoAnswer = 20 * time.Second
)

// Lane is the lane of the endpoint.
func (e Endpoint) Lane() Lane {
	switch {
	case e.LastDuration == 0:
		return LaneUnknown
	case e.LastDuration <= QuickAnswer:
		return LaneQuick
	default:
		return LaneSlow
	}
}

// AtOnce is how many attempts may be under way to the endpoint at the same time:
// one while it is failing or not known to answer quickly.
func (e Endpoint) AtOnce() int {
	if e.Status == EndpointFailing || e.Lane() != LaneQuick {
		return 1
	}
	return e.MaxInFlight
}

// Rate bounds how fast an endpoint is called: a bucket holds Burst attempts and fills
// by PerSecond (token bucket).
type Rate struct {
	PerSecond int // 1 to 1,000
	Burst     int
}

// The rate of an endpoint unless it has one of its own.
const (
	DefaultPerSecond = 10
	DefaultBurst     = 20
)

// each is the time that one attempt costs, rounded up so that the rate is never
// exceeded.
func (r Rate) each() time.Duration {
	n := time.Duration(max(r.PerSecond, 1))
	return (time.Second + n*time.Microsecond - 1) / (n * time.Microsecond) * time.Microsecond
}

// Free is how many attempts may be made now; full is when the bucket is full again. If
// full lies further ahead than an empty bucket needs to fill, a clock was wrong.
func (r Rate) Free(full, now time.Time) int {
	missing := Ahead(full, now, time.Duration(r.Burst)*r.each())
	return r.Burst - int((missing+r.each()-1)/r.each())
}

// Take is when the bucket is full again once n more attempts have been made.
func (r Rate) Take(full, now time.Time, n int) time.Time {
	missing := Ahead(full, now, time.Duration(r.Burst)*r.each())
	return now.Add(missing + time.Duration(n)*r.each())
}

// Next is when at least one attempt may be made.
func (r Rate) Next(full, now time.Time) time.Time {
	missing := Ahead(full, now, time.Duration(r.Burst)*r.each())
	return now.Add(max(0, missing-time.Duration(r.Burst-1)*r.each()))
}
