package store

import (
	"context"
	"slices"
	"time"

	"typus"
	"typus/internal/db"
)

// Deletion says what became of an account: numbers, and nothing about who it was.
type Deletion struct {
	AccountID int64
	CreatedAt time.Time // when the account was
	BegunAt   time.Time
	EndedAt   time.Time // zero: it is under way, or was cut off
	Tables    []DeletedRows
}

// DeletedRows counts the rows of an account and its test world in one table.
type DeletedRows struct {
	Table   string `json:"table"`
	Present int    `json:"present"` // when the deletion began
	Deleted int    `json:"deleted"` // counted in the transactions that deleted them
}

const (
	deletionPeople = 100  // of so many candidates one transaction of a deletion takes out everything
	deletionPage   = 2000 // so many rows it takes out of another table
	deletionFew    = 20   // and of these, for each of which a database looks whether all of another table points to it
)

var pointedTo = []string{"positions", "webhook_endpoints", "role_rounds", "public_links"}

// belonging is how the rows of a table belong to an account ($1) and its test world ($2), and
// to those of their candidates whose ids are $3 to $4.
type belonging struct{ table, key, rows, people string }

const (
	ofBoth   = `account_id in ($1, $2)`
	ofPeople = `candidate_id in (select id from candidates where account_id` + db.OffIndex + ` in ($1, $2) and id >= $3 and id <= $4)`
	ofEvents = `select id from webhook_events where account_id in ($1, $2) and type = '` + typus.EventCandidateCompleted + `' and test = 0 and ` + ofPeople
	ofRoles  = `in (select id from role_profiles where ` + ofBoth + db.FewOnes + `)`
)

// belongings are all tables of an account but its own, in an order that the foreign keys allow.
var belongings = []belonging{
	{"webhook_attempts", "id", `delivery_id in (select id from webhook_deliveries where ` + ofBoth + db.FewTextOnes + `)`, `delivery_id in (select id from webhook_deliveries where event_id in (` + ofEvents + `))`},
	{"webhook_deliveries", "id", ofBoth, `event_id in (` + ofEvents + `)`},
	{"webhook_replays", "id", ofBoth, ""},
	{"webhook_events", "id", ofBoth + ` and test = 1`, ""}, // each along its index
	{"webhook_events", "id", ofBoth + ` and test = 0`, `account_id in ($1, $2) and type = '` + typus.EventCandidateCompleted + `' and test = 0 and ` + ofPeople},
	{"webhook_secrets", "id", `endpoint_id in (select id from webhook_endpoints where ` + ofBoth + db.FewOnes + `)`, ""},
	{"webhook_endpoints", "id", ofBoth, ""},
	{"kept_letters", "id", ofBoth, `letter_id in (select id from letters where ` + ofPeople + `)`},
	{"letters", "id", ofBoth, ofPeople},
	{"world_acts", "candidate_id", ofBoth, ofPeople},
	{"world_moves", "id", ofBoth, ""},
	{"candidate_words", "account_id, word, candidate_id", ofBoth, ""},
	{"candidate_tags", "account_id, tag, candidate_id", ofBoth, ofPeople},
	{"sheets", "candidate_id", ofAll, ofPeople},
	{"results", "id", ofAll, ofPeople},
	{"interviews", "candidate_id, user_id", ofAll, ofPeople},
	{"ratings", "candidate_id, user_id, question", ofAll, ofPeople},
	{"decisions", "id", ofAll, ofPeople},
	{"comments", "id", ofAll, ofPeople},
	{"own_results", "candidate_id", ofAll, ofPeople},
	{"requests", "id", ofAll, ofPeople},
	{"notes", "id", ofAll, ofPeople},
	{"import_rows", "import_id, n", `import_id in (select id from imports where ` + ofBoth + db.FewOnes + `)`, ofPeople},
	{"imports", "id", ofBoth, ""},
	{"enrolments", "token_hash", `link_id in (select id from public_links where ` + ofBoth + db.FewOnes + `)`, ofPeople},
	{"public_links", "id", ofBoth, ""},
	{"credit_ledger", "id", ofBoth, ofPeople},
	{"idempotency_keys", "api_key_id, key", `api_key_id in (select id from api_keys where ` + ofBoth + db.FewOnes + `)`, ofPeople},
	{"api_refusals", "id", ofBoth, ""},
	{"api_calls", "account_id, key_id, day", ofBoth, ""},
	{"sent_forms", "account_id, form", ofBoth, ""},
	{"retention_turns", "id", ofBoth, ""},
	{"audit_log", "id", ofBoth, ofPeople},
	{"candidates", "id", ofBoth, `account_id` + db.OffIndex + ` in ($1, $2) and id >= $3 and id <= $4`},
	{"core_questions", "id", ofBoth, ""},
	{"position_members", "position_id, user_id", `position_id in (select id from positions where ` + ofBoth + db.FewOnes + `)`, ""},
	{"position_logos", "position_id", `position_id in (select id from positions where ` + ofBoth + db.FewOnes + `)`, ""},
	{"api_keys", "id", ofBoth, ""},
	{"positions", "id", ofBoth, ""},
	{"role_experts", "id", `round_id in (select id from role_rounds where profile_id ` + ofRoles + db.FewOnes + `)`, ""},
	{"role_versions", "profile_id, version", `profile_id ` + ofRoles, ""},
	{"role_rounds", "id", `profile_id ` + ofRoles, ""},
	{"role_profiles", "id", ofBoth, ""},
	{"sessions", "token_hash", `user_id in (select id from users where ` + ofBoth + db.FewOnes + `)`, ""},
	{"recovery_codes", "user_id, hash", `user_id in (select id from users where ` + ofBoth + db.FewOnes + `)`, ""},
	{"user_links", "token_hash", `user_id in (select id from users where ` + ofBoth + db.FewOnes + `)`, ""},
	{"users", "id", ofBoth, ""},
	{"letter_templates", "account_id, kind, language", ofBoth, ""},
	{"account_logos", "account_id", ofBoth, ""},
	{"account_senders", "account_id", ofBoth, ""},
}

const ofAll = `candidate_id in (select id from candidates where ` + ofBoth + db.FewOnes + `)`

// doors are the tables by which people and programs come in. They are emptied when a deletion
// begins. Candidates come in by their rows, which the account's deleting_at shuts.
var doors = []string{
	"sessions", "recovery_codes", "user_links", "position_members", "users", "idempotency_keys", "api_keys", "enrolments", "public_links", "role_experts",
}

// Deletion reads what became of an account that is being or was deleted. NotFound.
func (r *reads) Deletion(ctx context.Context, accountID int64) (Deletion, error) {
	d, err := db.One(ctx, r, func(row db.Row) (Deletion, error) {
		var d Deletion
		err := row.Scan(&d.AccountID, (*db.Instant)(&d.CreatedAt), (*db.Instant)(&d.BegunAt), (*db.Instant)(&d.EndedAt))
		return d, err
	}, noAccount, `select account_id, created_at, begun_at, ended_at from account_deletions where account_id = $1`, accountID)
	if err != nil {
		return d, err
	}
	d.Tables, err = db.All(ctx, r, func(row db.Row) (DeletedRows, error) {
		var c DeletedRows
		err := row.Scan(&c.Table, &c.Present, &c.Deleted)
		return c, err
	}, `select name, present, deleted from deletion_counts where account_id = $1 order by name`, accountID)
	return d, err
}

// ListedAccount is the id of an account that was deleted according to a tombstone, and is there
// all the same.
func (r *reads) ListedAccount(ctx context.Context, t Tombstone) (int64, bool, error) {
	return db.Maybe(ctx, r, db.ScanInt, `select id from accounts where id = $1 and created_at = $2`, t.ID, db.Millis(t.CreatedAt))
}

// LockToBegin locks an account and its test world before they are deleted: whoever is served
// there (ServeAccount), whoever invites or moves the clock, whoever works imports through, the
// letters that are not sent yet, and the accounts themselves, in the order in which everybody
// does. NotFound.
func (t *Tx) LockToBegin(ctx context.Context, accountID int64) (typus.Account, error) {
	both, err := t.withWorld(ctx, accountID)
	if err != nil {
		return typus.Account{}, err
	}
	if err := t.stopServing(ctx, both); err != nil {
		return typus.Account{}, err
	}
	if err := t.lockInvitingOf(ctx, both); err != nil {
		return typus.Account{}, err
	}
	const own = ` where ` + ofBoth + ` order by id`
	for _, rows := range []string{
		`select id from imports` + own, `select id from public_links` + own, `select id from webhook_endpoints` + own, unsent,
		bothAccounts,
	} {
		if err := t.db.Lock(ctx, rows, both...); err != nil {
			return typus.Account{}, err
		}
	}
	return t.LockAccount(ctx, accountID)
}

// lockInvitingOf locks whoever invites or moves the clock in an account and its test world;
// without a world the second is nobody's.
func (t *Tx) lockInvitingOf(ctx context.Context, both []any) error {
	for _, id := range both {
		if err := t.LockInviting(ctx, id.(int64)); err != nil {
			return err
		}
	}
	return nil
}

const bothAccounts = `select id from accounts where id in ($1, $2) order by id`

const unsent = `select id from letters where ` + ofBoth + ` and state in ('queued', 'sending', 'held') order by id`

// BeginDeletion counts what an account has, which the caller has locked (LockToBegin), lets
// nobody in any more, and keeps back what was still to be sent. Nothing of it is taken back.
func (t *Tx) BeginDeletion(ctx context.Context, a typus.Account, at time.Time) error {
	both, err := t.withWorld(ctx, a.ID)
	if err != nil {
		return err
	}
	_, err = t.db.Exec(ctx, `insert into account_deletions (account_id, created_at, begun_at) values ($1, $2, $3)`, a.ID, db.Millis(a.CreatedAt), db.Millis(at))
	if err != nil {
		return err
	}
	for _, b := range belongings {
		n, err := db.One(ctx, t, db.ScanInt, "", `select count(*) from `+b.table+` where `+b.rows, both...)
		if err != nil {
			return err
		}
		if err := t.present(ctx, a.ID, b.table, int(n)); err != nil {
			return err
		}
	}
	own, err := db.One(ctx, t, db.ScanInt, "", `select count(*) from accounts where id in ($1, $2)`, both...)
	if err != nil {
		return err
	}
	if err := t.present(ctx, a.ID, "accounts", int(own)); err != nil {
		return err
	}
	for _, rows := range []string{`users`, `api_keys`, `public_links`} {
		if err := t.db.LockToDelete(ctx, `select id from `+rows+` where `+ofBoth+` order by id`, both...); err != nil {
			return err
		}
	}
	for _, door := range doors {
		if _, err := t.deleteRows(ctx, a.ID, of(door), "", both); err != nil {
			return err
		}
	}
	for _, statement := range []string{
		`update accounts set deleting_at = $1 where id in ($2, $3)`,
		`update imports set source = null, left_out = '', state = 'cancelled', lease_owner = '', lease_until = 0, finished_at = $1 where account_id in ($2, $3) and finished_at is null`,
		`update webhook_endpoints set status = 'paused', due_at = null, settle_at = null, status_changed_at = $1, version = version + 1 where account_id in ($2, $3) and status <> 'deleted'`,
	} {
		if _, err := t.db.Exec(ctx, statement, append([]any{db.Millis(at)}, both...)...); err != nil {
			return err
		}
	}
	_, err = t.db.Exec(ctx, emptyLetters+` where account_id in ($1, $2) and state in ('queued', 'sending', 'held')`, both...)
	return err
}

func (t *Tx) present(ctx context.Context, accountID int64, table string, n int) error {
	_, err := t.db.Exec(ctx, `insert into deletion_counts (account_id, name, present) values ($1, $2, $3)
		on conflict (account_id, name) do update set present = deletion_counts.present + excluded.present`, accountID, table, n)
	return err
}

// withWorld are an account and its test world, -1 where it has none.
func (t *Tx) withWorld(ctx context.Context, accountID int64) ([]any, error) {
	world, found, err := db.Maybe(ctx, t, db.ScanInt, `select id from accounts where parent_id = $1`, accountID)
	if !found {
		world = -1
	}
	return []any{accountID, world}, err
}

func of(table string) belonging {
	return belongings[slices.IndexFunc(belongings, func(b belonging) bool { return b.table == table })]
}

// deleteRows deletes those rows of a table that a condition chooses, or all where it is "", and
// counts them.
func (t *Tx) deleteRows(ctx context.Context, accountID int64, b belonging, which string, args []any) (int, error) {
	if which == "" {
		which = b.rows
	}
	n, err := t.db.Exec(ctx, `delete from `+b.table+` where `+which, args...)
	if err != nil || n == 0 {
		return n, err
	}
	_, err = t.db.Exec(ctx, `update deletion_counts set deleted = deleted + $1 where account_id = $2 and name = $3`, n, accountID, b.table)
	return n, err
}

// DeletePeople deletes everything about the next candidates of an account that is being
// deleted, from an id on, and lists them as erased. It returns the last of them, 0: there were
// none. What is read of them with the account goes by DeleteRest.
func (t *Tx) DeletePeople(ctx context.Context, accountID, after int64, at time.Time) (int64, error) {
	both, err := t.withWorld(ctx, accountID)
	if err != nil {
		return 0, err
	}
	ids, err := db.All(ctx, t, db.ScanInt, `
		select id from candidates where account_id`+db.OffIndex+` in ($1, $2) and id > $3 order by id limit $4`, append(slices.Clone(both), after, deletionPeople)...)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	last := ids[len(ids)-1]
	page := append(slices.Clone(both), ids[0], last)
	if err := t.lockPeople(ctx, both, page); err != nil {
		return 0, err
	}
	_, err = t.db.Exec(ctx, `
		insert into tombstones (id, created_at, erased_at)
		select id, created_at, coalesce(erased_at, cast($1 as bigint)) from candidates where account_id`+db.OffIndex+` = $2 and id >= $3 and id <= $4
		on conflict (id) do nothing`, db.Millis(at), accountID, ids[0], last)
	if err != nil {
		return 0, err
	}
	for _, b := range belongings {
		if b.people == "" {
			continue
		}
		if _, err := t.deleteRows(ctx, accountID, b, b.people, page); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// lockPeople locks what belongs to a page of candidates as everybody does, so that whoever is
// at work comes to an end, and then as a deletion does (LockToReset).
func (t *Tx) lockPeople(ctx context.Context, both, page []any) error {
	const candidates = `select id from candidates where account_id` + db.OffIndex + ` in ($1, $2) and id >= $3 and id <= $4 order by id`
	const letters = `select id from letters where ` + ofPeople + ` order by id`
	for _, l := range []struct {
		rows string
		args []any
	}{
		{`select id from imports where ` + ofBoth + ` order by id`, both},
		{candidates, page},
		{`select id from webhook_endpoints where ` + ofBoth + ` order by id`, both},
		{letters, page},
	} {
		if err := t.db.Lock(ctx, l.rows, l.args...); err != nil {
			return err
		}
	}
	if err := t.db.LockToDelete(ctx, letters, page...); err != nil {
		return err
	}
	return t.db.LockToDelete(ctx, candidates, page...)
}

// DeleteWords deletes up to 2,000 of the words by which candidates of an account that is being
// deleted are found, and returns how many.
func (t *Tx) DeleteWords(ctx context.Context, accountID int64) (int, error) {
	return t.deletePage(ctx, accountID, of("candidate_words"))
}

func (t *Tx) deletePage(ctx context.Context, accountID int64, b belonging) (int, error) {
	both, err := t.withWorld(ctx, accountID)
	if err != nil {
		return 0, err
	}
	limit := deletionPage
	if slices.Contains(pointedTo, b.table) {
		limit = deletionFew
	}
	return t.deleteRows(ctx, accountID, b, `(`+b.key+`) in (select `+b.key+` from `+b.table+` where `+b.rows+` limit $3)`, append(both, limit))
}

// DeleteRest deletes up to 2,000 rows of one table of an account that is being deleted and has
// no candidates any more, and returns how many.
func (t *Tx) DeleteRest(ctx context.Context, accountID int64) (int, error) {
	for _, b := range belongings {
		if n, err := t.deletePage(ctx, accountID, b); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}

// EndDeletion deletes what was added since DeleteRest, if anything, then the account itself and
// its test world. Where somebody else has done so meanwhile, theirs is the time that counts.
// Conflict: a table has rows of it all the same.
func (t *Tx) EndDeletion(ctx context.Context, accountID int64, at time.Time) error {
	both, err := t.withWorld(ctx, accountID)
	if err != nil {
		return err
	}
	if err := t.db.LockToDelete(ctx, bothAccounts, both...); err != nil {
		return err
	}
	for _, b := range belongings {
		if _, err := t.deleteRows(ctx, accountID, b, "", both); err != nil {
			return err
		}
	}
	if _, err := t.TakeMark(ctx, readBack(both[1].(int64))); err != nil {
		return err
	}
	own := belonging{table: "accounts"}
	for _, which := range []string{`parent_id = $1`, `id = $1`} {
		if _, err := t.deleteRows(ctx, accountID, own, which, []any{accountID}); err != nil {
			return err
		}
	}
	if _, err := t.DropNotices(ctx, at); err != nil {
		return err
	}
	return t.db.Must(ctx, noAccount, `update account_deletions set ended_at = coalesce(ended_at, cast($1 as bigint)) where account_id = $2`, db.Millis(at), accountID)
}

// LockToRemove locks an account and its test world before all of them is taken out at once: in
// the order in which everybody locks, so that whoever is at work comes to an end, and then as a
// deletion does. From then on nobody of them is erased: who was is on the list. NotFound.
func (t *Tx) LockToRemove(ctx context.Context, accountID int64) error {
	both, err := t.withWorld(ctx, accountID)
	if err != nil {
		return err
	}
	if err := t.lockInvitingOf(ctx, both); err != nil {
		return err
	}
	for _, table := range []string{"imports", "positions", "public_links", "candidates", "webhook_endpoints", "letters"} {
		if err := t.db.Lock(ctx, `select id from `+table+` where `+ofBoth+` order by id`, both...); err != nil {
			return err
		}
	}
	if err := t.db.Lock(ctx, bothAccounts, both...); err != nil {
		return err
	}
	if _, err := t.LockAccount(ctx, accountID); err != nil {
		return err
	}
	for _, table := range []string{"world_moves", "imports", "positions", "public_links", "letters", "candidates", "webhook_endpoints", "users", "api_keys"} {
		if err := t.db.LockToDelete(ctx, `select id from `+table+` where `+ofBoth+` order by id`, both...); err != nil {
			return err
		}
	}
	return t.db.LockToDelete(ctx, bothAccounts, both...)
}

// RemoveAccount takes everything of an account and its test world, which the caller has locked
// (LockToRemove), out of the database at once, so that another state of it can take its place.
// Nothing is listed as erased or deleted. Conflict: somebody has added to it meanwhile.
func (t *Tx) RemoveAccount(ctx context.Context, accountID int64) error {
	both, err := t.withWorld(ctx, accountID)
	if err != nil {
		return err
	}
	for _, b := range belongings {
		if _, err := t.db.Exec(ctx, `delete from `+b.table+` where `+b.rows, both...); err != nil {
			return err
		}
	}
	for _, which := range []string{`parent_id = $1`, `id = $1`} {
		if _, err := t.db.Exec(ctx, `delete from accounts where `+which, accountID); err != nil {
			return err
		}
	}
	return nil
}
