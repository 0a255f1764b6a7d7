package dashboard

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// testWorld is the account's test world.
func (w *world) testWorld() int64 {
	w.Helper()
	var id int64
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		var err error
		if id, _, err = tx.AddWorld(w.Ctx, w.Account, w.Now()); err != nil {
			return err
		}
		_, err = tx.BookCredit(w.Ctx, typus.CreditEntry{AccountID: id, Delta: 1000, Reason: typus.ReasonGrant, CreatedAt: w.Now()})
		return err
	}))
	return id
}

// A person of the world is nobody to the live pages, and the reverse: each id is found at its
// own address only.
func TestTheTestWorldAndTheAccountNeverShowEachOthersPeople(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		there := w.testWorld()
		live := w.invited("Lena Echt", "crm-1")
		test := w.invitedBy(there, assess.Invitation{Name: "Tom Probe", Email: "tom@example.com", ExternalID: "crm-1"})
		c := w.as(admin)
		c.get("/dashboard/kandidaten").want(t, 200, "Lena Echt").without(t, "Tom Probe")
		c.get("/dashboard/test/kandidaten").want(t, 200, "Tom Probe").without(t, "Lena Echt")
		c.get("/dashboard/test/kandidat/"+id(test)).want(t, 200, "Tom Probe")
		c.get("/dashboard/test/kandidat/"+id(live)).want(t, 404)
		c.post("/dashboard/test/kandidat/"+id(live)+"/notizen", url.Values{"text": {"x"}}).want(t, 404)
		c.post("/dashboard/kandidat/"+id(test)+"/notizen", url.Values{"text": {"x"}}).want(t, 404)
		// The address that webhooks name leads into the world.
		if a := c.get("/dashboard/kandidat/" + id(test)); a.Header.Get("Location") != "/dashboard/test/kandidat/"+id(test) {
			t.Errorf("the report of the world's candidate leads to %q, %s", a.Header.Get("Location"), a.Status)
		}
		other := w.asOf(w.newAccount("Andere GmbH"), owner)
		other.get("/dashboard/kandidat/"+id(test)).want(t, 404)
		if a := other.get("/dashboard/test/kandidat/" + id(test)); a.Header.Get("Location") != "/dashboard/test" {
			t.Errorf("whose account has no world is led to %q, %s", a.Header.Get("Location"), a.Status)
		}
	})
}

var toLive = regexp.MustCompile(`(?:href|action|src)="(/dashboard[^"]*)"`)

// Whoever is in the test world stays there, by every link and form, but for what belongs to
// the account itself.
func TestThePagesOfATestWorldLeadToPagesOfTheTestWorld(t *testing.T) {
	w := newWorld(t)
	there := w.testWorld()
	test := w.invitedBy(there, assess.Invitation{Name: `Tom " href="/dashboard/kandidat/7" x="`, Email: "tom@example.com"})
	c := w.as(owner)
	for _, path := range []string{"/kandidaten", "/kandidat/" + id(test), "/einladen", "/import", "/stellen", "/vergleich",
		"/einstellungen/api-schluessel", "/einstellungen/api-schluessel/neu", "/einstellungen/webhooks", "/einstellungen/webhooks/neu",
		"/einstellungen/webhooks/protokoll", "/einstellungen/briefe/protokoll"} {
		page := c.get("/dashboard/test" + path)
		page.want(t, 200)
		for _, link := range toLive.FindAllStringSubmatch(page.body, -1) {
			plain, _, _ := strings.Cut(link[1], "?")
			rest, inWorld := strings.CutPrefix(plain, worldPath)
			own := route{pattern: homePath + rest}
			if !inWorld {
				own.pattern = plain
			}
			if own.inWorlds() != inWorld && rest != "" {
				t.Errorf("%s leads to %s", path, link[1])
			}
		}
		if strings.Contains(page.body, `x="/dashboard/test`) {
			t.Errorf("%s takes a name for a link", path)
		}
	}
	a := c.post("/dashboard/test/kandidat/"+id(test)+"/notizen", url.Values{"notiz": {"Gut"}, "text": {"Gut"}, "body": {"Gut"}})
	if to := a.Header.Get("Location"); a.StatusCode == http.StatusSeeOther && !strings.HasPrefix(to, "/dashboard/test/kandidat/") {
		t.Errorf("a form of the world leads to %q", to)
	}
	a = c.post("/dashboard/test/einladen", url.Values{"name": {"Rita"}, "email": {"rita@example.com"}})
	if to := a.Header.Get("Location"); !strings.HasPrefix(to, "/dashboard/test/einladen/") {
		t.Errorf("an invitation of the world leads to %q, %s", to, a.Status)
	}
	c.follow(a).want(t, 200, "Rita")
	c.get("/dashboard/kandidaten").want(t, 200).without(t, "Rita")
}

func TestWhoInvitesNobodyHasNoBusinessInTheTestWorld(t *testing.T) {
	w := newWorld(t)
	w.testWorld()
	for role, want := range map[typus.UserRole]int{interviewer: 403, viewer: 403, member: 200, admin: 200, owner: 200} {
		w.as(role).get("/dashboard/test/kandidaten").want(t, want)
	}
	for _, path := range []string{"/einstellungen/team", "/credits", "/einstellungen/profil", "/rollenprofile", "/sortierung"} {
		w.as(owner).get("/dashboard/test"+path).want(t, 404)
	}
	// The key that is made there says what it opens.
	a := w.as(admin).post("/dashboard/test/einstellungen/api-schluessel/neu", url.Values{"name": {"CI"}})
	if to := a.Header.Get("Location"); to != "/dashboard/test/einstellungen/api-schluessel" {
		t.Errorf("a new key leads to %q, %s", to, a.Status)
	}
}

// In its world an account's people see the world's time.
func TestThePagesOfATestWorldShowItsTime(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		there := w.testWorld()
		first := w.invitedBy(there, assess.Invitation{Name: "Tom Probe", Email: "tom@example.com"})
		c := w.as(admin)
		of := func(out assess.Invited) string { return "/dashboard/test/kandidat/" + id(out) }
		c.get(of(first)).want(t, 200, "27.11.2026")
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.MoveWorld(w.Ctx, there, 72*time.Hour) }))
		c.get(of(first)).want(t, 200, "27.11.2026")
		later := w.invitedBy(there, assess.Invitation{Name: "Rita Später", Email: "rita@example.com"})
		c.get(of(later)).want(t, 200, "30.11.2026", `min="2026-11-30"`)
		c.get("/dashboard/test").want(t, 200, "30.11.2026, 10:00", "3 Tage voraus")
		// A day that is asked for is one of the world's, and so are those of a file.
		c.get("/dashboard/test/kandidaten?von=2026-11-30").want(t, 200, "Rita").without(t, "Tom Probe")
		c.get("/dashboard/test/kandidaten?bis=2026-11-29").want(t, 200, "Tom Probe").without(t, "Rita")
		c.post("/dashboard/test/export", nil).want(t, 200, "2026-11-27 10:00:00", "2026-11-30 10:00:00")
		// A day that is typed, too.
		c.post(of(later)+"/verlaengern", url.Values{"ende": {"2027-01-15"}, "gesehen": {""}}).want(t, 303)
		c.get(of(later)).want(t, 200, "15.01.2027")
		stored, err := w.Store.Candidate(w.Ctx, there, later.Candidate.ID)
		w.Must(err)
		if want := time.Date(2027, 1, 12, 23, 59, 0, 0, time.UTC); !stored.ExpiresAt.Equal(want) {
			t.Errorf("the invitation ends %s, want %s by the machine's clock", stored.ExpiresAt, want)
		}
	})
}

// What would lead to live pages of an account is not offered in its world.
func TestAPositionOfATestWorldHasNoMembersAndHidesNothing(t *testing.T) {
	w := newWorld(t)
	w.testWorld()
	c := w.as(owner)
	a := c.post("/dashboard/test/stellen/neu", url.Values{"name": {"Vertrieb"}}).want(t, 303)
	page := c.follow(a).want(t, 200, "Vertrieb")
	page.without(t, `/mitglieder"`, `/interview"`)
	for _, link := range toLive.FindAllStringSubmatch(page.body, -1) {
		if strings.Contains(link[1], "/stellen/") && !strings.HasPrefix(link[1], worldPath) {
			t.Errorf("the page leads to %s", link[1])
		}
	}
	c.get("/dashboard/test/einstellungen/briefe/protokoll").want(t, 200).without(t, `href="/dashboard/einstellungen/briefe"`)
}

// A message of the world waits for a page of the world, in whatever tab.
func TestAMessageOfTheTestWorldIsNotShownOnALivePage(t *testing.T) {
	w := newWorld(t)
	there := w.testWorld()
	test := w.invitedBy(there, assess.Invitation{Name: "Tom Probe", Email: "tom@example.com"})
	c := w.as(admin)
	a := c.post("/dashboard/test/kandidat/"+id(test)+"/tags", url.Values{"tag": {"Messe"}})
	if a.StatusCode != http.StatusSeeOther {
		t.Fatalf("%s: %.300s", a.Status, a.body)
	}
	c.get("/dashboard/kandidaten").want(t, 200).without(t, `role="status"`, `role="alert"`)
	if page := c.follow(a); !strings.Contains(page.body, `class="notice notice-calm flash"`) && !strings.Contains(page.body, `class="notice notice-alert flash"`) {
		t.Errorf("the page of the world shows no message")
	}
}
