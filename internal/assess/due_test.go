package assess_test

import (
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/waittest"
	"typus/internal/web/logtest"
)

// poison makes every write to a table fail whose new row fulfils a condition, until
// cure is called.
func poison(w *world, db *sql.DB, table, condition string) (cure func()) {
	w.Helper()
	if w.Store.Dialect() == "sqlite" {
		for _, when := range []string{"insert", "update"} {
			exec(w, db, fmt.Sprintf(`create trigger poison_%s before %s on %s when %s begin select raise(abort, 'poisoned'); end`, when, when, table, condition))
		}
		return func() {
			exec(w, db, `drop trigger poison_insert`)
			exec(w, db, `drop trigger poison_update`)
		}
	}
	exec(w, db, `create function poison() returns trigger language plpgsql as $$ begin raise exception 'poisoned'; end $$`)
	exec(w, db, fmt.Sprintf(`create trigger poison before insert or update on %s for each row when (%s) execute function poison()`, table, condition))
	return func() { exec(w, db, fmt.Sprintf(`drop trigger poison on %s`, table)) }
}

// logged are the steps of a world with what they log.
func (w *world) logged() (*assess.Steps, *logtest.Log) {
	log := new(logtest.Log)
	return w.AssessWith(func(o *assess.Options) { o.Log = slog.New(slog.NewTextHandler(log, nil)) }), log
}

// More fail than are read at once, and all of them are due before the one that does not.
func TestWhoseStepFailsHoldsNobodyUp(t *testing.T) {
	const failing = 101
	for what, c := range map[string]struct {
		after time.Duration
		turn  func(s *assess.Steps, w *world) error
		done  string // how many it was done for
	}{
		"reminders": {3 * aDay, func(s *assess.Steps, w *world) error { return s.RemindDue(w.Ctx, w.Now()) }, `select count(*) from letters where kind = 'reminder'`},
		"expiries":  {40 * aDay, func(s *assess.Steps, w *world) error { return s.ExpireDue(w.Ctx, w.Now()) }, `select count(*) from candidates where expired_at is not null`},
		"deletions": {60 * aDay, func(s *assess.Steps, w *world) error { return s.Retain(w.Ctx, w.Now()) }, `select count(*) from candidates where erased_at is not null`},
	} {
		t.Run(what, func(t *testing.T) {
			runAt(t, func(w *world, dsn string) {
				var last int64
				for n := range failing + 1 {
					last = w.invite(assess.Invitation{Name: "P", Email: fmt.Sprintf("p%d@example.com", n), SendEmail: true}).Candidate.ID
				}
				db := w.raw(dsn)
				exec(w, db, `update letters set state = 'sent', sent_at = created_at`)
				exec(w, db, fmt.Sprint(`update accounts set keep_unfinished_days = 10, erasure_word_at = `, w.Now().AddDate(1, 0, 0).UnixMilli()))
				cure := poison(w, db, "candidates", fmt.Sprint("new.id < ", last))
				w.Later(c.after)
				steps, log := w.logged()
				turn := func(want int) {
					t.Helper()
					var done int
					if err := c.turn(steps, w); err != nil {
						t.Error(err)
					}
					if err := db.QueryRowContext(w.Ctx, c.done).Scan(&done); err != nil || done != want {
						t.Errorf("it was done for %d, want %d, %v", done, want, err)
					}
				}
				turn(1)
				if n := strings.Count(log.String(), "level=ERROR"); n != failing || !strings.Contains(log.String(), fmt.Sprint("candidate=", last-1)) {
					t.Errorf("%d failures are logged, want %d", n, failing)
				}
				cure()
				turn(failing + 1)
			})
		})
	}
}

func TestARowThatCannotBeInvitedHoldsUpNeitherItsImportNorOthers(t *testing.T) {
	runAt(t, func(w *world, dsn string) {
		rows := people(200)
		first, second := w.started(rows), w.started([]typus.ImportRow{{N: 2, Name: "Jana", Email: "jana@example.com"}})
		poison(w, w.raw(dsn), "candidates", "new.email = 'kim70@example.com'")
		steps, log := w.logged()
		if err := steps.RunImports(w.Ctx, "me"); err != nil {
			w.Error(err)
		}
		one, two := w.imported(first), w.imported(second)
		if one.State != typus.ImportDone || one.Invited() != 199 || one.Failed != 1 || two.State != typus.ImportDone || two.Invited() != 1 {
			w.Errorf("the imports are %+v and %+v", one, two)
		}
		if r := w.rowsOf(first)[70]; r.State != typus.RowFailed || r.CandidateID != 0 || len(r.Reasons) != 1 {
			w.Errorf("the row is %+v", r)
		}
		if n := strings.Count(log.String(), "level=ERROR"); n != 1 || !strings.Contains(log.String(), "row=72") || strings.Contains(log.String(), "kim70") {
			w.Errorf("the log says %s", log)
		}
	})
}

// What may go better later is left for later: here somebody holds the reference of a
// row for longer than it is waited for.
func TestARowThatMustWaitHoldsUpNeitherItsImportNorOthers(t *testing.T) {
	runAt(t, func(w *world, dsn string) {
		if w.Store.Dialect() == "sqlite" {
			return // its one writer never waits for another
		}
		first, second := w.started(people(66)), w.started([]typus.ImportRow{{N: 2, Name: "Jana", Email: "jana@example.com"}})
		db := w.raw(dsn)
		holder, err := db.BeginTx(w.Ctx, nil)
		if err != nil {
			w.Fatal(err)
		}
		_, err = holder.ExecContext(w.Ctx, `
			insert into candidates (account_id, name, email, token_hash, token_sealed, language, role_profile, created_at, expires_at, open_ref)
			values ($1, '', '', 'x', 'x', 'de', '', 0, 0, $2)`, w.Account, fmt.Sprintf("%d\u001fcrm-3\u001fkim3@example.com", w.Account))
		if err != nil {
			w.Fatal(err)
		}
		if err := w.Assess.RunImports(w.Ctx, "me"); err != nil {
			w.Error(err)
		}
		one, two := w.imported(first), w.imported(second)
		if one.State != typus.ImportRunning || one.Invited() != 65 || one.Failed != 0 || two.State != typus.ImportDone {
			w.Errorf("the imports are %+v and %+v", one, two)
		}
		if err := holder.Rollback(); err != nil {
			w.Fatal(err)
		}
		if err := w.Assess.RunImports(w.Ctx, "me"); err != nil || w.imported(first).Done != 65 {
			w.Errorf("it is tried again at once: %+v, %v", w.imported(first), err)
		}
		exec(w, db, `update imports set lease_until = 0`) // the time passes
		if err := w.Assess.RunImports(w.Ctx, "me"); err != nil || w.imported(first).Invited() != 66 || w.imported(first).State != typus.ImportDone {
			w.Errorf("in the end it is %+v, %v", w.imported(first), err)
		}
	})
}

// Both look before either has committed: the first waits with what it has made for a
// table that somebody has locked.
func TestAnAddressIsInvitedOnceByTwoWhoLookAtTheSameMoment(t *testing.T) {
	row := []typus.ImportRow{{N: 2, Name: "Jana", Email: "JANA@example.com"}}
	form := func(user int64) func(w *world) error {
		return func(w *world) error {
			_, err := w.Assess.InviteByForm(w.Ctx, store.WholeAccount(w.Account), assess.Invitation{Name: "Jana", Email: "jana@example.com", SendEmail: true}, false,
				typus.Actor{Name: "a@example.com", UserID: user, Form: fmt.Sprint("form ", user)})
			return err
		}
	}
	list := func(w *world) error { return w.Assess.RunImports(w.Ctx, "me") }
	other := func(w *world) error { return w.Assess.RunImports(w.Ctx, "you") }
	for what, both := range map[string][2]func(w *world) error{
		"two forms": {form(1), form(2)}, "a form, then a list": {form(1), list}, "a list, then a form": {list, form(1)}, "two lists": {list, other},
	} {
		t.Run(what, func(t *testing.T) {
			runAt(t, func(w *world, dsn string) {
				w.started(row)
				if what == "two lists" {
					w.started(row)
				}
				db := w.raw(dsn)
				unlock := func() {}
				if w.Store.Dialect() == "postgres" {
					tx, err := db.BeginTx(w.Ctx, nil)
					if err == nil {
						_, err = tx.ExecContext(w.Ctx, `lock table letters in exclusive mode`)
					}
					if err != nil {
						w.Fatal(err)
					}
					unlock = func() { _ = tx.Rollback() }
				}
				ended := make(chan error, 2)
				for n, step := range both {
					go func() { ended <- step(w) }()
					if w.Store.Dialect() == "postgres" {
						waittest.Until(w, "it waits", func() bool { return w.blocked(db) == n+1 })
					}
				}
				unlock()
				for range both {
					if err := <-ended; err != nil && !typus.Is(err, typus.Conflict) {
						t.Error(err)
					}
				}
				if n := w.everybody(); n != 1 {
					t.Errorf("%d invitations, want 1", n)
				}
			})
		})
	}
}

// A full disk, say, is met three times and not by everybody: each would be an error
// in a log on the same disk.
func TestATurnEndsWhereNothingCanBeWritten(t *testing.T) {
	dsn := storetest.Postgres(t)
	w := newWorld(t, storetest.Open(t, dsn))
	for n := range 20 {
		w.invite(assess.Invitation{Name: "P", Email: fmt.Sprintf("p%d@example.com", n)})
	}
	w.Later(40 * aDay)
	db := w.raw(dsn)
	exec(w, db, `create function full_disk() returns trigger language plpgsql as $$ begin raise exception 'no space left' using errcode = 'disk_full'; end $$`)
	exec(w, db, `create trigger full_disk before update on candidates for each row execute function full_disk()`)
	steps, log := w.logged()
	if err := steps.ExpireDue(w.Ctx, w.Now()); !typus.Is(err, typus.Unavailable) {
		t.Error(err)
	}
	if n := strings.Count(log.String(), "level=ERROR"); n != 2 {
		t.Errorf("%d lines, want two before the turn ends", n)
	}
}
