package dashboard

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/store"
)

// oneTimeLink is a kind of one-time link of a user: how it comes to be, and how it is
// used. Using it well answers with a redirect, any other time it is not there.
type oneTimeLink struct {
	name     string
	life     time.Duration
	invited  bool // it belongs to somebody who has not accepted yet
	survives bool // a change of the password does not end it
	make     func(w *world, u typus.User) string
	use      url.Values
}

func (w *world) pathOf(link string, err error) string {
	w.Helper()
	w.Must(err)
	return strings.TrimPrefix(link, w.server.URL)
}

// moved changes the address of a user, whoever they are logged in as, and returns the
// way back that the former address is told.
func (w *world) moved(c *client, email string) string {
	w.Helper()
	w.Later(time.Hour)
	c.post(profilePath+"/email", fields("email", email, "password", goodPassword)).want(w, http.StatusSeeOther)
	c.post("/bestaetigen/"+w.brought(w.Account, typus.LetterEmailChange), nil).want(w, http.StatusSeeOther)
	return "/zuruecknehmen/" + w.brought(w.Account, typus.LetterEmailChanged)
}

// protect gives a user a second factor.
func (w *world) protect(account, user int64) {
	w.Helper()
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		if err := tx.SetTOTP(w.Ctx, account, user, []byte{1}); err != nil {
			return err
		}
		return tx.ConfirmTOTP(w.Ctx, account, user, w.Now())
	}))
}

// oneTimeLinks is the table of docs/links.md, as far as the links belong to users.
var oneTimeLinks = []oneTimeLink{
	{name: "a forgotten password", life: typus.MailLinkLife, use: fields("password", newPassword), make: func(w *world, u typus.User) string {
		w.stranger().post("/passwort", fields("email", u.Email)).want(w, http.StatusSeeOther)
		return "/passwort/" + w.brought(w.Account, typus.LetterPasswordReset)
	}},
	{name: "a link of the operator's", life: typus.InviteLinkLife, use: fields("password", newPassword), make: func(w *world, u typus.User) string {
		return w.pathOf(w.Access.NewPasswordLink(w.Ctx, w.Account, u.Email, "operator"))
	}},
	{name: "an invitation", life: typus.InviteLinkLife, invited: true, use: fields("password", newPassword), make: func(w *world, u typus.User) string {
		return w.pathOf(w.Access.InviteUserAgain(w.Ctx, w.Account, u.ID, by))
	}},
	{name: "a new address", life: typus.MailLinkLife, use: fields("password", goodPassword), make: func(w *world, u typus.User) string {
		c := w.loggedIn(u.Email)
		c.post(profilePath+"/email", fields("email", "new-"+u.Email, "password", goodPassword)).want(w, http.StatusSeeOther)
		return "/bestaetigen/" + w.brought(w.Account, typus.LetterEmailChange)
	}},
	{name: "the way back to a former address", life: typus.TakeBackLife, survives: true, use: fields("password", newPassword), make: func(w *world, u typus.User) string {
		return w.moved(w.loggedIn(u.Email), "new-"+u.Email)
	}},
}

// present is the address that a user logs in with now.
func (w *world) present(u typus.User) string {
	w.Helper()
	now, err := w.Store.User(w.Ctx, u.AccountID, u.ID)
	w.Must(err)
	return now.Email
}

// filled is the form by which a link is used, with the address of its user where there
// still is one.
func (w *world) filled(l oneTimeLink, link string) url.Values {
	w.Helper()
	o, err := w.Store.UserLinkByToken(w.Ctx, auth.Hash(path.Base(link)))
	if !typus.Is(err, typus.NotFound) {
		w.Must(err)
	}
	use := maps.Clone(l.use)
	use.Set("email", o.User.Email)
	return use
}

func TestTheLifeOfEveryOneTimeLink(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		n := 0
		fate := func(l oneTimeLink, what string, check func(t *testing.T, u typus.User, link string)) {
			n++
			w.Later(24 * time.Hour)
			u := w.person(fmt.Sprintf("ada%d@example.com", n), member)
			if l.invited {
				u = typus.User{AccountID: w.Account, Email: fmt.Sprintf("eve%d@example.com", n), Role: member}
				_, err := w.Access.InviteUser(w.Ctx, u, by)
				w.Must(err)
				u, err = w.Store.UserByEmail(w.Ctx, w.Account, u.Email)
				w.Must(err)
			}
			t.Run(l.name+" "+what, func(t *testing.T) { check(t, u, l.make(w, u)) })
		}
		alive := func(t *testing.T, l oneTimeLink, link string) {
			t.Helper()
			w.stranger().get(link).want(t, http.StatusOK)
			w.stranger().post(link, w.filled(l, link)).want(t, http.StatusSeeOther)
		}
		dead := func(t *testing.T, l oneTimeLink, link string) {
			t.Helper()
			w.stranger().get(link).want(t, http.StatusNotFound)
			w.stranger().post(link, w.filled(l, link)).want(t, http.StatusNotFound, "gilt nicht mehr")
		}
		for _, l := range oneTimeLinks {
			fate(l, "is used twice", func(t *testing.T, _ typus.User, link string) {
				alive(t, l, link)
				dead(t, l, link)
			})
			fate(l, "runs out", func(t *testing.T, _ typus.User, link string) {
				w.Later(l.life)
				dead(t, l, link)
			})
			fate(l, "belongs to somebody who is removed", func(t *testing.T, u typus.User, link string) {
				w.Must(w.Access.RemoveUser(w.Ctx, w.Account, u.ID, by))
				dead(t, l, link)
			})
			fate(l, "is used by many at once", func(t *testing.T, _ typus.User, link string) {
				var won atomic.Int64
				var all sync.WaitGroup
				use := w.filled(l, link)
				for range 4 {
					c := w.stranger()
					all.Go(func() {
						switch a := c.post(link, use); a.StatusCode {
						case http.StatusSeeOther:
							won.Add(1)
						case http.StatusNotFound:
						default:
							t.Errorf("%s: %.300s", a.Status, a.body)
						}
					})
				}
				all.Wait()
				if won.Load() != 1 {
					t.Errorf("%d used the link", won.Load())
				}
			})
			if !l.invited { // whoever has not accepted has no password to change
				fate(l, "meets a new password", func(t *testing.T, u typus.User, link string) {
					c := w.loggedIn(w.present(u))
					c.post(profilePath+"/passwort", fields("password", goodPassword, "new_password", "noch etwas anderes dann")).want(t, http.StatusSeeOther)
					if l.survives {
						alive(t, l, link)
						return
					}
					dead(t, l, link)
				})
			}
			if !l.survives { // of a former address there may be several; TestTheFirstAddressComesBack has them
				fate(l, "is asked for again", func(t *testing.T, u typus.User, link string) {
					newest := l.make(w, u)
					dead(t, l, link)
					alive(t, l, newest)
				})
				fate(l, "is asked for by many at once", func(t *testing.T, u typus.User, _ string) {
					w.holdsOne(t, l, u)
				})
			}
		}
	})
}

// holdsOne asks for links at the same time, past the pace of letters, and wants one of
// them to hold.
func (w *world) holdsOne(t *testing.T, l oneTimeLink, u typus.User) {
	t.Helper()
	var mu sync.Mutex
	var links []string
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			link, err := w.Access.NewPasswordLink(w.Ctx, w.Account, u.Email, "operator")
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			links = append(links, strings.TrimPrefix(link, w.server.URL))
		})
	}
	all.Wait()
	hold := 0
	for _, link := range links {
		if w.stranger().get(link).StatusCode == http.StatusOK {
			hold++
		}
	}
	if hold != 1 {
		t.Errorf("%d of %d links hold", hold, len(links))
	}
}

func TestASecondSignUpEndsTheFirst(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.face.SignUp = true
		ask := func(company string) string {
			w.stranger().post("/registrieren", fields("company", company, "language", "de", "email", "Kim@example.com", "password", goodPassword)).want(t, http.StatusSeeOther)
			return "/bestaetigen/" + w.brought(0, typus.LetterSignUp)
		}
		first := ask("Erste GmbH")
		second := ask("Zweite GmbH")
		w.stranger().get(first).want(t, http.StatusNotFound, "gilt nicht mehr")
		w.stranger().post(first, fields("password", goodPassword)).want(t, http.StatusNotFound)
		var won atomic.Int64
		var all sync.WaitGroup
		for range 4 {
			c := w.stranger()
			all.Go(func() {
				if c.post(second, fields("password", goodPassword)).StatusCode == http.StatusSeeOther {
					won.Add(1)
				}
			})
		}
		all.Wait()
		w.stranger().get(second).want(t, http.StatusNotFound)
		if c, found, err := w.Store.CredentialsByLogin(w.Ctx, "kim@example.com"); err != nil || !found || won.Load() != 1 {
			t.Errorf("%d signed up: %+v, %t, %v", won.Load(), c.User, found, err)
		}
		w.Later(time.Hour)
		w.stranger().post("/registrieren", fields("company", "Dritte GmbH", "language", "de", "email", "lee@example.com", "password", goodPassword)).want(t, http.StatusSeeOther)
		late := "/bestaetigen/" + w.brought(0, typus.LetterSignUp)
		w.Later(typus.SignUpLinkLife)
		w.stranger().get(late).want(t, http.StatusNotFound)
		w.stranger().post(late, fields("password", goodPassword)).want(t, http.StatusNotFound)
	})
}

// A new address was mistyped and belongs to a stranger, who gets the letter.
func TestAStrangerCannotConfirmAMistypedAddress(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		ada := w.person("ada@example.com", owner)
		w.person("eve@example.com", owner)
		c, eve := w.loggedIn("ada@example.com"), w.loggedIn("eve@example.com")
		ask := func(email string) string {
			c.post(profilePath+"/email", fields("email", email, "password", goodPassword)).want(t, http.StatusSeeOther)
			return "/bestaetigen/" + w.brought(w.Account, typus.LetterEmailChange)
		}
		mistyped := ask("adda@example.com")
		for who, b := range map[string]*client{"a stranger": w.stranger(), "a colleague": eve} {
			w.Later(2 * time.Hour) // guesses are forgotten
			mistyped = ask("adda@example.com")
			pages := b.get(mistyped).want(t, http.StatusOK, `name="email"`, `name="password"`).body
			for _, guess := range []url.Values{
				nil, fields("password", goodPassword), fields("email", "adda@example.com", "password", goodPassword), fields("email", ada.Email),
			} {
				pages += b.post(mistyped, guess).want(t, http.StatusUnprocessableEntity, "E-Mail-Adresse oder Passwort ist falsch").body
			}
			if unasked := strings.ReplaceAll(pages, `value="ada@example.com"`, ""); strings.Contains(unasked, "ada@example.com") {
				t.Errorf("%s learns the address of the login", who)
			}
			if got := w.present(ada); got != "ada@example.com" {
				t.Fatalf("%s made the login %s", who, got)
			}
		}
		corrected := ask("ada2@example.com")
		w.stranger().post(mistyped, fields("password", goodPassword)).want(t, http.StatusNotFound)
		if strings.Contains(c.get(corrected).body, `name="password"`) {
			t.Error("whoever is logged in is asked for the password")
		}
		w.stranger().post(corrected, fields("email", " Ada@example.com", "password", goodPassword)).want(t, http.StatusSeeOther)
		if got := w.present(ada); got != "ada2@example.com" {
			t.Errorf("the login is %s", got)
		}
	})
}

func TestGuessesAtAConfirmationAreGuessesAtTheLogin(t *testing.T) {
	w := newWorld(t)
	ada := w.person("ada@example.com", owner)
	w.loggedIn(ada.Email).post(profilePath+"/email", fields("email", "ada2@example.com", "password", goodPassword)).want(t, http.StatusSeeOther)
	link, guesser := "/bestaetigen/"+w.brought(w.Account, typus.LetterEmailChange), w.stranger()
	guesser.ip = "198.51.100.7"
	for range 5 {
		guesser.post(link, fields("email", ada.Email, "password", "geraten geraten geraten")).want(t, http.StatusUnprocessableEntity)
	}
	if a := guesser.post(link, fields("email", ada.Email, "password", goodPassword)); a.StatusCode != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "" {
		t.Errorf("the sixth guess: %s", a.Status)
	}
	if a := guesser.login(ada.Email, goodPassword); a.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a login from there: %s", a.Status)
	}
}

// Somebody has got hold of a session and the password: they move the login to an
// address of theirs, and on to a second one, change the password, set up a second
// factor, and use every link that they get.
func TestTheFirstAddressComesBack(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		ada := w.person("ada@example.com", owner)
		thief := w.loggedIn(ada.Email)
		way := w.moved(thief, "thief1@example.com")
		thiefs := w.moved(thief, "thief2@example.com")
		w.Later(time.Hour)
		w.stranger().post("/passwort", fields("email", "thief2@example.com")).want(t, http.StatusSeeOther)
		w.stranger().post("/passwort/"+w.brought(w.Account, typus.LetterPasswordReset), fields("password", goodPassword)).want(t, http.StatusSeeOther)
		w.Later(typus.SessionLife / 7)
		thief = w.loggedIn("thief2@example.com")
		thief.withTOTP()
		w.stranger().post(thiefs, fields("password", "das Passwort des Diebs")).want(t, http.StatusSeeOther)
		if got := w.present(ada); got != "thief1@example.com" {
			t.Fatalf("the login is %s", got)
		}

		mine := w.stranger()
		mine.get(way).want(t, http.StatusOK, "ada@example.com")
		mine.post(way, fields("password", "kurz")).want(t, http.StatusUnprocessableEntity)
		mine.follow(mine.post(way, fields("password", newPassword))).want(t, http.StatusOK)
		if got := w.present(ada); got != "ada@example.com" || !mine.in() || thief.in() {
			t.Errorf("the login is %s; its owner is in: %t, the thief is: %t", got, mine.in(), thief.in())
		}
		if u, err := w.Store.User(w.Ctx, w.Account, ada.ID); err != nil || u.HasTOTP {
			t.Errorf("the thief's second factor is there: %t, %v", u.HasTOTP, err)
		}
		for _, link := range []string{way, thiefs} {
			w.stranger().post(link, fields("password", goodPassword)).want(t, http.StatusNotFound)
		}
		for _, email := range []string{"thief1@example.com", "thief2@example.com"} {
			w.stranger().login(email, goodPassword).want(t, http.StatusUnprocessableEntity)
		}
	})
}

func TestALaterWayBackEndsWithAnEarlierOne(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		ada := w.person("ada@example.com", owner)
		c := w.loggedIn(ada.Email)
		first := w.moved(c, "ada1@example.com")
		w.Later(-2 * time.Hour) // a clock that is put back changes nothing in the order
		second := w.moved(w.loggedIn("ada1@example.com"), "ada2@example.com")
		w.stranger().post(first, fields("password", newPassword)).want(t, http.StatusSeeOther)
		w.stranger().post(second, fields("password", newPassword)).want(t, http.StatusNotFound)
		if got := w.present(ada); got != ada.Email {
			t.Errorf("the login is %s", got)
		}
	})
}

func TestASecondFactorThatWasThereBeforeIsAskedForOnTheWayBack(t *testing.T) {
	w := newWorld(t)
	ada := w.person("ada@example.com", owner)
	c := w.loggedIn(ada.Email)
	c.withTOTP()
	way := w.moved(c, "new@example.com")
	mine := w.stranger()
	if a := mine.post(way, fields("password", newPassword)); a.Header.Get("Location") != "/anmelden/code" || mine.in() {
		t.Errorf("the way back leads to %q", a.Header.Get("Location"))
	}
}

func TestAnAddressThatIsTakenMeanwhileDoesNotComeBack(t *testing.T) {
	w := newWorld(t)
	ada := w.person("ada@example.com", owner)
	way := w.moved(w.loggedIn(ada.Email), "new@example.com")
	w.person("ada@example.com", viewer)
	w.stranger().post(way, fields("password", newPassword)).want(t, http.StatusUnprocessableEntity, "schon einen Zugang")
	if got := w.present(ada); got != "new@example.com" {
		t.Errorf("the login is %s", got)
	}
}

// toldOf are the letters of an account that tell its users of changes, the newest
// first, with whom they go to.
func (w *world) toldOf() []string {
	w.Helper()
	letters, err := w.Store.Letters(w.Ctx, w.Account, 50)
	w.Must(err)
	var told []string
	for _, l := range letters {
		switch l.Kind {
		case typus.LetterPasswordReset, typus.LetterEmailChange, typus.LetterTeamInvitation:
		default:
			told = append(told, fmt.Sprintf("%s to %s", l.Kind, l.To))
		}
	}
	return told
}

func TestUsersAreToldOfEveryChangeOfTheirLogin(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.person("boss@example.com", owner)
		ada := w.person("ada@example.com", owner)
		boss, c := w.loggedIn("boss@example.com"), w.loggedIn(ada.Email)
		told := func(what string, want ...string) {
			t.Helper()
			got := w.toldOf()
			if len(got) < len(want) || fmt.Sprint(got[:len(want)]) != fmt.Sprint(want) {
				t.Errorf("%s: %q, want %q first", what, got, want)
			}
		}
		told("at first")
		if got := w.toldOf(); len(got) != 0 {
			t.Errorf("nothing has happened, and there is %q", got)
		}
		c.post(profilePath+"/passwort", fields("password", goodPassword, "new_password", newPassword)).want(t, http.StatusSeeOther)
		told("a new password", "password_changed to ada@example.com")
		link := w.pathOf(w.Access.NewPasswordLink(w.Ctx, w.Account, ada.Email, "operator"))
		c.post(link, fields("password", goodPassword)).want(t, http.StatusSeeOther)
		if n := len(w.toldOf()); n != 2 {
			t.Errorf("a password by link: %d letters", n)
		}
		seed, codes := c.withTOTP()
		told("a second factor", "second_factor_on to ada@example.com")
		c.post(totpPath+"/aendern", fields("password", goodPassword, "code", codes[0], "was", "codes")).want(t, http.StatusSeeOther)
		told("new recovery codes", "recovery_codes to ada@example.com")
		c.post(totpPath+"/aendern", fields("password", goodPassword, "code", w.code(seed), "was", "aus")).want(t, http.StatusSeeOther)
		told("none any more", "second_factor_off to ada@example.com")
		c.withTOTP()
		boss.post(fmt.Sprintf("%s/%d/zwei-faktor", teamPath, ada.ID), fields("password", goodPassword)).want(t, http.StatusSeeOther)
		told("one that an owner resets", "second_factor_reset to ada@example.com")
		w.Later(typus.InviteLinkLife) // after a link of the operator's there is no way back before
		way := w.moved(w.loggedIn(ada.Email), "new@example.com")
		told("a new address", "email_changed to ada@example.com")
		w.stranger().post(way, fields("password", newPassword)).want(t, http.StatusSeeOther)
		told("the former address", "password_changed to ada@example.com", "email_restored to new@example.com")

		before := len(w.toldOf())
		invited := w.pathOf(w.Access.InviteUser(w.Ctx, typus.User{AccountID: w.Account, Email: "lee@example.com", Role: member}, by))
		w.stranger().post(invited, fields("password", newPassword)).want(t, http.StatusSeeOther)
		if got := w.toldOf(); len(got) != before {
			t.Errorf("the first password is told as a change: %q", got[0])
		}
	})
}

func TestOnlyAnotherOwnerResetsASecondFactor(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.person("boss@example.com", owner)
		w.person("admin@example.com", admin)
		ada := w.person("ada@example.com", owner)
		c := w.loggedIn(ada.Email)
		path := fmt.Sprintf("%s/%d/zwei-faktor", teamPath, ada.ID)
		boss := w.loggedIn("boss@example.com")
		boss.get(path).want(t, http.StatusSeeOther) // nothing to reset yet
		seed, codes := c.withTOTP()
		page := fmt.Sprintf("%s/%d", teamPath, ada.ID)
		for who, b := range map[string]*client{"an admin": w.loggedIn("admin@example.com"), "the person": c} {
			if b.post(path, fields("password", goodPassword)); !w.hasFactor(ada) {
				t.Fatalf("%s reset the second factor", who)
			}
			if strings.Contains(b.get(page).body, "/zwei-faktor\"") {
				t.Errorf("%s is offered to", who)
			}
		}
		boss.get(page).want(t, http.StatusOK, path)
		w.Later(time.Hour)
		boss.get(path).want(t, http.StatusOK, "ada@example.com", `name="password"`)
		boss.post(path, nil).want(t, http.StatusUnprocessableEntity, "nicht Ihr aktuelles Passwort")
		if !w.hasFactor(ada) {
			t.Fatal("without the password")
		}
		boss.follow(boss.post(path, fields("password", goodPassword))).want(t, http.StatusOK, "ist zurückgesetzt")
		boss.post(path, nil).want(t, http.StatusSeeOther) // a second click
		if c.in() || w.hasFactor(ada) {
			t.Errorf("the person is in: %t, has a second factor: %t", c.in(), w.hasFactor(ada))
		}
		again := w.loggedIn(ada.Email)
		for _, code := range []string{codes[0], w.code(seed)} {
			again.post(totpPath+"/aendern", fields("password", goodPassword, "code", code, "was", "codes")).want(t, http.StatusConflict)
		}
	})
}

func (w *world) hasFactor(u typus.User) bool {
	w.Helper()
	now, err := w.Store.User(w.Ctx, u.AccountID, u.ID)
	w.Must(err)
	return now.HasTOTP
}
