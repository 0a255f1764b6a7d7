//go:build chaos

package chaos

import (
	"database/sql"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/processtest"
	"typus/internal/waittest"
)

// moves is how long servers may take until they work on the database that has taken over.
const moves = 15 * time.Second

// P10: the primary is killed under load, its synchronous standby promoted. The servers find
// it by the second host of their address, and nothing that was acknowledged is lost. The old
// primary comes back, first read-only as it was, then as a standby: nobody works on it. Then
// it is made the primary again while the other, which still runs, refuses writes (25006).
func TestAFailoverToASynchronousStandbyLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	one := ownPostgres(t, "synchronous_standby_names=*")
	two := standbyOf(t, one.URL)
	s := pairSite(t, one, two)
	r := newReceiver(t, nil)
	a := s.newAccount(t, 100_000, 8)
	s.hook(t, a, r.url)
	servers := []*processtest.Running{s.serve(t), s.serve(t)}
	d, probe := newDriver(t, a, 4), newNamedDriver(t, a, "probe", 1)
	d.every, probe.every = 60*time.Millisecond, 20*time.Millisecond
	stop := d.drive(t, addresses(servers)...)
	time.Sleep(size(2*time.Second, 8*time.Second))

	begun := time.Now()
	succeeds(t, one.Kill())
	succeeds(t, two.Promote())
	promoted := time.Since(begun)
	took := goesOn(t, moves, begun, probe, servers...)
	s.database = two.URL

	succeeds(t, one.StartAgain("fsync=on", "default_transaction_read_only=on"))
	newConnections(t, two)
	time.Sleep(size(time.Second, 5*time.Second))
	nobodyWorksOn(t, one)
	succeeds(t, one.Quit())
	succeeds(t, one.Follow(two.URL, "fsync=on"))
	succeeds(t, two.Exec("alter system set synchronous_standby_names = '*'"))
	succeeds(t, two.Exec("select pg_reload_conf()"))
	newConnections(t, two)
	time.Sleep(size(time.Second, 5*time.Second))
	nobodyWorksOn(t, one)

	back := time.Now()
	succeeds(t, two.Exec("alter system set default_transaction_read_only = on"))
	succeeds(t, two.Exec("select pg_reload_conf()"))
	waittest.Within(t, moves, "the standby has everything", func() bool { return received(t, one, two) })
	succeeds(t, one.Promote())
	returned := goesOn(t, moves, back, probe, servers...)
	nobodyWorksOn(t, two)
	s.database = one.URL
	time.Sleep(size(time.Second, 5*time.Second))
	stop()
	held := checkAfter(t, s, r, d, probe)
	figures(t, "primary killed: standby promoted after %s, both servers work there after %s; changed places in order: after %s; %s",
		promoted.Round(10*time.Millisecond), took.Round(10*time.Millisecond), returned.Round(10*time.Millisecond), held)
}

// newConnections ends all connections of Typus at a server, so that each is made anew.
func newConnections(t *testing.T, c *dbtest.Cluster) {
	t.Helper()
	succeeds(t, c.Exec("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'typus'"))
}

// nobodyWorksOn wants no connection of Typus at a server that takes no writes.
func nobodyWorksOn(t *testing.T, c *dbtest.Cluster) {
	t.Helper()
	waittest.Within(t, moves, "Typus has left the server that takes no writes", func() bool {
		return text(t, c, "select cast(count(*) as text) from pg_stat_activity where application_name = 'typus'") == "0"
	})
}

// received reports whether a standby has replayed all that its primary has written.
func received(t *testing.T, standby, primary *dbtest.Cluster) bool {
	t.Helper()
	end := text(t, primary, "select cast(pg_current_wal_flush_lsn() as text)")
	return text(t, standby, "select cast(pg_last_wal_replay_lsn() >= '"+end+"' as text)") == "true"
}

// P10, where the primary does not die but falls silent, as when its machine or the way to it
// is gone: connections stay and nobody answers.
func TestAPrimaryThatFallsSilentIsLeftForItsStandby(t *testing.T) {
	t.Parallel()
	one := ownPostgres(t, "synchronous_standby_names=*")
	two := standbyOf(t, one.URL)
	s := pairSite(t, one, two)
	a := s.newAccount(t, 100_000, 8)
	servers := []*processtest.Running{s.serve(t), s.serve(t)}
	d, probe := newDriver(t, a, 4), newNamedDriver(t, a, "probe", 1)
	d.every, probe.every = 60*time.Millisecond, 20*time.Millisecond
	stop := d.drive(t, addresses(servers)...)
	time.Sleep(5 * time.Second)
	begun := time.Now()
	one.Freeze(t)
	succeeds(t, two.Promote())
	took := goesOn(t, 2*moves, begun, probe, servers...)
	s.database = two.URL
	time.Sleep(2 * time.Second)
	stop()
	one.Thaw(t)
	succeeds(t, one.Quit())
	checkGaps(t, s, d, probe)
	figures(t, "primary silent: both servers work on its standby after %s; refused %v, slowest answer %s",
		took.Round(10*time.Millisecond), d.refusals(), max(d.slowest, probe.slowest).Round(10*time.Millisecond))
}

// P10, with an asynchronous standby: how much is lost of what was acknowledged, with a
// standby that keeps up and with one that is two seconds behind. What is left is whole, and
// the servers work on.
func TestAFailoverToAnAsynchronousStandbyLosesWhatItHadNotReceived(t *testing.T) {
	t.Parallel()
	for name, behind := range map[string]time.Duration{"keeps up": 0, "two seconds behind": 2 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one := ownPostgres(t)
			between := wireTo(t, one)
			two := standbyOf(t, between.URL)
			s := pairSite(t, one, two)
			a := s.newAccount(t, 100_000, 8)
			server := s.serve(t)
			d := newDriver(t, a, 4)
			d.every = 20 * time.Millisecond
			stop := d.drive(t, server.Addr)
			time.Sleep(size(2*time.Second, 5*time.Second))
			held := d.acknowledged()
			if behind > 0 {
				between.hold()
				time.Sleep(behind)
			}
			succeeds(t, one.Kill())
			stop()
			whileHeld := d.acknowledged() - held
			between.cut()
			succeeds(t, two.Promote())
			s.database = two.URL
			var invited, answers, finished int
			s.looking(t, func(db *sql.DB) {
				invited, answers, finished = lost(t, db, d)
				checkBooks(t, db)
			})
			if behind > 0 && invited+answers+finished == 0 {
				t.Error("nothing is lost, though nothing reached the standby")
			}
			probe := newNamedDriver(t, a, "probe", 1)
			goesOn(t, moves, time.Now(), probe, server)
			s.looking(t, func(db *sql.DB) { checkBooks(t, db) })
			wasInvited, wasAnswered, wasFinished := d.counts()
			figures(t, "standby %s: of %d acknowledged invitations %d lost, of %d answers %d, of %d tests %d; %d requests were acknowledged while nothing reached it",
				name, wasInvited, invited, wasAnswered, answers, wasFinished, finished, whileHeld)
		})
	}
}

// lost counts what was acknowledged and is not stored.
func lost(t *testing.T, db *sql.DB, d *driver) (invited, answers, finished int) {
	t.Helper()
	rows := storedRows(t, db, d)
	for _, p := range d.people {
		found := rows[p.ref]
		if p.id != 0 && len(found) == 0 {
			invited++
		}
		var stored []int
		is := false
		if len(found) > 0 {
			is = found[0].status == string(typus.StatusFinished)
			packed := found[0].body
			if is {
				packed = found[0].answers
			}
			var err error
			stored, err = values(packed, len(p.values))
			succeeds(t, err)
		}
		for i, acknowledged := range p.stored {
			if acknowledged && (len(stored) == 0 || stored[i] == 0) {
				answers++
			}
		}
		if p.finished && !is {
			finished++
		}
	}
	return invited, answers, finished
}
