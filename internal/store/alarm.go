package store

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// alarm tells those who bring letters and deliveries that something is due. A Tx
// remembers that it made something due, so that no step need think of it.
type alarm struct {
	mu    sync.Mutex
	wakes map[*func()]func()
}

// OnDue has wake called after every commit of this process that made a letter or a
// delivery due, until the function that it returns is called. wake must not block. Of the
// commits of other processes Listen hears.
func (s *Store) OnDue(wake func()) func() {
	a, key := s.alarm, &wake
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wakes == nil {
		a.wakes = map[*func()]func(){}
	}
	a.wakes[key] = wake
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.wakes, key)
	}
}

func (a *alarm) ring() {
	a.mu.Lock()
	wakes := slices.Collect(maps.Values(a.wakes))
	a.mu.Unlock()
	for _, wake := range wakes {
		wake()
	}
}

// makesDue remembers that something can be brought after the commit, or is to be held.
func (t *Tx) makesDue() { t.due = true }

// dueNow runs a statement that makes due whatever rows it changes, and returns how many.
func (t *Tx) dueNow(ctx context.Context, query string, args ...any) (int, error) {
	n, err := t.db.Exec(ctx, query, args...)
	if n > 0 {
		t.makesDue()
	}
	return n, err
}
