package clerk_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// clockAt is a clock that shows what now holds.
func clockAt(now *time.Time) typus.Clock { return func() time.Time { return *now } }

func TestAFormThatIsSentTwiceIsTakenOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		now := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
		c := clerk.New(s, clockAt(&now))
		var account int64
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			var err error
			account, err = tx.AddAccount(t.Context(), typus.Account{Name: "Muster GmbH", Plan: typus.PlanStarter, Language: "de", RoleProfile: "general_sales", InviteDays: 30, CreatedAt: now})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		did := 0
		send := func(form string, fault error) error {
			return s.InTx(t.Context(), func(tx *store.Tx) error {
				return c.Once(t.Context(), tx, account, typus.Actor{Name: "ada@example.com", Form: form}, func() (int64, error) {
					did++
					return 42, fault
				})
			})
		}
		fault := errors.New("a fault")
		if err := send("a", fault); !errors.Is(err, fault) {
			t.Errorf("the first time: %v", err)
		}
		if err := send("a", nil); err != nil {
			t.Errorf("what failed may be sent again: %v", err)
		}
		id, again := clerk.SentBefore(send("a", nil))
		if !again || id != 42 || did != 2 {
			t.Errorf("sent before: %v, made %d, done %d times", again, id, did)
		}
		if err := errors.Join(send("", nil), send("", nil)); err != nil || did != 4 {
			t.Errorf("without a name it is another form each time: %v, done %d times", err, did)
		}
	})
}

func TestGuessingCostsMoreAndMoreAndIsForgiven(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		now := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
		c := clerk.New(s, clockAt(&now))
		who := clerk.LoginTries("Ada@example.com", "192.0.2.7", "")
		try := func(who []string) error {
			return s.InTx(t.Context(), func(tx *store.Tx) error { return c.Try(t.Context(), tx, clerk.LoginPace, who...) })
		}
		for n := range 5 {
			if err := try(who); err != nil {
				t.Fatalf("try %d: %v", n+1, err)
			}
		}
		var waited []time.Duration
		for range 3 {
			err := try(who)
			if !typus.Is(err, typus.TooMany) {
				t.Fatalf("at once: %v", err)
			}
			waited = append(waited, clerk.Wait(err))
			now = now.Add(clerk.Wait(err))
			if err := try(who); err != nil {
				t.Fatalf("after the wait: %v", err)
			}
		}
		if waited[0] != 2*time.Second || waited[1] != 4*time.Second || waited[2] != 8*time.Second {
			t.Errorf("waits %v", waited)
		}
		if spelt := clerk.LoginTries("ada@bücher.example", "192.0.2.7", ""); !slices.Equal(spelt, clerk.LoginTries("ADA@xn--bcher-kva.example", "192.0.2.7", "")) {
			t.Errorf("another spelling is counted for itself, apart from %q", spelt)
		}
		if err := try(clerk.LoginTries("ada@example.com", "192.0.3.7", "")); err != nil {
			t.Errorf("from another network: %v", err)
		}
		if err := s.InTx(t.Context(), func(tx *store.Tx) error { return c.Forgive(t.Context(), tx, who) }); err != nil {
			t.Fatal(err)
		}
		if err := try(who); err != nil {
			t.Errorf("after the right password: %v", err)
		}
	})
}
