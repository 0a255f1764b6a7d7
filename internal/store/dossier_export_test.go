package store

import (
	"context"
	"slices"

	"typus"
	"typus/internal/db"
)

// What the program reads of a candidate with one statement (DossierOf) tests read by parts.

// AuditFor is AuditOf for a user.
func (r *reads) AuditFor(ctx context.Context, reader Reader, candidateID int64) ([]typus.AuditEntry, error) {
	q := reader.statement()
	q.Set("id", candidateID)
	q.Add(reader.auditFor())
	query, args := q.Numbered()
	list, err := db.All(ctx, r, scanAudit, query, args...)
	slices.Reverse(list)
	return list, err
}

// LettersFor is LettersOf for a user.
func (r *reads) LettersFor(ctx context.Context, reader Reader, candidateID int64) ([]typus.Letter, error) {
	q := reader.statement()
	q.Set("id", candidateID)
	q.Add(reader.lettersFor())
	query, args := q.Numbered()
	list, err := db.All(ctx, r, scanLetter, query, args...)
	slices.Reverse(list)
	return list, err
}

// DeliveriesAbout lists for a user where the event of a type about a candidate was sent,
// by endpoint; nothing when there is no such event, or the user is blind to the candidate: it
// says when the test was completed.
func (r *reads) DeliveriesAbout(ctx context.Context, reader Reader, candidateID int64, eventType string) ([]DeliveryTo, error) {
	q := reader.statement()
	q.Set("type", eventType)
	q.Set("id", candidateID)
	q.Add(reader.deliveriesAbout())
	query, args := q.Numbered()
	return db.All(ctx, r, scanDeliveryTo, query, args...)
}

// DecisionsOf lists what was decided about a candidate, newest first: nothing where the
// reader is blind to the candidate, and would be led by it.
func (r *reads) DecisionsOf(ctx context.Context, reader Reader, candidateID int64) ([]typus.Decision, error) {
	q := reader.statement()
	q.Set("id", candidateID)
	q.Add(reader.decisionsOf())
	query, args := q.Numbered()
	return db.All(ctx, r, scanDecision, query, args...)
}

// CommentsOf lists the versions of what a candidate says about the result, newest first, with
// who has read them: nothing where the reader is blind to the candidate.
func (r *reads) CommentsOf(ctx context.Context, reader Reader, candidateID int64) ([]typus.Comment, error) {
	q := reader.statement()
	q.Set("id", candidateID)
	q.Add(reader.commentsOf())
	query, args := q.Numbered()
	list, err := db.All(ctx, r, scanComment, query, args...)
	if err != nil {
		return nil, err
	}
	q = reader.statement()
	q.Set("id", candidateID)
	q.Add(reader.commentReads())
	query, args = q.Numbered()
	read, err := db.All(ctx, r, scanCommentRead, query, args...)
	withReads(list, read)
	return list, err
}

// Tags lists the tags of an account by name for a user who reads all of it, at most 200.
// If there are more, it is not defined which of them are listed. Others are proposed
// none: a tag may say something of somebody whom they do not read, or of a result.
func (r *reads) Tags(ctx context.Context, reader Reader) ([]string, error) {
	if !reader.proposesTags() {
		return nil, nil
	}
	q := reader.statement()
	q.Add(tagsOfAccount)
	query, args := q.Numbered()
	tags, err := db.All(ctx, r, db.ScanText, query, args...)
	slices.Sort(tags)
	return tags, err
}
