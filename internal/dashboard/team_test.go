package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/auth"
	"typus/internal/store"
)

func TestAPersonIsInvitedAcceptsAndLogsIn(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.person("boss@example.com", owner)
		c := w.loggedIn("boss@example.com")
		c.post(teamPath+"/einladen", url.Values{"email": {"letter@example.com"}, "role": {"viewer"}}).want(t, http.StatusSeeOther)
		if page := c.get(teamPath).want(t, 200, "Die Einladung ist unterwegs"); strings.Contains(page.body, "/passwort/") {
			t.Error("with a mail server the page shows the link")
		}
		w.face.Mail = false
		c.get(teamPath+"/einladen").want(t, 200, "Kontoleitung")
		c.post(teamPath+"/einladen", url.Values{"email": {"nobody"}, "role": {"king"}}).want(t, 422, `value="nobody"`, "email-fault")
		shown := c.follow(c.post(teamPath+"/einladen", url.Values{"email": {"Neu@example.com"}, "name": {`<b>Neu`}, "role": {"member"}, "language": {"en"}})).
			want(t, 200, "Link der Einladung", "&lt;b&gt;Neu", "Offene Einladungen")
		first := regexp.MustCompile(`/passwort/[0-9A-Za-z]{43}`).FindString(shown.body)
		if strings.Contains(c.get(teamPath).body, first) {
			t.Error("the link is shown a second time")
		}
		if got := "/passwort/" + w.brought(w.Account, typus.LetterTeamInvitation); got != first {
			t.Errorf("the letter brings %s, the page %s", got, first)
		}
		c.post(teamPath+"/einladen", url.Values{"email": {"neu@example.com"}, "role": {"viewer"}}).want(t, 422, "gehört schon zum Team")
		u, err := w.Store.UserByEmail(w.Ctx, w.Account, "neu@example.com")
		w.Must(err)
		c.get(memberPath(u.ID)).want(t, 200, "Noch nicht angenommen")
		again := c.follow(c.post(memberPath(u.ID)+"/link", nil)).want(t, 200)
		second := regexp.MustCompile(`/passwort/[0-9A-Za-z]{43}`).FindString(again.body)
		w.stranger().get(first).want(t, 404)
		w.stranger().get(second).want(t, 200, "Welcome to the team")
		b := w.stranger()
		b.post(second, url.Values{"name": {"Neu"}, "password": {goodPassword}}).want(t, http.StatusSeeOther)
		w.stranger().login("neu@example.com", goodPassword).want(t, http.StatusSeeOther)
		c.post(memberPath(u.ID)+"/link", nil).want(t, 422)
		b.get(teamPath).want(t, 200)
		b.get(teamPath+"/einladen").want(t, 403)
	})
}

// Without a mail server somebody must hand the link on: it is shown, once.
func TestWithoutMailTheLinkOfAnInvitationIsShownOnce(t *testing.T) {
	w := newWorld(t)
	w.face.Mail = false
	w.person("boss@example.com", owner)
	c := w.loggedIn("boss@example.com")
	link := regexp.MustCompile(`/passwort/[0-9A-Za-z]{43}`)
	shown := c.follow(c.post(teamPath+"/einladen", url.Values{"email": {"neu@example.com"}, "role": {"member"}})).want(t, 200, "Link der Einladung")
	first := link.FindString(shown.body)
	w.stranger().get(first).want(t, 200)
	if strings.Contains(c.get(teamPath).body, first) {
		t.Error("the link is shown a second time")
	}
	u, err := w.Store.UserByEmail(w.Ctx, w.Account, "neu@example.com")
	w.Must(err)
	c.get(memberPath(u.ID)).want(t, 200, "Neuen Link erstellen")
	second := link.FindString(c.follow(c.post(memberPath(u.ID)+"/link", nil)).body)
	w.stranger().get(first).want(t, 404)
	w.stranger().get(second).want(t, 200)
}

func TestInvitationsToOneAddressAreSlowedDown(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.person("boss@example.com", owner)
		c := w.loggedIn("boss@example.com")
		form := url.Values{"email": {"neu@example.com"}, "role": {"member"}}
		c.post(teamPath+"/einladen", form).want(t, http.StatusSeeOther)
		u, err := w.Store.UserByEmail(w.Ctx, w.Account, "neu@example.com")
		w.Must(err)
		for range 30 {
			c.post(memberPath(u.ID)+"/link", nil)
		}
		sent := 0
		letters, err := w.Store.Letters(w.Ctx, w.Account, 100)
		w.Must(err)
		for _, l := range letters {
			if l.Kind == typus.LetterTeamInvitation {
				sent++
			}
		}
		if sent != 3 {
			t.Errorf("%d letters went to one address at once, want 3", sent)
		}
		if a := c.post(memberPath(u.ID)+"/link", nil).want(t, http.StatusTooManyRequests, "Sekunden"); a.Header.Get("Retry-After") == "" {
			t.Error("nothing says how long to wait")
		}
		// Removing and inviting is no way around it; others are not hindered.
		c.post(memberPath(u.ID)+"/entfernen", nil).want(t, http.StatusSeeOther)
		c.post(teamPath+"/einladen", form).want(t, http.StatusTooManyRequests, "email-fault", `value="neu@example.com"`)
		c.post(teamPath+"/einladen", url.Values{"email": {"other@example.com"}, "role": {"member"}}).want(t, http.StatusSeeOther)
		w.Later(20 * time.Minute)
		c.post(teamPath+"/einladen", form).want(t, http.StatusSeeOther)
	})
}

func TestAnAdminNeitherMakesNorTouchesOwners(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.person("boss@example.com", owner)
		w.person("admin@example.com", admin)
		m := w.person("member@example.com", member)
		c := w.loggedIn("admin@example.com")
		c.post(teamPath+"/einladen", url.Values{"email": {"neu@example.com"}, "role": {"owner"}}).want(t, 403)
		c.get(memberPath(boss.ID)).want(t, 200, "Nur die Kontoleitung")
		for _, rest := range []string{"/rolle", "/entfernen", "/sitzungen", "/link"} {
			c.post(memberPath(boss.ID)+rest, url.Values{"role": {"viewer"}}).want(t, 403)
		}
		c.post(memberPath(m.ID)+"/rolle", url.Values{"role": {"owner"}}).want(t, 403)
		c.post(memberPath(c.user.ID)+"/rolle", url.Values{"role": {"owner"}}).want(t, 403)
		c.post(memberPath(m.ID)+"/rolle", url.Values{"role": {"king"}}).want(t, 422)
		c.post(memberPath(m.ID)+"/rolle", url.Values{"role": {"viewer"}}).want(t, http.StatusSeeOther)
		if u, err := w.Store.User(w.Ctx, w.Account, m.ID); err != nil || u.Role != viewer {
			t.Errorf("the member: %+v, %v", u, err)
		}
		if u, err := w.Store.User(w.Ctx, w.Account, boss.ID); err != nil || u.Role != owner {
			t.Errorf("the owner: %+v, %v", u, err)
		}
	})
}

func TestTheLastOwnerStays(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.person("boss@example.com", owner)
		c := w.loggedIn("boss@example.com")
		_, err := w.Access.InviteUser(w.Ctx, typus.User{AccountID: w.Account, Email: "later@example.com", Role: owner}, typus.Actor{Name: "operator"})
		w.Must(err) // an owner who has not accepted cannot log in and does not count
		c.post(memberPath(boss.ID)+"/rolle", url.Values{"role": {"admin"}}).want(t, 422, "Kontoleitung haben")
		c.post(memberPath(boss.ID)+"/entfernen", nil).want(t, 422, "Kontoleitung haben")
		if !c.in() {
			t.Error("the owner is out")
		}
	})
}

// Two owners remove, and two demote, each other at the same moment.
func TestOfTwoOwnersWhoRemoveEachOtherOneStays(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		for round := range 4 {
			a := w.person(fmt.Sprintf("a%d@example.com", round), owner)
			b := w.person(fmt.Sprintf("b%d@example.com", round), owner)
			var all sync.WaitGroup
			for _, pair := range [][2]typus.User{{a, b}, {b, a}, {a, a}, {b, b}} {
				by := typus.Actor{Name: pair[0].Email, UserID: pair[0].ID}
				all.Go(func() {
					if round%2 == 0 {
						_ = w.Access.RemoveUser(w.Ctx, w.Account, pair[1].ID, by) // one of them must fail
					} else {
						_, _ = w.Access.ChangeRole(w.Ctx, w.Account, pair[1].ID, viewer, typus.Session{}, by, nil)
					}
				})
			}
			all.Wait()
			owners, err := w.Store.Owners(w.Ctx, w.Account)
			w.Must(err)
			if owners != 1 {
				t.Fatalf("round %d: %d owners are left, want 1", round, owners)
			}
		}
	})
}

func TestTheTeamOfAnotherAccountIsNotThere(t *testing.T) {
	w := newWorld(t)
	theirs := w.asOf(w.newAccount("Andere GmbH"), member).user
	c := w.as(owner)
	unknown := c.get(memberPath(987654321))
	for _, rest := range []string{"", "/rolle", "/entfernen", "/sitzungen", "/link"} {
		ask := c.post
		if rest == "" {
			ask = func(path string, _ url.Values) answer { return c.get(path) }
		}
		a := ask(memberPath(theirs.ID)+rest, url.Values{"role": {"viewer"}})
		if a.StatusCode != 404 || rest == "" && a.body != strings.ReplaceAll(unknown.body, "987654321", fmt.Sprint(theirs.ID)) {
			t.Errorf("%s: %s", rest, a.Status)
		}
	}
	if strings.Contains(c.get(teamPath).body, theirs.Email) {
		t.Error("the list shows another account's user")
	}
	if _, err := w.Store.User(w.Ctx, theirs.AccountID, theirs.ID); err != nil {
		t.Errorf("the other user: %v", err)
	}
}

func TestOwnSessionsAreListedAndEnded(t *testing.T) {
	w := newWorld(t)
	w.person("ada@example.com", viewer)
	w.person("eve@example.com", viewer)
	c, other, third, eve := w.loggedIn("ada@example.com"), w.loggedIn("ada@example.com"), w.loggedIn("ada@example.com"), w.loggedIn("eve@example.com")
	page := c.get(profilePath).want(t, 200, "dieses Gerät")
	if n := strings.Count(page.body, `name="sitzung"`); n != 2 {
		t.Errorf("%d other sessions are shown, want 2", n)
	}
	if strings.Contains(page.body, c.cookie("typus")) || strings.Contains(page.body, auth.Hash(other.cookie("typus"))) {
		t.Error("the page shows a token or its whole hash")
	}
	id := func(of *client) url.Values { return url.Values{"sitzung": {auth.Hash(of.cookie("typus"))[:16]}} }
	c.post(profilePath+"/sitzungen", id(eve)).want(t, 404)
	c.post(profilePath+"/sitzungen", url.Values{"sitzung": {"0"}}).want(t, 404)
	c.follow(c.post(profilePath+"/sitzungen", id(other))).want(t, 200, "abgemeldet")
	if other.in() || !third.in() || !eve.in() {
		t.Error("the wrong session was ended")
	}
	c.post(profilePath+"/sitzungen", nil).want(t, http.StatusSeeOther)
	if third.in() || !c.in() {
		t.Error("not all others were ended")
	}
}

func TestTheAuditLogTellsWhoWhatWhenAndFromWhere(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.person("boss@example.com", owner)
		c := w.loggedIn("boss@example.com")
		c.ip = "203.0.113.9"
		m := w.person("=1+2@example.com", member)
		before := len(strings.Fields(w.actions()))
		for i, do := range []func() answer{
			func() answer { return c.post(memberPath(m.ID)+"/rolle", url.Values{"role": {"viewer"}}) },
			func() answer { return c.post(memberPath(m.ID)+"/entfernen", nil) },
			func() answer { return c.post(profilePath, url.Values{"name": {"Die Chefin"}}) },
			func() answer { return c.post(profilePath+"/sitzungen", nil) },
		} {
			do().want(t, http.StatusSeeOther)
			if n := len(strings.Fields(w.actions())); n != before+i+1 {
				t.Errorf("action %d left %d lines, want one", i, n-before-i)
			}
		}
		list, err := w.Store.AuditLog(w.Ctx, store.WholeAccount(w.Account), store.AuditFilter{UserID: c.user.ID, Action: "user.removed", Limit: 10})
		w.Must(err)
		if len(list) != 1 || list[0].IP != "203.0.113.9" || list[0].RequestID == "" || list[0].Actor != "boss@example.com" {
			t.Errorf("the line: %+v", list)
		}
		page := c.get(auditPath).want(t, 200, "Rolle geändert", "203.0.113.9", "Serverbetrieb", "boss@example.com")
		if strings.Count(page.body, "<tr>") < 6 {
			t.Error("lines are missing")
		}
		filtered := c.get(auditPath+"?aktion=user.removed&person="+fmt.Sprint(c.user.ID)).want(t, 200, "Filter aufheben")
		if n := strings.Count(filtered.body, `<th scope="row">`); n != 1 {
			t.Errorf("%d lines after filtering, want 1", n)
		}
		c.get(auditPath+"?person=operator").want(t, 200, "Person angelegt")
		csv := c.post(auditPath+"/csv?aktion=user.removed", nil).want(t, 200, "user.removed", "203.0.113.9", "'=1+2@example.com")
		if strings.Contains(csv.body, "user.renamed") || !strings.Contains(csv.Header.Get("Content-Disposition"), ".csv") {
			t.Errorf("the export: %v\n%s", csv.Header, csv.body)
		}
		if !strings.HasPrefix(w.actions(), "audit.exported ") {
			t.Errorf("the export left no line: %s", w.actions())
		}
		stranger := w.asOf(w.newAccount("Andere GmbH"), owner)
		if strings.Contains(stranger.get(auditPath).body, "boss@example.com") {
			t.Error("another account reads the log")
		}
	})
}

// The page names whom a line is about and leads there; the log and its export keep the
// id, and nothing else is left of who was erased.
func TestTheAuditLogNamesCandidatesUntilTheyAreErased(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(admin)
		var ids []string
		for _, name := range []string{"Bleibt <b>Muster", "Geht Muster"} {
			out := w.invitedBy(w.Account, assess.Invitation{Name: name, Email: "muster@example.com"})
			c.get("/dashboard/kandidat/"+id(out)).want(t, 200)
			c.post("/dashboard/kandidat/"+id(out)+"/korrigieren", url.Values{"name": {name + "mann"}, "email": {"muster@example.com"}}).want(t, 303)
			ids = append(ids, id(out))
		}
		line := func(id, name string) string {
			return `<a class="row-link" href="/dashboard/kandidat/` + id + `">` + name + `</a> <span class="soft">` + id + `</span>`
		}
		kept := line(ids[0], "Bleibt &lt;b&gt;Mustermann")
		c.get(auditPath+"?aktion=candidate.corrected").want(t, 200, kept, line(ids[1], "Geht Mustermann"))
		c.post(bulkErase.path, url.Values{"id": {ids[1]}}).want(t, 303)
		before := w.ran.Load()
		a := c.get(auditPath).want(t, 200, kept, ids[1])
		if n := w.ran.Load() - before; n > 3 {
			t.Errorf("%d statements, at most 3", n)
		}
		if strings.Contains(a.body, "Geht Muster") || strings.Contains(a.body, "/dashboard/kandidat/"+ids[1]) {
			t.Error("who was erased is still named, or led to")
		}
		if csv := c.post(auditPath+"/csv", nil).want(t, 200, ids[0], ids[1]); strings.Contains(csv.body, "Muster") {
			t.Errorf("the export holds names:\n%s", csv.body)
		}
		list, err := w.Store.Audit(w.Ctx, w.Account, 100)
		w.Must(err)
		if strings.Contains(fmt.Sprint(list), "Muster") {
			t.Errorf("the log holds names: %v", list)
		}
		// Another account's candidate is named to nobody here, whatever a line says.
		theirs := w.invitedBy(w.newAccount("Andere GmbH"), assess.Invitation{Name: "Fremd Muster", Email: "fremd@example.com"})
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			return tx.AddAudit(w.Ctx, typus.AuditEntry{AccountID: w.Account, CandidateID: theirs.Candidate.ID, Actor: "operator", Action: "candidate.corrected", CreatedAt: w.Now()})
		}))
		if a := c.get(auditPath).want(t, 200, id(theirs)); strings.Contains(a.body, "Fremd") {
			t.Error("another account's candidate is named")
		}
	})
}

func TestTheAuditLogIsReadInPages(t *testing.T) {
	w := newWorld(t)
	c := w.as(owner)
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		for i := range 120 {
			if err := tx.AddAudit(w.Ctx, typus.AuditEntry{AccountID: w.Account, Actor: "operator", Action: typus.AuditAction(fmt.Sprintf("odd.%d", i)), CreatedAt: w.Now()}); err != nil {
				return err
			}
		}
		return nil
	}))
	seen, path := map[string]int{}, auditPath
	for pages := 0; path != "" && pages < 5; pages++ {
		page := c.get(path).want(t, 200)
		for _, m := range regexp.MustCompile(`odd\.\d+`).FindAllString(page.body, -1) {
			seen[m]++
		}
		path = ""
		if m := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(page.body); m != nil {
			path = strings.ReplaceAll(m[1], "&amp;", "&")
		}
	}
	if len(seen) != 120 {
		t.Errorf("%d of 120 lines were read", len(seen))
	}
}

func TestRolesAndTheOperatorAreSaidInWords(t *testing.T) {
	w := newWorld(t)
	c := w.as(owner)
	_, err := w.Access.InviteUser(w.Ctx, typus.User{AccountID: w.Account, Email: "later@example.com", Role: viewer}, typus.Actor{Name: "operator"})
	w.Must(err)
	_, _, err = w.Access.CreateKey(w.Ctx, w.Account, "CRM", typus.Actor{Name: "operator"})
	w.Must(err)
	page := c.get(auditPath).want(t, 200, "later@example.com ("+w.face.say(speaking("de"), "team.viewer")+")", "Serverbetrieb")
	if strings.Contains(page.body, "later@example.com viewer") {
		t.Error("the log holds the raw word of a role")
	}
	keys := c.get(keysPath).want(t, 200, "Serverbetrieb")
	if strings.Contains(keys.body, ">operator<") {
		t.Error("the keys name the operator by the raw word")
	}
}

// The letter of an invitation names who sent it, each time anew.
func TestAnInvitationToTheTeamKnowsWhoSentIt(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		petra, robin := w.as(owner).user, w.as(admin).user
		by := func(u typus.User) typus.Actor { return typus.Actor{Name: u.Email, UserID: u.ID} }
		sentBy := func(link string, err error) store.LinkOwner {
			t.Helper()
			w.Must(err)
			o, err := w.Store.UserLinkByToken(w.Ctx, auth.Hash(link[strings.LastIndex(link, "/")+1:]))
			w.Must(err)
			return o
		}
		first := sentBy(w.Access.InviteUser(w.Ctx, typus.User{AccountID: w.Account, Email: "neu@example.com", Role: viewer}, by(petra)))
		again := sentBy(w.Access.InviteUserAgain(w.Ctx, w.Account, first.User.ID, by(robin)))
		alone := sentBy(w.Access.InviteUser(w.Ctx, typus.User{AccountID: w.Account, Email: "noch@example.com", Role: viewer}, typus.Actor{Name: "operator"}))
		if a, b, c := first.Link.InvitedBy(), again.Link.InvitedBy(), alone.Link.InvitedBy(); a != petra.ID || b != robin.ID || c != 0 {
			t.Errorf("sent by %d, %d and %d, want %d, %d and 0", a, b, c, petra.ID, robin.ID)
		}
	})
}

// Whoever is invited once there is more than one position gets those that were chosen, and
// can get others later.
func TestAPersonReadsThePositionsThatWereChosen(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(admin)
		invite := teamPath + "/einladen"
		if a := boss.get(invite).want(t, 200); strings.Contains(a.body, "reichweite") {
			t.Error("positions are asked for where there is only the default one")
		}
		north := boss.place("Vertrieb Nord")
		boss.place("Vertrieb Süd")
		boss.get(invite).want(t, 200, `value="gewaehlte" id="reichweite" checked`, "Vertrieb Nord", "Vertrieb Süd", "Allgemein")
		boss.post(invite, fields("email", "kim@example.com", "role", "member", "reichweite", "gewaehlte")).want(t, 422, "Wählen Sie mindestens eine Stelle", "kim@example.com")
		boss.post(invite, fields("email", "kim@example.com", "role", "member", "reichweite", "gewaehlte", "stellen", positionParam(typus.Position{ID: placed(t, north)}))).want(t, 303)
		kim, err := w.Store.UserByEmail(w.Ctx, w.Account, "kim@example.com")
		w.Must(err)
		reads := func(want string) {
			t.Helper()
			naming, err := w.Store.PositionsNaming(w.Ctx, w.Account, kim.ID)
			w.Must(err)
			u, err := w.Store.User(w.Ctx, w.Account, kim.ID)
			w.Must(err)
			if got := fmt.Sprint(u.OnlyNamed, naming); got != want {
				t.Errorf("reads %s, want %s", got, want)
			}
		}
		reads(fmt.Sprint(true, []int64{placed(t, north)}))
		page := memberPath(kim.ID)
		boss.get(page).want(t, 200, `value="`+positionParam(typus.Position{ID: placed(t, north)})+`" checked`)
		boss.post(page+"/stellen", fields("reichweite", "gewaehlte")).want(t, 422, "Wählen Sie mindestens eine Stelle")
		boss.follow(boss.post(page+"/stellen", fields("reichweite", "gewaehlte", "stellen", "allgemein"))).want(t, 200, "sind gespeichert")
		standard, err := w.Store.StandardPosition(w.Ctx, w.Account)
		w.Must(err)
		reads(fmt.Sprint(true, []int64{standard.ID}))
		boss.post(page+"/stellen", fields("reichweite", "alle")).want(t, 303)
		boss.get(auditPath).want(t, 200, "&#43;kim@example.com", "-kim@example.com")
		reads("false []")
		w.as(owner).place("Geheim", "confidential", "1")
		if a := boss.get(page); strings.Contains(a.body, "Geheim") {
			t.Error("the page names a position that the visitor does not read")
		}
	})
}
