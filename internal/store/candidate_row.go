package store

import (
	"context"
	"strconv"
	"strings"

	"typus"
	"typus/internal/db"
)

// CandidateRow is a candidate as a list shows it.
type CandidateRow struct {
	typus.Candidate
	Sheet    []byte            // the packed answers of a running test, nil without one
	Mail     typus.LetterState // of the newest invitation letter, "" without one
	MailTo   string            // whom that letter was to; the candidate's address may have been corrected since
	Tags     []string          // sorted
	Position string            // the name of their position, "" for the account's default one
	Days     int               // for how long their position invites, 0 where it leaves that to the account
	Stage    typus.Stage       // "" while nothing was decided, and to who is Blind
	MadeUp   bool              // the test is finished, and not by the candidate: nobody gave these answers; unknown to who is Blind
	Enrolled bool              // they came by the public link of a position
	Result   []byte            // the whole of the newest result, JSON; nil without one, and where it is not shown
	// Early: the reader sees the result on pages that note it, because nobody has rated
	// yet: there are no Scores, nor a Result.
	Early bool
}

// Bounced reports whether the newest invitation letter came back from the address that the
// candidate still has.
func (r CandidateRow) Bounced() bool {
	return r.Mail == typus.LetterFailed && typus.SameMailbox(r.MailTo, r.Email)
}

// Corrected reports whether it came back from an address that was corrected since.
func (r CandidateRow) Corrected() bool {
	return r.Mail == typus.LetterFailed && !typus.SameMailbox(r.MailTo, r.Email)
}

// madeUp asks of a candidate, by the name of its table, whether somebody else finished the
// test: that is in the ledger, which books every completion once and forgets none.
func madeUp(candidate string) string {
	return `exists (select 1 from credit_ledger b where b.account_id = ` + candidate + `.account_id and b.candidate_id = ` + candidate + `.id
		and b.reason = '` + string(typus.ReasonCompletion) + `' and b.actor <> '` + typus.ActorCandidate + `')`
}

// rowColumns are those of a list that is read by reader.
func rowColumns(reader Reader) string {
	return candidateColumns + `,
	(select s.body from sheets s where s.candidate_id = candidates.id),
	coalesce((select l.state || ' ' || l.recipient from letters l where l.candidate_id = candidates.id and l.` + isInvitation + ` order by l.id desc limit 1), ''),
	coalesce((select string_agg(t.tag, '` + tagSeparator + `') from candidate_tags t where t.candidate_id = candidates.id), ''),
	` + madeUp("candidates") + `,
	(select r.scores from results r where r.candidate_id = candidates.id order by r.id desc limit 1),
	coalesce((select p.name from positions p where p.id = candidates.position_id), ''),
	coalesce((select p.invite_days from positions p where p.id = candidates.position_id), 0),
	exists (select 1 from audit_log e where e.candidate_id = candidates.id and e.action` + db.OffTextIndex + ` = '` + string(typus.AuditCandidateEnrolled) + `')` + stageColumn("candidates") + reader.shownColumns("candidates")
}

func scanRow(row db.Row) (CandidateRow, error) {
	var out CandidateRow
	var tags, mail string
	var blind, early db.Truth
	c, err := scanCandidate(withMore{row, []any{&out.Sheet, &mail, &tags, &out.MadeUp, (*packedOrNull)(&out.Result), &out.Position, &out.Days, &out.Enrolled, &out.Stage, &blind, &early}})
	state, to, _ := strings.Cut(mail, " ")
	out.Mail, out.MailTo = typus.LetterState(state), to
	c.Blind = bool(blind)
	out.Candidate, out.Tags = blinded(c), split(tags)
	if c.Blind {
		out.Sheet, out.Result, out.Tags, out.MadeUp, out.Stage = nil, nil, nil, false, ""
	}
	if out.Early = bool(early); out.Early {
		out.Scores, out.Result = nil, nil
	}
	return out, err
}

// withMore reads further columns behind those that a scan function knows.
type withMore struct {
	row  db.Row
	more []any
}

// Scan implements scanner.
func (w withMore) Scan(dest ...any) error { return w.row.Scan(append(dest, w.more...)...) }

// CandidateRowsOf reads up to 100 candidates by id for a user, newest first. It ignores
// ids that the user does not read. Invalid: more than 100 ids.
func (r *reads) CandidateRowsOf(ctx context.Context, reader Reader, ids []int64) ([]CandidateRow, error) {
	q := reader.statement()
	if err := setIDs(q, ids); err != nil {
		return nil, err
	}
	q.Add(`select ` + rowColumns(reader) + ` from candidates where account_id` + db.OffIndex + ` = :account and id in (` + namedIDs + `)
	and erased_at is null` + reader.within("candidates") + ` order by id desc`)
	query, args := q.Numbered()
	return db.All(ctx, r, scanRow, query, args...)
}

// setIDs sets namedIDs. Invalid: they are more than manyIDs.
func setIDs(q *db.StatementBuilder, ids []int64) error {
	if len(ids) > manyIDs {
		return typus.Errorf(typus.Invalid, "at most %d candidates at once", manyIDs)
	}
	for i, id := range db.Padded(ids, manyIDs, 0) {
		q.Set("id"+strconv.Itoa(i+1), id)
	}
	return nil
}

// namedIDs are the ids of a statement whose parameters have names, id1 to id100.
var namedIDs = func() string {
	names := make([]string, manyIDs)
	for i := range names {
		names[i] = ":id" + strconv.Itoa(i+1)
	}
	return strings.Join(names, ", ")
}()
