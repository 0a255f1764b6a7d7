package store

import (
	"context"
	"strconv"
	"time"

	"typus"
	"typus/internal/db"
)

// MaxRequests is how many requests there can be of one candidate (our choice).
const MaxRequests = 50

const (
	requestColumns = `q.id, q.account_id, q.candidate_id, q.kind, q.body, q.created_at, q.answer, q.answered_at, q.answered_by`
	noRequest      = "there is no such request"
)

func scanRequest(row db.Row) (typus.Request, error) {
	var q typus.Request
	err := row.Scan(&q.ID, &q.AccountID, &q.CandidateID, &q.Kind, &q.Text, (*db.Instant)(&q.CreatedAt), &q.Answer, (*db.Instant)(&q.AnsweredAt), &q.AnsweredBy)
	return q, err
}

// requestsOf is a statement: what the candidate :id has asked for, newest first.
var requestsOf = `select ` + requestColumns + ` from requests q where q.candidate_id = :id order by q.id desc limit ` + strconv.Itoa(MaxRequests)

// requestsFor is requestsOf for a reader: nothing where they are kept from the reader.
func (r Reader) requestsFor() string {
	return `
		select ` + requestColumns + `
		from candidates c join requests q on q.candidate_id = c.id
		where c.account_id = :account and c.id = :id and not ` + r.deafTo("c") + r.within("c") + `
		order by q.id desc limit ` + strconv.Itoa(MaxRequests)
}

// Codes of a request that is not added.
const (
	CodeAskedAlready = "asked_already" // word for word the same is open
	CodeOnce         = "once"          // it can be asked for one time only, and was
)

// AddRequest adds an open request. The caller has locked the candidate. Conflict: one of its
// kind is open (CodeAskedAlready where it says the same, else CodeBusy), it was asked for
// before and can be only once (CodeOnce), or there are MaxRequests (CodeCount).
func (t *Tx) AddRequest(ctx context.Context, q typus.Request) (int64, error) {
	before, err := db.All(ctx, t, scanRequest, `select `+requestColumns+` from requests q where q.candidate_id = $1`, q.CandidateID)
	if err == nil {
		err = refusedRequest(q, before)
	}
	if err != nil {
		return 0, err
	}
	return db.One(ctx, t, db.ScanInt, "", `
		insert into requests (account_id, candidate_id, kind, body, created_at) values ($1, $2, $3, $4, $5) returning id`,
		q.AccountID, q.CandidateID, string(q.Kind), q.Text, db.Millis(q.CreatedAt))
}

// refusedRequest says why a request is not added to those before, nil if it is.
func refusedRequest(q typus.Request, before []typus.Request) error {
	for _, b := range before {
		switch {
		case b.Kind != q.Kind:
		case b.Open() && b.Text == q.Text:
			return requestRefused(CodeAskedAlready, "the same request is open")
		case b.Open():
			return requestRefused(typus.CodeBusy, "a request of this kind is open")
		case q.Kind.Once():
			return requestRefused(CodeOnce, "this can be asked for once")
		}
	}
	if len(before) >= MaxRequests {
		return requestRefused(CodeCount, "there are at most "+strconv.Itoa(MaxRequests)+" requests")
	}
	return nil
}

func requestRefused(code, msg string) error {
	err := typus.Errorf(typus.Conflict, "%s", msg)
	err.Fields = []typus.Field{{Name: "request", Code: code}}
	return err
}

// AnswerRequest answers a request of a candidate. The caller has locked the candidate; false:
// it was answered before. NotFound.
func (t *Tx) AnswerRequest(ctx context.Context, q typus.Request) (bool, error) {
	n, err := t.db.Exec(ctx, `
		update requests set answer = $1, answered_at = $2, answered_by = $3
		where id = $4 and candidate_id = $5 and answered_at is null`, q.Answer, db.Millis(q.AnsweredAt), q.AnsweredBy, q.ID, q.CandidateID)
	if err != nil || n == 1 {
		return n == 1, err
	}
	_, err = db.One(ctx, t, db.ScanInt, noRequest, `select id from requests where id = $1 and candidate_id = $2`, q.ID, q.CandidateID)
	return false, err
}

// AnswerReleased answers the open request of a candidate for the result, which they can see
// from now on; false: there is none. The caller has locked the candidate.
func (t *Tx) AnswerReleased(ctx context.Context, candidateID int64, at time.Time, by string) (bool, error) {
	n, err := t.db.Exec(ctx, `
		update requests set answered_at = $1, answered_by = $2
		where candidate_id = $3 and kind = '`+string(typus.RequestResult)+`' and answered_at is null`, db.Millis(at), by, candidateID)
	return n > 0, err
}

// OpenRequest is a request that waits for an answer, and whose it is.
type OpenRequest struct {
	typus.Request
	Name string // the candidate's
}

// OpenRequests lists the requests that wait for an answer of those candidates whom a user
// reads and is not blind to, owners of all, the earliest first and at most limit.
func (r *reads) OpenRequests(ctx context.Context, reader Reader, limit int) ([]OpenRequest, error) {
	q := reader.statement()
	q.Set("limit", limit)
	q.Add(reader.openRequests())
	query, args := q.Numbered()
	return db.All(ctx, r, scanOpenRequest, query, args...)
}

// openRequestColumns are those of openRequests, for whoever reads it with other lists.
const openRequestColumns = requestColumns + `, c.name`

// openRequests is a statement: OpenRequests, at most :limit.
func (r Reader) openRequests() string {
	return `
		select ` + openRequestColumns + `
		from requests q join candidates c on c.id = q.candidate_id
		where q.account_id = :account and q.answered_at is null and not ` + r.deafTo("c") + r.within("c") + `
		order by q.created_at, q.id limit :limit`
}

func scanOpenRequest(row db.Row) (OpenRequest, error) {
	var (
		o   OpenRequest
		err error
	)
	o.Request, err = scanRequest(withMore{row, []any{&o.Name}})
	return o, err
}
