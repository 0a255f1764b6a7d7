package store_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func newWorld(t testing.TB, s *store.Store, parent int64) int64 {
	t.Helper()
	var id int64
	write(t, s, func(tx *store.Tx) error {
		var err error
		id, _, err = tx.AddWorld(t.Context(), parent, noon)
		return err
	})
	return id
}

func TestAnAccountHasOneTestWorldAndAWorldHasNone(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		parent := newAccount(t, s)
		_, err := s.World(t.Context(), parent)
		hasKind(t, "a world before the first", err, typus.NotFound)
		ids, made := make([]int64, 8), make([]bool, 8)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				err := s.InTx(t.Context(), func(tx *store.Tx) error {
					var err error
					ids[i], made[i], err = tx.AddWorld(t.Context(), parent, noon)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		first := 0
		for i := range ids {
			if made[i] {
				first++
			}
			if ids[i] != ids[0] || ids[i] == parent {
				t.Errorf("the worlds are %v", ids)
			}
		}
		if first != 1 {
			t.Errorf("%d calls say that they made it", first)
		}
		world := must[typus.Account](t)(s.World(t.Context(), parent))
		if world.ID != ids[0] || world.ParentID != parent || !world.IsWorld() || world.Home() != parent || world.Credits != 0 || world.Plan != typus.PlanStarter || world.Ahead != 0 {
			t.Errorf("the world is %+v", world)
		}
		for _, other := range []int64{world.ID, 0, parent + 1000} {
			err := s.InTx(t.Context(), func(tx *store.Tx) error { _, _, err := tx.AddWorld(t.Context(), other, noon); return err })
			hasKind(t, "a world of what has none", err, typus.NotFound)
		}
		for _, a := range must[[]typus.Account](t)(s.Accounts(t.Context())) {
			if a.ID == world.ID {
				t.Error("the operator's list shows a world")
			}
		}
	})
}

// What people set of an account holds in its world too, set before the world was made and
// after.
func TestATestWorldHasTheSettingsOfItsAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		parent, other := newAccount(t, s), newAccount(t, s)
		set := func(name string) {
			write(t, s, func(tx *store.Tx) error {
				a := must[typus.Account](t)(tx.Account(t.Context(), parent))
				a.Name, a.Accent, a.Reminders, a.KeepFinishedDays, a.WelcomeDE, a.NotifyEmails = name, "#123456", 1, 90, "Willkommen", "team@example.com"
				if err := tx.SetAccount(t.Context(), a); err != nil {
					return err
				}
				if err := tx.SetAccountLogo(t.Context(), parent, typus.Logo{MediaType: "image/png", Hash: name, Body: []byte(name)}); err != nil {
					return err
				}
				return tx.SetOwnTerms(t.Context(), parent, typus.OwnResultTerms{Policy: typus.OwnResultAtOnce})
			})
		}
		same := func(what string) {
			t.Helper()
			a, w := must[typus.Account](t)(s.Account(t.Context(), parent)), must[typus.Account](t)(s.World(t.Context(), parent))
			a.ID, a.ParentID, a.Plan, a.Credits, a.CreatedAt = w.ID, w.ParentID, w.Plan, w.Credits, w.CreatedAt
			if a != w {
				t.Errorf("%s: the world has %+v, its account %+v", what, w, a)
			}
			logo := must[typus.Logo](t)(s.Logo(t.Context(), w.ID, a.LogoHash))
			if string(logo.Body) != a.Name {
				t.Errorf("%s: the logo of the world is %q", what, logo.Body)
			}
		}
		set("Muster eins")
		newWorld(t, s, parent)
		same("made later")
		set("Muster zwei")
		same("made before")
		if a := must[typus.Account](t)(s.Account(t.Context(), other)); a.Name != "Muster GmbH" {
			t.Errorf("another account was changed: %+v", a)
		}
	})
}

// A world has its account's users and texts, and another account neither.
func TestATestWorldHasTheUsersAndTextsOfItsAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		parent := newAccount(t, s)
		world := newWorld(t, s, parent)
		foreign := newWorld(t, s, newAccount(t, s))
		var owner, member int64
		write(t, s, func(tx *store.Tx) error {
			var err error
			owner, err = tx.AddUser(t.Context(), typus.User{AccountID: parent, Email: unique("owner") + "@example.com", Role: typus.RoleOwner, CreatedAt: noon}, "hash")
			if err != nil {
				return err
			}
			member, err = tx.AddUser(t.Context(), typus.User{AccountID: parent, Email: unique("member") + "@example.com", Role: typus.RoleMember, CreatedAt: noon}, "hash")
			if err != nil {
				return err
			}
			return tx.SetLetterTemplate(t.Context(), typus.LetterTemplate{AccountID: parent, Kind: typus.LetterInvitation, Language: "de", Subject: "Eigener Betreff", ChangedAt: noon})
		})
		if u := must[typus.User](t)(s.User(t.Context(), world, member)); u.AccountID != parent {
			t.Errorf("the world's user is %+v", u)
		}
		if all := must[[]typus.User](t)(s.Users(t.Context(), world)); len(all) != 2 {
			t.Errorf("the world has the users %+v", all)
		}
		reader := must[store.Reader](t)(s.ReaderFor(t.Context(), world, member))
		if reader.AccountID != world || !reader.Positions.Everything || reader.Blind != (store.Blind{}) {
			t.Errorf("in the world a member reads %+v", reader)
		}
		text, err := s.LetterTemplate(t.Context(), world, typus.LetterInvitation, "de")
		if err != nil || text == nil || text.Subject != "Eigener Betreff" {
			t.Errorf("the world's letter is %+v, %v", text, err)
		}
		_, err = s.User(t.Context(), foreign, owner)
		hasKind(t, "a user of another account's world", err, typus.NotFound)
		text, err = s.LetterTemplate(t.Context(), foreign, typus.LetterInvitation, "de")
		if err != nil || text != nil {
			t.Errorf("another world has the text %+v, %v", text, err)
		}
		id := newCandidate(t, s, world, nil)
		write(t, s, func(tx *store.Tx) error {
			return tx.AddLetterToTeam(t.Context(), typus.Letter{AccountID: world, CandidateID: id, Kind: typus.LetterCompleted, Language: "de", CreatedAt: noon})
		})
		letters := must[[]typus.Letter](t)(s.LettersOf(t.Context(), world, id))
		if len(letters) != 1 || letters[0].AccountID != world || letters[0].UserID != owner {
			t.Errorf("the team's letters of the world are %+v", letters)
		}
		told, err := s.Told(t.Context(), must[typus.Account](t)(s.Account(t.Context(), world)), []typus.Candidate{{ID: id, AccountID: world, InvitedBy: member}})
		if err != nil || len(told[id]) != 1 || told[id][0].ID != member {
			t.Errorf("of a candidate of the world is told %+v, %v", told, err)
		}
	})
}

func TestAKeySaysThatItOpensATestWorld(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		parent := newAccount(t, s)
		world := newWorld(t, s, parent)
		for account, test := range map[int64]bool{parent: false, world: true} {
			id := newKey(t, s, account)
			if k := must[typus.APIKey](t)(s.APIKey(t.Context(), account, id)); k.Test != test {
				t.Errorf("the key of account %d says %v", account, k.Test)
			}
		}
	})
}

func TestWorldTimeIsAsMuchLaterAsTheWorldIsAhead(t *testing.T) {
	a := typus.Account{Ahead: 72 * time.Hour}
	if at := a.WorldTime(noon); !at.Equal(noon.Add(72*time.Hour)) || !a.MachineTime(at).Equal(noon) {
		t.Errorf("noon is shown as %v", at)
	}
	if !a.WorldTime(time.Time{}).IsZero() || !a.MachineTime(time.Time{}).IsZero() {
		t.Error("no time becomes one")
	}
}

func TestTheStepsOfAFirstIntegrationAreRead(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		parent := newAccount(t, s)
		world := newWorld(t, s, parent)
		var in store.Integration
		is := func(change func(in *store.Integration), statements ...string) {
			t.Helper()
			write(t, s, func(tx *store.Tx) error {
				for _, q := range statements {
					if err := tx.Exec(t.Context(), strings.NewReplacer("WORLD", strconv.FormatInt(world, 10), "PARENT", strconv.FormatInt(parent, 10)).Replace(q)); err != nil {
						return err
					}
				}
				return nil
			})
			change(&in)
			if got := must[store.Integration](t)(s.Integration(t.Context(), world, parent)); got != in {
				t.Errorf("%+v, want %+v", got, in)
			}
		}
		const key = `insert into api_keys (account_id, name, hash, created_by, created_at, last_used_at) values `
		is(func(*store.Integration) {}, key+`(PARENT, '', 'a', '', 0, null)`)
		is(func(in *store.Integration) { in.LiveUsedAt = time.UnixMilli(60_000).UTC() }, `update api_keys set last_used_at = 60000`)
		is(func(in *store.Integration) { in.Key = true }, key+`(WORLD, '', 'b', '', 0, 70000)`)
		is(func(in *store.Integration) { in.Invited = true }, `
			insert into candidates (account_id, name, email, token_hash, token_sealed, status, language, role_profile, created_at, expires_at)
			values (WORLD, '', '', 'x', '', 'offen', 'de', '', 0, 0)`)
		delivery := func(kind string) string {
			return `insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, next_attempt_at)
				select 'd-` + kind + `', WORLD, 'e', id, '` + kind + `', 'delivered', 0 from webhook_endpoints`
		}
		is(func(*store.Integration) {}, `insert into webhook_endpoints (account_id, url, status_changed_at, created_at) values (WORLD, '', 0, 0)`,
			`insert into webhook_events (id, account_id, type, candidate_id, occurred_at, payload_sha256) select 'e', WORLD, '', id, 0, '' from candidates`, delivery("test"))
		is(func(in *store.Integration) { in.Delivered = true }, delivery("auto"))
		for _, at := range []time.Duration{0, time.Hour} { // the first time counts
			if err := s.ReadBack(t.Context(), world, noon.Add(at)); err != nil {
				t.Fatal(err)
			}
		}
		is(func(in *store.Integration) { in.ReadBackAt = noon })
		write(t, s, func(tx *store.Tx) error { return tx.ResetWorld(t.Context(), world) })
		is(func(in *store.Integration) { in.Invited, in.Delivered, in.ReadBackAt = false, false, time.Time{} })
		is(func(in *store.Integration) { in.Key = false }, `update api_keys set revoked_at = 1 where account_id = WORLD`)
	})
}
