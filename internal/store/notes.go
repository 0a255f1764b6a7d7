package store

import (
	"context"
	"strconv"

	"typus"
	"typus/internal/db"
)

const noNote = "there is no such note"

// MaxNotes is how many notes there can be about one candidate (our choice).
const MaxNotes = 200

// AddNote keeps what a user writes about a candidate. NotFound: the account has
// no such candidate. Conflict: there are MaxNotes about it.
func (t *Tx) AddNote(ctx context.Context, n typus.Note) (int64, error) {
	if _, err := t.LockCandidate(ctx, n.AccountID, n.CandidateID); err != nil {
		return 0, err
	}
	notes, err := db.One(ctx, t, db.ScanInt, noNote, `select count(*) from notes where account_id = $1 and candidate_id = $2`, n.AccountID, n.CandidateID)
	if err != nil {
		return 0, err
	}
	if notes >= MaxNotes {
		return 0, typus.Errorf(typus.Conflict, "there are at most %d notes about a candidate", MaxNotes)
	}
	return db.One(ctx, t, db.ScanInt, noNote, `
		insert into notes (account_id, candidate_id, user_id, author, body, created_at) values ($1, $2, $3, $4, $5, $6) returning id`,
		n.AccountID, n.CandidateID, n.UserID, n.Author, n.Body, db.Millis(n.CreatedAt))
}

// NotesOf lists the notes about a candidate that a user reads, newest first: at most
// MaxNotes, and only their own where they are blind to the candidate.
func (r *reads) NotesOf(ctx context.Context, reader Reader, candidateID int64) ([]typus.Note, error) {
	q := reader.statement()
	q.Set("id", candidateID)
	q.Add(reader.notesOf())
	query, args := q.Numbered()
	return db.All(ctx, r, scanNote, query, args...)
}

const noteColumns = `id, account_id, candidate_id, user_id, author, body, created_at`

// notesOf is the statement of NotesOf, about the candidate :id.
func (r Reader) notesOf() string {
	return `
		select ` + noteColumns + ` from notes
		where account_id = :account and candidate_id = :id` + r.about("candidate_id") + r.unless("candidate_id", `user_id = :user`, r.blindTo) +
		` order by id desc limit ` + strconv.Itoa(MaxNotes)
}

func scanNote(row db.Row) (typus.Note, error) {
	var n typus.Note
	err := row.Scan(&n.ID, &n.AccountID, &n.CandidateID, &n.UserID, &n.Author, &n.Body, (*db.Instant)(&n.CreatedAt))
	return n, err
}

// DropNote removes a note that this user wrote about this candidate. NotFound.
func (t *Tx) DropNote(ctx context.Context, accountID, candidateID, id, userID int64) error {
	return t.db.Must(ctx, noNote, `delete from notes where account_id = $1 and candidate_id = $2 and id = $3 and user_id = $4`,
		accountID, candidateID, id, userID)
}

// DropAnyNote removes a note about this candidate, whoever wrote it. NotFound.
func (t *Tx) DropAnyNote(ctx context.Context, accountID, candidateID, id int64) error {
	return t.db.Must(ctx, noNote, `delete from notes where account_id = $1 and candidate_id = $2 and id = $3`, accountID, candidateID, id)
}
