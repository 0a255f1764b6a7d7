package store_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestAnAccountIsReadBack(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		want := typus.Account{Name: "Süd & Söhne", Plan: typus.PlanStarter, Language: "de", RoleProfile: "general_sales", InviteDays: 30,
			ContactEmail: "kontakt@example.com", CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)}
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			id, err := tx.AddAccount(t.Context(), want)
			want.ID = id
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Account(t.Context(), want.ID)
		if err != nil || got != want {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	})
}
