package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/auth"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

const goodPassword = "vier lose Wörter hier"

// onBoth runs a test on a world on each database.
func onBoth(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	storetest.Run(t, func(t *testing.T, s *store.Store) { test(t, newWorldOn(t, s)) })
}

// person is a user of the account who logs in with goodPassword.
func (w *world) person(email string, role typus.UserRole) typus.User {
	w.Helper()
	password := goodPassword
	u := typus.User{AccountID: w.Account, Email: email, Role: role}
	var err error
	u.ID, _, err = w.Access.CreateUser(w.Ctx, u, &password, "operator")
	w.Must(err)
	u, err = w.Store.User(w.Ctx, w.Account, u.ID)
	w.Must(err)
	return u
}

// login sends the form of the login.
func (c *client) login(email, password string) answer {
	c.Helper()
	return c.post("/anmelden", url.Values{"email": {email}, "password": {password}})
}

// loggedIn is a new browser in which a person has logged in.
func (w *world) loggedIn(email string) *client {
	w.Helper()
	c := w.stranger()
	if a := c.login(email, goodPassword); a.Header.Get("Location") != "/dashboard" {
		w.Fatalf("the login: %s to %q: %.300s", a.Status, a.Header.Get("Location"), a.body)
	}
	c.user, _ = w.Store.UserByEmail(w.Ctx, w.Account, email)
	return c
}

// cookie is what the browser keeps under a name.
func (c *client) cookie(name string) string {
	c.Helper()
	home, err := url.Parse(c.server.URL)
	c.Must(err)
	for _, cookie := range c.http.Jar.Cookies(home) {
		if cookie.Name == name {
			return cookie.Value
		}
	}
	return ""
}

// with gives the browser a cookie.
func (c *client) with(name, value string) *client {
	c.Helper()
	home, err := url.Parse(c.server.URL)
	c.Must(err)
	c.http.Jar.SetCookies(home, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
	return c
}

// in reports whether the browser is logged in.
func (c *client) in() bool {
	c.Helper()
	return c.get(profilePath).StatusCode == http.StatusOK
}

// brought is the token that the newest letter of a kind brings.
func (w *world) brought(account int64, kind typus.LetterKind) string {
	w.Helper()
	letters, err := w.Store.Letters(w.Ctx, account, 20)
	w.Must(err)
	for _, l := range letters {
		if l.Kind == kind {
			token, err := w.face.Box.Open(l.Detail, l.DetailAAD())
			w.Must(err)
			return string(token)
		}
	}
	w.Fatalf("there is no letter of the kind %s", kind)
	return ""
}

// actions are what the audit log of the account says, the newest first.
func (w *world) actions() string {
	w.Helper()
	list, err := w.Store.Audit(w.Ctx, w.Account, 100)
	w.Must(err)
	var all []string
	for _, e := range list {
		all = append(all, string(e.Action))
	}
	return strings.Join(all, " ")
}

func TestALoginLeavesACookieThatNoScriptReads(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		u := w.person("ada@example.com", owner)
		c := w.stranger()
		c.ip = "198.51.100.7"
		a := c.login(" ADA@example.com ", goodPassword)
		a.want(t, http.StatusSeeOther)
		for _, cookie := range a.Cookies() {
			if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" {
				t.Errorf("the cookie %s", cookie)
			}
		}
		sessions, err := w.Store.SessionsOf(w.Ctx, w.Account, u.ID)
		w.Must(err)
		if len(sessions) != 1 || sessions[0].Hash != auth.Hash(c.cookie("typus")) || sessions[0].IP != "198.51.100.7" {
			t.Errorf("sessions: %+v", sessions)
		}
		entries, err := w.Store.AuditLog(w.Ctx, store.WholeAccount(w.Account), store.AuditFilter{Action: "user.logged_in", Limit: 5})
		w.Must(err)
		if len(entries) != 1 || entries[0].UserID != u.ID || entries[0].IP != "198.51.100.7" || entries[0].RequestID == "" {
			t.Errorf("the audit log: %+v", entries)
		}
		if !c.in() {
			t.Error("the browser is not logged in")
		}
	})
}

// Nobody learns who has a login: not by the words, not by the status, not by how
// long it takes.
func TestNothingTellsWhoHasALogin(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.person("ada@example.com", owner)
		_, err := w.Access.InviteUser(w.Ctx, typus.User{AccountID: w.Account, Email: "invited@example.com", Role: viewer}, typus.Actor{Name: "operator"})
		w.Must(err)
		w.face.SignUp = true
		seen, ranFor := map[string]string{}, map[string]int64{}
		for i, email := range []string{"ada@example.com", "nobody@example.com", "invited@example.com", "x\x00y@example.com"} {
			c := w.stranger()
			c.ip = fmt.Sprintf("198.51.%d.1", i)
			for what, ask := range map[string]func() answer{
				"login":  func() answer { return c.login(email, "something else entirely") },
				"forgot": func() answer { return c.post("/passwort", url.Values{"email": {email}}) },
				"sign-up": func() answer {
					return c.post("/registrieren", url.Values{"email": {strings.ReplaceAll(email, "\x00", "")}, "company": {"Neu GmbH"}, "language": {"de"}, "password": {goodPassword}})
				},
			} {
				before, statements := auth.PasswordWork(), w.ran.Load()
				a := ask()
				ran := w.ran.Load() - statements
				if email == "x\x00y@example.com" {
					ran = ranFor[what] // no address at all; the databases are not asked for it
				}
				ranFor[what] = ran
				got := fmt.Sprintf("%d %s %s, %d statements, %d passwords", a.StatusCode, a.Header.Get("Location"), a.body, ran, auth.PasswordWork()-before)
				got = regexp.MustCompile(`value="[^"]*@example.com"`).ReplaceAllString(got, "value")
				if seen[what] == "" {
					seen[what] = got
				} else if seen[what] != got {
					t.Errorf("%s of %q is answered\n%s\nand not\n%s", what, email, got, seen[what])
				}
			}
		}
		if !strings.Contains(seen["login"], "422") || !strings.HasSuffix(seen["login"], " 1 passwords") || !strings.HasSuffix(seen["forgot"], " 0 passwords") ||
			!strings.HasSuffix(seen["sign-up"], " 1 passwords") {
			t.Errorf("the answers: %s", seen)
		}
	})
}

func TestGuessingFromOneAddressIsSlowedDown(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.person("ada@example.com", owner)
		guesser := w.stranger()
		guesser.ip = "198.51.100.7"
		before, last := auth.PasswordWork(), answer{}
		for range 50 {
			last = guesser.login("ada@example.com", "wrong wrong wrong")
		}
		if n := auth.PasswordWork() - before; n != 5 {
			t.Errorf("%d of 50 guesses were tried, want 5", n)
		}
		if last.StatusCode != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" {
			t.Errorf("the last: %s, Retry-After %q", last.Status, last.Header.Get("Retry-After"))
		}
		guesser.ip = "198.51.100.200" // a neighbour in the same network
		if a := guesser.login("ada@example.com", goodPassword); a.StatusCode != http.StatusTooManyRequests {
			t.Errorf("from the same network: %s", a.Status)
		}
		guesser.ip = "198.51.101.7"
		if a := guesser.login("ada@example.com", goodPassword); a.StatusCode != http.StatusSeeOther {
			t.Errorf("from another network: %s", a.Status)
		}
		w.Later(3 * time.Second)
		guesser = w.stranger()
		guesser.ip = "198.51.100.7"
		if a := guesser.login("ada@example.com", goodPassword); a.StatusCode != http.StatusSeeOther {
			t.Errorf("after the wait: %s: %s", a.Status, a.body)
		}
	})
}

func TestManyAddressesDoNotLockOutAKnownDevice(t *testing.T) {
	w := newWorld(t)
	w.person("ada@example.com", owner)
	mine := w.loggedIn("ada@example.com")
	mine.ip = "198.51.0.9"
	mine.post("/abmelden", nil)
	for i := range 12 {
		guesser := w.stranger()
		guesser.ip = fmt.Sprintf("198.51.%d.9", i%4)
		for range 3 {
			guesser.login("ada@example.com", "wrong wrong wrong")
		}
	}
	other := w.stranger()
	other.ip = "198.51.0.9"
	if a := other.login("ada@example.com", goodPassword); a.StatusCode != http.StatusTooManyRequests {
		t.Errorf("an unknown device among the guessers: %s", a.Status)
	}
	if a := mine.login("ada@example.com", goodPassword); a.StatusCode != http.StatusSeeOther {
		t.Errorf("the known device: %s", a.Status)
	}
	forged := w.stranger().with("typus-device", "bm90IG91cnM")
	forged.ip = "198.51.0.9"
	if a := forged.login("ada@example.com", goodPassword); a.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a made-up device: %s", a.Status)
	}
}

// Colleagues behind one address mistype, too; that must not keep the next one out.
func TestAnOfficeThatMistypesIsNotLockedOut(t *testing.T) {
	w := newWorld(t)
	w.person("ada@example.com", owner)
	for i := range 20 {
		colleague := w.stranger()
		colleague.ip = fmt.Sprintf("198.51.100.%d", i+1)
		if a := colleague.login(fmt.Sprintf("person-%d@example.com", i), "wrong wrong wrong"); a.StatusCode != http.StatusUnprocessableEntity {
			t.Fatalf("colleague %d: %s", i, a.Status)
		}
	}
	next := w.stranger()
	next.ip = "198.51.100.99"
	next.login("ada@example.com", goodPassword).want(t, http.StatusSeeOther)
}

func TestAnOfficeThatForgetsItsPasswordsIsWrittenTo(t *testing.T) {
	w := newWorld(t)
	for i := range 12 {
		c := w.stranger()
		c.ip = fmt.Sprintf("198.51.100.%d", i)
		if a := c.post("/passwort", fields("email", fmt.Sprintf("person%d@example.com", i))); a.StatusCode != http.StatusSeeOther {
			t.Fatalf("the person %d of an office: %s", i, a.Status)
		}
	}
	c := w.stranger()
	c.ip = "198.51.100.7"
	waits := false
	for i := range 60 {
		waits = waits || c.post("/passwort", fields("email", fmt.Sprintf("nobody%d@example.com", i))).StatusCode == http.StatusTooManyRequests
	}
	if !waits {
		t.Error("a network may ask for any number of letters")
	}
}

func TestGuessesAtTheSameTimeCountEachOther(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.person("ada@example.com", owner)
		before := auth.PasswordWork()
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				_, err := w.Access.LogIn(w.Ctx, "ada@example.com", "wrong wrong wrong", access.Device{IP: "198.51.100.7"})
				if err == nil {
					t.Error("a wrong password was let in")
				}
			})
		}
		all.Wait()
		if n := auth.PasswordWork() - before; n != 5 {
			t.Errorf("%d of 20 guesses at the same time were tried, want 5", n)
		}
	})
}

func TestASessionEndsWithWhatItRestsOn(t *testing.T) {
	for what, end := range map[string]func(w *world, c *client){
		"log out":       func(_ *world, c *client) { c.post("/abmelden", nil) },
		"12 idle hours": func(w *world, _ *client) { w.Later(12 * time.Hour) },
		"the user removed": func(w *world, c *client) {
			w.Must(w.Access.RemoveUser(w.Ctx, w.Account, c.user.ID, typus.Actor{Name: "operator"}))
		},
		"a new role": func(w *world, c *client) {
			_, err := w.Access.ChangeRole(w.Ctx, w.Account, c.user.ID, viewer, typus.Session{}, typus.Actor{Name: "operator"}, nil)
			w.Must(err)
		},
		"all logged out": func(w *world, c *client) {
			w.Must(w.Access.EndSessionsOf(w.Ctx, w.Account, c.user.ID, typus.Actor{Name: "operator"}))
		},
		"a password by link": func(w *world, c *client) {
			link, err := w.Access.NewPasswordLink(w.Ctx, w.Account, c.user.Email, "operator")
			w.Must(err)
			w.stranger().post(strings.TrimPrefix(link, w.server.URL), url.Values{"password": {goodPassword}}).want(w.T, http.StatusSeeOther)
		},
		"14 days": func(w *world, c *client) {
			for range 14 * 24 / 6 {
				w.Later(6 * time.Hour)
				c.get("/dashboard/einstellungen/profil")
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			w.person("boss@example.com", owner)
			w.person("ada@example.com", member)
			c := w.loggedIn("ada@example.com")
			token := c.cookie("typus")
			w.Later(time.Hour)
			if !c.in() {
				t.Fatal("not logged in")
			}
			end(w, c)
			if w.stranger().with("typus", token).in() {
				t.Error("the old cookie still works")
			}
		})
	}
}

func TestChangingThePasswordEndsAllOtherLogins(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.person("ada@example.com", owner)
		other, c := w.loggedIn("ada@example.com"), w.loggedIn("ada@example.com")
		before := c.cookie("typus")
		path := profilePath + "/passwort"
		c.post(path, url.Values{"password": {"not the present one"}, "new_password": {"ganz andere Wörter jetzt"}}).want(t, 422, "nicht Ihr aktuelles Passwort", "autofocus")
		c.post(path, url.Values{"password": {goodPassword}, "new_password": {"kurz"}}).want(t, 422, "mindestens 12 Zeichen")
		c.follow(c.post(path, url.Values{"password": {goodPassword}, "new_password": {"ganz andere Wörter jetzt"}})).want(t, 200, "Ihr Passwort ist geändert")
		if c.cookie("typus") == before || w.stranger().with("typus", before).in() || other.in() || !c.in() {
			t.Error("the other logins did not end, or this one kept its token")
		}
		if a := w.stranger().login("ada@example.com", goodPassword); a.StatusCode != 422 {
			t.Errorf("the old password: %s", a.Status)
		}
	})
}

// A session that somebody else has put into the browser never becomes the
// user's.
func TestALoginNeverTakesOverASessionItFinds(t *testing.T) {
	w := newWorld(t)
	w.person("ada@example.com", owner)
	w.person("eve@example.com", owner)
	planted := w.loggedIn("eve@example.com").cookie("typus")
	for what, value := range map[string]string{"made up": auth.NewSession(), "another user's": planted} {
		victim := w.stranger().with("typus", value)
		victim.login("ada@example.com", goodPassword).want(t, http.StatusSeeOther)
		if victim.cookie("typus") == value {
			t.Errorf("%s: the login kept the token it found", what)
		}
		if w.stranger().with("typus", value).in() {
			t.Errorf("%s: the planted token works after the login", what)
		}
	}
}

// The same holds for the way into a new account.
func TestANewAccountNeverTakesOverASessionItFinds(t *testing.T) {
	w := newWorld(t)
	w.face.SignUp = true
	w.person("eve@example.com", owner)
	planted := w.loggedIn("eve@example.com").cookie("typus")
	w.stranger().post("/registrieren", fields("company", "Neu GmbH", "language", "de", "email", "kim@example.com", "password", goodPassword)).want(t, 303)
	victim := w.stranger().with("typus", planted)
	victim.post("/bestaetigen/"+w.brought(0, typus.LetterSignUp), fields("password", goodPassword)).want(t, 303)
	if victim.cookie("typus") == planted || !victim.in() {
		t.Error("the new account is in no session of its own")
	}
	if w.stranger().with("typus", planted).in() {
		t.Error("the planted token works after the sign-up")
	}
}

// What an invited person is found by until they accept is no address: nobody gets
// a letter by it, past the pace at which invitations are repeated.
func TestThePlaceOfAnInvitedPersonIsNoLogin(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		_, err := w.Access.InviteUser(w.Ctx, typus.User{AccountID: w.Account, Email: "invited@example.com", Role: viewer}, by)
		w.Must(err)
		w.stranger().post("/passwort", fields("email", fmt.Sprintf("invited|%d|invited@example.com", w.Account))).want(t, 303)
		letters, err := w.Store.Letters(w.Ctx, w.Account, 10)
		w.Must(err)
		if len(letters) != 1 || letters[0].Kind != typus.LetterTeamInvitation {
			t.Errorf("letters: %+v", letters)
		}
	})
}

// A name that nobody would see is none.
func TestANameThatNobodySeesIsNone(t *testing.T) {
	w := newWorld(t)
	const unseen = "\u3164\u200b\ufe0f"
	w.person("ada@example.com", owner)
	c := w.loggedIn("ada@example.com")
	c.post("/dashboard/einladen", fields("name", unseen, "email", "kim@example.com")).want(t, 422, "name-fault")
	c.post("/dashboard/einstellungen/konto/allgemein", fields("name", unseen, "language", "de", "role_profile", "hunter", "invite_days", "30", "reminders", "2")).want(t, 422, "name-fault")
	c.post(keysPath+"/neu", fields("name", unseen)).want(t, 422, "name-fault")
	out := w.invited("Kim Muster", "")
	c.post("/dashboard/kandidat/"+id(out)+"/korrigieren", fields("name", unseen, "email", "kim@example.com")).want(t, 422)
	c.post("/dashboard/kandidat/"+id(out)+"/tags", fields("tag", unseen)).want(t, 422)
	c.post("/dashboard/kandidat/"+id(out)+"/notizen", fields("notiz", unseen)).want(t, 422)
	c.post(profilePath, fields("name", "👩\u200d💻")).want(t, 303)
	c.get(profilePath).want(t, 200, "👩\u200d💻")
	c.post(profilePath, fields("name", unseen)).want(t, 303)
	c.post(teamPath+"/einladen", fields("email", "new@example.com", "name", unseen, "role", "member")).want(t, 303)
	users, err := w.Store.Users(w.Ctx, w.Account)
	w.Must(err)
	for _, u := range users {
		if u.Called() != u.Email {
			t.Errorf("%s is called %q", u.Email, u.Called())
		}
	}
}

// What is wrong with a form as a whole has the focus, and no field of it.
func TestWhatIsWrongWithAWholeFormHasTheFocus(t *testing.T) {
	w := newWorld(t)
	const focused = `role="alert" tabindex="-1" autofocus`
	c := w.as(owner)
	for said, a := range map[string]answer{
		"E-Mail-Adresse oder Passwort ist falsch":            w.stranger().post("/anmelden", fields("email", "ada@example.com", "password", "x")),
		"Mindestens eine Person muss die Kontoleitung haben": c.post(memberPath(c.user.ID)+"/entfernen", nil),
	} {
		a.want(t, 422, said, focused, "<title>Fehler: ")
		if n := strings.Count(a.body, "autofocus"); n != 1 {
			t.Errorf("%s: %d elements ask for the focus", said, n)
		}
	}
	guesser, tooMany := w.stranger(), "Zu viele"
	for range 40 {
		if a := guesser.post("/passwort", fields("email", "ada@example.com")); a.StatusCode == http.StatusTooManyRequests {
			if a.want(t, 429, focused, "<title>Fehler: "); strings.Count(a.body, "autofocus") != 1 {
				t.Error("the field asks for the focus as well")
			}
			tooMany = ""
			break
		}
	}
	if tooMany != "" {
		t.Error("letters are asked for without end")
	}
}

func TestTheLoginGoesBackToOwnPagesOnly(t *testing.T) {
	w := newWorld(t)
	w.person("ada@example.com", owner)
	for back, want := range map[string]string{
		"/dashboard/kandidat/100000000000001?a=b": "/dashboard/kandidat/100000000000001?a=b", "//evil.example": "/dashboard", "/\\evil.example": "/dashboard",
		"https://evil.example/dashboard": "/dashboard", "/dashboard\\@evil": "/dashboard", "/dashboard/\r\nx": "/dashboard",
	} {
		a := w.stranger().post("/anmelden", url.Values{"email": {"ada@example.com"}, "password": {goodPassword}, "weiter": {back}})
		if got := a.Header.Get("Location"); got != want {
			t.Errorf("back to %q leads to %q, want %q", back, got, want)
		}
	}
	late := w.stranger().get("/dashboard/einstellungen/team?x=1")
	if got := late.Header.Get("Location"); got != "/anmelden?weiter="+url.QueryEscape("/dashboard/einstellungen/team?x=1") {
		t.Errorf("an expired session leads to %q", got)
	}
}

// withTOTP turns the second factor on and returns its seed and the recovery codes.
func (c *client) withTOTP() (string, []string) {
	c.Helper()
	c.post(totpPath, url.Values{"password": {goodPassword}}).want(c.T, http.StatusSeeOther)
	page := c.get(totpPath).want(c.T, 200, "<svg class=\"qr\"")
	seed := strings.ReplaceAll(regexp.MustCompile(`secret">([A-Z2-7 ]+)<`).FindStringSubmatch(page.body)[1], " ", "")
	shown := c.follow(c.post(totpPath+"/ein", url.Values{"code": {c.code(seed)}})).want(c.T, 200, "eingeschaltet")
	var codes []string
	for _, m := range regexp.MustCompile(`<li><code>([a-z2-7-]{19})</code>`).FindAllStringSubmatch(shown.body, -1) {
		codes = append(codes, m[1])
	}
	if len(codes) != 10 {
		c.Fatalf("%d recovery codes are shown", len(codes))
	}
	if again := c.get(totpPath); strings.Contains(again.body, codes[0]) {
		c.Error("the codes are shown a second time")
	}
	c.Later(30 * time.Second)
	return seed, codes
}

func (w *world) code(seed string) string {
	w.Helper()
	code, err := auth.TOTPCode(seed, w.Now())
	w.Must(err)
	return code
}

func TestASecondFactorIsAskedForAndCountsOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.person("ada@example.com", owner)
		other := w.loggedIn("ada@example.com")
		c := w.loggedIn("ada@example.com")
		seed, codes := c.withTOTP()
		if other.in() || !c.in() {
			t.Error("the other login did not end, or this one did")
		}
		half := func() *client {
			b := w.stranger()
			a := b.post("/anmelden", url.Values{"email": {"ada@example.com"}, "password": {goodPassword}, "weiter": {teamPath}})
			if got := a.Header.Get("Location"); !strings.HasPrefix(got, "/anmelden/code?weiter=") {
				t.Fatalf("the password leads to %q", got)
			}
			if b.in() {
				t.Fatal("the password alone lets in")
			}
			return b
		}
		enter := func(b *client, code string) answer {
			return b.post("/anmelden/code", url.Values{"code": {code}, "weiter": {teamPath}})
		}
		late := w.code(seed)
		w.Later(30 * time.Second)
		now := w.code(seed)

		browsers := []*client{half(), half()}
		var all sync.WaitGroup
		var let atomic.Int64
		for _, b := range browsers {
			before := b.cookie("typus")
			all.Go(func() {
				if a := enter(b, now); a.Header.Get("Location") == teamPath {
					let.Add(1)
					if b.cookie("typus") == before {
						t.Error("the session kept its token")
					}
				}
			})
		}
		all.Wait()
		if let.Load() != 1 {
			t.Errorf("one code let %d browsers in", let.Load())
		}
		if a := enter(half(), late); a.StatusCode != 422 {
			t.Errorf("the code of the step before: %s", a.Status)
		}
		if a := enter(half(), "000000"); a.StatusCode != 422 {
			t.Errorf("a wrong code: %s", a.Status)
		}
		if a := enter(half(), strings.ToUpper(strings.ReplaceAll(codes[3], "-", " "))); a.Header.Get("Location") != teamPath {
			t.Errorf("a recovery code: %s %s", a.Status, a.body)
		}
		if a := enter(half(), codes[3]); a.StatusCode != 422 {
			t.Errorf("a recovery code for the second time: %s", a.Status)
		}

		off := func(password, code string) answer {
			return c.post(totpPath+"/aendern", url.Values{"password": {password}, "code": {code}, "was": {"aus"}})
		}
		off("not the password", codes[4]).want(t, 422, "nicht Ihr aktuelles Passwort")
		off(goodPassword, "123456").want(t, 422, "Dieser Code stimmt nicht")
		c.follow(off(goodPassword, codes[4])).want(t, 200, "ausgeschaltet")
		if a := w.stranger().login("ada@example.com", goodPassword); a.Header.Get("Location") != "/dashboard" {
			t.Errorf("without the second factor: %s", a.Header.Get("Location"))
		}
		for _, action := range []string{"user.totp_on", "user.totp_off", "user.recovery_code_used", "user.code_failed"} {
			if !strings.Contains(w.actions(), action) {
				t.Errorf("the audit log has no %s", action)
			}
		}
	})
}

// Who is slow to set the second factor up is told how long the seed is shown, and
// goes on with what the app has: no password is blamed that nobody gave.
func TestASecondFactorCanBeSetUpSlowly(t *testing.T) {
	w := newWorld(t)
	w.person("ada@example.com", owner)
	c := w.loggedIn("ada@example.com")
	c.post(totpPath, url.Values{"password": {goodPassword}}).want(t, 303)
	page := c.get(totpPath).want(t, 200, "zehn Minuten")
	shown := regexp.MustCompile(`secret">([A-Z2-7 ]+)<`).FindStringSubmatch(page.body)[1]
	w.Later(seedShownFor + time.Minute)
	a := c.post(totpPath+"/ein", url.Values{"code": {"000000"}}).want(t, 422, "Dieser Code stimmt nicht", "mehr als zehn Minuten", `id="code"`)
	for _, text := range []string{"Passwort", shown, "<svg class=\"qr\""} {
		if strings.Contains(a.body, text) {
			t.Errorf("the page says %q", text)
		}
	}
	c.follow(c.post(totpPath+"/ein", url.Values{"code": {w.code(strings.ReplaceAll(shown, " ", ""))}})).want(t, 200, "eingeschaltet")
	if again := c.get(totpPath).want(t, 200); strings.Contains(again.body, "zehn Minuten") {
		t.Error("what is on is set up again")
	}
}

func TestCodesCannotBeGuessed(t *testing.T) {
	w := newWorld(t)
	w.person("ada@example.com", owner)
	c := w.loggedIn("ada@example.com")
	seed, _ := c.withTOTP()
	b := w.stranger()
	b.login("ada@example.com", goodPassword)
	tried, from := 0, w.Now()
	for w.Now().Before(from.Add(15*time.Minute - time.Second)) {
		a := b.post("/anmelden/code", url.Values{"code": {"000000"}})
		switch a.StatusCode {
		case 422:
			tried++
		case http.StatusTooManyRequests:
			w.Later(time.Second)
		default: // the half login has run out
			b.login("ada@example.com", goodPassword)
		}
	}
	if tried > 10 {
		t.Errorf("%d codes were tried in a quarter of an hour, want at most 10", tried)
	}
	w.Later(15 * time.Minute)
	b.login("ada@example.com", goodPassword)
	if a := b.post("/anmelden/code", url.Values{"code": {w.code(seed)}}); a.StatusCode != http.StatusSeeOther {
		t.Errorf("the right code after the wait: %s", a.Status)
	}
}

func TestAForgottenPasswordIsSetOnceByItsLink(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.person("ada@example.com", owner)
		ask := func() string {
			w.Later(time.Hour)
			c := w.stranger()
			c.follow(c.post("/passwort", url.Values{"email": {"Ada@example.com"}})).want(t, 200, "unterwegs")
			return "/passwort/" + w.brought(w.Account, typus.LetterPasswordReset)
		}
		old := ask()
		w.Later(30 * time.Minute)
		w.stranger().get(old).want(t, 404, "gilt nicht mehr")
		second, err := w.Access.NewPasswordLink(w.Ctx, w.Account, "ada@example.com", "operator")
		w.Must(err)
		one := ask()
		c := w.stranger()
		c.get(one).want(t, 200, "ada@example.com", "autofocus")
		c.post(one, url.Values{"password": {"ada@example.com is me"}}).want(t, 422, "keine Teile")
		if a := c.post(one, url.Values{"password": {"etwas ganz anderes nun"}}); a.Header.Get("Location") != "/dashboard" || !c.in() {
			t.Errorf("setting it: %s", a.Status)
		}
		for _, link := range []string{one, strings.TrimPrefix(second, w.server.URL), "/passwort/" + auth.NewSession(), "/passwort/x"} {
			w.stranger().get(link).want(t, 404)
			w.stranger().post(link, url.Values{"password": {goodPassword}}).want(t, 404, "gilt nicht mehr")
		}
		w.stranger().login("ada@example.com", "etwas ganz anderes nun").want(t, http.StatusSeeOther)
	})
}

func TestAPasswordLinkDoesNotPassTheSecondFactor(t *testing.T) {
	w := newWorld(t)
	w.person("ada@example.com", owner)
	w.loggedIn("ada@example.com").withTOTP()
	link, err := w.Access.NewPasswordLink(w.Ctx, w.Account, "ada@example.com", "operator")
	w.Must(err)
	c := w.stranger()
	a := c.post(strings.TrimPrefix(link, w.server.URL), url.Values{"password": {"etwas ganz anderes nun"}})
	if a.Header.Get("Location") != "/anmelden/code" || c.in() {
		t.Errorf("the link leads to %q, logged in: %t", a.Header.Get("Location"), c.in())
	}
}

func TestWithoutAMailServerTheForgottenPasswordNeedsTheOperator(t *testing.T) {
	w := newWorld(t)
	w.face.Mail = false
	w.stranger().get("/passwort").want(t, 200, "typus user link --account 1 --email name@example.com")
	w.stranger().post("/passwort", url.Values{"email": {"ada@example.com"}}).want(t, 503, "typus user link")
}

func TestANewAddressCountsOnceItIsConfirmed(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.person("ada@example.com", owner)
		w.person("taken@example.com", viewer)
		c := w.loggedIn("ada@example.com")
		path := profilePath + "/email"
		c.post(path, url.Values{"email": {"no address"}, "password": {goodPassword}}).want(t, 422, `value="no address"`, "email-fault")
		c.post(path, url.Values{"email": {"ada2@example.com"}, "password": {"not the password"}}).want(t, 422, "nicht Ihr aktuelles Passwort", `value="ada2@example.com"`)
		ask := func(email string) string {
			w.Later(time.Hour)
			c.follow(c.post(path, url.Values{"email": {email}, "password": {goodPassword}})).want(t, 200, "Link an die neue Adresse")
			return "/bestaetigen/" + w.brought(w.Account, typus.LetterEmailChange)
		}
		taken := ask("TAKEN@example.com")
		w.stranger().get(taken).want(t, 200)
		c.post(taken, nil).want(t, 409, "schon einen Zugang")
		link := ask("ada2@example.com")
		w.stranger().get(link).want(t, 200, "ada2@example.com")
		w.stranger().login("ada2@example.com", goodPassword).want(t, 422)
		c.post(link, nil).want(t, http.StatusSeeOther)
		w.stranger().login("ada2@example.com", goodPassword).want(t, http.StatusSeeOther)
		w.stranger().login("ada@example.com", goodPassword).want(t, 422)
		w.stranger().post(link, nil).want(t, 404)
		c.get(profilePath).want(t, 200, "ada2@example.com")
	})
}

func TestTheFirstAccountIsMadeOnceByWhoHasTheLink(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newEmptyWorldOn(t, s)
		link, err := w.Access.NewSetUpLink(w.Ctx)
		w.Must(err)
		path := strings.TrimPrefix(link, w.server.URL)
		w.stranger().get("/einrichten").want(t, 404, "nichts einzurichten")
		w.stranger().get("/einrichten?token="+auth.NewSession()).want(t, 404)
		w.stranger().get(path).want(t, 200, "Typus einrichten")
		w.Later(time.Hour)
		w.stranger().get(path).want(t, 404)
		link, err = w.Access.NewSetUpLink(w.Ctx)
		w.Must(err)
		token := strings.TrimPrefix(link, w.server.URL+"/einrichten?token=")
		form := func(email string) url.Values {
			return url.Values{"token": {token}, "company": {"Muster GmbH"}, "language": {"de"}, "name": {"Kim"}, "email": {email}, "password": {goodPassword}}
		}
		bad := form("kim@example.com")
		bad.Set("company", " ")
		bad.Set("password", "Muster GmbH 2026")
		w.stranger().post("/einrichten", bad).want(t, 422, `value="kim@example.com"`, "company-fault")
		var won atomic.Int64
		var all sync.WaitGroup
		for i := range 6 {
			c := w.stranger()
			all.Go(func() {
				if a := c.post("/einrichten", form(fmt.Sprintf("kim%d@example.com", i))); a.Header.Get("Location") == "/dashboard/willkommen" {
					won.Add(1)
					c.get("/dashboard/willkommen").want(t, 200, "Ihr Konto ist bereit")
				}
			})
		}
		all.Wait()
		accounts, err := w.Store.Accounts(w.Ctx)
		w.Must(err)
		if won.Load() != 1 || len(accounts) != 1 || accounts[0].Plan != typus.PlanBusiness {
			t.Errorf("%d won, accounts %+v", won.Load(), accounts)
		}
		if link, err := w.Access.NewSetUpLink(w.Ctx); link != "" || err != nil {
			t.Errorf("with an account there is still a link: %q, %v", link, err)
		}
		w.stranger().get(path).want(t, 404)
	})
}

func TestSigningUpIsOpenOnlyWhereItIsSwitchedOn(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.stranger().get("/registrieren").want(t, 404)
		form := url.Values{"company": {"Neu & Söhne"}, "language": {"en"}, "name": {"Kim Neu-Mann"}, "email": {"kim@example.com"}, "password": {goodPassword}}
		w.stranger().post("/registrieren", form).want(t, 404)
		w.face.SignUp = true
		w.stranger().get("/registrieren").want(t, 200, "Konto anlegen", `name="keep_finished_days" type="number" value="180"`)
		form.Set("keep_finished_days", "9999")
		w.stranger().post("/registrieren", form).want(t, 422, `id="keep_finished_days-fault"`, `value="9999"`)
		form.Set("keep_finished_days", "90")
		c := w.stranger()
		c.follow(c.post("/registrieren", form)).want(t, 200, "bestätigen Sie Ihre Adresse")
		link := "/bestaetigen/" + w.brought(0, typus.LetterSignUp)
		w.stranger().login("kim@example.com", goodPassword).want(t, 422)
		w.stranger().get(link).want(t, 200, "kim@example.com")
		b := w.stranger()
		b.post(link, url.Values{"password": {"what the victim would guess"}}).want(t, 422, "nicht das Passwort", "autofocus")
		b.follow(b.post(link, url.Values{"password": {goodPassword}})).want(t, 200)
		got, found, err := w.Store.CredentialsByLogin(w.Ctx, "kim@example.com")
		w.Must(err)
		account, err := w.Store.Account(w.Ctx, got.AccountID)
		w.Must(err)
		if !found || got.Role != owner || got.Name != "Kim Neu-Mann" || account.Name != "Neu & Söhne" || account.Plan != typus.PlanStarter || account.Credits != 10 || account.KeepFinishedDays != 90 {
			t.Errorf("made: %+v, %+v", got.User, account)
		}
		w.stranger().post(link, nil).want(t, 404)
	})
}

// Nothing could bring the link that makes the account.
func TestWithoutAMailServerNobodySignsUpIntoADeadEnd(t *testing.T) {
	w := newWorld(t)
	w.face.SignUp, w.face.Mail = true, false
	c := w.stranger()
	a := c.get("/registrieren")
	a.want(t, 200, "noch nicht möglich", "TYPUS_SMTP_URL")
	if strings.Contains(a.body, `action="/registrieren"`) {
		t.Error("there is a form")
	}
	if a := c.get("/anmelden"); strings.Contains(a.body, "/registrieren") {
		t.Error("the login leads there")
	}
	form := url.Values{"company": {"Neu & Söhne"}, "language": {"en"}, "email": {"kim@example.com"}, "password": {goodPassword}}
	c.follow(c.post("/registrieren", form)).want(t, 200, "noch nicht möglich")
	if letters, err := w.Store.Letters(w.Ctx, 0, 10); err != nil || len(letters) > 0 {
		t.Errorf("letters: %+v, %v", letters, err)
	}
	w.face.Mail = true
	c.get("/registrieren").want(t, 200, `action="/registrieren"`)
	c.get("/anmelden").want(t, 200, `href="/registrieren"`)
}

// Whatever people send or are given, none of it is in the log of the server.
func TestTheLogHoldsNoSecret(t *testing.T) {
	w := newWorld(t)
	u := w.person("ada@example.com", owner)
	c := w.loggedIn("ada@example.com")
	_, codes := c.withTOTP()
	c.post(profilePath, url.Values{"name": {"Ada\n{\"level\":\"ERROR\"}"}})
	w.stranger().login("ada@example.com", "falsch falsch falsch")
	w.stranger().post("/passwort", url.Values{"email": {"ada@example.com"}})
	reset := w.brought(w.Account, typus.LetterPasswordReset)
	w.stranger().get("/passwort/" + reset)
	w.stranger().get("/bestaetigen/" + reset)
	w.stranger().get("/einrichten?token=" + reset)
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.SetTOTP(w.Ctx, w.Account, u.ID, []byte("broken")) }))
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.ConfirmTOTP(w.Ctx, w.Account, u.ID, w.Now()) }))
	b := w.stranger()
	b.login("ada@example.com", goodPassword)
	b.post("/anmelden/code", url.Values{"code": {codes[0]}})
	if a := b.post("/anmelden/code", url.Values{"code": {"123456"}}); a.StatusCode != http.StatusSeeOther && a.StatusCode != http.StatusInternalServerError {
		t.Errorf("an unreadable second factor: %s", a.Status)
	}
	if w.logs.String() == "" {
		t.Fatal("nothing was logged")
	}
	for _, secret := range []string{"ada@example.com", goodPassword, "falsch", reset, c.cookie("typus"), auth.Hash(c.cookie("typus")), codes[0], "ERROR\\\""} {
		if strings.Contains(w.logs.String(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

// A password that was right a moment ago lets nobody in, and nothing brings it
// back: what was checked is compared again once the user is locked.
func TestALoginThatAChangeOvertakesFails(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		u := w.person("ada@example.com", owner)
		by := typus.Actor{Name: u.Email, UserID: u.ID}
		passwords := []string{goodPassword, "ganz andere Wörter jetzt"}
		for round := range 4 {
			present, next := passwords[round%2], passwords[(round+1)%2]
			in, err := w.Access.LogIn(w.Ctx, u.Email, present, access.Device{IP: "198.51.100.7"})
			w.Must(err)
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() { _, _ = w.Access.LogIn(w.Ctx, u.Email, present, access.Device{IP: "198.51.100.7"}) })
			}
			var renewed access.LoggedIn
			all.Go(func() {
				renewed, err = w.Access.ChangePassword(w.Ctx, in.Session, u, "", present, next, by)
			})
			all.Wait()
			w.Must(err)
			left, err := w.Store.SessionsOf(w.Ctx, w.Account, u.ID)
			w.Must(err)
			if len(left) != 1 || left[0].Hash != renewed.Session.Hash {
				t.Fatalf("round %d: %d sessions are left, want the one that changed the password", round, len(left))
			}
			w.Later(2 * time.Hour)
		}
	})
}

func TestASessionThatHasEndedIsNotRenewed(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		u := w.person("ada@example.com", owner)
		by := typus.Actor{Name: u.Email, UserID: u.ID}
		in, err := w.Access.LogIn(w.Ctx, u.Email, goodPassword, access.Device{IP: "198.51.100.7"})
		w.Must(err)
		w.Must(w.Access.EndSessionsOf(w.Ctx, w.Account, u.ID, typus.Actor{Name: "operator"}))
		if _, err := w.Access.ChangePassword(w.Ctx, in.Session, u, "", goodPassword, "ganz andere Wörter jetzt", by); err == nil || typus.KindOf(err) != typus.Unauthorized {
			t.Errorf("changing the password with an ended session: %v", err)
		}
		if left, err := w.Store.SessionsOf(w.Ctx, w.Account, u.ID); len(left) != 0 || err != nil {
			t.Errorf("sessions: %v, %v", left, err)
		}
		w.stranger().login(u.Email, goodPassword).want(t, http.StatusSeeOther)
	})
}

func TestASecondClickOnTurnOnLosesNoRecoveryCodes(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		for round := range 3 {
			u := w.person(fmt.Sprintf("ada%d@example.com", round), owner)
			c := w.loggedIn(u.Email)
			c.post(totpPath, url.Values{"password": {goodPassword}}).want(t, 303)
			seed, err := w.Access.PendingTOTP(w.Ctx, u)
			w.Must(err)
			code := w.code(seed)
			var all sync.WaitGroup
			for range 2 {
				all.Go(func() {
					if a := c.post(totpPath+"/ein", url.Values{"code": {code}}); a.StatusCode != 303 {
						t.Errorf("one of two clicks: %s", a.Status)
					}
				})
			}
			all.Wait()
			if a := c.post(totpPath+"/ein", url.Values{"code": {code}}); a.StatusCode != 303 || a.Header.Get("Location") != totpPath {
				t.Errorf("a late click: %s to %q", a.Status, a.Header.Get("Location"))
			}
			if a := c.get(totpPath).want(t, 200); len(regexp.MustCompile(`<li><code>[a-z2-7-]{19}</code>`).FindAllString(a.body, -1)) != 10 {
				t.Error("the recovery codes are not shown")
			}
		}
		if strings.Contains(w.actions(), "user.code_failed") {
			t.Error("a second click is written down as a wrong code")
		}
	})
}

// A server without an account says how the first one is made, in the reader's
// language, and nothing of it later: then the page costs no statement either.
func TestTheLoginOfAnEmptyServerSaysHowToBegin(t *testing.T) {
	storetest.Run(t, func(t *testing.T, st *store.Store) {
		w := newEmptyWorldOn(t, st)
		hints := []string{"typus account create", "typus user create", "noch kein Konto"}
		before := w.ran.Load()
		w.stranger().get("/anmelden").want(t, 200, append(hints, "zeigt beim Start einen Link")...)
		if n := w.ran.Load() - before; n > 1 {
			t.Errorf("%d statements without an account", n)
		}
		c := w.stranger()
		r, err := http.NewRequestWithContext(w.Ctx, "GET", w.server.URL+"/anmelden", nil)
		w.Must(err)
		r.Header.Set("Accept-Language", "en")
		c.send(r).want(t, 200, "There is no account on this server yet", "When it starts, the server shows a link")
		w.Account = w.newAccount("Muster Software GmbH")
		for i := range 3 {
			before := w.ran.Load()
			a := w.stranger().get("/anmelden").want(t, 200, "Passwort vergessen?")
			if n := w.ran.Load() - before; i > 0 && n > 0 {
				t.Errorf("%d statements with an account", n)
			}
			for _, hint := range append(hints, "Muster Software") {
				if strings.Contains(a.body, hint) {
					t.Errorf("%q is said though there is an account", hint)
				}
			}
		}
	})
}
