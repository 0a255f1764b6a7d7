package db_test

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/db"
	"typus/internal/db/dbtest"
	"typus/internal/waittest"
)

func TestADeadlockEndsWithBothClosuresDone(t *testing.T) {
	s := open(t, template.Postgres(t))
	accounts := [2]int64{newAccount(t, s), newAccount(t, s)}
	var locked sync.WaitGroup
	locked.Add(2)
	var runs atomic.Int64
	dbtest.AtOnce(2, func(i int) {
		first := true
		err := s.InTx(t.Context(), func(tx *db.Tx) error {
			runs.Add(1)
			if _, err := db.One(t.Context(), tx, db.ScanInt, "", `select id from accounts where id = $1`+tx.LockRows(), accounts[i]); err != nil {
				return err
			}
			if first {
				first = false
				locked.Done()
				locked.Wait()
			}
			return credit(t.Context(), tx, accounts[1-i])
		})
		if err != nil {
			t.Error(err)
		}
	})
	for _, id := range accounts {
		if got := credits(t, s, id); got != 1 {
			t.Errorf("account %d has %d credits, want 1", id, got)
		}
	}
	if runs.Load() < 3 {
		t.Errorf("%d runs: there was no deadlock", runs.Load())
	}
}

func TestAConnectionLostBeforeTheCommitIsTriedAgain(t *testing.T) {
	s := open(t, template.Postgres(t))
	runs := 0
	write(t, s, func(tx *db.Tx) error {
		runs++
		if err := addNamed(t.Context(), tx, "once"); err != nil || runs > 2 {
			return err
		}
		return exec(t.Context(), tx, "select pg_terminate_backend(pg_backend_pid())")
	})
	if got := names(t, s); got != "once" || runs != 3 {
		t.Errorf("stored %q after %d runs", got, runs)
	}
}

func TestALostConnectionIsNotTriedForEver(t *testing.T) {
	s := open(t, template.Postgres(t))
	runs := 0
	err := s.InTx(t.Context(), func(tx *db.Tx) error {
		runs++
		return exec(t.Context(), tx, "select pg_terminate_backend(pg_backend_pid())")
	})
	hasKind(t, "a connection that is always lost", err, typus.Unavailable)
	if runs != 5 {
		t.Errorf("%d runs, want 5", runs)
	}
}

func TestAStandbyIsUnavailableAndItsConnectionsAreDropped(t *testing.T) {
	s := open(t, template.Postgres(t))
	err := s.InTx(t.Context(), func(tx *db.Tx) error {
		if err := exec(t.Context(), tx, "set session characteristics as transaction read only; set transaction read only"); err != nil {
			return err
		}
		return addNamed(t.Context(), tx, "refused")
	})
	hasKind(t, "a write on a standby", err, typus.Unavailable)
	write(t, s, func(tx *db.Tx) error { return addNamed(t.Context(), tx, "next") })
	if got := names(t, s); got != "next" {
		t.Errorf("stored %q", got)
	}
}

// What listens to other servers leads to the standby, too, and nothing is told there.
func TestAServerListensAnewWhenItLeavesAStandby(t *testing.T) {
	s := open(t, template.Postgres(t))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	heard := make(chan struct{}, 10)
	go s.Listen(ctx, func() { heard <- struct{}{} })
	for _, listens := range []string{"first", "anew"} {
		select {
		case <-heard:
		case <-time.After(30 * time.Second):
			t.Fatalf("it does not listen: %s", listens)
		}
		err := s.InTx(t.Context(), func(tx *db.Tx) error {
			return exec(t.Context(), tx, "set transaction read only; insert into accounts (name) values ('refused')")
		})
		hasKind(t, "a write on a standby", err, typus.Unavailable)
	}
}

// The schemas of a database are installations of their own. Which connection a server has is
// said, so that what a dead machine has left can be found.
func TestAServerIsSeenFromItsOwnSchema(t *testing.T) {
	dsn := template.Postgres(t)
	s := open(t, dsn)
	write(t, s, func(tx *db.Tx) error { return exec(t.Context(), tx, "create schema other") })
	other := open(t, dsn+"?search_path=other")
	for at, server := range []*db.DB{s, other} {
		if err := errors.Join(s.Alone(t.Context()), other.Alone(t.Context())); err != nil {
			t.Fatalf("nobody serves: %v", err)
		}
		ctx, stop := context.WithCancel(t.Context())
		heard, ended := make(chan struct{}, 10), make(chan struct{})
		go func() {
			server.Listen(ctx, func() { heard <- struct{}{} })
			close(ended)
		}()
		<-heard
		pid := must[string](t)(db.One(t.Context(), s, db.ScanText, "nobody listens",
			`select cast(pid as text) from pg_stat_activity where datname = current_database() and query like '%listen typus%' and pid <> pg_backend_pid() order by backend_start desc limit 1`))
		err := server.Alone(t.Context())
		hasKind(t, "with a server", err, typus.Conflict)
		if text := err.Error(); !strings.Contains(text, "process "+pid+" ") || !strings.Contains(text, " since 20") {
			t.Errorf("the connection %s is not named: %v", pid, err)
		}
		if err := []*db.DB{other, s}[at].Alone(t.Context()); err != nil {
			t.Errorf("with a server on another schema: %v", err)
		}
		stop()
		<-ended
		waittest.Until(t, "the server that has ended is seen no more", func() bool { return server.Alone(t.Context()) == nil })
	}
}

// A pool is full of connections to a server that falls silent. One caller waits for it in
// vain, or as many as the pool has connections; the next one has its answer from the other
// host of the address, where other servers then hear of what is due, too.
func TestASilentServerIsLeftForTheOtherHostAtOnce(t *testing.T) {
	const most = 4 // connections of a pool
	dsn := template.Postgres(t)
	asks := []func(s *db.DB) error{
		func(s *db.DB) error {
			return s.InTx(t.Context(), func(tx *db.Tx) error { return addNamed(t.Context(), tx, "next") })
		},
		func(s *db.DB) error { return s.Ping(t.Context()) },
	}
	dbtest.AtOnce(2*len(asks), func(i int) {
		ask, callers := asks[i/2], []int{1, most}[i%2]
		cut := dbtest.CutAtCommit(t, dsn, true)
		s := open(t, bothHosts(t, cut.DSN, dsn)+"?pool_max_conns="+strconv.Itoa(most))
		connect(t, s, most)
		end := cut.Silence()
		defer end()
		dbtest.AtOnce(callers, func(int) {
			if err := ask(s); !typus.Is(err, typus.Unavailable) {
				t.Errorf("a silent server: %v", err)
			}
		})
		if err := ask(s); err != nil {
			t.Errorf("%d in vain, after the silence of one host: %v", callers, err)
		}
		hears(t, s, dsn)
	})
}

// A pool is full of connections on which nobody answers, and those that are made anew are
// answered. Who waits for a place when it is exchanged has an answer within their own time.
func TestWhoWaitsWhenASilentServerIsLeftIsAnswered(t *testing.T) {
	const most = 4 // connections of a pool
	cut := dbtest.CutAtCommit(t, template.Postgres(t), true)
	s := open(t, cut.DSN+"?pool_max_conns="+strconv.Itoa(most))
	connect(t, s, most)
	end := cut.Silence()
	defer end()
	var first sync.WaitGroup
	for range most {
		first.Go(func() { _ = s.Ping(t.Context()) })
	}
	waittest.Until(t, "all connections wait for an answer", func() bool { return cut.Unanswered() >= most })
	cut.Answer()
	time.Sleep(5 * time.Second) // so that the others have as long when the first give up
	dbtest.AtOnce(most, func(int) {
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("after the silence: %v", err)
		}
	})
	first.Wait()
}

func TestAServerThatStaysSilentIsLeftLessAndLessOften(t *testing.T) {
	if got, want := db.LeftAt(200, -1), []int{0, 10, 30, 70, 130, 190}; !slices.Equal(got, want) {
		t.Errorf("it is left in the seconds %v, want %v", got, want)
	}
	if got, want := db.LeftAt(200, 75), []int{0, 10, 30, 70, 80, 100, 140, 200}; !slices.Equal(got, want) {
		t.Errorf("with an answer in between, in the seconds %v, want %v", got, want)
	}
}

// A silence may be noticed while a server stops: no pool is opened any more that nobody closes.
func TestAPoolThatIsClosedIsNotExchanged(t *testing.T) {
	s := open(t, template.Postgres(t))
	if err := db.Exchange(t.Context(), s); err != nil {
		t.Errorf("the next pool: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Exchange(t.Context(), s); err == nil {
		t.Error("after the end there is another pool")
	}
}

// hears wants another server on a database to hear what one tells.
func hears(t *testing.T, s *db.DB, dsn string) {
	t.Helper()
	other := open(t, dsn)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	heard := make(chan struct{}, 10)
	go other.Listen(ctx, func() { heard <- struct{}{} })
	for _, what := range []string{"listens", "hears"} {
		select {
		case <-heard:
		case <-time.After(30 * time.Second):
			t.Error("another server never " + what)
			return
		}
		s.Tell()
	}
}

// connect fills the pool of a database with so many connections.
func connect(t *testing.T, s *db.DB, most int) {
	t.Helper()
	var have sync.WaitGroup
	have.Add(most)
	dbtest.AtOnce(most, func(int) {
		err := s.InTx(t.Context(), func(tx *db.Tx) error {
			have.Done()
			have.Wait() // else two could have one connection
			return exec(t.Context(), tx, "select 1")
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// bothHosts is the first address with the host of the second behind its own.
func bothHosts(t *testing.T, first, second string) string {
	t.Helper()
	u, err := url.Parse(first)
	if err != nil {
		t.Fatal(err)
	}
	other, err := url.Parse(second)
	if err != nil {
		t.Fatal(err)
	}
	u.Host += "," + other.Host
	return u.String()
}

func TestACommitWithoutAnAnswerIsOfUnknownOutcomeAndNotRepeated(t *testing.T) {
	for _, committed := range []bool{false, true} {
		dsn := template.Postgres(t)
		direct := open(t, dsn)
		cut := dbtest.CutAtCommit(t, dsn, committed)
		s := open(t, cut.DSN)
		write(t, s, func(tx *db.Tx) error { return addNamed(t.Context(), tx, "before") })
		cut.Arm(true)
		runs := 0
		err := s.InTx(t.Context(), func(tx *db.Tx) error {
			runs++
			return addNamed(t.Context(), tx, "unknown")
		})
		cut.Arm(false)
		hasKind(t, "a commit without an answer", err, typus.OutcomeUnknown)
		if runs != 1 {
			t.Errorf("committed %t: the closure ran %d times", committed, runs)
		}
		write(t, s, func(tx *db.Tx) error { return addNamed(t.Context(), tx, "after") })
		if got := names(t, direct); strings.Contains(got, "unknown") != committed {
			t.Errorf("committed %t: stored %q", committed, got)
		}
	}
}
