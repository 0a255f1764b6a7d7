package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

// A test world is a row of accounts, so that everything in it is another account's by
// construction. What it shares with the account that it belongs to goes by the two
// expressions below.

// homeOf is the account whose id a place of a statement holds, or the one that it belongs to
// if that is a test world. Users, texts of letters, the logo and role profiles are its.
func homeOf(place string) string {
	return `(select coalesce(h.parent_id, h.id) from accounts h where h.id = ` + place + `)`
}

// itsWorldToo is a condition on accounts: the one whose id a place of a statement holds, and
// its test world, which has the same settings.
func itsWorldToo(place string) string { return `id = ` + place + ` or parent_id = ` + place }

// settings are the columns of accounts that people set.
const settings = `name, language, invite_days, contact_email, role_profile, accent, logo_type, logo_hash, reminders,
	keep_finished_days, keep_unfinished_days, keep_from_decision, keep_undecided_days, keep_answers_days, keep_set_at,
	welcome_de, welcome_en, notify, notify_emails, score_sorting_at, score_sorting_by, notice, decides_elsewhere,
	shelf_months, own_result, own_result_reason, zone, host, letters_a_day`

// AddWorld makes the test world of an account, with its settings and without credits,
// unless there is one, and returns its id. NotFound: no such account, or it is a test world
// itself. Suspended; Conflict: the account is being deleted.
func (t *Tx) AddWorld(ctx context.Context, parentID int64, at time.Time) (int64, bool, error) {
	parent, err := t.LockAccount(ctx, parentID)
	if err == nil && (parent.ID == 0 || parent.IsWorld()) {
		err = typus.Errorf(typus.NotFound, noAccount)
	}
	if err == nil {
		err = parent.Serving()
	}
	if err != nil {
		return 0, false, err
	}
	id, found, err := db.Maybe(ctx, t, db.ScanInt, `select id from accounts where parent_id = $1`, parentID)
	if err != nil || found {
		return id, false, err
	}
	// By values: SQLite looks for the children of rows that come by select, without an index.
	id, err = db.One(ctx, t, db.ScanInt, "", `
		insert into accounts (parent_id, name, plan, created_at) values ($1, $2, 'starter', $3) returning id`, parentID, parent.Name, db.Millis(at))
	if err != nil {
		return 0, false, err
	}
	return id, true, t.db.Must(ctx, noAccount, `update accounts set (`+settings+`) = (select `+settings+` from accounts where id = $1) where id = $2`, parentID, id)
}

// World is the test world of an account. NotFound: it has none yet.
func (r *reads) World(ctx context.Context, parentID int64) (typus.Account, error) {
	return db.One(ctx, r, scanAccount, "this account has no test world yet", `select `+accountColumns+` from accounts where parent_id = $1`, parentID)
}
