package main

import (
	"sync/atomic"
	"time"
)

// hurriedClock is the demo's own: it begins behind the machine's clock and catches up with
// it. While the demo's candidate reads a statement, it passes over the seconds that a
// person takes, so that the result rests on answers as slow as a person's. By the time the
// test is handed in it shows the machine's time, by which the receiver checks a signature.
// The zero hurriedClock is the machine's.
type hurriedClock struct{ behind atomic.Int64 } // nanoseconds

func (c *hurriedClock) now() time.Time {
	return time.Now().Add(-time.Duration(c.behind.Load()))
}

// fallBehind sets the clock back, before anybody has read it.
func (c *hurriedClock) fallBehind(d time.Duration) { c.behind.Store(int64(d)) }

// pass lets time pass at once, but never beyond the machine's.
func (c *hurriedClock) pass(d time.Duration) {
	for {
		behind := c.behind.Load()
		if c.behind.CompareAndSwap(behind, max(0, behind-int64(d))) {
			return
		}
	}
}
