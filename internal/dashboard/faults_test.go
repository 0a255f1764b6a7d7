package dashboard

import (
	"database/sql"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"typus/internal/db/dbtest"
	"typus/internal/page/pagetest"
	"typus/internal/store/storetest"
)

// A fault of the database, wherever it comes, is a page of ours that says nothing of how
// the server is built: first all tables but those of the login are missing, then the
// database is away.
func TestAFaultOfTheDatabaseSaysNothingAboutIt(t *testing.T) {
	dsn := storetest.SQLite(t)
	st := storetest.Open(t, dsn)
	w := newWorldOn(t, st)
	w.face.SignUp = true
	w.person("ada@example.com", owner)
	c, e := w.loggedIn("ada@example.com"), w.furnish(w.Account, true)
	breakTables(t, dsn)

	faults := map[string]bool{}
	ask := func(c *client, r route) {
		t.Helper()
		a := c.do(r.method, e.address(t, r.pattern), form())
		if a.StatusCode < 500 {
			return
		}
		faults[r.pattern] = true
		if !strings.HasPrefix(a.body, "<!doctype html>") || strings.Count(a.body, "<h1") != 1 || a.StatusCode == 500 && !strings.Contains(a.body, a.Header.Get("X-Request-Id")) || a.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s %s: %s is no page of ours, or does not name the request: %.300s", r.method, r.pattern, a.Status, a.body)
		}
		words := pagetest.Leaks(a.body, e.address(t, r.pattern), a.Header.Get("X-Request-Id"))
		if len(words) > 0 || strings.Contains(a.body, filepath.Dir(dsn)) {
			t.Errorf("%s %s says %q or where the database is:\n%s", r.method, r.pattern, words, a.body)
		}
	}
	for _, r := range w.face.routes() {
		ask(c, r)
	}
	if len(faults) < 60 {
		t.Errorf("only %d addresses had a fault: %v", len(faults), faults)
	}

	w.Must(st.Close())
	for _, r := range w.face.routes() {
		delete(faults, r.pattern)
		if ask(c, r); !faults[r.pattern] {
			t.Errorf("%s %s works without a database", r.method, r.pattern)
		}
	}
	stranger := w.stranger()
	for _, r := range w.face.routes() { // who shows no cookie is asked to log in, which needs none
		if a := stranger.do(r.method, e.address(t, r.pattern), form()); r.least != anyone && a.StatusCode != http.StatusSeeOther {
			t.Errorf("%s %s for a stranger: %s", r.method, r.pattern, a.Status)
		}
		ask(stranger, r)
	}
}

// breakTables takes away every table but those that say who is logged in.
func breakTables(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for table := range dbtest.Contents(t, path)() {
		if slices.Contains([]string{"users", "accounts", "sessions"}, table) {
			continue
		}
		if _, err := db.ExecContext(t.Context(), "alter table "+table+" rename to gone_"+table); err != nil {
			t.Fatal(err)
		}
	}
}
