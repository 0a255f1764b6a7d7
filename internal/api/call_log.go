package api

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/web"
)

const (
	// flushEvery is how far the log in the database lies behind.
	flushEvery = 3 * time.Second
	// flushBudget bounds one flush, the last one too.
	flushBudget = 5 * time.Second
	// KeptRefusals is how many refused calls of an account are kept one by one.
	KeptRefusals = 10_000
	// keptMonths is how long the counts of a day are kept: a year and the month that
	// it is compared with (our choice).
	keptMonths = 13
	// Between two flushes the newest refused calls of an account are kept, and
	// of all accounts together so many: what a client that storms the server
	// costs is bounded. All are counted.
	pendingOfAccount = 200
	pendingRefusals  = 2_000
)

// CallLog remembers the calls of the API: each refused one of a known key, and
// how many the others were. It gathers in memory and writes every few seconds and
// at its end, in one small transaction; nothing of it is promised to survive a
// crash. It is safe for concurrent use; several servers add up.
type CallLog struct {
	store *store.Store
	log   *slog.Logger

	mu      sync.Mutex
	counts  map[callsOf]*typus.Calls
	refused map[int64]*ring // by account
	pending int             // in refused
}

// callsOf names a count: a key on a day, counted in days since 1970 UTC.
type callsOf struct {
	account, key int64
	day          int64
}

// ring is the newest refused calls of an account, overwriting the oldest.
type ring struct {
	list []typus.Refusal
	next int // the oldest, once the ring is full
}

// NewCallLog makes an empty log; Run writes it down. A nil log is slog.Default.
func NewCallLog(s *store.Store, log *slog.Logger) *CallLog {
	if log == nil {
		log = slog.Default()
	}
	l := &CallLog{store: s, log: log}
	l.clear()
	return l
}

func (l *CallLog) clear() {
	l.counts, l.refused, l.pending = map[callsOf]*typus.Calls{}, map[int64]*ring{}, 0
}

// Run writes down what was gathered until ctx ends, and then once more. It
// returns within 5 seconds of the end of ctx.
func (l *CallLog) Run(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.flush(ctx)
		case <-ctx.Done():
			l.flush(context.WithoutCancel(ctx))
			return
		}
	}
}

// Trim drops the refused calls of every account that are too many. It is run
// from time to time, by any server.
func (l *CallLog) Trim(ctx context.Context) error {
	_, err := l.store.TrimRefusals(ctx, KeptRefusals)
	return err
}

// Forget drops the counts of days that are older than 13 months. It is run from time
// to time, by any server.
func (l *CallLog) Forget(ctx context.Context, settled time.Time) error {
	before := settled.AddDate(0, -keptMonths, 0)
	_, err := l.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.DropCalls(ctx, before) })
	return err
}

// answered counts a call that was answered as asked.
func (l *CallLog) answered(key typus.APIKey, at time.Time) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count(key, at).Answered++
}

// refuse counts a call that was not, and remembers it.
func (l *CallLog) refuse(key typus.APIKey, at time.Time, r *http.Request, route string, status int) {
	if l == nil {
		return
	}
	word, _ := code(status)
	call := typus.Refusal{
		AccountID: key.AccountID, KeyID: key.ID, Method: r.Method[:min(len(r.Method), 16)], Route: route,
		Status: status, Code: word, RequestID: web.RequestID(r.Context()), At: at,
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count(key, at).Refused++
	l.remember(call)
}

// count is the count of a key on the day of a time. l.mu is held.
func (l *CallLog) count(key typus.APIKey, at time.Time) *typus.Calls {
	of := callsOf{account: key.AccountID, key: key.ID, day: at.Unix() / (24 * 60 * 60)}
	c := l.counts[of]
	if c == nil {
		c = &typus.Calls{AccountID: key.AccountID, KeyID: key.ID, Day: store.Day(at)}
		l.counts[of] = c
	}
	return c
}

// remember keeps a refused call unless there are too many. l.mu is held.
func (l *CallLog) remember(call typus.Refusal) {
	r := l.refused[call.AccountID]
	if r == nil {
		r = &ring{}
		l.refused[call.AccountID] = r
	}
	switch {
	case len(r.list) == pendingOfAccount:
		r.list[r.next] = call
		r.next = (r.next + 1) % pendingOfAccount
	case l.pending < pendingRefusals:
		r.list = append(r.list, call)
		l.pending++
	}
}

// flush writes down what was gathered since the last time. What cannot be
// written is kept for the next.
func (l *CallLog) flush(ctx context.Context) {
	counts, refused := l.take()
	if len(counts) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, flushBudget)
	defer cancel()
	err := l.store.InTx(ctx, func(tx *store.Tx) error { return writeCalls(ctx, tx, counts, refused) })
	if err != nil {
		l.log.WarnContext(ctx, "the log of the API's calls waits for the database", "error", err)
		l.giveBack(counts, refused)
	}
}

// writeCalls writes the counts last and in order: their rows are shared with
// other servers, and a row that is written first is held for long.
func writeCalls(ctx context.Context, tx *store.Tx, counts []typus.Calls, refused []typus.Refusal) error {
	if err := tx.AddRefusals(ctx, refused); err != nil {
		return err
	}
	return tx.AddCalls(ctx, counts)
}

// take empties the log: counts in the order of their rows, refused calls in the
// order of their times.
func (l *CallLog) take() ([]typus.Calls, []typus.Refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var counts []typus.Calls
	for _, c := range l.counts {
		counts = append(counts, *c)
	}
	var refused []typus.Refusal
	for _, r := range l.refused {
		refused = append(append(refused, r.list[r.next:]...), r.list[:r.next]...)
	}
	l.clear()
	slices.SortFunc(counts, func(a, b typus.Calls) int {
		return cmp.Or(cmp.Compare(a.AccountID, b.AccountID), cmp.Compare(a.KeyID, b.KeyID), cmp.Compare(a.Day, b.Day))
	})
	slices.SortStableFunc(refused, func(a, b typus.Refusal) int { return a.At.Compare(b.At) })
	return counts, refused
}

// giveBack puts back what could not be written, as far as there is room.
func (l *CallLog) giveBack(counts []typus.Calls, refused []typus.Refusal) {
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
