package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/db"
)

// Need is why a candidate asks for somebody's attention.
type Need string

// The needs. A reader knows no more of them than of the candidate: of a result that is
// withheld, or left to the candidate's page, only that it is there.
const (
	NeedAddress Need = "address" // the newest invitation letter was refused for good
	NeedLink    Need = "link"    // the link has run out, and they asked for a new one since
	NeedTime    Need = "time"    // the link runs out within ExpiresSoon; like NeedLink of nobody whom a closed position keeps from beginning
	NeedCare    Need = "care"    // a result that is new to the reader and should not be interpreted
	NeedLook    Need = "look"    // any other that is new: nobody has noted that the reader opened it
)

// Needs are all needs, the most urgent first.
func Needs() []Need { return []Need{NeedLink, NeedAddress, NeedTime, NeedCare, NeedLook} }

// ExpiresSoon is how long before its end a link is about to run out.
const ExpiresSoon = 72 * time.Hour

// mostNeeding bounds how many rows of an index are looked at for a need, the newest first:
// what lies behind so many has waited too long to be news.
const mostNeeding = 1000

// stillOpen is true of a candidate c whose test can be taken at :now.
const stillOpen = `c.completed_at is null and c.cancelled_at is null and c.declined_at is null and c.expires_at > :now`

// needing is the part of an index in which those stand who have a need, and others.
func needing(n Need) string {
	end := ` limit ` + strconv.Itoa(mostNeeding) + `) needing where 0 = 0`
	switch n {
	case NeedAddress:
		return `(select l.candidate_id from letters l where l.account_id = :account and l.state = 'failed' and l.candidate_id is not null
			order by l.id desc` + end
	case NeedLink:
		return `(select a.candidate_id from audit_log a where a.account_id = :account and a.action = '` + string(typus.AuditCandidateLinkRequested) + `'
			order by a.id desc` + end
	case NeedTime:
		return `(select t.id as candidate_id from candidates t where t.account_id = :account and t.completed_at is null and t.erased_at is null
			and t.expires_at > :now and t.expires_at < :soon order by t.expires_at` + end
	}
	return `(select t.id as candidate_id from candidates t where t.account_id = :account and t.completed_at is not null and t.erased_at is null
			and t.completed_at > :readto order by t.completed_at desc` + end
}

// invitable asks whether the candidate c can be given more time: whoever has not begun is
// invited to no closed position.
const invitable = `(c.status` + db.OffTextIndex + ` <> 'offen' or coalesce((select p.state from positions p where p.id = c.position_id), 'open') = 'open')`

// needs asks whether the candidate c has a need.
func (r Reader) needs(n Need) string {
	switch n {
	case NeedAddress:
		return stillOpen + ` and coalesce((select l.state from letters l where l.candidate_id = c.id and l.` + isInvitation + ` order by l.id desc limit 1), '') = 'failed'`
	case NeedLink:
		return `c.completed_at is null and c.cancelled_at is null and c.expires_at <= :now
		and (select a.candidate_id from audit_log a where a.candidate_id = c.id and a.action` + db.OffTextIndex + ` = '` + string(typus.AuditCandidateLinkRequested) + `' and a.created_at >= c.expires_at limit 1) is not null and ` + invitable
	case NeedTime:
		return stillOpen + ` and c.expires_at < :soon and ` + invitable
	case NeedCare:
		return r.unopened() + ` and c.overall is null and not ` + r.hidden("c")
	}
	return r.unopened() + ` and (c.overall is not null or ` + r.hidden("c") + `)`
}

// unopened asks whether the test of the candidate c was completed lately, and the reader has
// not looked at the result.
func (r Reader) unopened() string {
	return `c.completed_at is not null and c.completed_at > :readto
		and (select a.candidate_id from audit_log a where a.candidate_id = c.id and a.user_id` + db.OffIndex + ` = :user and a.action` + db.OffTextIndex + ` in ` + seen + ` limit 1) is null`
}

// hidden asks whether a list says nothing of the result of a candidate, by the name of its
// table, to the reader.
func (r Reader) hidden(candidate string) string {
	if !r.Blind.Others || r.rates() {
		return r.blindTo(candidate)
	}
	return `(` + r.blindTo(candidate) + ` or ` + r.early(candidate) + `)`
}

// Needing are the candidates of a reader who have one need.
type Needing struct {
	Need Need
	All  int            // how many they are, as far as they are counted
	Rows []CandidateRow // the first NeedingRows of them
}

// NeedingRows is how many candidates Needing names.
const NeedingRows = 5

// Needing says for each of some needs, in their order, which candidates of a reader have it:
// who asked longest ago, or whose link runs out first, or the newest. Needs that nobody has
// are left out. It is one statement that looks at no more than some thousand rows.
func (r *reads) Needing(ctx context.Context, reader Reader, needs []Need, now, readTo time.Time) ([]Needing, error) {
	if len(needs) == 0 {
		return nil, nil
	}
	var list []Needing
	query, args := needingStatement(reader, needs, now, readTo)
	_, err := db.All(ctx, r, func(row db.Row) (struct{}, error) {
		var which, all int
		c, err := scanRow(withMore{row, []any{&which, &all}})
		if err != nil {
			return struct{}{}, err
		}
		if last := len(list) - 1; last < 0 || list[last].Need != needs[which] {
			list = append(list, Needing{Need: needs[which], All: all})
		}
		list[len(list)-1].Rows = append(list[len(list)-1].Rows, c)
		return struct{}{}, nil
	}, query, args...)
	return list, err
}

func needingStatement(reader Reader, needs []Need, now, readTo time.Time) (string, []any) {
	q := reader.statement()
	q.Set("now", db.Millis(now))
	q.Set("soon", db.Millis(now.Add(ExpiresSoon)))
	q.Set("readto", db.Millis(readTo))
	var pages []string
	for i, need := range needs {
		n := strconv.Itoa(i)
		word := `with `
		if i > 0 {
			word = `, `
		}
		q.Add(word + `asked` + n + ` as materialized (select distinct candidate_id as asked_id from ` + needing(need) + `),
kept` + n + ` as materialized (
	select asked_id as kept_id, (select ` + reader.urgency(need) + ` from candidates c where c.id = asked_id and c.account_id` + db.OffIndex + ` = :account and c.erased_at is null
		and case when ` + reader.needs(need) + ` then 1 else 0 end <> 0` + reader.within("c") + ` limit 1) as kept_at from asked` + n + `)`)
		pages = append(pages, `
	select * from (select kept_id as row_id, `+n+` as row_need, kept_at as row_at, (select count(*) from kept`+n+` where kept_at is not null) as row_all
		from kept`+n+` where kept_at is not null order by kept_at, kept_id desc limit `+strconv.Itoa(NeedingRows)+`) listed`+n)
	}
	q.Add(`, page as materialized (` + strings.Join(pages, `
	union all`) + `)
select ` + rowColumns(reader) + `, row_need, row_all
from page cross join candidates where candidates.id = page.row_id order by row_need, row_at, row_id desc`)
	return q.Numbered()
}

// urgency is the order of the candidates c with a need, the most urgent first. When a test was
// completed is not told to whom results are withheld, and an order would.
func (r Reader) urgency(n Need) string {
	switch {
	case n == NeedLink || n == NeedTime:
		return `c.expires_at`
	case n == NeedAddress || r.Blind.Somewhere:
		return `0 - c.created_at`
	}
	return `0 - c.completed_at`
}

// SetResultsRead notes up to when a user has read, or does not want to read, the results of
// completed tests: none of them is new any more. What was noted of a later time stays,
// unless that is ahead of now. NotFound.
func (t *Tx) SetResultsRead(ctx context.Context, accountID, userID int64, to, now time.Time) error {
	return t.db.Must(ctx, noUser, `
		update users set results_read_at = case when results_read_at > $1 and results_read_at <= $2 then results_read_at else $1 end
		where account_id = $3 and id = $4`, db.Millis(to), db.Millis(now), accountID, userID)
}
