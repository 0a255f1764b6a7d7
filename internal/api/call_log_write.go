package api

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"typus"
	"typus/internal/store"
)

// marked begins the names of marks, one for each run of a server.
const marked = "calls "

// batch is what is written at once. It has a mark of its own, so that writing it a
// second time changes nothing.
type batch struct {
	mark    []byte // its newest day, and its number
	counts  []typus.Calls
	refused []typus.RefusedCall
}

// flush writes down what was gathered since the last time. What cannot be
// written is kept for the next.
func (l *CallLog) flush(ctx context.Context) {
	l.flushing.Lock()
	defer l.flushing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, flushBudget)
	defer cancel()
	if l.doubtful != nil && !l.write(ctx, l.doubtful) {
		return
	}
	if b := l.batch(); b != nil {
		l.write(ctx, b)
	}
}

// batch makes a batch of all that was gathered, or nil if there is nothing.
func (l *CallLog) batch() *batch {
	counts, refused := l.take()
	if len(counts) == 0 {
		return nil
	}
	l.batches++
	newest := slices.MaxFunc(counts, func(a, b typus.Calls) int { return cmp.Compare(a.Day, b.Day) }).Day
	return &batch{mark: fmt.Appendf(nil, "%s %d", newest, l.batches), counts: counts, refused: refused}
}

// write reports whether a batch is stored. If the outcome is unknown, the batch is kept
// as it is and written again under its mark. If its counts went back among the others,
// they could be counted twice.
func (l *CallLog) write(ctx context.Context, b *batch) bool {
	err := l.store.InTx(ctx, func(tx *store.Tx) error { return b.write(ctx, tx, l.name) })
	switch {
	case err == nil:
		l.doubtful = nil
		return true
	case b == l.doubtful, typus.Is(err, typus.OutcomeUnknown):
		l.doubtful = b
	default:
		l.giveBack(b.counts, b.refused)
	}
	if !store.DiskFull(err) { // the server says that once
		l.log.WarnContext(ctx, "the log of the API's calls waits for the database", "error", err)
	}
	return false
}

// write writes the counts last and in the order of their rows. Other servers write the
// same rows, and a row that is written early stays locked for longer.
func (b *batch) write(ctx context.Context, tx *store.Tx, name string) error {
	fresh, err := tx.MarkOnce(ctx, name, b.mark)
	if err != nil || !fresh {
		return err
	}
	if err := tx.AddRefusedCalls(ctx, b.refused); err != nil {
		return err
	}
	return tx.AddCalls(ctx, b.counts)
}

// forgetMarks deletes the marks of servers that have written nothing since the day
// before yesterday. They have ended; a server that has not makes a new mark.
func (l *CallLog) forgetMarks(ctx context.Context, settled time.Time) error {
	return l.store.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.DropMarks(ctx, marked, []byte(store.Day(settled.AddDate(0, 0, -1))))
		return err
	})
}

// take empties the log: counts in the order of their rows, refused calls in the
// order of their times.
func (l *CallLog) take() ([]typus.Calls, []typus.RefusedCall) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var counts []typus.Calls
	for _, c := range l.counts {
		counts = append(counts, *c)
	}
	var refused []typus.RefusedCall
	for _, r := range l.refused {
		refused = append(append(refused, r.list[r.next:]...), r.list[:r.next]...)
	}
	l.clear()
	slices.SortFunc(counts, func(a, b typus.Calls) int {
		return cmp.Or(cmp.Compare(a.AccountID, b.AccountID), cmp.Compare(a.KeyID, b.KeyID), cmp.Compare(a.Day, b.Day))
	})
	slices.SortStableFunc(refused, func(a, b typus.RefusedCall) int { return a.At.Compare(b.At) })
	return counts, refused
}

// giveBack puts back what could not be written, as far as there is room.
func (l *CallLog) giveBack(counts []typus.Calls, refused []typus.RefusedCall) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range counts {
		day, err := time.Parse(time.DateOnly, c.Day)
		if err != nil {
			continue // we wrote it
		}
		sum := l.count(typus.APIKey{ID: c.KeyID, AccountID: c.AccountID}, day)
		sum.Answered += c.Answered
		sum.Refused += c.Refused
	}
	since := l.refused
	l.refused, l.pending = map[int64]*ring{}, 0
	for _, r := range refused {
		l.remember(r)
	}
	for _, r := range since {
		for _, call := range append(slices.Clone(r.list[r.next:]), r.list[:r.next]...) {
			l.remember(call)
		}
	}
}
