package store_test

import (
	"slices"
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestAnAccountIsReadBackWithoutCreditsOfItsOwn(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		want := typus.Account{Name: "Süd & Söhne 😀", Plan: typus.PlanBusiness, Language: "en", RoleProfile: "key_account", InviteDays: 14,
			ContactEmail: "kontakt@example.com", CreatedAt: noon}
		write(t, s, func(tx *store.Tx) error {
			withCredits := want
			withCredits.Credits = 99
			id, err := tx.AddAccount(t.Context(), withCredits)
			want.ID = id
			return err
		})
		if got := must[typus.Account](t)(s.Account(t.Context(), want.ID)); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		other := newAccount(t, s)
		list := must[[]typus.Account](t)(s.Accounts(t.Context()))
		if len(list) != 2 || list[0] != want || list[1].ID != other {
			t.Errorf("all accounts: %+v", list)
		}
		_, err := s.Account(t.Context(), other+1)
		hasKind(t, "an unknown account", err, typus.NotFound)
	})
}

func TestALockedAccountIsTheAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		id := newAccount(t, s)
		write(t, s, func(tx *store.Tx) error {
			got, err := tx.LockAccount(t.Context(), id)
			if err == nil && got.ID != id {
				t.Errorf("locked %+v", got)
			}
			return err
		})
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.LockAccount(t.Context(), id+1)
			return err
		})
		hasKind(t, "an unknown account", err, typus.NotFound)
	})
}

func TestAUserIsFoundByAddressInsideTheAccountOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		mine, theirs := newAccount(t, s), newAccount(t, s)
		want := typus.User{AccountID: mine, Email: "Ada.Beispiel@Example.com", Role: typus.RoleOwner, CreatedAt: noon}
		write(t, s, func(tx *store.Tx) error {
			id, err := tx.AddUser(t.Context(), want, "")
			want.ID = id
			return err
		})
		got := must[typus.User](t)(s.UserByEmail(t.Context(), mine, "ada.beispiel@example.COM"))
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		_, err := s.UserByEmail(t.Context(), theirs, want.Email)
		hasKind(t, "another account's user", err, typus.NotFound)
	})
}

func TestAnAddressLogsInToOneAccountOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		for i, email := range []string{"ada@example.com", "ADA@example.com"} {
			account := newAccount(t, s)
			err := s.InTx(t.Context(), func(tx *store.Tx) error {
				_, err := tx.AddUser(t.Context(), typus.User{AccountID: account, Email: email, Role: typus.RoleViewer, CreatedAt: noon}, "")
				return err
			})
			if i == 0 && err != nil {
				t.Fatal(err)
			}
			if i == 1 {
				hasKind(t, "the same address in capitals", err, typus.Conflict)
			}
		}
	})
}

func TestOwnersHearOfTheAccountAndTheContactWhileThereIsNone(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		emails := func() []string { return must[[]string](t)(s.OwnerEmails(t.Context(), account)) }
		if got := emails(); !slices.Equal(got, []string{"kontakt@example.com"}) {
			t.Errorf("without owners: %q", got)
		}
		for _, u := range []typus.User{
			{AccountID: account, Email: "b@example.com", Role: typus.RoleOwner},
			{AccountID: account, Email: "admin@example.com", Role: typus.RoleAdmin},
			{AccountID: other, Email: "other@example.com", Role: typus.RoleOwner},
			{AccountID: account, Email: "a@example.com", Role: typus.RoleOwner},
		} {
			write(t, s, func(tx *store.Tx) error {
				u.CreatedAt = noon
				_, err := tx.AddUser(t.Context(), u, "")
				return err
			})
		}
		if got := emails(); !slices.Equal(got, []string{"b@example.com", "a@example.com"}) {
			t.Errorf("with owners: %q", got)
		}
		_, err := s.OwnerEmails(t.Context(), other+1)
		hasKind(t, "an unknown account", err, typus.NotFound)
	})
}

func TestAOneTimeLinkBelongsToAUser(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		write(t, s, func(tx *store.Tx) error {
			id, err := tx.AddUser(t.Context(), typus.User{AccountID: account, Email: "a@example.com", Role: typus.RoleOwner, CreatedAt: noon}, "")
			if err != nil {
				return err
			}
			return tx.AddUserLink(t.Context(), account, typus.UserLink{Hash: "hash", UserID: id, Purpose: typus.LinkPassword, CreatedAt: noon, ExpiresAt: noon.AddDate(0, 0, 1)})
		})
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			return tx.AddUserLink(t.Context(), account, typus.UserLink{Hash: "other", UserID: 4711, Purpose: typus.LinkPassword, CreatedAt: noon, ExpiresAt: noon})
		})
		hasKind(t, "a link of nobody", err, typus.NotFound)
	})
}
