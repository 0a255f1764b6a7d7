package store_test

import (
	"reflect"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestARoleProfileIsReadWithItsNewestVersion(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		account, other := newAccount(t, s), newAccount(t, s)
		var id, bare int64
		first := typus.RoleVersion{
			Version: 1, Profile: []byte(`{"key":"own-1"}`), Basis: typus.RoleByPerson, UserID: 7, SignedBy: "Petra Muster", SignedAt: noon,
			Grounds: typus.RoleGrounds{Importance: map[string]int{"integrity": 5}, Uppers: map[string]string{"assertiveness": "zu viel stört"}},
		}
		second := typus.RoleVersion{Version: 2, Profile: []byte(`{}`), Basis: typus.RoleByExperts, Reason: "neues Gebiet", UserID: 8, SignedBy: "Ada", SignedAt: noon.Add(time.Hour)}
		write(t, s, func(tx *store.Tx) error {
			var err error
			if bare, err = tx.AddRoleProfile(ctx, typus.RoleProfile{AccountID: account, Name: "Innendienst", Base: "inside_sales", CreatedAt: noon}); err != nil {
				return err
			}
			if id, err = tx.AddRoleProfile(ctx, typus.RoleProfile{AccountID: account, Name: "Außendienst", Base: "hunter", CreatedAt: noon}); err != nil {
				return err
			}
			first.ProfileID, second.ProfileID = id, id
			if err := tx.AddRoleVersion(ctx, account, "Außendienst", first); err != nil {
				return err
			}
			return tx.AddRoleVersion(ctx, account, "Außendienst Nord", second)
		})
		want := []typus.RoleProfile{
			{ID: bare, AccountID: account, Name: "Innendienst", Base: "inside_sales", CreatedAt: noon, Version: typus.RoleVersion{ProfileID: bare}},
			{ID: id, AccountID: account, Name: "Außendienst Nord", Base: "hunter", CreatedAt: noon, Version: second},
		}
		if got := must[[]typus.RoleProfile](t)(s.RoleProfiles(ctx, account)); !reflect.DeepEqual(got, want) {
			t.Errorf("read %+v, want %+v", got, want)
		}
		if got := must[typus.RoleProfile](t)(s.RoleProfile(ctx, account, id)); !reflect.DeepEqual(got, want[1]) {
			t.Errorf("read %+v", got)
		}
		if got := must[[]typus.RoleVersion](t)(s.RoleVersions(ctx, account, id)); !reflect.DeepEqual(got, []typus.RoleVersion{second, first}) {
			t.Errorf("read %+v", got)
		}
		if _, err := s.RoleProfile(ctx, other, id); !typus.Is(err, typus.NotFound) {
			t.Errorf("another account: %v", err)
		}
		if len(must[[]typus.RoleProfile](t)(s.RoleProfiles(ctx, other)))+len(must[[]typus.RoleVersion](t)(s.RoleVersions(ctx, other, id))) > 0 {
			t.Error("another account reads something")
		}
		err := s.InTx(ctx, func(tx *store.Tx) error {
			if _, err := tx.LockRoleProfile(ctx, other, id); !typus.Is(err, typus.NotFound) {
				t.Errorf("another account locks: %v", err)
			}
			return tx.AddRoleVersion(ctx, other, "x", typus.RoleVersion{ProfileID: id, Version: 3})
		})
		if !typus.Is(err, typus.NotFound) {
			t.Errorf("another account adds a version: %v", err)
		}
	})
}
