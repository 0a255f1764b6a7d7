package db_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"typus"
	"typus/internal/db"
	"typus/internal/db/dbtest"
)

// group is an SQLite store in a bubble whose writer is held, so that what is
// called meanwhile waits in the queue and ends up in one group.
type group struct {
	t       *testing.T
	s       *db.DB
	calls   sync.WaitGroup
	release chan struct{}
	answers map[string]error
	mu      sync.Mutex
}

// inGroup runs test in a bubble while the writer is held by a first closure.
func inGroup(t *testing.T, test func(g *group)) {
	path := template.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		s, err := db.Open(t.Context(), path, schema)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		g := &group{t: t, s: s, release: make(chan struct{}), answers: map[string]error{}}
		held := make(chan struct{})
		g.call(t.Context(), "holder", func(*db.Tx) error {
			close(held)
			<-g.release
			return nil
		})
		<-held
		test(g)
	})
}

// call starts a closure that adds an account of the given name and runs then.
func (g *group) call(ctx context.Context, name string, then func(tx *db.Tx) error) {
	g.calls.Go(func() {
		err := g.s.InTx(ctx, func(tx *db.Tx) error {
			if err := addNamed(ctx, tx, name); err != nil || then == nil {
				return err
			}
			return then(tx)
		})
		g.mu.Lock()
		defer g.mu.Unlock()
		g.answers[name] = err
	})
}

// run lets the writer go and waits for all answers.
func (g *group) run() {
	synctest.Wait() // until all calls are in the queue
	close(g.release)
	g.calls.Wait()
}

// stored compares the stored names with want, in any order.
func (g *group) stored(want ...string) {
	g.t.Helper()
	got := strings.Fields(names(g.t, g.s))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		g.t.Errorf("stored %q, want %q", got, want)
	}
}

// acknowledged checks that exactly what was acknowledged is stored.
func (g *group) acknowledged() {
	g.t.Helper()
	var want []string
	for name, err := range g.answers {
		if err == nil {
			want = append(want, name)
		}
	}
	g.stored(want...)
}

func TestAllThatWaitAreAnsweredByOneCommit(t *testing.T) {
	inGroup(t, func(g *group) {
		commits := db.CountCommits(g.s)
		for i := range 50 {
			g.call(g.t.Context(), fmt.Sprint("a", i), nil)
		}
		g.run()
		g.acknowledged()
		if n := len(g.answers); n != 51 || commits.Load() != 1 {
			t.Errorf("%d answers by %d commits, want 51 by 1", n, commits.Load())
		}
	})
}

func TestAGroupHasAnEnd(t *testing.T) {
	inGroup(t, func(g *group) {
		commits := db.CountCommits(g.s)
		for i := range 2*db.GroupSize - 1 {
			g.call(g.t.Context(), fmt.Sprint("a", i), nil)
		}
		g.run()
		g.acknowledged()
		if commits.Load() != 2 {
			t.Errorf("%d commits for %d closures, want 2", commits.Load(), 2*db.GroupSize)
		}
	})
}

func TestInAGroupAFailingClosureRollsBackAlone(t *testing.T) {
	inGroup(t, func(g *group) {
		commits := db.CountCommits(g.s)
		refused := errors.New("refused")
		for i := range 5 {
			g.call(g.t.Context(), fmt.Sprint("good", i), nil)
			g.call(g.t.Context(), fmt.Sprint("refused", i), func(*db.Tx) error { return refused })
			g.call(g.t.Context(), fmt.Sprint("panics", i), func(*db.Tx) error { panic("on purpose") })
			g.call(g.t.Context(), fmt.Sprint("breaks", i), func(tx *db.Tx) error { return exec(g.t.Context(), tx, "insert into nothing values (1)") })
		}
		g.run()
		g.stored("holder", "good0", "good1", "good2", "good3", "good4")
		for i := range 5 {
			if err := g.answers[fmt.Sprint("refused", i)]; !errors.Is(err, refused) {
				t.Errorf("refused: %v", err)
			}
			hasKind(g.t, "a panic", g.answers[fmt.Sprint("panics", i)], typus.Internal)
			hasKind(g.t, "a wrong statement", g.answers[fmt.Sprint("breaks", i)], typus.Internal)
		}
		if commits.Load() != 1 {
			t.Errorf("%d commits, want 1", commits.Load())
		}
	})
}

func TestACallerWhoGivesUpInTheQueueIsNotRun(t *testing.T) {
	inGroup(t, func(g *group) {
		ctx, cancel := context.WithCancel(g.t.Context())
		g.call(ctx, "gone", func(*db.Tx) error {
			t.Error("the closure ran")
			return nil
		})
		g.call(g.t.Context(), "there", nil)
		synctest.Wait()
		cancel()
		g.run()
		g.stored("holder", "there")
		hasKind(g.t, "who gave up", g.answers["gone"], typus.Unavailable)
	})
}

func TestACallerWhoGivesUpAfterItsTurnHearsOfTheCommit(t *testing.T) {
	inGroup(t, func(g *group) {
		ctx, cancel := context.WithCancel(g.t.Context())
		g.call(ctx, "early", func(*db.Tx) error { return nil })
		synctest.Wait()
		g.call(g.t.Context(), "late", func(*db.Tx) error {
			cancel() // the group is not committed yet
			return nil
		})
		g.run()
		g.acknowledged()
		if err := g.answers["early"]; err != nil {
			t.Errorf("early: %v", err)
		}
	})
}

// When SQLite ends the transaction by itself, the savepoints are gone: what the
// group has written is lost, and what came later would commit alone.
func TestADeadGroupIsUnavailableToAll(t *testing.T) {
	inGroup(t, func(g *group) {
		g.call(g.t.Context(), "kills", func(tx *db.Tx) error { return exec(g.t.Context(), tx, "rollback") })
		for i := range 5 {
			g.call(g.t.Context(), fmt.Sprint("a", i), nil)
		}
		g.run()
		g.stored()
		for name, err := range g.answers {
			hasKind(g.t, name, err, typus.Unavailable)
		}
		write(g.t, g.s, func(tx *db.Tx) error { return addNamed(g.t.Context(), tx, "next") })
		g.stored("next")
	})
}

func TestAFullDatabaseRefusesCleanlyAndHeals(t *testing.T) {
	inGroup(t, func(g *group) {
		g.call(g.t.Context(), "limits", func(tx *db.Tx) error { return exec(g.t.Context(), tx, "pragma max_page_count = 1") })
		synctest.Wait()
		for i := range 5 {
			g.call(g.t.Context(), fmt.Sprint("small", i), nil)
			g.call(g.t.Context(), fmt.Sprint("big", i), func(tx *db.Tx) error {
				return setMark(g.t.Context(), tx, fmt.Sprint(i), 1<<20)
			})
		}
		g.run()
		g.acknowledged()
		hasKind(g.t, "a big write", g.answers["big0"], typus.Unavailable)
		write(g.t, g.s, func(tx *db.Tx) error { return exec(g.t.Context(), tx, "pragma max_page_count = 1000000") })
		write(g.t, g.s, func(tx *db.Tx) error { return setMark(g.t.Context(), tx, "healed", 1<<20) })
	})
}

func TestAnotherProcessHoldingTheFileTooLongIsUnavailable(t *testing.T) {
	path := template.SQLite(t)
	stores := []*db.DB{open(t, path), open(t, path)}
	const patience = 300 * time.Millisecond // instead of five seconds
	write(t, stores[1], func(tx *db.Tx) error { return exec(t.Context(), tx, "pragma busy_timeout = 300") })
	held, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- stores[0].InTx(t.Context(), func(*db.Tx) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	start := time.Now()
	dbtest.AtOnce(20, func(int) {
		err := stores[1].InTx(t.Context(), func(tx *db.Tx) error { return addNamed(t.Context(), tx, "a") })
		hasKind(t, "a locked file", err, typus.Unavailable)
	})
	if waited := time.Since(start); waited < patience {
		t.Errorf("all were answered after %s, and nobody waited for the other process", waited)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	write(t, stores[1], func(tx *db.Tx) error { return addNamed(t.Context(), tx, "a") })
}

func TestTwoProcessesWriteTheSameFile(t *testing.T) {
	path := template.SQLite(t)
	stores := []*db.DB{open(t, path), open(t, path)}
	account := newAccount(t, stores[0])
	dbtest.AtOnce(16, func(i int) {
		for range 10 {
			err := stores[i%2].InTx(t.Context(), func(tx *db.Tx) error {
				return credit(t.Context(), tx, account)
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	for i, s := range stores {
		if got := credits(t, s, account); got != 160 {
			t.Errorf("store %d reads %d credits, want 160", i, got)
		}
	}
}

// t.Fatal inside a closure ends its goroutine, which is the writer.
func TestAClosureThatEndsItsGoroutineDoesNotHangItsCaller(t *testing.T) {
	s := openSQLite(t)
	err := s.InTx(t.Context(), func(tx *db.Tx) error {
		runtime.Goexit()
		return nil
	})
	hasKind(t, "a closure that never returned", err, typus.Unavailable)
}
