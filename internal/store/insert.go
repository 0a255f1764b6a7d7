package store

import (
	"context"
	"slices"
)

// rowsAtOnce bounds the rows of one insert: each row by itself would be a round
// trip on PostgreSQL. There is a text for each number of rows, and all of them stay
// prepared.
const rowsAtOnce = 32

// insertAll inserts a list; into is the statement up to its values, and row says
// what they are.
func insertAll[T any](ctx context.Context, t *dbTx, into string, list []T, row func(T) []any) error {
	return upsertAll(ctx, t, into, "", list, row)
}

// upsertAll is insertAll where rows may be there already; onConflict says what
// becomes of those. No two of the list may be the same one.
func upsertAll[T any](ctx context.Context, t *dbTx, into, onConflict string, list []T, row func(T) []any) error {
	for part := range slices.Chunk(list, rowsAtOnce) {
		var args []any
		for _, v := range part {
			args = append(args, row(v)...)
		}
		if _, err := t.Exec(ctx, into+rowPlaces(len(part), len(args)/len(part))+onConflict, args...); err != nil {
			return err
		}
	}
	return nil
}
