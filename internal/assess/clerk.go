package assess

import (
	"typus"
	"typus/internal/store"
)

// Clerk keeps the changes of a store honest.
type Clerk struct {
	store *store.Store
	clock typus.Clock
}

// NewClerk makes a clerk who goes by a clock; nil: the machine's.
func NewClerk(s *store.Store, clock typus.Clock) *Clerk { return &Clerk{store: s, clock: clock} }
