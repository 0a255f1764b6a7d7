package accounts_test

import (
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/worldtest"
)

var ada = typus.Actor{Name: "ada@example.com", UserID: 7, IP: "192.0.2.7", RequestID: "r1"}

type world struct{ *worldtest.World }

func run(t *testing.T, test func(w *world)) {
	storetest.Run(t, func(t *testing.T, s *store.Store) { test(newWorld(t, s)) })
}

func newWorld(t *testing.T, s *store.Store) *world {
	return &world{worldtest.New(t, s, worldtest.Options{})}
}
