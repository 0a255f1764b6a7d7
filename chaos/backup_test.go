//go:build chaos

package chaos

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"typus/internal/processtest"
	"typus/internal/waittest"
)

// A backup that is made while some hundred things a second are stored is what was stored at one
// moment: all that was acknowledged before it began, nothing half, and on another machine's
// directory a server works with it. One that is killed leaves nothing that looks like a backup.
func TestABackupUnderLoadIsWhatWasStoredAtOneMoment(t *testing.T) {
	t.Parallel()
	random := drawn(t)
	s := sqliteSite(t)
	a := s.newAccount(t, 100_000, 8)
	heavy(t, s, a, size(20_000, 150_000)) // a copy takes a while
	d := newDriver(t, a, 8)
	d.every = 80 * time.Millisecond // a hundred requests a second
	addr := address(t)
	p := s.serveAt(t, addr)
	stop := d.drive(t, addr)
	begun := time.Now()
	waittest.Until(t, "a load", func() bool { return d.acknowledged() > 300 })
	backups := t.TempDir()
	n := rounds(t, 2, 5)
	var took time.Duration
	during, whole := 0, int64(0)
	for i := range n {
		file := filepath.Join(backups, fmt.Sprintf("whole-%d.db", i))
		before, acked, start := d.copied(), d.acknowledged(), time.Now()
		s.command(t, "backup", file)
		took = max(took, time.Since(start))
		during += d.acknowledged() - acked
		whole = bytesOf(t, file)
		restoredElsewhere(t, s, file, d.upTo(before))
	}
	kills, caught, tries := rounds(t, 4, 15), 0, 0
	for ; caught < kills && tries < 10*kills; tries++ {
		file := filepath.Join(backups, fmt.Sprintf("killed-%d.db", tries))
		b := processtest.Start(t, program, s.environ, "backup", file)
		least := random.Int64N(whole)
		waittest.Until(t, "a backup has so many bytes", func() bool { return written(t, file) >= least || is(t, file) })
		_ = b.Process.Kill() // it may have ended
		_ = b.Wait()
		if is(t, file) { // too late: then it is whole
			restoredElsewhere(t, s, file, d.upTo(nil))
			continue
		}
		caught++
		other := elsewhere(t, s)
		if _, err := other.try("restore", parts(t, file)[0]); err == nil { // it had all but its name
			worksOn(t, s, other, d.upTo(nil))
		} else if !strings.Contains(err.Error(), "typus: ") {
			t.Errorf("what a killed backup has left is not refused in words: %v", err)
		}
	}
	file := filepath.Join(backups, "after.db")
	s.command(t, "backup", file)
	rate := float64(d.acknowledged()) / time.Since(begun).Seconds()
	stop()
	p.Stop(t)
	check(t, s, d)
	restoredElsewhere(t, s, file, d.upTo(nil))
	if during == 0 || caught < kills {
		t.Errorf("%d requests were acknowledged during backups, %d of %d kills hit one: the test says nothing", during, caught, tries)
	}
	figures(t, "P15 %d backups of a server that acknowledged %.0f requests a second (%d during the backups), the slowest %.1f s, all restored, each a state of one moment; %d of %d kills in the middle, no file left under the name",
		n+1, rate, during, took.Seconds(), caught, tries)
}

// heavy makes a database larger, by rows of a kilobyte.
func heavy(t *testing.T, s *site, a *account, rows int) {
	t.Helper()
	s.looking(t, func(db *sql.DB) {
		if _, err := db.ExecContext(t.Context(), `
			with recursive n (i) as (select 1 union all select i + 1 from n where i < $1)
			insert into audit_log (account_id, actor, action, detail, created_at) select $2, 'x', 'x', hex(zeroblob(500)), 1 from n`, rows, a.id); err != nil {
			t.Fatal(err)
		}
	})
}

// is reports whether there is a file.
func is(t *testing.T, file string) bool {
	t.Helper()
	_, err := os.Stat(file)
	return err == nil
}

// bytesOf is how long a file is.
func bytesOf(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// written is how much is there of a backup that is not whole yet, -1 before it begins and once
// it has its name.
func written(t *testing.T, file string) int64 {
	t.Helper()
	for _, part := range parts(t, file) {
		if info, err := os.Stat(part); err == nil {
			return info.Size()
		}
	}
	return -1
}

// parts are what is there of a backup that is not whole yet.
func parts(t *testing.T, file string) []string {
	t.Helper()
	found, err := filepath.Glob(file + ".*.part")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// copied are the people of a journal as they stand.
func (d *driver) copied() []person {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []person
	for _, p := range d.people {
		c := *p
		c.sent, c.stored = slices.Clone(p.sent), slices.Clone(p.stored)
		list = append(list, c)
	}
	return list
}

// upTo is a driver of which only what it had taken down by an earlier moment counts as
// acknowledged, and all that it has sent since as sent.
func (d *driver) upTo(before []person) *driver {
	earlier := &driver{account: d.account, name: d.name}
	for i, p := range d.copied() {
		known := person{stored: make([]bool, len(p.values))}
		if i < len(before) {
			known = before[i]
		}
		p.id, p.begun, p.finished, p.stored = known.id, known.begun, known.finished, known.stored
		earlier.people = append(earlier.people, &p)
	}
	return earlier
}

// restoredElsewhere restores a backup into a directory of its own and lets it work.
func restoredElsewhere(t *testing.T, s *site, file string, earlier *driver) {
	t.Helper()
	other := elsewhere(t, s)
	other.command(t, "restore", file)
	worksOn(t, s, other, earlier)
}

// elsewhere is an installation in a directory of its own, where nothing is yet but the key of
// another one.
func elsewhere(t *testing.T, s *site) *site {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(filepath.Dir(s.database), "secret.key"))
	if err != nil {
		t.Fatal(err)
	}
	return sqliteSite(t, "TYPUS_SECRET_KEY="+strings.TrimSpace(string(key)))
}

// worksOn compares what was restored with a journal and with where it comes from, and lets a
// server work with it.
func worksOn(t *testing.T, s, other *site, earlier *driver) {
	t.Helper()
	check(t, other, earlier)
	isAMoment(t, s, other)
	p := other.serve(t)
	var candidate int64
	other.looking(t, func(db *sql.DB) { candidate = number(t, db, "select max(id) from candidates") })
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("%s/api/v1/candidates/%d", p.Base, candidate), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+earlier.account.keys[0])
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("a restored server answers for candidate %d with %s, %v", candidate, resp.Status, err)
	}
	p.Stop(t)
}

// isAMoment wants a restored database to have, of rows that are numbered as they are stored,
// all up to a number.
func isAMoment(t *testing.T, s, other *site) {
	t.Helper()
	for _, table := range []string{"candidates", "results", "credit_ledger", "audit_log"} {
		var last, count int64
		other.looking(t, func(db *sql.DB) {
			last = number(t, db, "select coalesce(max(id), 0) from "+table)
			count = number(t, db, "select count(*) from "+table)
		})
		s.looking(t, func(db *sql.DB) {
			var there int64
			if err := db.QueryRowContext(context.Background(), "select count(*) from "+table+" where id <= $1", last).Scan(&there); err != nil {
				t.Fatal(err)
			}
			if there != count {
				t.Errorf("the backup has %d rows of %s, of %d up to the number %d", count, table, there, last)
			}
		})
	}
}
