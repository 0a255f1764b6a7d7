package db

import (
	"context"
	"slices"
)

// RowsAtOnce bounds the rows of one insert: each row by itself would be a round
// trip on PostgreSQL. There is a text for each number of rows, and all of them stay
// prepared.
const RowsAtOnce = 32

// InsertAll inserts a list; into is the statement up to its values, and row says
// what they are.
func InsertAll[T any](ctx context.Context, t *Tx, into string, list []T, row func(T) []any) error {
	return UpsertAll(ctx, t, into, "", list, row)
}

// UpsertAll is InsertAll where rows may be there already; onConflict says what
// becomes of those. No two of the list may be the same one.
func UpsertAll[T any](ctx context.Context, t *Tx, into, onConflict string, list []T, row func(T) []any) error {
	for part := range slices.Chunk(list, RowsAtOnce) {
		var args []any
		for _, v := range part {
			args = append(args, row(v)...)
		}
		if _, err := t.Exec(ctx, into+RowPlaces(len(part), len(args)/len(part))+onConflict, args...); err != nil {
			return err
		}
	}
	return nil
}
