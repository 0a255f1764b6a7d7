package store

import (
	"context"

	"typus"
	"typus/internal/db"
)

// SameAddress lists the other candidates of the same account and address that a user reads,
// newest first; none of a candidate without an address. Whether they are the same person, an
// address does not say.
func (r *reads) SameAddress(ctx context.Context, reader Reader, c typus.Candidate) ([]typus.Candidate, error) {
	if c.Email == "" {
		return nil, nil
	}
	q := reader.statement()
	q.Set("id", c.ID)
	q.Set("address", typus.MailboxKey(c.Email))
	q.Add(`select ` + candidateColumns + reader.blindColumn("candidates") + `
		from candidates where account_id = :account and email_key = :address and email_key <> '' and id <> :id and erased_at is null` +
		reader.within("candidates") + ` order by id` + db.OffIndex + ` desc`)
	query, args := q.Numbered()
	return db.All(ctx, r, scanCandidateFor, query, args...)
}
