package store_test

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestAnAccountIsReadBackWithoutCreditsOfItsOwn(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		want := typus.Account{Name: "Süd & Söhne 😀", Plan: typus.PlanBusiness, Language: "en", Zone: "Asia/Kathmandu", RoleProfile: "key_account", InviteDays: 14,
			ContactEmail: "kontakt@example.com", CreatedAt: noon, Reminders: 2, Notify: typus.NotifyNow, ShelfMonths: 12, KeepAnswersDays: 90, OwnResult: typus.OwnResultTerms{Policy: typus.OwnResultReleased}}
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

func TestTheTeamHearsOfTheAccountAndTheContactWhileThereIsNone(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		told := func(kind typus.LetterKind, to string) []string {
			t.Helper()
			before := len(must[[]typus.Letter](t)(s.Letters(t.Context(), account, 100)))
			write(t, s, func(tx *store.Tx) error {
				return tx.AddLetterToTeam(t.Context(), typus.Letter{AccountID: account, Kind: kind, Language: "de", To: to, CreatedAt: noon})
			})
			var list []string
			letters := must[[]typus.Letter](t)(s.Letters(t.Context(), account, 100))
			for _, l := range letters[:len(letters)-before] {
				list = append(list, l.To+" "+l.Language)
			}
			slices.Sort(list)
			return list
		}
		const owners, admins = typus.LetterCreditsLow, typus.LetterWebhookOff
		contact := []string{"kontakt@example.com de"}
		if got := told(owners, "kontakt@example.com"); !slices.Equal(got, contact) {
			t.Errorf("without owners: %q", got)
		}
		if got := told(admins, ""); len(got) > 0 {
			t.Errorf("without anybody and without an address: %q", got)
		}
		newUser(t, s, typus.User{AccountID: account, Email: "mistyped@example.com", Role: typus.RoleOwner}, "")
		if got := told(owners, "kontakt@example.com"); !slices.Equal(got, contact) {
			t.Errorf("with an owner who has not accepted: %q", got)
		}
		for _, u := range []typus.User{
			{AccountID: account, Email: "admin@example.com", Role: typus.RoleAdmin},
			{AccountID: other, Email: "other@example.com", Role: typus.RoleOwner},
		} {
			newUser(t, s, u, "$argon2id$")
		}
		if got := told(owners, "kontakt@example.com"); !slices.Equal(got, contact) {
			t.Errorf("with an admin: %q", got)
		}
		if got := told(admins, "kontakt@example.com"); !slices.Equal(got, []string{"admin@example.com de"}) {
			t.Errorf("admins: %q", got)
		}
		newUser(t, s, typus.User{AccountID: account, Email: "b@example.com", Role: typus.RoleOwner}, "$argon2id$")
		english := newUser(t, s, typus.User{AccountID: account, Email: "a@example.com", Role: typus.RoleOwner}, "$argon2id$")
		write(t, s, func(tx *store.Tx) error { return tx.SetPreferences(t.Context(), account, english, "en", "") })
		if got := told(owners, "kontakt@example.com"); !slices.Equal(got, []string{"a@example.com en", "b@example.com de"}) {
			t.Errorf("with owners: %q", got)
		}
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

// everyFact is all that an account can tell in the notice before the test.
var everyFact = typus.NoticeFacts{
	Consequence: typus.ConsequenceOwn, ConsequenceOwn: typus.OwnWords{DE: "Nichts\n\"ändert\" sich", EN: "Nothing"},
	Operator: "Süd & Söhne", Country: "DE", Abroad: "US", Safeguard: typus.SafeguardOwn, SafeguardOwn: typus.OwnWords{EN: "consent"},
	Officer: "ada@example.com", Basis: typus.OwnWords{DE: "§ 26"}, Client: "Beispiel AG", ClientKind: typus.OwnWords{DE: "Bau"}, Period: typus.OwnWords{EN: "until May"},
}

func TestEveryFactOfTheNoticeHasAMemberInItsColumn(t *testing.T) {
	facts := reflect.ValueOf(everyFact)
	for i := range facts.NumField() {
		if facts.Field(i).IsZero() {
			t.Errorf("%s is told in no test", facts.Type().Field(i).Name)
		}
	}
}

func TestWhatAnAccountSetsIsReadBackAndNothingElseChanges(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		id, other := newAccount(t, s), newAccount(t, s)
		grant(t, s, id, 7)
		before := must[typus.Account](t)(s.Account(t.Context(), other))
		want := typus.Account{
			ID: id, Name: "Süd & Söhne", Plan: typus.PlanStarter, Credits: 7, Language: "en", Zone: "Pacific/Pago_Pago", RoleProfile: "hunter", InviteDays: 14, ContactEmail: "a@example.com", CreatedAt: noon,
			Accent: "#0f5c4d", Reminders: 1, ShelfMonths: 24, KeepAnswersDays: 7, KeepFinishedDays: 180, KeepUnfinishedDays: 30, WelcomeDE: "Hallo\nWelt", WelcomeEN: "Hello",
			Notify: typus.NotifyDaily, NotifyEmails: "a@example.com\nb@example.com",
			Notice: everyFact, OwnResult: typus.OwnResultTerms{Policy: typus.OwnResultReleased},
		}
		write(t, s, func(tx *store.Tx) error {
			given := want
			given.Plan, given.Credits, given.LogoHash = typus.PlanBusiness, 99, "x"
			return tx.SetAccount(t.Context(), given)
		})
		if got := must[typus.Account](t)(s.Account(t.Context(), id)); got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
		if got := must[typus.Account](t)(s.Account(t.Context(), other)); got != before {
			t.Errorf("another account changed: %+v", got)
		}
		if list := must[[]typus.Account](t)(s.AccountsToForget(t.Context())); len(list) != 1 || list[0] != want {
			t.Errorf("accounts with a retention: %+v", list)
		}
		err := s.InTx(t.Context(), func(tx *store.Tx) error { return tx.SetAccount(t.Context(), typus.Account{ID: 999}) })
		hasKind(t, "an unknown account", err, typus.NotFound)
	})
}

func TestTheRetentionListsThoseWhoseTimeIsOverTheOldestFirst(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		ended := func(account int64, at time.Time) int64 {
			id := newCandidate(t, s, account, nil)
			begin(t, s, account, id)
			finish(t, s, account, id, at)
			return id
		}
		expires := func(account int64, at time.Time) int64 {
			return newCandidate(t, s, account, func(c *store.NewCandidate) { c.ExpiresAt = at })
		}
		b, a := ended(account, noon.AddDate(0, 0, -1)), ended(account, noon.AddDate(0, 0, -2))
		ended(account, noon)
		ended(other, noon.AddDate(0, 0, -3))
		d, c := expires(account, noon.AddDate(0, 0, -1)), expires(account, noon.AddDate(0, 0, -2))
		expires(account, noon)
		expires(other, noon.AddDate(0, 0, -3))
		ids := func(due []store.Due, err error) []int64 {
			list := make([]int64, 0, len(due))
			for _, d := range must[[]store.Due](t)(due, err) {
				list = append(list, d.CandidateID)
			}
			return list
		}
		if got := ids(s.DueFinished(t.Context(), typus.Account{ID: account}, noon, store.Due{}, 10)); !slices.Equal(got, []int64{a, b}) {
			t.Errorf("finished: %v, want %v", got, []int64{a, b})
		}
		if got := ids(s.DueUnfinished(t.Context(), typus.Account{ID: account}, noon, store.Due{}, 1)); !slices.Equal(got, []int64{c}) {
			t.Errorf("expired: %v, want %v, and then %v", got, c, d)
		}
		for what, count := range map[string]func(context.Context, typus.Account, time.Time, int) (int, error){
			"finished": s.CountDueFinished, "expired": s.CountDueUnfinished,
		} {
			for most, want := range map[int]int{10: 2, 2: 2, 1: 1} {
				if n := must[int](t)(count(t.Context(), typus.Account{ID: account}, noon, most)); n != want {
					t.Errorf("%s: counted %d up to %d, want %d", what, n, most, want)
				}
			}
		}
	})
}
