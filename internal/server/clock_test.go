package server_test

import (
	"slices"
	"testing"
	"time"

	"typus"
	"typus/internal/server/servertest"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/waittest"
)

// twoPeople makes an account that keeps people for a year: the invitation of one ran
// out two years ago, the other's lasts.
func twoPeople(t *testing.T, s *store.Store) (account, long, fresh int64) {
	t.Helper()
	now := time.Now()
	err := s.InTx(t.Context(), func(tx *store.Tx) error {
		a := typus.Account{Name: "Muster GmbH", Plan: typus.PlanStarter, Language: "de", RoleProfile: "general_sales", InviteDays: 30, CreatedAt: now}
		var err error
		if account, err = tx.AddAccount(t.Context(), a); err != nil {
			return err
		}
		a.ID, a.KeepUnfinishedDays, a.KeepSetAt, a.Notify = account, 365, now.AddDate(-1, 0, 0), typus.NotifyNow
		if err := tx.SetAccount(t.Context(), a); err != nil {
			return err
		}
		add := func(token string, ends time.Time) (int64, error) {
			id, _, err := tx.AddCandidate(t.Context(), store.NewCandidate{Candidate: typus.Candidate{
				AccountID: account, Name: "Kim", Email: token + "@example.com", Status: typus.StatusOpen, Language: "de", RoleProfile: "general_sales",
				CreatedAt: ends.AddDate(0, -1, 0), ExpiresAt: ends, TokenHash: token, SealedToken: []byte{1},
			}})
			return id, err
		}
		if long, err = add("long", now.AddDate(-2, 0, 0)); err != nil {
			return err
		}
		fresh, err = add("fresh", now.AddDate(0, 0, 20))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return account, long, fresh
}

func gone(t *testing.T, s *store.Store, account, id int64) bool {
	t.Helper()
	_, err := s.Candidate(t.Context(), account, id)
	if err != nil && !typus.Is(err, typus.NotFound) {
		t.Fatal(err)
	}
	return err != nil
}

// turnOver reports whether a turn of the retention that deleted somebody is over.
func turnOver(t *testing.T, s *store.Store, account int64) bool {
	t.Helper()
	lines, err := s.Audit(t.Context(), account, 100)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(lines, func(l typus.AuditEntry) bool { return l.Action == "retention.erased" })
}

// On SQLite the database's clock is the machine's and as wrong as that; on PostgreSQL
// it is right, and only the server's is wrong.
func TestAClockThatIsTwoYearsAheadDeletesOnlyWhoIsDue(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, long, fresh := twoPeople(t, s)
		now := time.Now()
		right := func(at time.Time, ran time.Duration) {
			if err := s.WithClock(func() time.Time { return at }).ReadClock(t.Context(), ran); err != nil {
				t.Fatal(err)
			}
		}
		right(now.Add(-30*time.Hour), 0)
		right(now, 30*time.Hour)

		ahead := typus.Clock(func() time.Time { return time.Now().AddDate(2, 0, 0) })
		if s.Dialect() == "sqlite" {
			s = s.WithClock(ahead)
		}
		servertest.StartAt(t, s, ahead)
		waittest.Until(t, "somebody is deleted", func() bool { return turnOver(t, s, account) })
		if !gone(t, s, account, long) || gone(t, s, account, fresh) {
			t.Errorf("whose invitation ran out long ago is gone: %v; whose lasts is gone: %v", gone(t, s, account, long), gone(t, s, account, fresh))
		}
	})
}
