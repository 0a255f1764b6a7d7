package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// SetScoreSorting notes that an account accepted the notice about sorting by
// score, and who did; the zero time switches it off. NotFound.
func (t *Tx) SetScoreSorting(ctx context.Context, accountID int64, at time.Time, by string) error {
	return t.db.Must(ctx, noAccount, `update accounts set score_sorting_at = $1, score_sorting_by = $2 where `+itsWorldToo(`$3`),
		db.MillisOrNull(at), by, accountID)
}
