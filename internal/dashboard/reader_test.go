package dashboard

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// aboutNobody are the calls of the store and of the steps that take no reader, with what
// they are about instead of a candidate. Whoever adds one here says why.
var aboutNobody = map[string]string{
	"InTx": "a transaction", "AnyAccount": "accounts", "AccountAt": "whose a host is", "Account": "the account", "SessionByToken": "makes the reader", "World": "the account's test world", "Integration": "a test world, about nobody", "TouchSession": "sessions",
	"SessionsOf": "sessions", "SessionCounts": "sessions", "SetPreferences": "users", "SetResultsRead": "users", "User": "users", "Users": "users", "RecoveryCodesLeft": "users",
	"APIKey": "keys", "APIKeys": "keys", "CallsByKey": "keys", "KeysAndCalls": "keys", "RefusedCalls": "keys: calls without their bodies",
	"Logo": "the account and its positions, for who knows the hash of the picture", "LetterTemplate": "letters' texts", "LetterTemplates": "letters' texts", "LetterTerms": "letters' texts", "Sender": "in whose name letters go out",
	"RetentionTurns": "how many were erased", "CountPeople": "how many are stored", "CountDueFinished": "how many an erasure by age would reach", "CountDueUnfinished": "how many an erasure by age would reach",
	"CreditOutlook": "the account's numbers", "Endpoint": "webhooks", "Endpoints": "webhooks", "EndpointRates": "webhooks", "Secrets": "webhooks",
	"Delivery": "webhooks: test events", "Attempts": "webhooks: test events", "FailingDelivery": "webhooks: when one is tried again",
	"LastReplayRun": "webhooks: deliveries that are sent again", "ReplayRun": "webhooks: deliveries that are sent again", "ReplayOutcomes": "webhooks: how many arrived",
	"CountReplayable": "webhooks: how many, for who sees all positions",
	"SentBody":        "webhooks: of a delivery that was read",
	"Candidates":      "whose deliveries are asked for; CandidateRowsOf says whom the reader reads",
	"CandidateByRef":  "whose deliveries are asked for, of a reader",
	"Obstacle":        "a candidate that was read", "Against": "a candidate that was read", "Link": "a candidate that was read", "CopyOf": "a candidate that was read",
	"CoreQuestions": "questions that everybody is asked", "PositionsNaming": "users", "MembersOf": "a position that was read", "PublicLinkOf": "a position that was read",
	"RoleProfiles": "what positions ask for", "RoleProfile": "what a position asks for", "RoleVersions": "what a position asks for",
	"Check":      "what was typed, of nobody yet",
	"RoleRounds": "experts, who are no candidates", "RoleExperts": "experts, who are no candidates",
}

// Whatever the dashboard asks the store, or has done by a step, about candidates goes by
// what its user reads: the call takes a store.Reader, or stands in the list above.
func TestEveryCallAboutCandidatesTakesAReader(t *testing.T) {
	seen := map[string]bool{}
	for of, name := range map[reflect.Type]string{
		reflect.TypeFor[*store.Store](): "Store", reflect.TypeFor[*store.Tx](): "tx", reflect.TypeFor[*assess.Steps](): "Steps",
	} {
		for called, at := range calledOn(t, name) {
			m, known := of.MethodByName(called)
			if !known {
				t.Errorf("%s: there is no method %s of %s", at, called, of)
				continue
			}
			seen[called] = true
			takes := m.Type.NumIn() > 2 && m.Type.In(2) == reflect.TypeFor[store.Reader]()
			if takes == (aboutNobody[called] != "") {
				t.Errorf("%s: %s takes a store.Reader: %v; said to be about %q", at, called, takes, aboutNobody[called])
			}
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d calls found", len(seen))
	}
	for name := range aboutNobody {
		if !seen[name] {
			t.Errorf("nobody calls %s", name)
		}
	}
}

// calledOn are the methods that the package calls on what has a name, each with a place
// where it does.
func calledOn(t *testing.T, name string) map[string]string {
	t.Helper()
	calls, files := map[string]string{}, token.NewFileSet()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(files, source, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.SelectorExpr)
			if !is {
				return true
			}
			of := ""
			switch x := call.X.(type) {
			case *ast.Ident:
				of = x.Name
			case *ast.SelectorExpr:
				of = x.Sel.Name
			}
			if of == name {
				calls[call.Sel.Name] = files.Position(call.Pos()).String()
			}
			return true
		})
	}
	return calls
}

// inReach are the parts of addresses that stay there for a user who reads none of the
// account's candidates: what they name is about nobody.
func (e estate) inReach(pattern string) bool {
	for _, about := range []string{positionName, "/dashboard/kandidat/{id}", "/dashboard/einladen/{id}", "/dashboard/import/{id}", "/dashboard/einstellungen/briefe/protokoll/{id}"} {
		if strings.HasPrefix(pattern, about) {
			return false
		}
	}
	return true
}

// Of a candidate out of a user's reach no page shows anything: whatever address names
// one, or what belongs to one, is answered as for an id that nobody has, and changes
// nothing. That holds for who reads only the positions that name them, and for
// everybody but owners where the position is confidential, on both databases.
func TestWhatIsOutOfReachIsNotThere(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { outOfReachIsMissing(t, storetest.SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { outOfReachIsMissing(t, storetest.Postgres(t)) })
}

func outOfReachIsMissing(t *testing.T, dsn string) {
	w, contents := watchedOn(t, dsn)
	theirs := []estate{w.furnish(w.Account, false), w.furnish(w.Account, true)}
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		if _, err := tx.LockStandardPosition(w.Ctx, w.Account, w.Now()); err != nil {
			return err
		}
		all, err := tx.Positions(w.Ctx, store.WholeAccount(w.Account))
		for _, p := range all {
			p.Confidential = true
			if err := tx.SetPositionSecrecy(w.Ctx, p); err != nil {
				return err
			}
		}
		return err
	}))
	for _, role := range []typus.UserRole{admin, member, viewer, interviewer} {
		c := w.as(role)
		if role == interviewer {
			w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.SetOnlyNamed(w.Ctx, w.Account, c.user.ID, true) }))
		}
		before := contents()
		for _, e := range theirs {
			w.asksForNobodys(c, e)
			w.listsNobody(c, e)
		}
		after := contents()
		for _, table := range []string{"audit_log", "sessions"} { // lists were exported
			before[table], after[table] = nil, nil
		}
		for _, table := range dbtest.Changed(before, after) {
			t.Errorf("a %s who reads nobody changes %s", role, table)
		}
	}
}

// asksForNobodys goes through all addresses about a candidate.
func (w *world) asksForNobodys(c *client, e estate) {
	w.Helper()
	none := e.nobodys()
	answer := func(r route, of estate) string {
		path, params := of.address(w.T, r.pattern), map[string][]string{}
		if r.method == "POST" {
			params = form()
		}
		if strings.HasPrefix(r.pattern, "/dashboard/auswahl/") {
			id := of.names["/dashboard/kandidat/{id}"]
			path += "?id=" + id
			params["id"] = []string{id}
		}
		a := c.do(r.method, path, params)
		said := a.Status + " " + a.Header.Get("Location") + "\n" + a.body
		if a.StatusCode == http.StatusSeeOther {
			said += c.follow(a).body
		}
		return strings.ReplaceAll(said, path, r.pattern)
	}
	for _, r := range w.face.routes() {
		if r.least == anyone || !c.user.Role.AtLeast(r.least) || e.inReach(r.pattern) && !strings.HasPrefix(r.pattern, "/dashboard/auswahl/") {
			continue
		}
		if got, want := answer(r, e), answer(r, none); got != want {
			w.Errorf("%s %s tells a %s of a candidate out of reach:\n%.300s\n%.300s", r.method, r.pattern, c.user.Role, got, want)
		}
	}
}

// listsNobody reads all pages and files that name candidates.
func (w *world) listsNobody(c *client, e estate) {
	w.Helper()
	for path, method := range map[string]string{
		"/dashboard": "GET", "/dashboard/kandidaten": "GET", "/dashboard/kandidaten?suche=Kim": "GET", "/dashboard/kandidaten?tag=neu": "GET", "/dashboard/kandidaten?sortierung=name": "GET", "/dashboard/export": "POST",
		"/dashboard/stellen": "GET", teamPath + "/einladen": "GET",
		"/dashboard/import": "GET", "/dashboard/credits": "GET", "/dashboard/credits/export.csv": "POST", "/dashboard/einladen": "GET",
		deliveriesPath:                       "GET",
		"/dashboard/einstellungen/protokoll": "GET", "/dashboard/einstellungen/protokoll/csv": "POST", "/dashboard/einstellungen/briefe/protokoll": "GET",
	} {
		a := c.do(method, path, map[string][]string{})
		if a.StatusCode != http.StatusOK && a.StatusCode != http.StatusForbidden {
			w.Errorf("%s %s: %s", method, path, a.Status)
		}
		for _, told := range []string{"Kim Muster", "Jana Muster", "Vertrieb Süd", "liste.csv", e.names["/dashboard/kandidat/{id}"]} {
			if strings.Contains(a.body, told) {
				w.Errorf("%s %s names %s to a %s who does not read them", method, path, told, c.user.Role)
			}
		}
	}
}
