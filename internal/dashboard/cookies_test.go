package dashboard

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"typus"
	"typus/internal/store/storetest"
	"typus/internal/web"
)

// onHTTPS serves the dashboard as it is where links begin with https, behind TLS.
func (w *world) onHTTPS() {
	w.Helper()
	var handler http.Handler
	w.server = httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { handler.ServeHTTP(rw, r) }))
	w.Cleanup(w.server.Close)
	o := w.face.Options
	o.BaseURL = w.server.URL
	w.face = newFace(o, w.face.pages)
	handler = web.WithRequestID(o.Log, web.WithClientIP([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, w.face.handler()))
}

// Over https every cookie goes over https alone and belongs to this host alone
// (RFC 6265bis, 4.1.3); over plain http, where no browser takes such a cookie, the names
// have no prefix.
func TestCookiesKeepToHTTPS(t *testing.T) {
	for _, https := range []bool{false, true} {
		w := newEmptyWorldOn(t, storetest.OpenSQLite(t))
		if https {
			w.onHTTPS()
		}
		w.Account = w.newAccount("Muster Software GmbH")
		w.face.SignUp = true
		w.person("ada@example.com", owner)
		seen := map[string]bool{}
		client := func() *client {
			c := w.stranger()
			c.http.Transport = w.server.Client().Transport
			return c
		}
		check := func(a answer) answer {
			t.Helper()
			if a.StatusCode != http.StatusSeeOther && a.StatusCode != http.StatusOK {
				t.Errorf("https %t: %s %s: %s", https, a.Request.Method, a.Request.URL.Path, a.Status)
			}
			for _, cookie := range a.Cookies() {
				name, ours := strings.CutPrefix(cookie.Name, "__Host-")
				seen[name] = true
				if cookie.Secure != https || ours != (https && name != "lang") || !cookie.HttpOnly || cookie.Path != "/" || cookie.Domain != "" || cookie.SameSite != http.SameSiteLaxMode {
					t.Errorf("https %t: %s %s sets %s", https, a.Request.Method, a.Request.URL.Path, cookie)
				}
			}
			return a
		}
		c := client()
		check(c.login("ada@example.com", goodPassword))
		check(c.get(profilePath))
		check(c.post("/dashboard/sprache", fields("sprache", "en")))
		check(c.post(keysPath+"/neu", fields("name", "CRM")))
		check(c.get(keysPath))
		check(c.post(profilePath+"/passwort", fields("password", goodPassword, "new_password", newPassword)))
		check(c.post("/abmelden", nil))
		if c.in() {
			t.Error("still logged in")
		}
		founding := fields("company", "Neu GmbH", "language", "de", "email", "new@example.com", "password", goodPassword)
		check(client().post("/registrieren", founding))
		check(client().post("/bestaetigen/"+w.brought(0, typus.LetterSignUp), fields("password", goodPassword)))
		link, err := w.Access.NewPasswordLink(w.Ctx, w.Account, "ada@example.com", by.Name)
		w.Must(err)
		check(client().post(link[strings.Index(link, "/passwort/"):], fields("password", goodPassword)))
		for _, name := range []string{"typus", flashCookie, deviceCookie, "lang"} {
			if !seen[name] {
				t.Errorf("https %t: no cookie %s: %v", https, name, seen)
			}
		}
	}
}
