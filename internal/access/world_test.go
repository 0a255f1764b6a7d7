package access_test

import (
	"testing"

	"typus/internal/auth"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/worldtest"
)

func init() { auth.Weaken() }

type world = worldtest.World

// run gives a test a world with one account.
func run(t *testing.T, test func(w *world)) {
	storetest.Run(t, func(t *testing.T, s *store.Store) { test(worldtest.New(t, s, worldtest.Options{})) })
}

// emptyWorld is a world before there is an account.
func emptyWorld(t *testing.T, s *store.Store) *world {
	return worldtest.Empty(t, s, worldtest.Options{})
}
