package dashboard

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"typus/internal/store/storetest"
)

// watched is a world on SQLite with a function that reads all its database holds.
func watched(t *testing.T) (*world, func() map[string][]string) {
	t.Helper()
	dsn := storetest.SQLite(t)
	w := newWorldOn(t, storetest.Open(t, dsn))
	w.face.testWait = time.Millisecond
	return w, storetest.Contents(t, dsn)
}

// Links are opened from anywhere, by prefetching browsers and scanners of mail
// too, with the cookie of whoever is logged in: they may only show. One line says that a
// report was looked at.
func TestLookingChangesNothing(t *testing.T) {
	w, contents := watched(t)
	c := w.as(owner)
	for _, e := range []estate{w.furnish(w.account, false), w.furnish(w.account, true)} {
		candidate := e.names["/dashboard/kandidat/{id}"]
		before := contents()
		for pattern, methods := range w.face.patterns() {
			path := e.address(t, pattern)
			for _, method := range []string{"GET", "HEAD"} {
				req, err := http.NewRequestWithContext(t.Context(), method, w.server.URL+path+"?_method=POST&entfernen=1&held=send&gesendet&sprache=en&id="+candidate, nil)
				w.must(err)
				req.Header.Set("X-HTTP-Method-Override", "POST")
				a := c.send(req)
				if a.StatusCode >= 500 || (a.StatusCode == http.StatusMethodNotAllowed) == slices.Contains(methods, "GET") {
					t.Errorf("%s %s: %s", method, path, a.Status)
				}
			}
			after := contents()
			after["audit_log"] = slices.DeleteFunc(after["audit_log"], func(line string) bool { return strings.Contains(line, " report.viewed ") })
			for _, table := range storetest.Changed(before, after) {
				t.Fatalf("looking at %s changes %s", path, table)
			}
		}
	}
}

// patterns are the addresses of the column, each with its methods.
func (f *face) patterns() map[string][]string {
	all := map[string][]string{}
	for _, r := range f.routes() {
		all[r.pattern] = append(all[r.pattern], r.method)
	}
	return all
}
