package accounts_test

import (
	"database/sql"
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// Whoever waits for a position that meanwhile becomes confidential without them finds none.
func TestWhoWaitsForAPositionChangesItOnlyIfItIsStillTheirs(t *testing.T) {
	dsn := storetest.Postgres(t)
	w := newWorld(t, storetest.Open(t, dsn))
	other, err := sql.Open("pgx", dsn)
	w.Must(err)
	defer func() { _ = other.Close() }()
	bob := store.Reader{AccountID: w.Account, UserID: 9, Role: typus.RoleAdmin, Positions: store.Positions{Open: true, Standard: true}}
	id := w.position(typus.Position{Name: "Vertrieb"})
	tx, err := other.BeginTx(w.Ctx, nil)
	w.Must(err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(w.Ctx, `update positions set confidential = 1 where id = $1`, id)
	w.Must(err)
	done := make(chan error, 1)
	go func() {
		done <- w.Accounts.ChangePosition(w.Ctx, bob, id, ada, func(p *typus.Position) bool { p.Name = "Umbenannt"; return true })
	}()
	for waits := false; !waits; {
		w.Must(tx.QueryRowContext(w.Ctx, `
			select exists (select 1 from pg_locks where not granted and transactionid = pg_current_xact_id()::xid)`).Scan(&waits))
	}
	w.Must(tx.Commit())
	w.WantKind(<-done, typus.NotFound)
	if p, err := w.Store.Position(w.Ctx, w.Account, id); err != nil || p.Name != "Vertrieb" {
		w.Errorf("it is called %q; %v", p.Name, err)
	}
}
