package store

import (
	"context"
	"strconv"

	"typus"
	"typus/internal/db"
)

// MaxComments is how many versions of a comment there can be (our choice).
const MaxComments = 50

// CodeCount is the code of a Conflict: there are as many as there may be.
const CodeCount = "count"

// AddComment appends a version. The caller has locked the candidate for the user.
// Conflict: CodeCount, there are MaxComments.
func (t *Tx) AddComment(ctx context.Context, c typus.Comment) (int64, error) {
	n, err := db.One(ctx, t, db.ScanInt, "", `select count(*) from comments where candidate_id = $1`, c.CandidateID)
	if err != nil {
		return 0, err
	}
	if n >= MaxComments {
		full := typus.Errorf(typus.Conflict, "there are at most %d versions of a comment", MaxComments)
		full.Fields = []typus.Field{{Name: "comment", Code: CodeCount}}
		return 0, full
	}
	return db.One(ctx, t, db.ScanInt, "", `
		insert into comments (candidate_id, user_id, author, body, confirmed, created_at) values ($1, $2, $3, $4, $5, $6) returning id`,
		c.CandidateID, c.UserID, c.Author, c.Text, string(c.Confirmed), db.Millis(c.CreatedAt))
}

// LastComment is the newest version without who has read it, the zero Comment without one. The
// caller has locked the candidate.
func (t *Tx) LastComment(ctx context.Context, candidateID int64) (typus.Comment, error) {
	last, _, err := db.Maybe(ctx, t, scanComment, `select `+commentColumns+` from comments m where m.candidate_id = $1 order by m.id desc limit 1`, candidateID)
	return last, err
}

const commentColumns = `m.id, m.candidate_id, m.user_id, m.author, m.body, m.confirmed, m.created_at`

// commentsOf is a statement: the versions of what the candidate :id says about the result,
// newest first, and nothing where the reader is blind to the candidate.
func (r Reader) commentsOf() string {
	return `
		select ` + commentColumns + `
		from candidates c join comments m on m.candidate_id = c.id
		where c.account_id = :account and c.id = :id and not ` + r.blindTo("c") + r.within("c") + `
		order by m.id desc limit ` + strconv.Itoa(MaxComments)
}

const commentReadColumns = `found.comment, a.user_id, a.actor, a.created_at`

// commentReads is a statement: the first lines in which the audit log says of users that they
// have read a version of what the candidate :id says, or a newer one beside it, earliest first.
// Other actions have details that are no numbers. The cross joins keep SQLite from reading the
// log of a candidate who says nothing.
func (r Reader) commentReads() string {
	return `
		select ` + commentReadColumns + `
		from (
			select m.id as comment, min(a.id) as line
			from candidates c cross join comments m cross join audit_log a
			where c.account_id = :account and c.id = :id and m.candidate_id = c.id and a.candidate_id = c.id and a.user_id` + db.OffIndex + ` <> m.user_id
				and case when a.action = '` + string(typus.AuditCommentRead) + `' then cast('0' || a.detail as bigint) else 0 end >= m.id
				and not ` + r.blindTo("c") + r.within("c") + `
			group by m.id, a.user_id
		) found join audit_log a on a.id = found.line
		order by found.line, found.comment`
}

func scanComment(row db.Row) (typus.Comment, error) {
	var c typus.Comment
	err := row.Scan(&c.ID, &c.CandidateID, &c.UserID, &c.Author, &c.Text, &c.Confirmed, (*db.Instant)(&c.CreatedAt))
	return c, err
}

// commentRead is who has read which version.
type commentRead struct {
	comment int64
	typus.CommentRead
}

func scanCommentRead(row db.Row) (commentRead, error) {
	var c commentRead
	err := row.Scan(&c.comment, &c.UserID, &c.Reader, (*db.Instant)(&c.At))
	return c, err
}

// withReads gives versions who has read them.
func withReads(list []typus.Comment, reads []commentRead) {
	for i := range list {
		for _, r := range reads {
			if r.comment == list[i].ID {
				list[i].Reads = append(list[i].Reads, r.CommentRead)
			}
		}
	}
}
