package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/db"
)

const (
	importColumns = `id, account_id, coalesce(position_id, 0), user_id, actor, file_name, language, role_profile, send_email <> 0, state, total, blank, valid, done, failed, left_out, reading,
		created_at, started_at, finished_at, drop_at`
	noImport         = "there is no such import"
	importRowColumns = `n, name, email, external_id, language, state, reason, coalesce(candidate_id, 0), mended <> 0`
)

func scanImport(row db.Row) (typus.Import, error) {
	var i typus.Import
	var leftOut string
	err := row.Scan(&i.ID, &i.AccountID, &i.PositionID, &i.UserID, &i.Actor, &i.FileName, &i.Language, &i.RoleProfile, &i.SendEmail, &i.State,
		&i.Total, &i.Blank, &i.Valid, &i.Done, &i.Failed, &leftOut, &i.Reading,
		(*db.Instant)(&i.CreatedAt), (*db.Instant)(&i.StartedAt), (*db.Instant)(&i.FinishedAt), (*db.Instant)(&i.DropAt))
	if leftOut != "" {
		i.LeftOut = strings.Split(leftOut, "\n")
	}
	return i, err
}

// AddImport keeps an uploaded file until somebody has said what is to become of
// it; its state is ImportMapping.
func (t *Tx) AddImport(ctx context.Context, i typus.Import, source []byte) (int64, error) {
	return db.One(ctx, t, db.ScanInt, "", `
		insert into imports (account_id, position_id, user_id, actor, file_name, language, role_profile, send_email, state, source, created_at, drop_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, 'mapping', $9, $10, $11) returning id`,
		i.AccountID, db.IDOrNull(i.PositionID), i.UserID, i.Actor, i.FileName, i.Language, i.RoleProfile, db.Flag(i.SendEmail), source, db.Millis(i.CreatedAt), db.MillisOrNull(i.DropAt))
}

// Import reads an import. NotFound.
func (r *reads) Import(ctx context.Context, accountID, id int64) (typus.Import, error) {
	return db.One(ctx, r, scanImport, noImport, `select `+importColumns+` from imports where account_id = $1 and id = $2`, accountID, id)
}

// ImportFor is Import for a user: a list is there for those who read the candidates of the
// position to which it invites. NotFound.
func (r *reads) ImportFor(ctx context.Context, reader Reader, id int64) (typus.Import, error) {
	return r.importFor(ctx, reader, id, "")
}

// LockImportFor is LockImport for a user. NotFound.
func (t *Tx) LockImportFor(ctx context.Context, reader Reader, id int64) (typus.Import, error) {
	return t.importFor(ctx, reader, id, t.db.LockRows())
}

func (r *reads) importFor(ctx context.Context, reader Reader, id int64, lock string) (typus.Import, error) {
	q := reader.statement()
	q.Set("id", id)
	q.Add(`select ` + importColumns + ` from imports where id = ` + reader.importID() + lock)
	query, args := q.Numbered()
	return db.One(ctx, r, scanImport, noImport, query, args...)
}

// importID is the id of the import :id, null where the reader does not read the candidates
// of its position.
func (r Reader) importID() string {
	return `(select i.id from imports i where i.account_id = :account and i.id = :id` + r.within("i") + `)`
}

// LockImport reads an import and locks it until the transaction ends, so that writers
// of it wait for each other. NotFound.
func (t *Tx) LockImport(ctx context.Context, accountID, id int64) (typus.Import, error) {
	return db.One(ctx, t, scanImport, noImport,
		`select `+importColumns+` from imports where account_id = $1 and id = $2`+t.db.LockRows(), accountID, id)
}

// ImportSource is the uploaded file, for a user. NotFound once it is no longer kept.
func (r *reads) ImportSource(ctx context.Context, reader Reader, id int64) ([]byte, error) {
	q := reader.statement()
	q.Set("id", id)
	q.Add(`select source from imports where id = ` + reader.importID() + ` and source is not null`)
	query, args := q.Numbered()
	return db.One(ctx, r, db.ScanBytes, "the file is no longer kept", query, args...)
}

// Imports lists the newest imports that a user reads, at most limit, newest first.
func (r *reads) Imports(ctx context.Context, reader Reader, limit int) ([]typus.Import, error) {
	q := reader.statement()
	q.Set("limit", limit)
	q.Add(`select ` + importColumns + ` from imports where account_id = :account` + reader.within("imports") + ` order by id desc limit :limit`)
	query, args := q.Numbered()
	return db.All(ctx, r, scanImport, query, args...)
}

// OpenImports counts the imports of an account that have not ended.
func (r *reads) OpenImports(ctx context.Context, accountID int64) (int, error) {
	n, err := db.One(ctx, r, db.ScanInt, "", `select count(*) from imports where account_id = $1 and finished_at is null`, accountID)
	return int(n), err
}

// ImportedCandidates reads the candidates of an import's rows behind the row after up
// to the row last for a user, by their id; absent are erased ones and those whom the
// user does not read. The sum keeps SQLite from using the account's index, with which it
// would read all candidates of the account.
func (r *reads) ImportedCandidates(ctx context.Context, reader Reader, id int64, after, last int) (map[int64]typus.Candidate, error) {
	q := reader.statement()
	q.Set("import", id)
	q.Set("after", after)
	q.Set("last", last)
	q.Add(`
		select ` + candidateColumns + reader.blindColumn("candidates") + `
		from candidates where account_id` + db.OffIndex + ` = :account and erased_at is null` + reader.within("candidates") + ` and id in (
			select candidate_id from import_rows
			where import_id = (select id from imports where account_id = :account and id = :import) and n > :after and n <= :last and candidate_id is not null)`)
	query, args := q.Numbered()
	list, err := db.All(ctx, r, scanCandidateFor, query, args...)
	byID := make(map[int64]typus.Candidate, len(list))
	for _, c := range list {
		byID[c.ID] = blinded(c)
	}
	return byID, err
}

// ReplaceImportRows replaces the rows of an import and their sums, and moves the import
// to ImportPreview. NotFound. Conflict: the import is already confirmed, or its file is
// no longer kept; rows that were read from the file before must not bring back somebody
// who was erased.
func (t *Tx) ReplaceImportRows(ctx context.Context, i typus.Import, rows []typus.ImportRow) error {
	err := t.db.Must(ctx, noImport, `
		update imports set state = 'preview', total = $1, blank = $2, valid = $3, left_out = $4, reading = $5
		where account_id = $6 and id = $7 and state in ('mapping', 'preview') and source is not null`,
		i.Total, i.Blank, i.Valid, strings.Join(i.LeftOut, "\n"), i.Reading, i.AccountID, i.ID)
	if typus.Is(err, typus.NotFound) {
		if _, err := t.Import(ctx, i.AccountID, i.ID); err != nil {
			return err
		}
		return typus.Errorf(typus.Conflict, "this import is confirmed already, or its file is no longer kept")
	}
	if err != nil {
		return err
	}
	if _, err := t.db.Exec(ctx, `delete from import_rows where import_id = $1`, i.ID); err != nil {
		return err
	}
	return db.InsertAll(ctx, t.db, `insert into import_rows (import_id, n, name, email, email_key, external_id, language, state, reason, candidate_id, mended) values `, rows,
		func(r typus.ImportRow) []any {
			return []any{
				i.ID, r.N, r.Name, r.Email, typus.MailboxKey(r.Email), r.ExternalID, r.Language, string(r.State), strings.Join(r.Reasons, "\n"), db.IDOrNull(r.CandidateID), db.Flag(r.Mended),
			}
		})
}

// MendedRows are the rows of an import that somebody has mended.
func (t *Tx) MendedRows(ctx context.Context, accountID, id int64) ([]typus.ImportRow, error) {
	return db.All(ctx, t, scanImportRow, `select `+importRowColumns+` from import_rows
		where import_id = (select id from imports where account_id = $1 and id = $2) and mended <> 0 order by n`, accountID, id)
}

// MendRows stores rows of a preview as they are now, and how many of all can be invited.
// The caller has locked the import. NotFound: it is no preview.
func (t *Tx) MendRows(ctx context.Context, i typus.Import, rows []typus.ImportRow) error {
	err := t.db.Must(ctx, noImport, `update imports set valid = $1 where account_id = $2 and id = $3 and state = 'preview'`, i.Valid, i.AccountID, i.ID)
	for _, r := range rows {
		if err != nil {
			return err
		}
		_, err = t.db.Exec(ctx, `
			update import_rows set name = $1, email = $2, email_key = $3, external_id = $4, language = $5, state = $6, reason = $7, candidate_id = $8, mended = $9
			where import_id = $10 and n = $11`,
			r.Name, r.Email, typus.MailboxKey(r.Email), r.ExternalID, r.Language, string(r.State), strings.Join(r.Reasons, "\n"), db.IDOrNull(r.CandidateID), db.Flag(r.Mended), i.ID, r.N)
	}
	return err
}

func scanImportRow(row db.Row) (typus.ImportRow, error) {
	var (
		r      typus.ImportRow
		reason string
	)
	err := row.Scan(&r.N, &r.Name, &r.Email, &r.ExternalID, &r.Language, &r.State, &reason, &r.CandidateID, &r.Mended)
	if reason != "" {
		r.Reasons = strings.Split(reason, "\n")
	}
	return r, err
}

// ImportRows lists rows of an import in the order of the file, at most limit,
// behind the row after; of one state, or of all for "".
func (r *reads) ImportRows(ctx context.Context, accountID, id int64, state typus.RowState, after, limit int) ([]typus.ImportRow, error) {
	const mine = ` from import_rows where import_id = (select id from imports where account_id = $1 and id = $2)`
	if state == "" {
		return db.All(ctx, r, scanImportRow, `select `+importRowColumns+mine+` and n > $3 order by n limit $4`, accountID, id, after, limit)
	}
	return db.All(ctx, r, scanImportRow, `select `+importRowColumns+mine+` and state = $3 and n > $4 order by n limit $5`,
		accountID, id, string(state), after, limit)
}

// ImportRowsFor is ImportRows for a user.
func (r *reads) ImportRowsFor(ctx context.Context, reader Reader, id int64, state typus.RowState, after, limit int) ([]typus.ImportRow, error) {
	q := reader.statement()
	q.Set("id", id)
	q.Set("state", string(state))
	q.Set("after", after)
	q.Set("limit", limit)
	q.Add(`select ` + importRowColumns + ` from import_rows where import_id = ` + reader.importID())
	if state != "" {
		q.Add(` and state = :state`)
	}
	q.Add(` and n > :after order by n limit :limit`)
	query, args := q.Numbered()
	return db.All(ctx, r, scanImportRow, query, args...)
}

// ImportAndCounts reads an import for a user, and how many of its rows are in each
// state. NotFound.
func (r *reads) ImportAndCounts(ctx context.Context, reader Reader, id int64) (typus.Import, map[typus.RowState]int, error) {
	counts := map[typus.RowState]int{}
	q := reader.statement()
	q.Set("id", id)
	q.Add(`
		select ` + importColumns + `, coalesce(row_state, ''), coalesce(many, 0) from imports
		left join (select state as row_state, count(*) as many from import_rows
			where import_id = ` + reader.importID() + ` group by state) counted on true
		where id = ` + reader.importID())
	query, args := q.Numbered()
	i, err := db.One(ctx, r, func(row db.Row) (typus.Import, error) {
		var state typus.RowState
		var n int
		i, err := scanImport(withMore{row, []any{&state, &n}})
		if n > 0 {
			counts[state] = n
		}
		return i, err
	}, noImport, query, args...)
	return i, counts, err
}

// StartImport moves an import from ImportPreview to ImportRunning and deletes its file.
// It reports false if the import was not in ImportPreview, or its time was over.
func (t *Tx) StartImport(ctx context.Context, accountID, id int64, at time.Time) (bool, error) {
	changed, err := t.db.Exec(ctx, `
		update imports set state = 'running', started_at = $1, source = null, left_out = '', drop_at = null
		where account_id = $2 and id = $3 and state = 'preview' and drop_at > $4`, db.Millis(at), accountID, id, db.Millis(at))
	return changed == 1, err
}

// EndImport ends an import as done or cancelled. Its rows are deleted at dropAt. It
// reports false if the import had already ended.
func (t *Tx) EndImport(ctx context.Context, accountID, id int64, state typus.ImportState, at, dropAt time.Time) (bool, error) {
	changed, err := t.db.Exec(ctx, `
		update imports set state = $1, finished_at = $2, drop_at = $3, source = null, left_out = '', lease_owner = '', lease_until = 0
		where account_id = $4 and id = $5 and state in ('mapping', 'preview', 'running')`,
		string(state), db.Millis(at), db.Millis(dropAt), accountID, id)
	return changed == 1, err
}

// ImportWaits reports whether there may be a running import on which nobody works. It
// writes nothing. A lease that ends further ahead than the given length was taken while
// the clock was ahead and does not count.
func (s *Store) ImportWaits(ctx context.Context, lease time.Duration) (bool, error) {
	now, err := db.Now(ctx, s)
	if err != nil {
		return false, err
	}
	_, waits, err := db.Maybe(ctx, s, db.ScanInt, `
		select id from imports where state = 'running' and (lease_until <= $1 or lease_until > $2) and not `+ofIdle(`account_id`)+` limit 1`, db.Millis(now), db.Millis(now.Add(lease)))
	return waits, err
}

// ClaimImport takes one running import that nobody works on for as long as the
// lease; false when there is none.
func (s *Store) ClaimImport(ctx context.Context, owner string, lease time.Duration) (typus.Import, bool, error) {
	var (
		claimed typus.Import
		found   bool
	)
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		claimed, found, err = db.Maybe(ctx, tx, scanImport, `
			update imports set lease_owner = $1, lease_until = $2 where id = (
				select id from imports where state = 'running' and (lease_until <= $3 or lease_until > $4) and not `+ofIdle(`account_id`)+` order by lease_until, id limit 1`+tx.db.SkipLocked()+`)
			returning `+importColumns, owner, db.Millis(now.Add(lease)), db.Millis(now), db.Millis(now.Add(lease)))
		return err
	})
	return claimed, found, err
}

// HoldImport renews the lease and locks the import for the rest of the transaction. It
// reports false if the import has ended or somebody else works on it.
func (t *Tx) HoldImport(ctx context.Context, owner string, accountID, id int64, lease time.Duration) (bool, error) {
	now, err := db.Now(ctx, t)
	if err != nil {
		return false, err
	}
	changed, err := t.db.Exec(ctx, `
		update imports set lease_until = $1
		where account_id = $2 and id = $3 and state = 'running' and lease_owner = $4`, db.Millis(now.Add(lease)), accountID, id, owner)
	return changed == 1, err
}

// PutOffImport gives an import back on which this owner works, and lets nobody take it
// for the given time.
func (s *Store) PutOffImport(ctx context.Context, owner string, accountID, id int64, in time.Duration) error {
	return s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		_, err = tx.db.Exec(ctx, `
			update imports set lease_owner = '', lease_until = $1 where account_id = $2 and id = $3 and state = 'running' and lease_owner = $4`,
			db.Millis(now.Add(in)), accountID, id, owner)
		return err
	})
}

// ReleaseImports gives back what the owner works on.
func (s *Store) ReleaseImports(ctx context.Context, owner string) error {
	return s.InTx(ctx, func(tx *Tx) error {
		_, err := tx.db.Exec(ctx, `update imports set lease_owner = '', lease_until = 0 where state = 'running' and lease_owner = $1`, owner)
		return err
	})
}

// settledAtOnce is how many rows get their outcome in one statement.
const settledAtOnce = 64

// settleRows gives each of up to settledAtOnce rows its outcome. Unused places name
// line 0, which no row has.
var settleRows = func() string {
	var places strings.Builder
	for i := range settledAtOnce {
		if i > 0 {
			places.WriteString(", ")
		}
		n := func(j int) string { return "$" + strconv.Itoa(4*i+j) }
		places.WriteString("(cast(" + n(1) + " as bigint), cast(" + n(2) + " as text), cast(" + n(3) + " as text), cast(" + n(4) + " as bigint))")
	}
	id := "$" + strconv.Itoa(4*settledAtOnce+1)
	return `with outcome (n, state, reason, candidate_id) as (values ` + places.String() + `)
		update import_rows set state = o.state, reason = o.reason, candidate_id = o.candidate_id
		from outcome o where import_rows.import_id = ` + id + ` and import_rows.n = o.n`
}()

// SettleImportRows stores the outcome of rows and counts them; the caller holds
// the import (HoldImport). NotFound.
func (t *Tx) SettleImportRows(ctx context.Context, accountID, id int64, rows []typus.ImportRow) error {
	failed := 0
	for _, r := range rows {
		if r.State != typus.RowInvited {
			failed++
		}
	}
	err := t.db.Must(ctx, noImport, `update imports set done = done + $1, failed = failed + $2 where account_id = $3 and id = $4`,
		len(rows), failed, accountID, id)
	if err != nil {
		return err
	}
	for len(rows) > 0 {
		n := min(len(rows), settledAtOnce)
		args := make([]any, 0, 4*settledAtOnce+1)
		for _, r := range rows[:n] {
			args = append(args, r.N, string(r.State), strings.Join(r.Reasons, "\n"), db.IDOrNull(r.CandidateID))
		}
		for range settledAtOnce - n {
			args = append(args, 0, "", "", nil)
		}
		if _, err := t.db.Exec(ctx, settleRows, append(args, id)...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// DropRowsOf removes all rows of an import that the caller has locked.
func (t *Tx) DropRowsOf(ctx context.Context, accountID, id int64) error {
	_, err := t.db.Exec(ctx, `
		delete from import_rows where import_id = (select id from imports where account_id = $1 and id = $2)`, accountID, id)
	return err
}

// DropImportRows deletes up to 500 rows of the import whose time came first, or notes
// that it has none left. It reports false once no import's time has come. An import
// that nobody confirmed is cancelled when its first rows are deleted. An import that
// somebody is changing at the moment is left to the next call.
func (t *Tx) DropImportRows(ctx context.Context, at time.Time) (bool, error) {
	id, due, err := db.Maybe(ctx, t, db.ScanInt, `
		select id from imports where drop_at is not null and drop_at <= $1 order by drop_at, id limit 1`+t.db.SkipLocked(), db.Millis(at))
	if err != nil || !due {
		return false, err
	}
	_, err = t.db.Exec(ctx, `
		update imports set source = null, left_out = '', file_name = '', finished_at = coalesce(finished_at, $1),
			state = case when state = 'done' then state else 'cancelled' end
		where id = $2`, db.Millis(at), id)
	if err != nil {
		return false, err
	}
	n, err := t.db.Exec(ctx, `
		delete from import_rows where import_id = $1 and n in (select n from import_rows where import_id = $2 order by n limit 500)`, id, id)
	if err != nil || n > 0 {
		return true, err
	}
	_, err = t.db.Exec(ctx, `update imports set drop_at = null where id = $1`, id)
	return true, err
}

// openEmails bounds how many addresses one call of OpenByEmail is asked about.
const openEmails = 100

// openByEmail looks each address up separately. As long as PostgreSQL believes that the
// table is small, as in the middle of a first import, it would otherwise compare all
// open candidates of an account with all addresses. The sum keeps both databases from
// using another index than that of the address.
var openByEmail = func() string {
	var places strings.Builder
	for i := range openEmails {
		if i > 0 {
			places.WriteString(", ")
		}
		places.WriteString("($" + strconv.Itoa(i+1) + ")")
	}
	return `with asked (email_key) as (values ` + places.String() + `)
		select asked.email_key, coalesce((
			select max(c.id` + db.OffIndex + `) from candidates c where c.account_id = $` + strconv.Itoa(openEmails+1) + ` and c.email_key = asked.email_key
				and coalesce(c.position_id, 0) = $` + strconv.Itoa(openEmails+2) + ` and ` + linkWorks + `$` + strconv.Itoa(openEmails+3) + `), 0)
		from asked`
}()

// OpenByEmail maps mailboxes (typus.MailboxKey) of addresses to the newest candidate of a
// position (0: of the account's default one) whose link works at the given time, also one who
// has declined: who does not want to take part is not to be invited again unseen. Addresses
// without one are absent. Invalid: more than 100 addresses.
func (r *reads) OpenByEmail(ctx context.Context, accountID, positionID int64, emails []string, at time.Time) (map[string]int64, error) {
	if len(emails) > openEmails {
		return nil, typus.Errorf(typus.Invalid, "at most %d addresses at once", openEmails)
	}
	args := make([]any, 0, openEmails+3)
	for i := range openEmails {
		email := ""
		if i < len(emails) && db.Storable(emails[i]) {
			email = typus.MailboxKey(emails[i])
		}
		args = append(args, email)
	}
	type open struct {
		email string
		id    int64
	}
	list, err := db.All(ctx, r, func(row db.Row) (open, error) {
		var o open
		err := row.Scan(&o.email, &o.id)
		return o, err
	}, openByEmail, append(args, accountID, positionID, db.Millis(at))...)
	found := make(map[string]int64, len(list))
	for _, o := range list {
		if o.id != 0 {
			found[o.email] = o.id
		}
	}
	return found, err
}
