package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// AddNote keeps what a user writes about a candidate. Conflict: there are
// store.MaxNotes, or the form was sent before; NotFound.
func (s *Steps) AddNote(ctx context.Context, n typus.Note, by typus.Actor) error {
	n.UserID, n.Author, n.CreatedAt = by.UserID, by.Name, s.now()
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		return s.clerk.Once(ctx, tx, n.AccountID, by, func() (int64, error) { return tx.AddNote(ctx, n) })
	})
}
