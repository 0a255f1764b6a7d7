package dbtest

import (
	"context"
	"database/sql"
	"os"
	"testing"
)

// A server ends in each way and comes again with what it had; its standby takes its place,
// and it comes back as the standby of that one. Nothing is left of either.
func TestAServerComesAgainAndChangesPlacesWithItsStandby(t *testing.T) {
	if testing.Short() {
		t.Skip("PostgreSQL: not with -short")
	}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(c *Cluster, query string) string {
		t.Helper()
		db, err := sql.Open("pgx", c.URL)
		ok(err)
		defer db.Close()
		var text string
		ok(db.QueryRowContext(context.Background(), query).Scan(&text))
		return text
	}
	primary, err := StartPostgres("fsync=on")
	ok(err)
	t.Cleanup(primary.Stop)
	ok(primary.Exec(`create table kept (n int)`))
	ok(primary.Quit())
	ok(primary.StartAgain())
	ok(primary.Exec(`insert into kept values (1)`))
	ok(primary.Kill())
	ok(primary.StartAgain("synchronous_standby_names=*"))
	standby, err := StandbyOf(primary.URL)
	ok(err)
	t.Cleanup(standby.Stop)
	ok(primary.Exec(`insert into kept values (2)`))
	ok(primary.Kill())
	ok(standby.Promote())
	ok(primary.Follow(standby.URL))
	if got := run(primary, `select concat(count(*), pg_is_in_recovery()) from kept`); got != "2t" {
		t.Errorf("the former primary says %s, want 2t", got)
	}
	if got := run(standby, `select concat(count(*), pg_is_in_recovery()) from kept`); got != "2f" {
		t.Errorf("the former standby says %s, want 2f", got)
	}
	primary.Stop()
	standby.Stop()
	for _, c := range []*Cluster{primary, standby} {
		if _, err := os.Stat(c.dir); !os.IsNotExist(err) {
			t.Errorf("%s is left", c.dir)
		}
	}
}
