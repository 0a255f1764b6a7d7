package store

import (
	"context"
	"math"
	"slices"
	"strconv"

	"typus"
	"typus/internal/db"
)

// AddAudit appends lines to the audit log; there is no way to change one. A line that names
// neither user nor request takes those of typus.ActorOf(ctx).
func (t *Tx) AddAudit(ctx context.Context, lines ...typus.AuditEntry) error {
	return db.InsertAll(ctx, t.db, `
		insert into audit_log (account_id, candidate_id, user_id, actor, action, detail, ip, request_id, created_at) values `, lines,
		func(a typus.AuditEntry) []any {
			if a.UserID == 0 && a.IP == "" && a.RequestID == "" {
				by := typus.ActorOf(ctx)
				a.UserID, a.IP, a.RequestID = by.UserID, by.IP, by.RequestID
			}
			return []any{a.AccountID, db.IDOrNull(a.CandidateID), db.IDOrNull(a.UserID), a.Actor, string(a.Action), a.Detail, a.IP, a.RequestID, db.Millis(a.CreatedAt)}
		})
}

const auditColumns = `id, account_id, coalesce(candidate_id, 0), coalesce(user_id, 0), actor, action, detail, ip, request_id, created_at`

// AuditFilter says which lines of the audit log are wanted; empty fields ask for
// nothing.
type AuditFilter struct {
	Action typus.AuditAction
	UserID int64
	Actor  string // asks only where UserID is 0
	Before int64  // lines older than this one, 0 for the newest
	Limit  int
}

// AuditLog lists the lines for a user that match a filter, newest first: those about the
// account, and about candidates whom the user reads.
func (r *reads) AuditLog(ctx context.Context, reader Reader, f AuditFilter) ([]typus.AuditEntry, error) {
	query, args := auditQuery(auditColumns, reader, f)
	if query == "" {
		return nil, nil
	}
	return db.All(ctx, r, scanAudit, query, args...)
}

// AuditLine is a line of the audit log with today's name of the candidate it is about.
// The log itself holds no names of candidates.
type AuditLine struct {
	typus.AuditEntry
	Candidate string // the name; "" when the line is about nobody, or the candidate is erased
}

// AuditLines is AuditLog with the names of candidates.
func (r *reads) AuditLines(ctx context.Context, reader Reader, f AuditFilter) ([]AuditLine, error) {
	query, args := auditQuery(auditColumns+candidateOfLine, reader, f)
	if query == "" {
		return nil, nil
	}
	return db.All(ctx, r, scanAuditLine, query, args...)
}

const candidateOfLine = `, coalesce((
	select c.name from candidates c where c.id = audit_log.candidate_id and c.account_id = audit_log.account_id and c.erased_at is null), '')`

func scanAuditLine(row db.Row) (AuditLine, error) {
	var l AuditLine
	var err error
	l.AuditEntry, err = scanAudit(withMore{row, []any{&l.Candidate}})
	return l, err
}

// auditQuery is the statement for a filter; "" when no line can match it. Each
// combination of filters has a text of its own, because one for all of them would read
// the whole log.
func auditQuery(columns string, reader Reader, f AuditFilter) (string, []any) {
	if !db.Storable(string(f.Action)) || !db.Storable(f.Actor) {
		return "", nil
	}
	if f.Before == 0 {
		f.Before = math.MaxInt64
	}
	q := reader.statement()
	q.Add(`select ` + columns + ` from audit_log where account_id = :account`)
	if f.Action != "" {
		q.Set("action", string(f.Action))
		q.Add(` and action = :action`)
	}
	if f.UserID != 0 {
		q.Set("by", f.UserID)
		q.Add(` and user_id = :by`)
	} else if f.Actor != "" {
		q.Set("actor", f.Actor)
		q.Add(` and actor = :actor`)
	}
	q.Set("before", f.Before)
	q.Set("limit", f.Limit)
	q.Add(` and id < :before` + reader.about("candidate_id") + reader.told() + reader.ofPositions() + ` order by id desc limit :limit`)
	return q.Numbered()
}

// Audit lists the newest lines about an account, at most limit, newest first.
func (r *reads) Audit(ctx context.Context, accountID int64, limit int) ([]typus.AuditEntry, error) {
	return r.AuditLog(ctx, WholeAccount(accountID), AuditFilter{Limit: limit})
}

// auditShown is how many lines of the audit log are read of one candidate.
const auditShown = 200

// AuditOf lists what the audit log says of one candidate, oldest first: the
// newest 200 lines.
func (r *reads) AuditOf(ctx context.Context, accountID, candidateID int64) ([]typus.AuditEntry, error) {
	list, err := db.All(ctx, r, scanAudit, `
		select `+auditColumns+`
		from audit_log where account_id = $1 and candidate_id = $2 order by id desc limit $3`, accountID, candidateID, auditShown)
	slices.Reverse(list)
	return list, err
}

// auditFor is a statement: the newest lines about the candidate :id, newest first.
func (r Reader) auditFor() string {
	return `
		select ` + auditColumns + `
		from audit_log where account_id = :account and candidate_id = :id` + r.about("candidate_id") + r.told() +
		` order by id desc limit ` + strconv.Itoa(auditShown)
}

// Noted reports whether the audit log has a line that a user did this action to a candidate.
func (r *reads) Noted(ctx context.Context, accountID, candidateID, userID int64, action typus.AuditAction) (bool, error) {
	_, found, err := db.Maybe(ctx, r, db.ScanInt, `
		select id from audit_log where account_id`+db.OffIndex+` = $1 and candidate_id = $2 and user_id = $3 and action = $4 limit 1`,
		accountID, candidateID, userID, string(action))
	return found, err
}

func scanAudit(row db.Row) (typus.AuditEntry, error) {
	var a typus.AuditEntry
	err := row.Scan(&a.ID, &a.AccountID, &a.CandidateID, &a.UserID, &a.Actor, &a.Action, &a.Detail, &a.IP, &a.RequestID, (*db.Instant)(&a.CreatedAt))
	return a, err
}
