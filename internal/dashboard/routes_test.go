package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"typus"
)

// The table of roles and routes, and of what is done for a suspended account, is kept in a
// file, so that a change of it is seen by whoever reads the change. With TYPUS_WRITE=1 it is
// written anew. Builds with the tag dev have further routes, which are not in it.
func TestWhoMayDoWhatIsWrittenDown(t *testing.T) {
	var table strings.Builder
	table.WriteString("| route | anyone | interviewer | viewer | member | admin | owner | suspended |\n|---|---|---|---|---|---|---|---|\n")
	f := newWorld(t).face
	extra := map[string]bool{}
	for _, r := range f.devRoutes() {
		extra[r.pattern] = true
	}
	for _, r := range f.routes() {
		if extra[r.pattern] {
			continue
		}
		fmt.Fprintf(&table, "| `%s %s` |", r.method, r.pattern)
		for _, role := range []typus.UserRole{anyone, interviewer, viewer, member, admin, owner} {
			if r.least == anyone || role != anyone && role.AtLeast(r.least) {
				table.WriteString(" yes |")
			} else {
				table.WriteString(" – |")
			}
		}
		if r.method == http.MethodGet || r.always {
			table.WriteString(" yes |\n")
		} else {
			table.WriteString(" – |\n")
		}
	}
	const file = "testdata/roles.md"
	if os.Getenv("TYPUS_WRITE") != "" {
		if err := os.WriteFile(file, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if written, err := os.ReadFile(file); err != nil || string(written) != table.String() {
		t.Errorf("%s is not the table of the routes (TYPUS_WRITE=1 writes it): %v", file, err)
	}
}

// before says which addresses anybody may open: the way in, and what experts answer by a
// link. All others need a login.
func before(pattern string) bool {
	for _, prefix := range []string{"/anmelden", "/abmelden", "/passwort", "/einrichten", "/registrieren", "/bestaetigen/", "/zuruecknehmen/", "/e/"} {
		if strings.HasPrefix(pattern, prefix) {
			return true
		}
	}
	return pattern == "/"
}

func TestNothingOfTheDashboardIsForStrangers(t *testing.T) {
	w := newWorld(t)
	stranger := w.stranger()
	for _, r := range w.face.routes() {
		if (r.least == anyone) != before(r.pattern) {
			t.Errorf("%s %s is for %q", r.method, r.pattern, r.least)
		}
		if r.least == anyone {
			continue
		}
		a := stranger.do(r.method, example(r.pattern), url.Values{})
		if a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(a.Header.Get("Location"), "/anmelden") {
			t.Errorf("%s %s: %s to %q for a stranger", r.method, r.pattern, a.Status, a.Header.Get("Location"))
		}
	}
}

func TestNobodyDoesMoreThanTheirRoleAllows(t *testing.T) {
	w := newWorld(t)
	for _, role := range []typus.UserRole{interviewer, viewer, member, admin, owner} {
		c := w.as(role)
		for _, r := range w.face.routes() {
			if r.least == anyone || role.AtLeast(r.least) {
				continue
			}
			if a := c.do(r.method, example(r.pattern), url.Values{}); a.StatusCode != http.StatusForbidden || strings.Count(a.body, "<h1") != 1 {
				t.Errorf("%s %s: %s for a %s", r.method, r.pattern, a.Status, role)
			}
		}
	}
}

// example is an address of a pattern, with ids that nobody has.
func example(pattern string) string {
	parts := strings.Split(pattern, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i] = "987654321"
		}
	}
	return strings.Join(parts, "/")
}
