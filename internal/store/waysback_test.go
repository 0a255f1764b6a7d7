package store_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// linked keeps links of one hour in the order in which they are named.
func linked(t *testing.T, s *store.Store, account int64, links ...typus.UserLink) {
	t.Helper()
	for _, l := range links {
		l.ExpiresAt = noon.Add(time.Hour)
		write(t, s, func(tx *store.Tx) error {
			if l.Purpose == typus.LinkRestore {
				return tx.AddRestoreLink(t.Context(), account, l)
			}
			return tx.AddUserLink(t.Context(), account, l)
		})
	}
}

func TestWaysBackFollowEachOtherAsTheyWereMade(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		user := newUser(t, s, typus.User{AccountID: account, Email: "ada@example.com", Role: typus.RoleOwner}, "x")
		made := func(hash string, at time.Time) typus.UserLink {
			return typus.UserLink{Hash: hash, UserID: user, Purpose: typus.LinkRestore, CreatedAt: at, TOTPAt: at}
		}
		linked(t, s, account, made("first", noon.AddDate(1, 0, 0)), made("second", noon), made("third", noon.AddDate(-1, 0, 0)))
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.UseUserLink(t.Context(), account, user, "second", noon)
			return err
		})
		for hash, want := range map[string]string{"first": "holds", "second": "used", "third": "ended"} {
			if got := stateOf(must[store.LinkOwner](t)(s.UserLinkByToken(t.Context(), hash)).Link); got != want {
				t.Errorf("the %s %s, want: %s", hash, got, want)
			}
		}
		third := must[store.LinkOwner](t)(s.UserLinkByToken(t.Context(), "third")).Link
		if at := noon.AddDate(-1, 0, 0); !third.CreatedAt.Equal(at) || !third.TOTPAt.Equal(at) {
			t.Errorf("the third was kept as %+v", third)
		}
	})
}

// stateOf says whether a link was used, or ended unused.
func stateOf(l typus.UserLink) string {
	switch {
	case !l.UsedAt.IsZero() && l.EndedAt.IsZero():
		return "used"
	case l.UsedAt.IsZero() && !l.EndedAt.IsZero():
		return "ended"
	case l.UsedAt.IsZero():
		return "holds"
	}
	return "both"
}

func TestALinkThatWasReplacedWasNotUsed(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		user := newUser(t, s, typus.User{AccountID: account, Email: "ada@example.com", Role: typus.RoleOwner}, "x")
		made := func(hash string, purpose typus.LinkPurpose) typus.UserLink {
			return typus.UserLink{Hash: hash, UserID: user, Purpose: purpose, CreatedAt: noon}
		}
		linked(t, s, account, made("replaced", typus.LinkPassword), made("swept", typus.LinkEmail))
		write(t, s, func(tx *store.Tx) error {
			l := made("newest", typus.LinkPassword)
			l.Detail, l.ExpiresAt = typus.LinkOfOperator, noon.Add(time.Hour)
			return tx.ReplaceUserLink(t.Context(), account, l)
		})
		linked(t, s, account, made("way back", typus.LinkRestore))
		for _, try := range []struct {
			hash string
			used bool
		}{{"replaced", false}, {"newest", true}, {"newest", false}} {
			write(t, s, func(tx *store.Tx) error {
				if used, err := tx.UseUserLink(t.Context(), account, user, try.hash, noon); err != nil || used != try.used {
					t.Errorf("%s is used: %t, %v", try.hash, used, err)
				}
				return nil
			})
		}
		for hash, want := range map[string]string{"replaced": "ended", "swept": "ended", "newest": "used", "way back": "ended"} {
			if got := stateOf(must[store.LinkOwner](t)(s.UserLinkByToken(t.Context(), hash)).Link); got != want {
				t.Errorf("%s: %s, want: %s", hash, got, want)
			}
		}
	})
}
