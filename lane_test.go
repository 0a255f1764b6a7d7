package typus

import (
	"testing"
	"time"
)

// Whenever attempts are made as soon as they may, none comes sooner than the rate
// allows, and none waits longer.
func TestABucketGivesItsBurstAndThenItsRate(t *testing.T) {
	for _, rate := range []Rate{{1, 1}, {3, 5}, {10, 20}, {700, 50}, {1000, 2000}} {
		began := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
		var full time.Time
		made := 0
		for now := began; now.Sub(began) <= 10*time.Second; now = now.Add(time.Millisecond) {
			n := rate.Free(full, now)
			if n > 0 && rate.Next(full, now).After(now) || n == 0 && !rate.Next(full, now).After(now) {
				t.Fatalf("%+v after %v: %d free, the next at %v", rate, now.Sub(began), n, rate.Next(full, now))
			}
			full = rate.Take(full, now, n)
			made += n
		}
		if most := rate.Burst + 10*rate.PerSecond; made > most || made < most-most/100-1 {
			t.Errorf("%+v: %d in ten seconds, want %d", rate, made, most)
		}
	}
}

func TestABucketThatAWrongClockHasEmptiedIsFull(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	rate := Rate{PerSecond: 10, Burst: 20}
	for ahead, want := range map[time.Duration]int{0: 20, 2 * time.Second: 0, 10 * 24 * time.Hour: 20, -10 * 24 * time.Hour: 20} {
		if n := rate.Free(now.Add(ahead), now); n != want {
			t.Errorf("%v ahead: %d, want %d", ahead, n, want)
		}
	}
}

func TestAnEndpointIsInTheLaneOfItsLastAttempt(t *testing.T) {
	for _, c := range []struct {
		took   time.Duration
		status EndpointStatus
		lane   Lane
		atOnce int
	}{
		{0, EndpointActive, LaneUnknown, 1}, {time.Millisecond, EndpointActive, LaneQuick, 4}, {time.Second, EndpointActive, LaneQuick, 4},
		{time.Second, EndpointFailing, LaneQuick, 1}, {1001 * time.Millisecond, EndpointActive, LaneSlow, 1}, {NoAnswer, EndpointActive, LaneSlow, 1},
	} {
		e := Endpoint{Status: c.status, LastDuration: c.took, MaxInFlight: 4}
		if e.Lane() != c.lane || e.AtOnce() != c.atOnce {
			t.Errorf("%+v: %s, %d at once", c, e.Lane(), e.AtOnce())
		}
	}
}
