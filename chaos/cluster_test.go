//go:build chaos

package chaos

import (
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"typus/internal/db/dbtest"
	"typus/internal/processtest"
	"typus/internal/waittest"
)

// ownPostgres starts a PostgreSQL server for a test alone, one that syncs: it is going to be
// ended, started again and replaced.
func ownPostgres(t *testing.T, settings ...string) *dbtest.Cluster {
	t.Helper()
	c, err := dbtest.StartPostgres(append([]string{"fsync=on"}, settings...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
}

// standbyOf starts the standby of a server, which is reached at an address.
func standbyOf(t *testing.T, address string) *dbtest.Cluster {
	t.Helper()
	c, err := dbtest.StandbyOf(address, "fsync=on")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
}

// pairSite is an installation whose address names two servers, of which either may be the
// one that takes writes; the test looks into it at the first.
func pairSite(t *testing.T, first, second *dbtest.Cluster) *site {
	t.Helper()
	at := func(c *dbtest.Cluster) string { return parsed(t, c.URL).Host }
	u := parsed(t, first.URL)
	u.Host = at(first) + "," + at(second)
	s := siteOn(u.String())
	s.database = first.URL
	return s
}

func parsed(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// succeeds ends the test with an error.
func succeeds(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// text asks a server for one text.
func text(t *testing.T, c *dbtest.Cluster, query string) string {
	t.Helper()
	db, err := sql.Open("pgx", c.URL)
	succeeds(t, err)
	defer db.Close()
	var answer string
	succeeds(t, db.QueryRowContext(t.Context(), query).Scan(&answer))
	return answer
}

// wire is a connection between two machines on which nothing passes while it is held, as if
// they were far apart: what was sent meanwhile is lost when it is cut.
type wire struct {
	URL string // of the server behind it

	ln   net.Listener
	mu   sync.Mutex
	held chan struct{} // closed when something passes again; nil: it does
	ends []net.Conn
}

// wireTo lays a wire to a server.
func wireTo(t *testing.T, c *dbtest.Cluster) *wire {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	succeeds(t, err)
	u := parsed(t, c.URL)
	server := u.Host
	u.Host = ln.Addr().String()
	w := &wire{URL: u.String(), ln: ln}
	t.Cleanup(w.cut)
	go func() {
		for {
			near, err := ln.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", server)
			if err != nil {
				near.Close()
				continue
			}
			w.mu.Lock()
			w.ends = append(w.ends, near, far)
			w.mu.Unlock()
			go w.pass(near, far)
			go w.pass(far, near)
		}
	}()
	return w
}

// pass hands on what comes, unless the wire is held.
func (w *wire) pass(to, from net.Conn) {
	defer to.Close()
	piece := make([]byte, 1<<16)
	for {
		n, err := from.Read(piece)
		if err != nil {
			return
		}
		w.mu.Lock()
		held := w.held
		w.mu.Unlock()
		if held != nil {
			<-held
		}
		if _, err := to.Write(piece[:n]); err != nil {
			return
		}
	}
}

// hold lets nothing pass any more.
func (w *wire) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = make(chan struct{})
}

// cut ends the wire with all that is on it.
func (w *wire) cut() {
	w.ln.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.ends {
		c.Close()
	}
	if w.held != nil {
		close(w.held)
		w.held = nil
	}
}

// hangs is the longest that a request may take, whatever happens to the database.
const hangs = 15 * time.Second

// checkAfter waits until everything is delivered, wants what must hold once nobody asks any
// more, and says of the first driver what was acknowledged, for the figures.
func checkAfter(t *testing.T, s *site, r *receiver, d, probe *driver) string {
	t.Helper()
	awaitDeliveries(t, s, 2*time.Minute)
	checkGaps(t, s, d, probe)
	events, requests, again := checkDelivered(t, s, r)
	invited, answers, finished := d.counts()
	return fmt.Sprintf("acknowledged %d invitations, %d answers, %d tests, of them lost 0; refused %v, slowest answer %s; %d events in %d requests, %d again",
		invited, answers, finished, d.refusals(), d.slowest.Round(10*time.Millisecond), events, requests, again)
}

// checkGaps is checkGap for each driver, and check for all of them.
func checkGaps(t *testing.T, s *site, list ...*driver) {
	t.Helper()
	for _, d := range list {
		checkGap(t, d)
	}
	check(t, s, list...)
}

// checkGap wants no request to have hung, and nothing but 503 and 500 in place of an
// acknowledgement.
func checkGap(t *testing.T, d *driver) {
	t.Helper()
	d.mu.Lock()
	slowest, cut := d.slowest, d.cut
	d.mu.Unlock()
	if slowest > hangs {
		t.Errorf("a request took %s, want %s at most", slowest, hangs)
	}
	if cut > 0 {
		t.Errorf("%d requests had no answer", cut)
	}
	for status, n := range d.refusals() {
		if status != 503 && status != 500 {
			t.Errorf("%d answers are %d", n, status)
		}
	}
}

// goesOn waits until each server acknowledges something again, and says after how long the
// last did.
func goesOn(t *testing.T, within time.Duration, since time.Time, probe *driver, list ...*processtest.Running) time.Duration {
	t.Helper()
	for _, p := range list {
		was := probe.acknowledged()
		stop := probe.drive(t, p.Addr)
		waittest.Within(t, within-time.Since(since), "the server at "+p.Addr+" works again", func() bool { return probe.acknowledged() > was })
		stop()
	}
	return time.Since(since)
}
