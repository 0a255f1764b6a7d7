package accounts_test

import (
	"strings"
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// An import of an account may take minutes, in which no host can be given: whoever tries hears
// why, and not that the database is away.
func TestWhoGivesAHostHearsThatAnAccountIsTakenIn(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits as long as any lock, 5 s")
	}
	w := newWorld(t, storetest.Open(t, storetest.Postgres(t)))
	give := func() error {
		return w.Accounts.Operate(w.Ctx, w.Account, ada, func(a *typus.Account) { a.Host = "tests.example.com" })
	}
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		if err := tx.AwaitHosts(w.Ctx); err != nil {
			return err
		}
		if err := give(); !typus.Is(err, typus.Unavailable) || !strings.Contains(err.Error(), "an account is being taken in at the moment") {
			t.Errorf("while one is taken in: %v", err)
		}
		return nil
	}))
	w.Must(give())
}
