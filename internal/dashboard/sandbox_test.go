package dashboard

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

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
