package store

import (
	"context"
	"errors"
	"time"

	"typus"
	"typus/internal/db"
)

// Sheet is the answers of a running test.
type Sheet struct {
	Body    []byte    // packed
	Ages    []byte    // how old each was when they were saved, packed; nil: that was not kept
	SavedAt time.Time // zero when there are none
}

// SaveSheet stores the answers of a running test in place of the earlier ones. NotFound:
// the account has no such candidate.
func (t *Tx) SaveSheet(ctx context.Context, accountID, candidateID int64, s Sheet) error {
	return t.db.Must(ctx, noCandidate, `
		insert into sheets (candidate_id, body, ages, saved_at)
		select id, $1, $2, $3 from candidates where account_id = $4 and id = $5
		on conflict (candidate_id) do update set body = excluded.body, ages = excluded.ages, saved_at = excluded.saved_at`,
		s.Body, s.Ages, db.Millis(s.SavedAt), accountID, candidateID)
}

func scanSheet(row db.Row) (Sheet, error) {
	var s Sheet
	err := row.Scan(&s.Body, &s.Ages, (*db.Instant)(&s.SavedAt))
	return s, err
}

// Sheet returns the answers of a running test; the zero Sheet when there are none.
func (r *reads) Sheet(ctx context.Context, accountID, candidateID int64) (Sheet, error) {
	s, _, err := db.Maybe(ctx, r, scanSheet, `
		select s.body, s.ages, s.saved_at from sheets s join candidates c on c.id = s.candidate_id
		where c.account_id = $1 and c.id = $2`, accountID, candidateID)
	return s, err
}

// Sheet returns the answers as the Store's does, and first locks the candidate,
// so that two savers of one test wait for each other. The lock is a statement of its
// own, because a statement that locks and reads would still return the answers from
// before its wait.
func (t *Tx) Sheet(ctx context.Context, accountID, candidateID int64) (Sheet, error) {
	if err := t.db.Lock(ctx, `select id from candidates where account_id = $1 and id = $2`, accountID, candidateID); err != nil {
		return Sheet{}, err
	}
	return t.reads.Sheet(ctx, accountID, candidateID)
}

// Result is the frozen evidence of a finished test. Its bytes are stored packed.
type Result struct {
	ID             int64
	CandidateID    int64
	Scores         []byte // the whole result, JSON
	Answers        []byte // packed
	Instrument     string // id@version
	InstrumentHash string
	Norm           string
	RoleProfile    string // key@version
	RoleSnapshot   []byte
	ScoringVersion string
	CreatedAt      time.Time

	packed [3][]byte // scores, answers and role snapshot as they are stored; nil until Packed
}

// Packed is the result with its bytes packed, so that AddResult need not. That takes longer
// than storing them, and is better done before the transaction. Its bytes are not to be
// changed any more.
func (res Result) Packed() (Result, error) {
	if res.packed[0] != nil {
		return res, nil
	}
	var faults [3]error
	res.packed[0], faults[0] = packed(res.Scores).pack(formDictionary)
	res.packed[1], faults[1] = packed(res.Answers).pack(formDeflate)
	res.packed[2], faults[2] = snapshots.pack(res.RoleSnapshot)
	return res, errors.Join(faults[:]...)
}

// AddResult stores the evidence and drops the sheet it was made from. NotFound:
// the account has no such candidate.
func (t *Tx) AddResult(ctx context.Context, accountID int64, res Result) (int64, error) {
	res, err := res.Packed()
	if err != nil {
		return 0, err
	}
	id, err := db.One(ctx, t, db.ScanInt, noCandidate, `
		insert into results (candidate_id, scores, answers, instrument, instrument_hash, norm, role_profile, role_snapshot, scoring_version, created_at)
		select id, $1, $2, $3, $4, $5, $6, $7, $8, $9 from candidates where account_id = $10 and id = $11 returning id`,
		res.packed[0], res.packed[1], res.Instrument, res.InstrumentHash, res.Norm, res.RoleProfile, res.packed[2], res.ScoringVersion,
		db.Millis(res.CreatedAt), accountID, res.CandidateID)
	if err != nil {
		return 0, err
	}
	_, err = t.db.Exec(ctx, `delete from sheets where candidate_id = $1`, res.CandidateID)
	return id, err
}

// ResultFor is Result for a user. NotFound, also where it is withheld from them.
func (r *reads) ResultFor(ctx context.Context, reader Reader, candidateID int64) (Result, error) {
	q := reader.statement()
	q.Set("id", candidateID)
	q.Add(`
		select ` + resultColumns + ` from results r join candidates c on c.id = r.candidate_id
		where c.account_id = :account and c.id = :id` + reader.within("c"))
	if reader.Blind.Somewhere {
		q.Add(`
			and not ` + reader.withheld("c"))
	}
	q.Add(` order by r.id desc limit 1`)
	query, args := q.Numbered()
	return db.One(ctx, r, scanResult, noResult, query, args...)
}

// ResultsFor reads for a user the newest evidence of up to 100 candidates, by id. Those of
// whom the user reads none, or from whom it is withheld, are left out. Invalid: more than
// 100 ids.
func (r *reads) ResultsFor(ctx context.Context, reader Reader, ids []int64) ([]Result, error) {
	q := reader.statement()
	if err := setIDs(q, ids); err != nil {
		return nil, err
	}
	q.Add(`
		select ` + resultColumns + ` from results r join candidates c on c.id = r.candidate_id
		where c.account_id` + db.OffIndex + ` = :account and c.id in (` + namedIDs + `) and c.erased_at is null
			and not exists (select 1 from results n where n.candidate_id = r.candidate_id and n.id > r.id)` + reader.within("c"))
	if reader.Blind.Somewhere {
		q.Add(`
			and not ` + reader.withheld("c"))
	}
	q.Add(` order by c.id`)
	query, args := q.Numbered()
	return db.All(ctx, r, scanResult, query, args...)
}

const (
	resultColumns = `r.id, r.candidate_id, r.scores, r.answers, r.instrument, r.instrument_hash, r.norm, r.role_profile, r.role_snapshot, r.scoring_version, r.created_at`
	noResult      = "there is no result of this candidate"
)

// Result reads the newest evidence of a candidate. NotFound.
func (r *reads) Result(ctx context.Context, accountID, candidateID int64) (Result, error) {
	return db.One(ctx, r, scanResult, noResult, `
		select `+resultColumns+` from results r join candidates c on c.id = r.candidate_id
		where c.account_id = $1 and c.id = $2 order by r.id desc limit 1`, accountID, candidateID)
}

// Results reads the evidence of all finished tests of an account, oldest first, a page of
// limit behind the one with the id after. It is for the operator, who reads all.
func (r *reads) Results(ctx context.Context, accountID, after int64, limit int) ([]Result, error) {
	return db.All(ctx, r, scanResult, `
		select `+resultColumns+` from results r join candidates c on c.id = r.candidate_id
		where c.account_id = $1 and c.erased_at is null and r.id > $2 order by r.id limit $3`, accountID, after, limit)
}

func scanResult(row db.Row) (Result, error) {
	var r Result
	err := row.Scan(&r.ID, &r.CandidateID, (*packed)(&r.Scores), (*packed)(&r.Answers), &r.Instrument, &r.InstrumentHash, &r.Norm,
		&r.RoleProfile, (*packed)(&r.RoleSnapshot), &r.ScoringVersion, (*db.Instant)(&r.CreatedAt))
	return r, err
}

// AddNotice stores the text of an acknowledgement once per version and language, and that
// it is in use, to the day. Internal if that version has another text, because then nobody
// could say what was acknowledged.
func (t *Tx) AddNotice(ctx context.Context, version, language, body string, at time.Time) error {
	n, err := t.db.Exec(ctx, `
		insert into notices (version, language, body, used_at) values ($1, $2, $3, $4)
		on conflict (version, language) do update set used_at = excluded.used_at
			where notices.used_at < excluded.used_at - 86400000 and notices.body = excluded.body`, version, language, body, db.Millis(at))
	if err != nil || n == 1 {
		return err
	}
	stored, err := db.One(ctx, t, db.ScanText, "there is no such notice", `select body from notices where version = $1 and language = $2`, version, language)
	if err == nil && stored != body {
		return typus.Errorf(typus.Internal, "the notice %s has another text already", version)
	}
	return err
}

// DropNotices forgets texts that no candidate refers to any more and that nobody has
// acknowledged since a time, at most 500, and says how many; the caller repeats it until
// there are none. The time must be days ago: a text that somebody acknowledges at this
// moment is in use since yesterday at the earliest.
func (t *Tx) DropNotices(ctx context.Context, before time.Time) (int, error) {
	return t.db.Exec(ctx, `
		delete from notices where used_at < $1 and (version, language) in (
			select n.version, n.language from notices n
			where n.used_at < $2 and not exists (select 1 from candidates c where c.notice_version = n.version and c.notice_language = n.language)
			limit 500)`, db.Millis(before), db.Millis(before))
}

// Acknowledgement reads for a user what a candidate acknowledged before the first
// question; its Version is "" while there is nothing, and its At is zero also where the user
// is blind to the candidate. NotFound.
func (r *reads) Acknowledgement(ctx context.Context, reader Reader, id int64) (typus.Notice, error) {
	q := reader.statement()
	q.Set("id", id)
	at := `notice_at`
	if reader.Blind.Somewhere {
		at = `case when ` + reader.blindTo("candidates") + ` then null else notice_at end`
	}
	q.Add(`
		select coalesce(notice_version, ''), coalesce(notice_language, ''), ` + at + `
		from candidates where account_id = :account and id = :id` + reader.within("candidates"))
	query, args := q.Numbered()
	return db.One(ctx, r, scanNotice, noCandidate, query, args...)
}

// NoticeText reads for a user the text that a candidate acknowledged, as it was stored
// then; "" while nothing is acknowledged. NotFound.
func (r *reads) NoticeText(ctx context.Context, reader Reader, id int64) (string, error) {
	q := reader.statement()
	q.Set("id", id)
	q.Add(`
		select coalesce(n.body, '') from candidates c
		left join notices n on n.version = c.notice_version and n.language = c.notice_language
		where c.account_id = :account and c.id = :id` + reader.within("c"))
	query, args := q.Numbered()
	return db.One(ctx, r, db.ScanText, noCandidate, query, args...)
}

func scanNotice(row db.Row) (typus.Notice, error) {
	var n typus.Notice
	err := row.Scan(&n.Version, &n.Language, (*db.Instant)(&n.At))
	return n, err
}
