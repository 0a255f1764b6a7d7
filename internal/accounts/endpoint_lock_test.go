package accounts_test

import (
	"database/sql"
	"testing"

	"typus"
	"typus/internal/store/storetest"
)

// The courier changes a webhook and then writes to its account. What a person does
// goes the same way, or PostgreSQL ends one of the two as a deadlock.
func TestAWebhookIsLockedBeforeItsAccount(t *testing.T) {
	dsn := storetest.Postgres(t)
	w := newWorld(t, storetest.Open(t, dsn))
	courier, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = courier.Close() }()
	by := typus.Actor{Name: "operator"}
	id, _, err := w.Accounts.CreateEndpoint(w.Ctx, w.Account, "https://hooks.example.com/", "", by)
	if err != nil {
		t.Fatal(err)
	}
	test := func() error {
		_, err := w.Accounts.TestEndpoint(w.Ctx, w.Account, id, by)
		return err
	}
	resume := func() error {
		_, err := w.Accounts.ResumeEndpoint(w.Ctx, w.Account, id, true, by)
		return err
	}
	beside(w, courier, id, test)
	if err := w.Accounts.PauseEndpoint(w.Ctx, w.Account, id, by); err != nil {
		t.Fatal(err)
	}
	beside(w, courier, id, resume)
}

// beside takes a step while somebody else has locked the webhook and then wants
// its account.
func beside(w *world, other *sql.DB, endpoint int64, step func() error) {
	w.Helper()
	tx, err := other.BeginTx(w.Ctx, nil)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	exec := func(query string, id int64) {
		w.Helper()
		if _, err := tx.ExecContext(w.Ctx, query, id); err != nil {
			w.Error(err)
		}
	}
	exec(`select 1 from webhook_endpoints where id = $1 for no key update`, endpoint)
	done := make(chan error, 1)
	go func() { done <- step() }()
	for waits := false; !waits; {
		err := tx.QueryRowContext(w.Ctx, `
			select exists (select 1 from pg_locks where not granted and transactionid = pg_current_xact_id()::xid)`).Scan(&waits)
		if err != nil {
			w.Fatal(err)
		}
	}
	exec(`select 1 from accounts where id = $1 for no key update nowait`, w.Account)
	_ = tx.Rollback() // an Error above has said what failed
	if err := <-done; err != nil {
		w.Error(err)
	}
}
