package dashboard

import (
	"context"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"typus"
	"typus/internal/api"
	"typus/internal/auth"
	"typus/internal/store"
	"typus/internal/web"
)

var (
	keyForm    = regexp.MustCompile(`typ_live_[0-9A-Za-z]{36}`)
	secretForm = regexp.MustCompile(`whsec_[0-9A-Za-z+/]{43}=`)
)

// secretIn is the webhook secret that a page shows, "" for none.
func secretIn(a answer) string { return secretForm.FindString(html.UnescapeString(a.body)) }

// settingsActions are the audit lines about keys and webhooks, newest first:
// action and detail.
func (w *world) settingsActions() []string {
	w.Helper()
	entries, err := w.Store.Audit(w.Ctx, w.Account, 50)
	w.Must(err)
	var list []string
	for _, e := range entries {
		if strings.HasPrefix(string(e.Action), "key.") || strings.HasPrefix(string(e.Action), "webhook.") {
			if e.UserID == 0 || e.IP == "" || e.RequestID == "" || !strings.Contains(e.Actor, "@example.com") {
				w.Errorf("%s names nobody: %+v", e.Action, e)
			}
			list = append(list, string(e.Action)+" "+e.Detail)
		}
	}
	return list
}

func TestAKeyIsMadeShownOnceAndRevokedByItsName(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(admin)
		c.get(keysPath).want(t, 200, "Noch kein API-Schlüssel", keysPath+"/neu")
		made := c.follow(c.post(keysPath+"/neu", url.Values{"name": {"  CRM & <b>Söhne</b> "}})).want(t, 200, "Ihr neuer Schlüssel", "CRM &amp; &lt;b&gt;Söhne&lt;/b&gt;", c.user.Email)
		key := keyForm.FindString(made.body)
		if key == "" || !strings.Contains(made.body, w.server.URL+"/api/v1/candidates?limit=1&#39;") {
			w.Fatalf("no key and no example in %s", made.body)
		}
		if again := c.get(keysPath).want(t, 200, "CRM"); strings.Contains(again.body, key) || keyForm.MatchString(again.body) {
			w.Error("the key is shown a second time")
		}
		keys, err := w.Store.APIKeys(w.Ctx, w.Account)
		w.Must(err)
		path := fmt.Sprintf("%s/%d/widerrufen", keysPath, keys[0].ID)
		c.get(path).want(t, 200, keys[0].Fingerprint())
		c.post(path, url.Values{"name": {"CRM"}}).want(t, 422, "Das ist nicht der Name", `value="CRM"`)
		c.follow(c.post(path, url.Values{"name": {keys[0].Name}})).want(t, 200, "ist widerrufen")
		if got := w.settingsActions(); fmt.Sprint(got) != fmt.Sprint([]string{"key.revoked " + keys[0].Fingerprint(), "key.created " + keys[0].Fingerprint() + " all"}) {
			w.Errorf("audit log: %q", got)
		}
		c.follow(c.post(path, url.Values{"name": {"anything"}})).want(t, 200, "ist widerrufen") // twice is once
		if strings.Contains(w.logs.String(), key) {
			w.Error("the log holds the key")
		}
	})
}

// A key may do what its form says, which the list says in words; a position that somebody does
// not see has no name there.
func TestAKeyIsMadeForWhatItMayDo(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c, all := w.as(owner), store.WholeAccount(w.Account)
		if a := c.get(keysPath+"/neu").want(t, 200, `value="all" id="scope" checked`, `value="invite"`, `value="read-without-scores"`); strings.Contains(a.body, `name="position"`) {
			t.Error("there is nothing to choose, and yet it is asked for a position")
		}
		position := func(p typus.Position) int64 {
			p.Reminders = typus.RemindersOfAccount
			id, err := w.Accounts.AddPosition(w.Ctx, all, p, nil, by)
			w.Must(err)
			return id
		}
		south, hidden := position(typus.Position{Name: "Vertrieb Süd"}), position(typus.Position{Name: "Geheimprojekt", Confidential: true})
		elsewhere, err := w.Accounts.AddPosition(w.Ctx, store.WholeAccount(w.newAccount("Andere GmbH")), typus.Position{Name: "Fremd", Reminders: typus.RemindersOfAccount}, nil, by)
		w.Must(err)
		c.get(keysPath+"/neu").want(t, 200, "Vertrieb Süd", "Geheimprojekt", "Alle Stellen")
		for _, k := range []struct {
			scope typus.KeyScope
			of    string
			id    int64
			said  []string
		}{
			{typus.ScopeInvite, fmt.Sprint(south), south, []string{"Nur einladen", "nur für Vertrieb Süd", "Dieser Aufruf lädt niemanden ein", "-X POST"}},
			{typus.ScopeWithoutScores, fmt.Sprint(hidden), hidden, []string{"Lesen ohne Ergebnisse", "nur für Geheimprojekt", "limit=1"}},
			{typus.ScopeAll, "allgemein", 0, []string{"Alles", "nur für Allgemein"}},
			{typus.ScopeAll, "", 0, []string{"Alles"}},
		} {
			c.follow(c.post(keysPath+"/neu", fields("name", "Seite", "scope", string(k.scope), "position", k.of))).want(t, 200, k.said...)
			keys, err := w.Store.APIKeys(w.Ctx, w.Account)
			w.Must(err)
			if got := keys[len(keys)-1]; got.Scope != k.scope || got.AtStandard != (k.of == "allgemein") || !got.AtStandard && got.PositionID != k.id {
				t.Errorf("%+v makes %+v", k, got)
			}
		}
		made, err := w.Store.APIKeys(w.Ctx, w.Account)
		w.Must(err)
		for _, wrong := range []url.Values{
			fields("name", "x", "scope", "everything"), fields("name", "x", "position", "?"), fields("name", "x", "position", "0"), fields("name", "x", "position", "-7"),
			fields("name", "x", "position", fmt.Sprint(elsewhere)), fields("name", "", "scope", "ALL", "position", "99999"),
		} {
			a := c.post(keysPath+"/neu", wrong).want(t, 422, "-fault")
			if wrong.Has("position") && !strings.Contains(a.body, `value="?" selected`) {
				t.Errorf("%v: all positions stand there, unread", wrong)
			}
		}
		if keys, err := w.Store.APIKeys(w.Ctx, w.Account); err != nil || len(keys) != len(made) {
			t.Errorf("%d keys, %v, want %d", len(keys), err, len(made))
		}
		for _, role := range []typus.UserRole{viewer, admin} {
			a := w.as(role).get(keysPath).want(t, 200, "nur für Vertrieb Süd", "nur für eine Stelle, die Sie nicht sehen", "nur für Allgemein")
			if strings.Contains(a.body, "Geheimprojekt") {
				t.Errorf("a %s reads the name of a position that they do not see", role)
			}
		}
		boss := w.as(admin)
		a := boss.get(fmt.Sprintf("%s/%d/widerrufen", keysPath, made[1].ID)).want(t, 200, "Lesen ohne Ergebnisse, nur für eine Stelle, die Sie nicht sehen")
		if b := boss.get("/dashboard/protokoll"); strings.Contains(a.body+b.body, "Geheimprojekt") {
			t.Error("the name is told to an admin who does not see the position")
		}
	})
}

func TestAKeyNeedsAName(t *testing.T) {
	w := newWorld(t)
	c := w.as(owner)
	for name, fault := range map[string]string{" ": "Bitte füllen Sie dieses Feld aus.", strings.Repeat("ü", 201): "Das ist zu lang.", "a\x00b": "ein unsichtbares Zeichen"} {
		a := c.post(keysPath+"/neu", url.Values{"name": {name}}).want(t, 422, fault, `aria-invalid="true"`, "autofocus")
		if strings.Count(a.body, "<h1") != 1 {
			w.Errorf("%q: not the form", name)
		}
	}
	if keys, err := w.Store.APIKeys(w.Ctx, w.Account); err != nil || len(keys) != 0 {
		w.Errorf("%d keys made, %v", len(keys), err)
	}
}

// Of many who revoke at once one does it, and one line tells so.
func TestRevokingAtTheSameTimeLeavesOneLine(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		id, _, err := w.Access.CreateKey(w.Ctx, w.Account, "CRM", typus.Actor{Name: "operator"})
		w.Must(err)
		c := w.as(owner)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				a := c.post(fmt.Sprintf("%s/%d/widerrufen", keysPath, id), url.Values{"name": {"CRM"}})
				if a.StatusCode != http.StatusSeeOther {
					w.Errorf("%s: %.200s", a.Status, a.body)
				}
			})
		}
		all.Wait()
		entries, err := w.Store.Audit(w.Ctx, w.Account, 50)
		w.Must(err)
		n := 0
		for _, e := range entries {
			if e.Action == "key.revoked" {
				n++
			}
		}
		if n != 1 {
			w.Errorf("%d lines about one revocation", n)
		}
	})
}

func TestKeysOfAnotherAccountAreMissing(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		theirs, _, err := w.Access.CreateKey(w.Ctx, w.newAccount("Andere GmbH"), "Geheim", typus.Actor{Name: "operator"})
		w.Must(err)
		c := w.as(owner)
		missing := c.get(keysPath+"/987654321/widerrufen").want(t, 404).body
		path := fmt.Sprintf("%s/%d/widerrufen", keysPath, theirs)
		for _, a := range []answer{c.get(path), c.post(path, url.Values{"name": {"Geheim"}})} {
			a.want(t, 404)
			if a.Request.Method == "GET" && strings.ReplaceAll(a.body, path, "X") != strings.ReplaceAll(missing, keysPath+"/987654321/widerrufen", "X") {
				w.Error("another account's key looks otherwise than one that is not there")
			}
		}
		if body := c.get(keysPath).body + c.get(fmt.Sprintf("%s/protokoll?schluessel=%d", keysPath, theirs)).body; strings.Contains(body, "Geheim") {
			w.Error("another account's key is shown")
		}
	})
}

func TestMembersAndViewersSeeKeysAndChangeNothing(t *testing.T) {
	w := newWorld(t)
	id, _, err := w.Access.CreateKey(w.Ctx, w.Account, "CRM", typus.Actor{Name: "operator"})
	w.Must(err)
	for _, role := range []typus.UserRole{viewer, member} {
		c := w.as(role)
		if a := c.get(keysPath).want(t, 200, "CRM"); strings.Contains(a.body, "/widerrufen") || strings.Contains(a.body, "/neu") || strings.Contains(a.body, "api-schluessel/protokoll") {
			w.Errorf("a %s is offered what would be refused", role)
		}
		path := fmt.Sprintf("%s/%d/widerrufen", keysPath, id)
		c.get(path).want(t, 403)
		c.post(path, url.Values{"name": {"CRM"}}).want(t, 403)
		c.post(keysPath+"/neu", url.Values{"name": {"x"}}).want(t, 403)
		c.get(keysPath+"/protokoll").want(t, 403)
	}
}

func TestTheLogOfTheAPIIsFilteredAndPaged(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		crm, _, err := w.Access.CreateKey(w.Ctx, w.Account, "CRM", typus.Actor{Name: "operator"})
		w.Must(err)
		zapier, _, err := w.Access.CreateKey(w.Ctx, w.Account, "Zapier", typus.Actor{Name: "operator"})
		w.Must(err)
		c := w.as(admin)
		c.get(keysPath+"/protokoll").want(t, 200, "Kein abgelehnter Aufruf")
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			var refused []typus.RefusedCall
			for i := range 120 {
				r := typus.RefusedCall{AccountID: w.Account, KeyID: crm, Method: "GET", Route: "/api/v1/candidates/{id}", Status: 404, Code: "not_found", RequestID: fmt.Sprint("request-", i, "."), At: w.Now()}
				if i%4 == 0 {
					r.KeyID, r.Status, r.Code = zapier, 429, "rate_limited"
				}
				refused = append(refused, r)
			}
			if err := tx.AddRefusedCalls(w.Ctx, refused); err != nil {
				return err
			}
			return tx.AddCalls(w.Ctx, []typus.Calls{{AccountID: w.Account, KeyID: crm, Day: store.Day(w.Now()), Answered: 4711, Refused: 90}})
		}))
		request := regexp.MustCompile(`request-\d+\.`)
		count := func(path string) int {
			seen := map[string]bool{}
			for page := 0; path != "" && page < 5; page++ {
				a := c.get(path).want(t, 200)
				for _, id := range request.FindAllString(a.body, -1) {
					if seen[id] {
						w.Errorf("%s is listed twice", id)
					}
					seen[id] = true
				}
				next := regexp.MustCompile(`href="([^"]*vor=\d+)"`).FindStringSubmatch(a.body)
				if path = ""; next != nil {
					path = strings.ReplaceAll(next[1], "&amp;", "&")
				}
			}
			return len(seen)
		}
		for query, want := range map[string]int{
			"": 120, fmt.Sprint("?schluessel=", crm): 90, "?code=rate_limited": 30, fmt.Sprint("?code=not_found&schluessel=", zapier): 0,
			"?schluessel=x": 0, "?code=%00": 0, "?vor=abc": 120,
		} {
			if got := count(keysPath + "/protokoll" + query); got != want {
				w.Errorf("%q: %d calls, want %d", query, got, want)
			}
		}
		c.get(keysPath+"/protokoll").want(t, 200, "4711", "Zapier", "/docs/errors#rate_limited")
		c.get(keysPath).want(t, 200, ">4801 <span", "90 abgelehnt")
	})
}

// Who looks for a system that still uses a revoked key finds it by the key's name;
// a key that is nobody's stands in nobody's log.
func TestACallWithARevokedKeyStandsInTheLogWithItsName(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		other := w.newAccount("Andere GmbH")
		keyID, key, err := w.Access.CreateKey(w.Ctx, w.Account, "Altes CRM <b>", by)
		w.Must(err)
		_, _, err = w.Access.CreateKey(w.Ctx, w.Account, "Neues CRM", by)
		w.Must(err)
		w.Must(w.Access.RevokeKey(w.Ctx, w.Account, keyID, by))
		calls := api.NewCallLog(w.Store, slog.New(slog.DiscardHandler))
		handler := web.WithRequestID(slog.New(slog.DiscardHandler), api.New(api.Options{Store: w.Store, Steps: w.Assess, BaseURL: w.server.URL, Clock: w.Now, Calls: calls}))
		for _, secret := range []string{key, auth.NewAPIKey()} {
			r := httptest.NewRequestWithContext(w.Ctx, "GET", "/api/v1/candidates/crm-42", nil)
			r.Header.Set("Authorization", "Bearer "+secret)
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, r)
			if answer.Code != http.StatusUnauthorized {
				t.Errorf("got %d", answer.Code)
			}
		}
		ended, end := context.WithCancel(w.Ctx)
		end()
		calls.Run(ended)
		for _, path := range []string{keysPath + "/protokoll", fmt.Sprintf("%s/protokoll?schluessel=%d&code=invalid_key", keysPath, keyID)} {
			a := w.as(admin).get(path).want(t, 200, "<span>Altes CRM &lt;b&gt; <code", "GET /api/v1/candidates/{id}", ">401</td>", "/docs/errors#invalid_key")
			if n := strings.Count(a.body, ">401</td>"); n != 1 || strings.Contains(a.body, "crm-42") {
				t.Errorf("%d calls, or a path with an id", n)
			}
		}
		w.asOf(other, admin).get(keysPath+"/protokoll").want(t, 200, "Kein abgelehnter Aufruf")
	})
}

// A program reads every position: an admin from whom one is hidden lets none in, nor sends what
// goes out elsewhere. Owners do, and the admin again once nothing is hidden from them.
func TestNobodyLetsAProgramReadWhatIsHiddenFromThem(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss, c := w.as(owner), w.as(admin)
		boss.post(endpointsPath+"/neu", fields("url", "https://hooks.example.com/a")).want(t, 303)
		hidden, err := w.Accounts.AddPosition(w.Ctx, store.WholeAccount(w.Account), typus.Position{Name: "Geheim", Confidential: true, Reminders: typus.RemindersOfAccount}, nil, by)
		w.Must(err)
		list, err := w.Store.Endpoints(w.Ctx, w.Account)
		w.Must(err)
		made := func() int {
			keys, err := w.Store.APIKeys(w.Ctx, w.Account)
			w.Must(err)
			hooks, err := w.Store.Endpoints(w.Ctx, w.Account)
			w.Must(err)
			return len(keys) + len(hooks)
		}
		before, edit := made(), endpointPath(list[0].ID)+"/bearbeiten"
		for path, form := range map[string]url.Values{
			keysPath + "/neu": fields("name", "still"), endpointsPath + "/neu": fields("url", "https://spy.example.com/"), edit: fields("url", "https://spy.example.com/"),
		} {
			c.follow(c.get(path)).want(t, 200, "eine vertrauliche Stelle, die Sie nicht sehen")
			c.follow(c.post(path, form)).want(t, 200, "eine vertrauliche Stelle, die Sie nicht sehen")
		}
		if list, err = w.Store.Endpoints(w.Ctx, w.Account); err != nil || made() != before || list[0].URL != "https://hooks.example.com/a" {
			t.Errorf("%d were made, %+v, %v", made()-before, list, err)
		}
		boss.post(keysPath+"/neu", fields("name", "offen")).want(t, 303)
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.NameInPosition(w.Ctx, w.Account, hidden, c.user.ID) }))
		c.get(keysPath+"/neu").want(t, 200)
	})
}
