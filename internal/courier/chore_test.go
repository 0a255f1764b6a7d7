package courier

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"typus/internal/store"
	"typus/internal/store/storetest"
)

// instances are couriers of several processes: each has a store of its own on
// the same database.
func instances(t *testing.T, n int, test func(t *testing.T, stores []*store.Store)) {
	t.Helper()
	open := func(t *testing.T, dsn string) []*store.Store {
		list := make([]*store.Store, n)
		for i := range list {
			list[i] = storetest.Open(t, dsn)
		}
		return list
	}
	t.Run("sqlite", func(t *testing.T) { test(t, open(t, storetest.SQLite(t))) })
	t.Run("postgres", func(t *testing.T) { test(t, open(t, storetest.Postgres(t))) })
}

func TestEachTurnOfAChoreIsTakenByOneInstance(t *testing.T) {
	instances(t, 3, func(t *testing.T, stores []*store.Store) {
		var (
			running, turns atomic.Int64
			enough         = make(chan struct{})
		)
		chore := Chore{Name: "count", Every: time.Millisecond, Run: func(context.Context) error {
			if running.Add(1) > 1 {
				t.Error("two instances run the chore at the same time")
			}
			defer running.Add(-1)
			if turns.Add(1) == 30 {
				close(enough)
			}
			return nil
		}}
		w := newWorld(t, stores[0], nil)
		for _, s := range stores {
			c := w.courier(nil, func(c *Courier) { c.store, c.chores = s, []Chore{chore}; c.pace.poll = time.Millisecond })
			t.Cleanup(start(c))
		}
		<-enough
	})
}

func TestAPanicEndsNeitherTheChoreNorTheCourier(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		var turns atomic.Int64
		again := make(chan struct{})
		c := w.courier(nil, func(c *Courier) {
			c.chores = []Chore{{Name: "stumble", Every: time.Millisecond, Run: func(context.Context) error {
				switch turns.Add(1) {
				case 1:
					panic("broken")
				case 2:
					return errors.New("no paper")
				case 3:
					close(again)
				}
				return nil
			}}}
		})
		stop := start(c)
		<-again
		stop()
		for _, part := range []string{"stumble", "panic: broken", "no paper"} {
			if !strings.Contains(w.logs.String(), part) {
				t.Errorf("the log lacks %q:\n%s", part, w.logs)
			}
		}
	})
}

func TestAStoppedInstanceGivesItsTurnBack(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		var once sync.Once
		began, again := make(chan struct{}), make(chan struct{})
		chore := Chore{Name: "long", Every: time.Hour, Run: func(ctx context.Context) error {
			first := false
			once.Do(func() { first = true })
			if !first {
				close(again)
				return nil
			}
			close(began)
			<-ctx.Done()
			return ctx.Err()
		}}
		with := func(c *Courier) { c.chores = []Chore{chore} }
		stop := start(w.courier(nil, with))
		<-began
		stop()
		stop = start(w.courier(nil, with))
		<-again
		stop()
	})
}

// The lease of an instance that was held up for long is gone; what it still runs
// is cut when it wakes.
func TestARunWhoseTurnIsLostIsCut(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		c := w.courier(nil, nil)
		if mine, err := c.store.KeepChore(t.Context(), "nobody's", c.owner, choreLease); mine || err != nil {
			t.Errorf("kept a turn that this instance does not have: %t, %v", mine, err)
		}
	})
}
