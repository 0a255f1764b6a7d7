// Package clerk takes a form once (idempotency), names what is wrong in it (validation),
// slows down guessing (throttling) and writes down what was done (the audit log).
package clerk

import (
	"typus"
	"typus/internal/store"
)

// Clerk does what every change needs before and after it: see the package comment.
type Clerk struct {
	store *store.Store
	clock typus.Clock
}

// New makes a clerk who goes by a clock; nil: the machine's.
func New(s *store.Store, clock typus.Clock) *Clerk { return &Clerk{store: s, clock: clock} }
