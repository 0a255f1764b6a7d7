package store

import (
	"context"

	"typus"
	"typus/internal/db"
)

// CandidateRow is a candidate as a list shows it.
type CandidateRow struct {
	typus.Candidate
	Sheet  []byte            // the packed answers of a running test, nil without one
	Mail   typus.LetterState // of the newest invitation letter, "" without one
	Tags   []string          // sorted
	MadeUp bool              // the test is finished, and not by the candidate: nobody gave these answers
}

// Who finished a test is in the ledger, which books every completion once and
// forgets none.
const rowColumns = candidateColumns + `,
	(select s.body from sheets s where s.candidate_id = candidates.id),
	coalesce((select l.state from letters l where l.candidate_id = candidates.id and l.kind = 'invitation' order by l.id desc limit 1), ''),
	coalesce((select string_agg(t.tag, '` + tagSeparator + `') from candidate_tags t where t.candidate_id = candidates.id), ''),
	exists (select 1 from credit_ledger b where b.account_id = candidates.account_id and b.candidate_id = candidates.id and b.reason = 'completion' and b.actor <> 'candidate')`

func scanRow(row db.Row) (CandidateRow, error) {
	var out CandidateRow
	var tags string
	c, err := scanCandidate(withMore{row, []any{&out.Sheet, &out.Mail, &tags, &out.MadeUp}})
	out.Candidate, out.Tags = c, split(tags)
	return out, err
}

// withMore reads further columns behind those that a scan function knows.
type withMore struct {
	row  db.Row
	more []any
}

// Scan implements scanner.
func (w withMore) Scan(dest ...any) error { return w.row.Scan(append(dest, w.more...)...) }

// CandidateRowsOf reads up to 100 candidates of the account by id, newest first. It
// ignores ids that the account does not have. Invalid: more than 100 ids.
func (r reads) CandidateRowsOf(ctx context.Context, accountID int64, ids []int64) ([]CandidateRow, error) {
	args, err := idArgs(accountID, ids)
	if err != nil {
		return nil, err
	}
	return db.All(ctx, r, scanRow, rowsOfQuery, args...)
}

// A sum has no index: SQLite would read all candidates of the account.
var rowsOfQuery = `select ` + rowColumns + ` from candidates where account_id` + db.OffIndex + ` = $1 and id in (` + idPlaces + `)
	and erased_at is null order by id desc`
