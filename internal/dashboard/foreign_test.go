package dashboard

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"typus/internal/db/dbtest"
	"typus/internal/store/storetest"
)

// nobodys is an estate of the names that nobody has, of the same forms as those of e.
func (e estate) nobodys() estate {
	none := estate{names: map[string]string{}}
	for pattern, name := range e.names {
		unknown := "987654321"
		switch {
		case strings.HasPrefix(name, "dlv_"):
			unknown = "dlv_" + strings.Repeat("0", len(name)-4)
		case len(name) == 64:
			unknown = strings.Repeat("0", 64)
		}
		none.names[pattern] = unknown
	}
	return none
}

// with is e with the names of other from a part of the pattern on, such as the
// note of another account about one's own candidate.
func (e estate) with(other estate, pattern string) estate {
	mixed := maps.Clone(e.names)
	for at := range mixed {
		if strings.HasPrefix(at, pattern) {
			mixed[at] = other.names[at]
		}
	}
	return estate{names: mixed}
}

// What another account owns is not there: status, headers that say something, and
// page are those of an id that nobody has, and nothing changes. That holds for every part
// of every address, and for what a form of the list chooses, on both databases.
func TestWhatAnotherAccountOwnsIsNotThere(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { anotherAccountsAreMissing(t, storetest.SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { anotherAccountsAreMissing(t, storetest.Postgres(t)) })
}

func anotherAccountsAreMissing(t *testing.T, dsn string) {
	w, contents := watchedOn(t, dsn)
	for _, done := range []bool{false, true} {
		mine, theirs := w.furnish(w.Account, done), w.furnish(w.newAccount("Andere GmbH"), done)
		c, none := w.as(owner), theirs.nobodys()
		before := contents()
		ask := func(r route, e estate, chosen string) string {
			path, params := e.address(t, r.pattern), url.Values{}
			if r.method == "POST" {
				params = form()
			}
			if chosen != "" {
				params.Set("id", chosen)
				path += "?id=" + chosen
			}
			a := c.do(r.method, path, params)
			if chosen == "" && a.StatusCode != http.StatusNotFound {
				t.Errorf("%s %s: %s", r.method, path, a.Status)
			}
			said := a.Status + " " + a.Header.Get("Location") + " " + a.Header.Get("Content-Type") + "\n" + a.body
			if a.StatusCode == http.StatusSeeOther {
				said += c.follow(a).body // with what the flash says
			}
			return strings.ReplaceAll(said, path, r.pattern) // where the page leads back to itself
		}
		for _, r := range w.face.routes() {
			if r.least == anyone {
				continue
			}
			parts := strings.Split(r.pattern, "/")
			for i, part := range parts {
				at := strings.Join(parts[:i+1], "/")
				if _, shared := common[at]; shared || !strings.HasPrefix(part, "{") {
					continue
				}
				if got, want := ask(r, mine.with(theirs, at), ""), ask(r, mine.with(none, at), ""); got != want {
					t.Errorf("%s %s tells another account's %s from nobody's:\n%.300s\n%.300s", r.method, r.pattern, part, got, want)
				}
			}
			if strings.HasPrefix(r.pattern, "/dashboard/auswahl/") {
				const candidate = "/dashboard/kandidat/{id}"
				if got, want := ask(r, theirs, theirs.names[candidate]), ask(r, none, none.names[candidate]); got != want {
					t.Errorf("%s %s tells another account's candidate from nobody's:\n%.300s\n%.300s", r.method, r.pattern, got, want)
				}
			}
			for _, table := range dbtest.Changed(before, contents()) {
				t.Fatalf("%s %s with what is not there changes %s", r.method, r.pattern, table)
			}
		}
	}
}

// Every part of an address is somebody's or everybody's; who adds one says which.
func TestEveryPartOfAnAddressIsKnown(t *testing.T) {
	w := newWorld(t)
	e := w.furnish(w.Account, false)
	used := map[string]bool{}
	for _, r := range w.face.routes() {
		e.address(t, r.pattern)
		parts := strings.Split(r.pattern, "/")
		for i := range parts {
			used[strings.Join(parts[:i+1], "/")] = true
		}
	}
	for _, at := range slices.Concat(slices.Collect(maps.Keys(e.names)), slices.Collect(maps.Keys(common))) {
		if !used[at] {
			t.Errorf("no address has %s", at)
		}
	}
}
