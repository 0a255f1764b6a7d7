package store

import (
	"context"
	"slices"

	"typus"
	"typus/internal/db"
)

// MaxTags is how many tags one candidate can have (our choice).
const MaxTags = 20

// TagCandidate adds a tag for a user who reads the candidate; adding it again changes
// nothing. NotFound. Conflict: it has MaxTags others, or the user is blind to the candidate:
// nobody's name stands at a tag, so that there are none of their own.
func (t *Tx) TagCandidate(ctx context.Context, reader Reader, candidateID int64, tag string) error {
	c, err := t.LockCandidateFor(ctx, reader, candidateID)
	if err != nil {
		return err
	}
	if c.Blind {
		return typus.Errorf(typus.Conflict, "the candidate is to be rated first")
	}
	tags, err := t.TagsOf(ctx, reader.AccountID, candidateID)
	if err != nil {
		return err
	}
	if len(tags) >= MaxTags && !slices.Contains(tags, tag) {
		return typus.Errorf(typus.Conflict, "a candidate has at most %d tags", MaxTags)
	}
	_, err = t.db.Exec(ctx, `insert into candidate_tags (account_id, tag, candidate_id) values ($1, $2, $3)
		on conflict (account_id, tag, candidate_id) do nothing`, reader.AccountID, tag, candidateID)
	return err
}

// UntagCandidate removes a tag if a candidate whom the user reads, and is not blind to, has
// it. A text that cannot be stored is no tag of anybody.
func (t *Tx) UntagCandidate(ctx context.Context, reader Reader, candidateID int64, tag string) error {
	if !db.Storable(tag) {
		return nil
	}
	q := reader.statement()
	q.Set("tag", tag)
	q.Set("id", candidateID)
	q.Add(`delete from candidate_tags where account_id = :account and tag = :tag and candidate_id = :id` + reader.about("candidate_id") + reader.unless("candidate_id", `0 <> 0`, reader.blindTo))
	query, args := q.Numbered()
	_, err := t.db.Exec(ctx, query, args...)
	return err
}

// TagsOf lists the tags of a candidate by name.
func (r *reads) TagsOf(ctx context.Context, accountID, candidateID int64) ([]string, error) {
	tags, err := db.All(ctx, r, db.ScanText, `
		select t.tag from candidate_tags t join candidates c on c.id = t.candidate_id
		where c.account_id = $1 and c.id = $2 and t.candidate_id = $3`, accountID, candidateID, candidateID)
	slices.Sort(tags)
	return tags, err
}

// proposesTags reports whether the reader is proposed the tags of the account. Who does not
// read all of it is not: a tag may say something of somebody whom they do not read, or of a
// result.
func (r Reader) proposesTags() bool { return r.Positions.Everything && !r.Blind.Somewhere }

// tagsOfAccount is a statement: 200 tags of the account. If there are more, it is not defined
// which of them.
const tagsOfAccount = `with recursive ` + eachTag + ` select tag from each_tag where tag is not null limit 200`
