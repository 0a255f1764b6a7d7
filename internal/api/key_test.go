package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestEveryKeyThatDoesNotOpenIsAnsweredAlike(t *testing.T) {
	w := newWorld(t)
	revokedID, revoked, err := w.Access.CreateKey(t.Context(), w.Account, "revoked", typus.Actor{Name: "operator"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Access.RevokeKey(t.Context(), w.Account, revokedID, typus.Actor{Name: "operator"}); err != nil {
		t.Fatal(err)
	}
	expired := w.addKey(typus.APIKey{Name: "expired", ExpiresAt: w.Clock.Now()})
	want := ""
	for name, authorization := range map[string]string{
		"none":            "",
		"no scheme":       w.key,
		"another scheme":  "Basic " + w.key,
		"no key":          "Bearer ",
		"two keys":        "Bearer " + w.key + " " + w.key,
		"malformed":       "Bearer x",
		"wrong checksum":  "Bearer " + w.key[:len(w.key)-1] + flip(w.key[len(w.key)-1]),
		"wrong case":      "Bearer " + strings.ToUpper(w.key),
		"unknown":         "Bearer " + auth.NewAPIKey(),
		"revoked":         "Bearer " + revoked,
		"expired":         "Bearer " + expired,
		"quoted":          `Bearer "` + w.key + `"`,
		"reserved prefix": "Bearer typ_test_" + strings.TrimPrefix(w.key, "typ_live_"),
		"very long":       "Bearer typ_live_" + strings.Repeat("a", 20_000),
	} {
		r := w.do(call{key: "-", header: []string{"Authorization", authorization, "X-Request-Id", "same"}, invalid: true})
		if want == "" {
			want = r.body
		}
		if r.status != http.StatusUnauthorized || r.body != want || r.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: got %d %q %s", name, r.status, r.header.Get("WWW-Authenticate"), r.body)
		}
		if r.header.Get("RateLimit-Limit") != "" {
			t.Errorf("%s: the answer counts a key that does not open", name)
		}
	}
}

func flip(c byte) string {
	if c == 'a' {
		return "b"
	}
	return "a"
}

// addKey stores a key that may do everything and is otherwise as given, and returns it in
// the clear.
func (w *world) addKey(k typus.APIKey) string {
	w.Helper()
	k.Scope = typus.ScopeAll
	return w.addKeyOf(k)
}

// addKeyOf is addKey of any scope.
func (w *world) addKeyOf(k typus.APIKey) string {
	w.Helper()
	key := auth.NewAPIKey()
	k.AccountID, k.Hash, k.CreatedBy, k.CreatedAt = w.Account, auth.Hash(key), "operator", w.Clock.Now()
	if err := w.Store.InTx(w.Context(), func(tx *store.Tx) error {
		_, err := tx.AddAPIKey(w.Context(), k)
		return err
	}); err != nil {
		w.Fatal(err)
	}
	return key
}

func TestTheSchemeIsReadWithoutCase(t *testing.T) {
	w := newWorld(t)
	for _, scheme := range []string{"Bearer ", "bearer ", "BEARER   "} {
		if r := w.do(call{key: "-", header: []string{"Authorization", scheme + w.key}}); r.status != 200 {
			t.Errorf("%q: got %d", scheme, r.status)
		}
	}
}

func TestAKeyInTheQueryOpensNothingAndIsNotLogged(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"api_key", "key", "access_token", "Authorization"} {
		if r := w.do(call{path: "/api/v1/candidates?" + name + "=" + w.key, key: "-", invalid: true}); r.status != 401 {
			t.Errorf("%s: got %d", name, r.status)
		}
	}
	if strings.Contains(w.log.String(), w.key) {
		t.Error("the log holds the key")
	}
}

func TestTwoAuthorizationHeadersOpenNothing(t *testing.T) {
	w := newWorld(t)
	req, err := http.NewRequest("GET", w.url+"/api/v1/candidates", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header["Authorization"] = []string{"Bearer " + w.key, "Bearer " + w.key}
	resp, err := w.plain.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 401 {
		t.Errorf("got %d", resp.StatusCode)
	}
}

func TestTheKeyIsAskedForBeforeRouteMethodAndBody(t *testing.T) {
	w := newWorld(t)
	for _, c := range []call{
		{path: "/api/v1/nothing"}, {path: "/api/v1"}, {path: "/api/v1/"}, {method: "DELETE"}, {method: "OPTIONS"},
		{path: "/api/v1/invites", body: "no JSON", header: []string{"Content-Type", "text/plain"}},
		{path: "/api/v1/invites", body: strings.Repeat("x", 100_000)},
	} {
		c.key, c.invalid = "-", true
		if r := w.do(c); r.status != 401 {
			t.Errorf("%s %s: got %d", c.method, c.path, r.status)
		}
	}
}

func TestAThousandWrongKeysAreRefusedWithoutTheDatabase(t *testing.T) {
	w := newWorldOn(t, openedBy(t, storetest.SQLite(t)), nil)
	unknown := auth.NewAPIKey()
	if r := w.do(call{key: unknown}); r.status != 401 {
		t.Fatalf("got %d", r.status)
	}
	if err := w.Store.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		key := fmt.Sprintf("typ_live_%036d", i) // the checksum is wrong
		if i%2 == 0 {
			key = unknown // remembered
		}
		if r := w.doWith(w.plain, call{key: key}); r.status != 401 {
			t.Fatalf("%s: got %d %s", key, r.status, r.body)
		}
	}
	if r := w.doWith(w.plain, call{key: auth.NewAPIKey()}); r.status < 500 {
		t.Errorf("a new well-formed key got %d from a closed database: this test proves nothing", r.status)
	}
}

// A key that opens nothing costs as many statements whether it was somebody's or
// nobody's, and only one that was somebody's leaves anything in the database.
func TestAKeyThatWasSomebodysCostsWhatNobodysCosts(t *testing.T) {
	path := storetest.SQLite(t)
	w := newWorldOn(t, storetest.Open(t, path), nil)
	revokedID, revoked, err := w.Access.CreateKey(t.Context(), w.Account, "revoked", typus.Actor{Name: "operator"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Access.RevokeKey(t.Context(), w.Account, revokedID, typus.Actor{Name: "operator"}); err != nil {
		t.Fatal(err)
	}
	contents := dbtest.Contents(t, path)
	call := func(key string) (statements string, changed []string) {
		before := contents()
		for _, move := range []time.Duration{0, 400 * time.Millisecond, 400 * time.Millisecond, 4 * time.Second, time.Second, time.Minute} {
			w.Clock.Later(move)
			n := w.ran.Load()
			if r := w.doWith(w.plain, call{key: key}); r.status != 401 {
				t.Fatalf("got %d", r.status)
			}
			statements += fmt.Sprint(w.ran.Load()-n, " ")
		}
		w.written()
		return statements, dbtest.Changed(before, contents())
	}
	nobodys, changed := call(auth.NewAPIKey())
	if len(changed) > 0 {
		t.Errorf("nobody's key changes %v", changed)
	}
	for name, key := range map[string]string{"revoked": revoked, "expired": w.addKey(typus.APIKey{Name: "expired", ExpiresAt: w.Clock.Now()})} {
		statements, changed := call(key)
		if statements != nobodys {
			t.Errorf("a key that is %s costs %sstatements, nobody's %s", name, statements, nobodys)
		}
		if fmt.Sprint(changed) != "[api_calls api_refusals server_marks]" { // a mark for each batch of calls
			t.Errorf("a key that is %s changes %v", name, changed)
		}
	}
}

func TestWrongKeysDoNotShutOutAGoodOne(t *testing.T) {
	w := newWorld(t)
	for range 200 {
		if r := w.doWith(w.plain, call{key: auth.NewAPIKey()}); r.status != 401 {
			t.Fatalf("got %d", r.status)
		}
	}
	if r := w.do(call{}); r.status != 200 {
		t.Errorf("the good key got %d", r.status)
	}
}

func TestARevokedKeyIsDeadInUnderASecondOnEveryInstance(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		one := newWorldOn(t, s, nil)
		other := newWorldOn(t, s, nil) // a second instance on the same database
		for _, w := range []*world{one, other} {
			if r := w.do(call{key: one.key}); r.status != 200 {
				t.Fatalf("got %d", r.status)
			}
		}
		if err := one.Access.RevokeKey(t.Context(), one.Account, one.keyID, typus.Actor{Name: "operator"}); err != nil {
			t.Fatal(err)
		}
		for _, w := range []*world{one, other} {
			w.Clock.Later(900 * time.Millisecond)
			if r := w.do(call{key: one.key}); r.status != 401 {
				t.Errorf("got %d", r.status)
			}
		}
	})
}

func TestAKeyEndsAtItsTimeAlthoughItIsRemembered(t *testing.T) {
	w := newWorld(t)
	key := w.addKey(typus.APIKey{Name: "short", ExpiresAt: w.Clock.Now().Add(100 * time.Millisecond)})
	if r := w.do(call{key: key}); r.status != 200 {
		t.Fatalf("got %d", r.status)
	}
	w.Clock.Later(100 * time.Millisecond)
	if r := w.do(call{key: key}); r.status != 401 {
		t.Errorf("got %d", r.status)
	}
}

func TestAnUnknownKeyIsRememberedForFiveSeconds(t *testing.T) {
	w := newWorld(t)
	key := auth.NewAPIKey()
	if r := w.do(call{key: key}); r.status != 401 {
		t.Fatalf("got %d", r.status)
	}
	if err := w.Store.InTx(t.Context(), func(tx *store.Tx) error {
		_, err := tx.AddAPIKey(t.Context(), typus.APIKey{AccountID: w.Account, Name: "late", Hash: auth.Hash(key), CreatedBy: "operator", CreatedAt: w.Clock.Now(), Scope: typus.ScopeAll})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	w.Clock.Later(4 * time.Second)
	if r := w.do(call{key: key}); r.status != 401 {
		t.Errorf("after 4 s: got %d", r.status)
	}
	w.Clock.Later(time.Second)
	if r := w.do(call{key: key}); r.status != 200 {
		t.Errorf("after 5 s: got %d", r.status)
	}
	w.Clock.Later(-time.Hour)
	if r := w.do(call{key: key}); r.status != 200 {
		t.Errorf("after the clock was set back: got %d", r.status)
	}
}

func TestTheLastUseOfAKeyIsKeptToTheMinute(t *testing.T) {
	w := newWorld(t)
	for _, step := range []struct {
		move time.Duration
		want string
	}{{0, "10:20:00"}, {20 * time.Second, "10:20:00"}, {20 * time.Second, "10:21:00"}, {time.Hour, "11:21:00"}} {
		w.Clock.Later(step.move)
		w.do(call{})
		keys, err := w.Store.APIKeys(t.Context(), w.Account)
		if err != nil {
			t.Fatal(err)
		}
		if got := keys[0].LastUsedAt.UTC().Format(time.TimeOnly); got != step.want {
			t.Errorf("at %s the last use is %s, want %s", w.Clock.Now().Format(time.TimeOnly), got, step.want)
		}
	}
}

// counting counts how often the wall of the rate was reached.
type counting struct {
	unlimited
	n atomic.Int64
}

func (c *counting) Take(ctx context.Context, id int64) (quota, error) {
	c.n.Add(1)
	return c.unlimited.Take(ctx, id)
}

func TestOnlyValidKeysReachTheRate(t *testing.T) {
	c := &counting{}
	w := newWorldOn(t, storetest.OpenSQLite(t), c)
	w.do(call{key: auth.NewAPIKey()})
	w.do(call{key: "-", invalid: true})
	w.do(call{path: "/api/openapi.yaml"})
	if n := c.n.Load(); n != 0 {
		t.Errorf("%d requests without a valid key were counted", n)
	}
	w.do(call{path: "/api/v1/nothing"})
	w.do(call{method: "DELETE"})
	if n := c.n.Load(); n != 2 {
		t.Errorf("%d requests with a valid key were counted, want 2", n)
	}
}
