package store

import (
	"context"
	"strconv"
	"time"

	"typus"
	"typus/internal/db"
)

// Takeable says which answers of an earlier test a candidate may take over.
type Takeable struct {
	Instrument string    // id@version that they were given to
	From, To   time.Time // they were given then, or between; the newest of them are taken
}

// Takeable finds the earlier candidate, of the same account and address, whose answers a
// candidate may take over: finished by themselves, at an address that the team has not changed
// since, and to be interpreted; false for none.
func (r *reads) Takeable(ctx context.Context, c typus.Candidate, t Takeable) (typus.Candidate, bool, error) {
	return r.takeable(ctx, c, t, "")
}

// LockTakeable is Takeable with the lock of LockCandidate on the earlier candidate. The caller
// has locked c. One who is erased while this waits is not found.
func (t *Tx) LockTakeable(ctx context.Context, c typus.Candidate, which Takeable) (typus.Candidate, bool, error) {
	return t.takeable(ctx, c, which, t.db.LockRows())
}

func (r *reads) takeable(ctx context.Context, c typus.Candidate, t Takeable, lock string) (typus.Candidate, bool, error) {
	return db.Maybe(ctx, r, scanCandidate, `
		select `+candidateColumns+` from candidates
		where account_id = $1 and email_key = $2 and email_key <> '' and id <> $3 and completed_at is not null and erased_at is null
			and status`+db.OffTextIndex+` = 'abgeschlossen' and overall`+db.OffIndex+` is not null and instrument`+db.OffTextIndex+` = $4
			and coalesce(answered_at, completed_at) between $5 and $6
			and not exists (select 1 from own_results o where o.candidate_id = candidates.id and o.proven_email is not null)
			and not `+madeUp("candidates")+`
		order by coalesce(answered_at, completed_at) desc, id desc limit 1`+lock,
		c.AccountID, typus.MailboxKey(c.Email), c.ID, t.Instrument, db.Millis(t.From), db.Millis(t.To))
}

// TakeOver moves a candidate from offen to abgeschlossen with the answers of an earlier test:
// it stores the scores, what was acknowledged, the version of the test and when the answers
// were given, takes a decline back and frees the OpenRef. It reports false if the status was
// not offen. No test was begun, so there is no time of that.
func (t *Tx) TakeOver(ctx context.Context, c typus.Candidate, s typus.Scores, n typus.Notice) (bool, error) {
	scores, err := encodeScores(s)
	if err != nil {
		return false, err
	}
	changed, err := t.db.Exec(ctx, `
		update candidates set status = 'abgeschlossen', completed_at = $1, answered_at = $2, instrument = $3, scores = $4, overall = $5,
			notice_version = $6, notice_language = $7, notice_at = $8, declined_at = null, open_ref = null, remind_at = null
		where account_id = $9 and id = $10 and status = 'offen'`,
		db.Millis(c.CompletedAt), db.Millis(c.AnsweredAt), c.Instrument, []byte(scores), sortedBy(s),
		n.Version, n.Language, db.Millis(n.At), c.AccountID, c.ID)
	return changed == 1, err
}

// Earlier is a finished test of the same address as another candidate's.
type Earlier struct {
	CandidateID int64
	PositionID  int64  // 0 for the account's default position
	Position    string // its name, "" for the default one
	Instrument  string // id@version
	CompletedAt time.Time
	AnsweredAt  time.Time // as of typus.Candidate
}

// Answered is when the answers were given.
func (e Earlier) Answered() time.Time {
	return typus.Candidate{CompletedAt: e.CompletedAt, AnsweredAt: e.AnsweredAt}.Answered()
}

const earlierColumns = `e.id, coalesce(e.position_id, 0), coalesce(p.name, ''), e.instrument, e.completed_at, e.answered_at`

// earlierFor is a statement: the tests that were finished before that of the candidate :id,
// by somebody with the same address in the same account, the newest 20. Nothing where the
// reader is blind to the candidate, and none to which they are.
func (r Reader) earlierFor() string {
	return `
		select ` + earlierColumns + `
		from candidates c join candidates e on e.account_id = c.account_id and e.email_key = c.email_key and e.email_key <> '' and e.id <> c.id
			and e.completed_at is not null and e.erased_at is null
		left join positions p on p.id = e.position_id
		where c.account_id` + db.OffIndex + ` = :account and c.id = :id and c.erased_at is null and (c.completed_at is null or e.completed_at < c.completed_at)
			and not ` + r.blindTo("c") + r.within("c") + ` and not ` + r.blindTo("e") + r.within("e") + `
		order by e.completed_at desc, e.id desc limit 20`
}

func scanEarlier(row db.Row) (Earlier, error) {
	var e Earlier
	err := row.Scan(&e.CandidateID, &e.PositionID, &e.Position, &e.Instrument, (*db.Instant)(&e.CompletedAt), (*db.Instant)(&e.AnsweredAt))
	return e, err
}

// EarlierOf reads, for a user, tests that somebody with the address of a candidate finished
// before, newest first and at most 20; none where the user is blind to the candidate.
func (r *reads) EarlierOf(ctx context.Context, reader Reader, candidateID int64) ([]Earlier, error) {
	q := reader.statement()
	q.Set("id", candidateID)
	q.Add(reader.earlierFor())
	query, args := q.Numbered()
	return db.All(ctx, r, scanEarlier, query, args...)
}

// FinishedByEmail says which of up to 100 addresses belong to somebody who has finished a test
// that a user reads and is not blind to, by typus.MailboxKey. Invalid: more addresses.
func (r *reads) FinishedByEmail(ctx context.Context, reader Reader, emails []string) (map[string]bool, error) {
	if len(emails) > manyIDs {
		return nil, typus.Errorf(typus.Invalid, "at most %d addresses at once", manyIDs)
	}
	q := reader.statement()
	for i := range manyIDs {
		email := ""
		if i < len(emails) && db.Storable(emails[i]) {
			email = typus.MailboxKey(emails[i])
		}
		q.Set("id"+strconv.Itoa(i+1), email)
	}
	q.Add(`
		select distinct e.email_key from candidates e
		where e.account_id = :account and e.email_key in (` + namedIDs + `) and e.email_key <> ''
			and e.completed_at is not null and e.erased_at is null and not ` + reader.blindTo("e") + reader.within("e"))
	query, args := q.Numbered()
	found, err := db.All(ctx, r, db.ScanText, query, args...)
	finished := map[string]bool{}
	for _, email := range found {
		finished[email] = true
	}
	return finished, err
}

// HeldExternalIDs says of up to 100 external IDs which mailboxes, as typus.MailboxKey, the
// candidates have that a user reads and who go by it: the first and the last of them by
// order, the same where there is but one. Invalid: more IDs.
func (r *reads) HeldExternalIDs(ctx context.Context, reader Reader, ids []string) (map[string][2]string, error) {
	if len(ids) > manyIDs {
		return nil, typus.Errorf(typus.Invalid, "at most %d external IDs at once", manyIDs)
	}
	q := reader.statement()
	for i := range manyIDs {
		id := ""
		if i < len(ids) && db.Storable(ids[i]) {
			id = ids[i]
		}
		q.Set("id"+strconv.Itoa(i+1), id)
	}
	q.Add(`
		select e.external_id, min(e.email_key), max(e.email_key) from candidates e
		where e.account_id = :account and e.external_id in (` + namedIDs + `) and e.external_id <> '' and e.erased_at is null` + reader.within("e") + `
		group by e.external_id`)
	query, args := q.Numbered()
	held := map[string][2]string{}
	type holder struct {
		id   string
		keys [2]string
	}
	list, err := db.All(ctx, r, func(row db.Row) (holder, error) {
		var h holder
		err := row.Scan(&h.id, &h.keys[0], &h.keys[1])
		return h, err
	}, query, args...)
	for _, h := range list {
		held[h.id] = h.keys
	}
	return held, err
}
