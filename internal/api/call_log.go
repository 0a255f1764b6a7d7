package api

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/web"
)

const (
	// flushEvery is how far the log in the database may lag behind.
	flushEvery = 3 * time.Second
	// flushBudget bounds one flush, the last one too.
	flushBudget = 5 * time.Second
	// KeptRefusedCalls is how many refused calls of an account are kept one by one.
	KeptRefusedCalls = 10_000
	// keptMonths is how long the counts of a day are kept: a year, and one month more
	// to compare with (our choice).
	keptMonths = 13
	// How many refused calls are kept between two flushes, the newest ones: of one
	// account, and of all accounts together. This bounds what a client that storms the
	// server costs. All calls are counted.
	pendingOfAccount    = 200
	pendingRefusedCalls = 2_000
)

// CallLog remembers the calls of the API: each refused call of a known key, and how
// many other calls there were. It gathers them in memory and writes every few seconds,
// and once more at its end, in one small transaction. What was not yet written is lost
// in a crash. It is safe for concurrent use. The counts of several servers add up.
type CallLog struct {
	store *store.Store
	log   *slog.Logger

	mu      sync.Mutex
	counts  map[callsOf]*typus.Calls
	refused map[int64]*ring // by account
	pending int             // in refused

	flushing sync.Mutex
	name     string // of the mark that says which batch was stored last
	batches  uint64
	doubtful *batch // nobody knows whether it is stored
}

// callsOf names a count: a key on a day, counted in days since 1970 UTC.
type callsOf struct {
	account, key int64
	day          int64
}

// ring is the newest refused calls of an account, overwriting the oldest.
type ring struct {
	list []typus.RefusedCall
	next int // the oldest, once the ring is full
}

// NewCallLog makes an empty log; Run writes it down. A nil log is slog.Default.
func NewCallLog(s *store.Store, log *slog.Logger) *CallLog {
	if log == nil {
		log = slog.Default()
	}
	l := &CallLog{store: s, log: log, name: marked + rand.Text()}
	l.clear()
	return l
}

func (l *CallLog) clear() {
	l.counts, l.refused, l.pending = map[callsOf]*typus.Calls{}, map[int64]*ring{}, 0
}

// Run writes down what was gathered until ctx ends, and then once more. It
// returns within 15 seconds of the end of ctx, mostly at once.
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

// Trim deletes the refused calls of an account beyond KeptRefusedCalls, the oldest first,
// for every account. Any server runs it from time to time.
func (l *CallLog) Trim(ctx context.Context) error {
	_, err := l.store.TrimRefusedCalls(ctx, KeptRefusedCalls)
	return err
}

// Forget deletes the counts of days that are older than 13 months, and the marks of
// servers that have ended. Any server runs it from time to time.
func (l *CallLog) Forget(ctx context.Context, settled time.Time) error {
	before := settled.AddDate(0, -keptMonths, 0)
	_, err := l.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.DropCalls(ctx, before) })
	if err != nil {
		return err
	}
	return l.forgetMarks(ctx, settled)
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

// refuse counts a call that was refused, and remembers it.
func (l *CallLog) refuse(key typus.APIKey, at time.Time, r *http.Request, route string, err error) {
	if l == nil {
		return
	}
	word, _ := code(err)
	call := typus.RefusedCall{
		AccountID: key.AccountID, KeyID: key.ID, Method: r.Method[:min(len(r.Method), 16)], Route: route,
		Status: web.Status(err), Code: word, RequestID: web.RequestID(r.Context()), At: at,
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
func (l *CallLog) remember(call typus.RefusedCall) {
	r := l.refused[call.AccountID]
	if r == nil {
		r = &ring{}
		l.refused[call.AccountID] = r
	}
	switch {
	case len(r.list) == pendingOfAccount:
		r.list[r.next] = call
		r.next = (r.next + 1) % pendingOfAccount
	case l.pending < pendingRefusedCalls:
		r.list = append(r.list, call)
		l.pending++
	}
}
