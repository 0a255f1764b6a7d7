package store_test

import (
	"fmt"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestAKeyIsFoundByItsHashAndListedInItsAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		mine, theirs := newAccount(t, s), newAccount(t, s)
		want := typus.APIKey{AccountID: mine, Name: "Zapier", Hash: "ab12", CreatedBy: "ada@example.com", CreatedAt: noon, ExpiresAt: noon.AddDate(1, 0, 0)}
		write(t, s, func(tx *store.Tx) error {
			id, err := tx.AddAPIKey(t.Context(), want)
			want.ID = id
			return err
		})
		if got := must[typus.APIKey](t)(s.APIKeyByHash(t.Context(), "ab12")); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if list := must[[]typus.APIKey](t)(s.APIKeys(t.Context(), mine)); len(list) != 1 || list[0] != want {
			t.Errorf("the account's keys: %+v", list)
		}
		if list := must[[]typus.APIKey](t)(s.APIKeys(t.Context(), theirs)); len(list) != 0 {
			t.Errorf("another account's keys: %+v", list)
		}
		_, err := s.APIKeyByHash(t.Context(), "AB12")
		hasKind(t, "another hash", err, typus.NotFound)
		err = s.InTx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.AddAPIKey(t.Context(), want)
			return err
		})
		hasKind(t, "the same hash again", err, typus.Conflict)
	})
}

// Keys of before scopes may do everything; of a key that names the default position it is
// known that it is that one.
func TestAKeySaysWhatItMayDo(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		run(t, s, `insert into api_keys (account_id, name, hash, created_by, created_at) values (%d, 'old', 'old', '', 0)`, account)
		if k := must[typus.APIKey](t)(s.APIKeyByHash(t.Context(), "old")); k.Scope != typus.ScopeAll || k.PositionID != 0 || k.AtStandard {
			t.Errorf("an old key is %+v", k)
		}
		write(t, s, func(tx *store.Tx) error {
			named, err := tx.AddPosition(t.Context(), typus.Position{AccountID: account, Name: "Süd", State: typus.PositionOpen, CreatedAt: noon})
			if err != nil {
				return err
			}
			standard, err := tx.LockStandardPosition(t.Context(), account, noon)
			if err != nil {
				return err
			}
			for id, scope := range map[int64]typus.KeyScope{named: typus.ScopeInvite, standard.ID: typus.ScopeWithoutScores} {
				want := typus.APIKey{AccountID: account, Hash: fmt.Sprint("key of ", id), CreatedAt: noon, Scope: scope, PositionID: id, AtStandard: id == standard.ID}
				if want.ID, err = tx.AddAPIKey(t.Context(), want); err != nil {
					return err
				}
				if got, err := tx.APIKey(t.Context(), account, want.ID); err != nil || got != want {
					t.Errorf("got %+v, %v, want %+v", got, err, want)
				}
			}
			return nil
		})
	})
}

// A candidate's own page names programs that may read the result, and no others.
func TestOnlyKeysThatReadAResultAreNamedToTheCandidate(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		for _, c := range []struct {
			scope      typus.KeyScope
			of         string // the key's position
			named, out bool   // whether it reads a candidate of the named position, and of the default one
		}{
			{typus.ScopeAll, "", true, true}, {typus.ScopeAll, "named", true, false}, {typus.ScopeAll, "standard", false, true}, {typus.ScopeAll, "other", false, false},
			{typus.ScopeInvite, "", false, false}, {typus.ScopeWithoutScores, "named", false, false},
		} {
			account := newAccount(t, s)
			positions := map[string]int64{}
			write(t, s, func(tx *store.Tx) error {
				for _, name := range []string{"named", "other"} {
					var err error
					if positions[name], err = tx.AddPosition(t.Context(), typus.Position{AccountID: account, Name: name, State: typus.PositionOpen, CreatedAt: noon}); err != nil {
						return err
					}
				}
				standard, err := tx.LockStandardPosition(t.Context(), account, noon)
				if err != nil {
					return err
				}
				positions["standard"] = standard.ID
				_, err = tx.AddAPIKey(t.Context(), typus.APIKey{AccountID: account, Hash: unique("hash"), CreatedAt: noon, Scope: c.scope, PositionID: positions[c.of]})
				return err
			})
			for position, want := range map[int64]bool{positions["named"]: c.named, 0: c.out} {
				id := newCandidate(t, s, account, func(n *store.NewCandidate) { n.PositionID = position })
				got, err := s.OwnPage(t.Context(), typus.Candidate{ID: id, AccountID: account, PositionID: position})
				if err != nil || got.Keys != want {
					t.Errorf("a key of %q for %q, position %d: %v, %v, want %v", c.scope, c.of, position, got.Keys, err, want)
				}
			}
		}
	})
}

func TestARevokedKeyKeepsItsFirstTime(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		mine, theirs := newAccount(t, s), newAccount(t, s)
		id := newKey(t, s, mine)
		revoke := func(account int64, at time.Time) bool {
			ended := false
			write(t, s, func(tx *store.Tx) error {
				var err error
				ended, err = tx.RevokeAPIKey(t.Context(), account, id, at)
				return err
			})
			return ended
		}
		if revoke(theirs, noon) || !revoke(mine, noon) || revoke(mine, noon.Add(time.Hour)) {
			t.Error("the key did not end once, in its account")
		}
		got := must[typus.APIKey](t)(s.APIKey(t.Context(), mine, id))
		if !got.RevokedAt.Equal(noon) || got.Live(noon) {
			t.Errorf("got %+v, want revoked at %s", got, noon)
		}
		_, err := s.APIKey(t.Context(), theirs, id)
		hasKind(t, "another account's key", err, typus.NotFound)
	})
}

func TestTheLastUseOfAKeyIsKeptToTheMinute(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		mine, theirs := newAccount(t, s), newAccount(t, s)
		id := newKey(t, s, mine)
		touch := func(account int64, at time.Time) {
			write(t, s, func(tx *store.Tx) error { return tx.TouchAPIKey(t.Context(), account, id, at) })
		}
		used := func() time.Time { return must[[]typus.APIKey](t)(s.APIKeys(t.Context(), mine))[0].LastUsedAt }
		touch(theirs, noon)
		if !used().IsZero() {
			t.Error("another account touched the key")
		}
		touch(mine, noon.Add(70*time.Second))
		touch(mine, noon) // an older call that comes late
		if want := noon.Truncate(time.Minute).Add(time.Minute); !used().Equal(want) {
			t.Errorf("last used at %s, want %s", used(), want)
		}
	})
}
