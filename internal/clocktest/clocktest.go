// Package clocktest is a clock that stands still until a test moves it.
package clocktest

import (
	"sync/atomic"
	"time"
)

// Clock shows the same time to all who ask until it is moved. Any number may ask and
// move it at once; its Now is a typus.Clock. Whoever asks waits for nobody and leaves no
// trace: a lock would put all who ask in an order, in which the race detector finds no race.
type Clock struct{ now atomic.Pointer[time.Time] }

// At is a clock that shows a time.
func At(now time.Time) *Clock {
	c := new(Clock)
	c.Set(now)
	return c
}

// Now is the time that it shows.
func (c *Clock) Now() time.Time { return *c.now.Load() }

// Later moves it by d, which may be below zero.
func (c *Clock) Later(d time.Duration) {
	for {
		was := c.now.Load()
		if now := was.Add(d); c.now.CompareAndSwap(was, &now) {
			return
		}
	}
}

// Set has it show a time.
func (c *Clock) Set(now time.Time) { c.now.Store(&now) }
