package store

import (
	"context"
	"strconv"
	"strings"

	"typus"
	"typus/internal/db"
)

// MaxDecisions is how many entries there can be about one candidate (our choice).
const MaxDecisions = 100

// AddDecision appends an entry. The caller has locked the candidate for the user.
// Conflict: there are MaxDecisions.
func (t *Tx) AddDecision(ctx context.Context, d typus.Decision) (int64, error) {
	n, err := db.One(ctx, t, db.ScanInt, "", `select count(*) from decisions where candidate_id = $1`, d.CandidateID)
	if err != nil {
		return 0, err
	}
	if n >= MaxDecisions {
		return 0, typus.Errorf(typus.Conflict, "there are at most %d decisions about a candidate", MaxDecisions)
	}
	if _, err := t.db.Exec(ctx, `update candidates set stage = $1 where id = $2`, string(d.Stage), d.CandidateID); err != nil {
		return 0, err
	}
	return db.One(ctx, t, db.ScanInt, "", `
		insert into decisions (candidate_id, user_id, author, stage, reasons, sources, body, created_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
		d.CandidateID, d.UserID, d.Author, string(d.Stage), joined(d.Reasons), joined(d.Sources), d.Text, db.Millis(d.CreatedAt))
}

// LastDecision is the id of the newest entry about a candidate, 0 without one. The caller
// has locked the candidate for the user.
func (t *Tx) LastDecision(ctx context.Context, candidateID int64) (int64, error) {
	return db.One(ctx, t, db.ScanInt, "", `select coalesce(max(id), 0) from decisions where candidate_id = $1`, candidateID)
}

const decisionColumns = `d.id, d.candidate_id, d.user_id, d.author, d.stage, d.reasons, d.sources, d.body, d.created_at`

// decisionsOf is a statement: what was decided about the candidate :id, newest first, and
// nothing where the reader is blind to the candidate and would be led by it.
func (r Reader) decisionsOf() string {
	return `
		select ` + decisionColumns + `
		from candidates c join decisions d on d.candidate_id = c.id
		where c.account_id = :account and c.id = :id and not ` + r.blindTo("c") + r.within("c") + `
		order by d.id desc limit ` + strconv.Itoa(MaxDecisions)
}

// Standing is what a rejection of several candidates at once asks about each.
type Standing struct {
	Last   int64 // id of the newest entry, 0 without one
	Opened bool  // somebody of the team has opened the result
}

// StandingOf is how a candidate stands. Opened says that the audit log has somebody who
// opened the page of the result or its file, or the result itself without having rated.
// Who has seen scores in a list or a CSV file is not in it. The caller has locked the
// candidate for the user.
func (t *Tx) StandingOf(ctx context.Context, candidateID int64) (Standing, error) {
	return db.One(ctx, t, scanStanding, noCandidate, `select `+standingColumns+` from candidates c where c.id = $1`, candidateID)
}

// Standings are those of up to 100 candidates whom a user reads, by id. It ignores other
// ids. Invalid: more than 100 ids.
func (r *reads) Standings(ctx context.Context, reader Reader, ids []int64) (map[int64]Standing, error) {
	if len(ids) > manyIDs {
		return nil, typus.Errorf(typus.Invalid, "at most %d candidates at once", manyIDs)
	}
	q := reader.statement()
	q.Add(`select ` + standingColumns + `, c.id from candidates c where c.account_id` + db.OffIndex + ` = :account and c.id in (` + namedIDs + `)
	and c.erased_at is null and not ` + reader.blindTo("c") + reader.within("c"))
	for i, id := range db.Padded(ids, manyIDs, 0) {
		q.Set("id"+strconv.Itoa(i+1), id)
	}
	query, args := q.Numbered()
	all := map[int64]Standing{}
	_, err := db.All(ctx, r, func(row db.Row) (int64, error) {
		var id int64
		s, err := scanStanding(withMore{row, []any{&id}})
		all[id] = s
		return id, err
	}, query, args...)
	return all, err
}

const standingColumns = `
	coalesce((select max(d.id) from decisions d where d.candidate_id = c.id), 0),
	case when exists (select 1 from audit_log a where a.candidate_id = c.id and a.action` + db.OffTextIndex + ` in ` + seen + `) then 1 else 0 end`

func scanStanding(row db.Row) (Standing, error) {
	var s Standing
	err := row.Scan(&s.Last, (*db.Truth)(&s.Opened))
	return s, err
}

// stageColumn is a further column of a candidate, by the name of its table: the stage,
// "" while nothing was decided.
func stageColumn(candidate string) string {
	return `, coalesce((select d.stage from decisions d where d.candidate_id = ` + candidate + `.id order by d.id desc limit 1), '')`
}

func scanDecision(row db.Row) (typus.Decision, error) {
	var (
		d                typus.Decision
		reasons, sources string
	)
	err := row.Scan(&d.ID, &d.CandidateID, &d.UserID, &d.Author, &d.Stage, &reasons, &sources, &d.Text, (*db.Instant)(&d.CreatedAt))
	d.Reasons, d.Sources = parted[typus.Reason](reasons), parted[typus.Source](sources)
	return d, err
}

func joined[K ~string](keys []K) string {
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = string(k)
	}
	return strings.Join(texts, " ")
}

func parted[K ~string](text string) []K {
	var keys []K
	for _, k := range strings.Fields(text) {
		keys = append(keys, K(k))
	}
	return keys
}
