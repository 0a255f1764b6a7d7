// Package clocktest is a clock that stands still until a test moves it.
package clocktest

import (
	"sync"
	"time"
)

// Clock shows the same time to all who ask until it is moved. Any number may ask and
// move it at once; its Now is a typus.Clock.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// At is a clock that shows a time.
func At(now time.Time) *Clock { return &Clock{now: now} }

// Now is the time that it shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Later moves it by d, which may be below zero.
func (c *Clock) Later(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Set has it show a time.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}
