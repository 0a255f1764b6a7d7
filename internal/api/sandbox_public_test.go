package api_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/instrument"
	"typus/internal/server/servertest"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/waittest"
)

// hiring is a test world with positions, played from outside.
type hiring struct {
	player
	world  store.Reader
	member int64
	south  int64 // with a role profile of the account's own, a member, core questions and a key
	north  int64 // with a key
	west   int64 // as south, without a key
	keys   map[int64]string
}

var admin = typus.Actor{Name: "operator"}

func newHiring(t *testing.T, site *servertest.Site) *hiring {
	t.Helper()
	world, key := site.TestWorld(t)
	h := &hiring{player{t, site, &http.Client{Transport: newChecker(t, http.DefaultTransport)}, key}, store.WholeAccount(world), 0, 0, 0, 0, map[int64]string{}}
	var err error
	h.member, _, err = site.Access.CreateUser(t.Context(), typus.User{AccountID: site.Account, Email: "ada@example.com", Role: typus.RoleMember, OnlyNamed: true}, nil, "operator")
	h.must(err)
	user, _, err := site.Access.CreateUser(t.Context(), typus.User{AccountID: site.Account, Email: "otto@example.com", Role: typus.RoleAdmin}, nil, "operator")
	h.must(err)
	importance := map[string]int{}
	for _, z := range instrument.Own().Roles()[0].Zones {
		importance[z.Dimension] = 3
	}
	role, err := site.Accounts.AddRole(t.Context(), site.Account, "hunter", "Wir", importance, true, typus.Actor{Name: "otto@example.com", UserID: user})
	h.must(err)
	own := typus.RoleProfile{ID: role}.Key()
	h.south = h.position(typus.Position{Name: "Süd", Ref: "job-7", RoleProfile: own, InviteDays: 12}, h.member)
	h.north = h.position(typus.Position{Name: "Nord"})
	h.west = h.position(typus.Position{Name: "West", RoleProfile: own}, h.member)
	for _, id := range []int64{h.south, h.west} {
		h.must(site.Accounts.ChangeCore(t.Context(), h.world, id, admin, func([]typus.CoreQuestion) ([]typus.CoreQuestion, bool) {
			var list []typus.CoreQuestion
			for n := range typus.MinCore {
				list = append(list, typus.CoreQuestion{Ask: typus.OwnWords{DE: fmt.Sprint("Was war Ihr Abschluss ", n, "?")}})
			}
			return list, true
		}))
	}
	for _, id := range []int64{h.south, h.north} {
		_, h.keys[id], err = site.Access.CreateLimitedKey(t.Context(), world, "CI", access.KeyLimit{OnePosition: true, PositionID: id}, admin)
		h.must(err)
	}
	return h
}

func (h *hiring) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *hiring) position(p typus.Position, members ...int64) int64 {
	h.Helper()
	p.Reminders = typus.RemindersOfAccount
	id, err := h.site.Accounts.AddPosition(h.Context(), h.world, p, members, admin)
	h.must(err)
	return id
}

// publish makes a link of a position that ends in so long by the machine's clock, and is its
// path.
func (h *hiring) publish(position int64, ends time.Duration) string {
	h.Helper()
	h.must(h.site.Accounts.KeepPublicLink(h.Context(), h.world, position, admin, func(l *typus.PublicLink) bool {
		l.Most, l.EndsAt = 2, time.Now().Add(ends)
		return true
	}))
	l, err := h.site.Store.PublicLinkOf(h.Context(), h.world.AccountID, position)
	h.must(err)
	address, err := h.site.Accounts.PublicAddress(typus.Account{}, l)
	h.must(err)
	return strings.TrimPrefix(address, h.site.URL)
}

// page asks for a page as a browser does that follows no redirect, with a form if there is one.
func (h *hiring) page(path string, form url.Values) (int, string) {
	h.Helper()
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(h.Context(), method, h.site.URL+path, strings.NewReader(form.Encode()))
	h.must(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultTransport.RoundTrip(req)
	h.must(err)
	defer func() { _ = res.Body.Close() }()
	return res.StatusCode, res.Header.Get("Location")
}

// opens fails unless a path is answered with a status.
func (h *hiring) opens(path string, want int) {
	h.Helper()
	if status, _ := h.page(path, nil); status != want {
		h.Errorf("%s is answered with %d, want %d", path, status, want)
	}
}

var confirmation = regexp.MustCompile(`/p/bestaetigen/[A-Za-z0-9_-]+`)

// enrols types an address at a link, and is the path that the letter leads to, which the world
// keeps.
func (h *hiring) enrols(link, address string) string {
	h.Helper()
	if status, to := h.page(link, url.Values{"name": {"Kim Muster"}, "email": {address}}); status != http.StatusSeeOther {
		h.Fatalf("%s at %s: %d %s", address, link, status, to)
	}
	letters := "/api/test/letters?to=" + url.QueryEscape(address)
	var path string
	waittest.Until(h, "a letter to "+address+" is kept", func() bool {
		for _, l := range parse[letterList](h.T, h.do("GET", letters, "")).Letters {
			if l.Kind == string(typus.LetterEnrolment) && l.CandidateID == nil {
				path = cmp.Or(path, confirmation.FindString(l.Text))
			}
		}
		return path != ""
	})
	return path
}

// reads is how the candidates stand that a key lists.
func (h *hiring) reads(key string) string {
	h.Helper()
	was := h.key
	defer func() { h.key = was }()
	h.key = key
	var said []string
	for _, c := range parse[candidateList](h.T, h.do("GET", "/api/v1/candidates?include=extra", "")).Candidates {
		said = append(said, c.Email+" "+c.Status+" "+c.Extra.RoleProfile)
	}
	return strings.Join(said, ", ")
}

// In a test world positions and their public links do what they do in an account, and their
// times are the world's: no mail server is needed, since the world keeps its letters.
func TestPositionsAndPublicLinksWorkInATestWorld(t *testing.T) {
	if testing.Short() {
		t.Skip("a whole server: not with -short")
	}
	storetest.Run(t, func(t *testing.T, st *store.Store) {
		h := newHiring(t, servertest.Start(t, st))
		link := h.publish(h.south, 10*24*time.Hour)
		h.opens(link, http.StatusOK)
		confirm := h.enrols(link, "finish+closer@example.com")
		h.opens(confirm, http.StatusOK)
		if got := h.reads(h.key); got != "" {
			t.Errorf("before the address is confirmed there are %s", got)
		}
		if status, to := h.page(confirm, url.Values{}); status != http.StatusSeeOther || !strings.HasPrefix(to, "/t/") {
			t.Fatalf("confirming leads to %d %s", status, to)
		}
		h.advance("PT1M")
		h.restricted()
		h.ends(link)
		h.resets(link, confirm)
	})
}

// restricted sees that a key of one position, and a member who reads one, know of nobody else.
func (h *hiring) restricted() {
	h.Helper()
	p, err := h.site.Store.Position(h.Context(), h.world.AccountID, h.south)
	h.must(err)
	done := "finish+closer@example.com abgeschlossen " + p.RoleProfile
	h.invite("never@example.com", "other") // to no position
	for key, want := range map[string]string{h.keys[h.south]: done, h.keys[h.north]: ""} {
		if got := h.reads(key); got != want {
			h.Errorf("a key of one position reads %q, want %q", got, want)
		}
	}
	if got := h.reads(h.key); !strings.Contains(got, done) || !strings.Contains(got, "never@example.com offen") {
		h.Errorf("a key of the whole world reads %q", got)
	}
	of := store.Reader{AccountID: h.world.AccountID, UserID: h.member, Role: typus.RoleMember}
	list, _, err := h.site.Store.Candidates(h.Context(), h.world.AccountID, store.CandidateFilter{Limit: 10})
	h.must(err)
	for _, c := range list {
		_, err := h.site.Store.CandidateFor(h.Context(), of, c.ID)
		if reads := c.PositionID == h.south; reads && err != nil || !reads && !typus.Is(err, typus.NotFound) {
			h.Errorf("a member who reads one position, of %s: %v", c.Email, err)
		}
	}
}

// ends follows a link, and somebody who has not confirmed their address, to their ends.
func (h *hiring) ends(link string) {
	h.Helper()
	waiting := h.enrols(link, "never+2@example.com")
	h.advance("P6D")
	h.opens(waiting, http.StatusOK)
	h.advance("P1D")
	h.opens(waiting, http.StatusNotFound) // the week to confirm it is over
	h.opens(link, http.StatusOK)
	late := h.enrols(link, "never+3@example.com")
	h.advance("P3D")
	h.opens(link, http.StatusGone)
	if status, _ := h.page(late, url.Values{}); status != http.StatusGone {
		h.Errorf("confirming after the link's end is answered with %d", status)
	}
	if status, _ := h.page(link, url.Values{"name": {"Kim"}, "email": {"kim@example.com"}}); status != http.StatusGone {
		h.Errorf("after its end the link takes an address: %d", status)
	}
	h.publish(h.south, 24*time.Hour) // a day more
	h.opens(link, http.StatusOK)
}

// resets finds nothing left of people and links, and of positions those that a key is bound to.
func (h *hiring) resets(link, confirm string) {
	h.Helper()
	other := h.publish(h.west, 24*time.Hour)
	waiting := h.enrols(other, "finish+driver@example.com")
	if r := h.do("POST", "/api/test/reset", ""); r.status != http.StatusOK {
		h.Fatalf("reset: %d %s", r.status, r.body)
	}
	for _, path := range []string{link, confirm, other, waiting} {
		h.opens(path, http.StatusNotFound)
	}
	if got := h.reads(h.key); got != "" {
		h.Errorf("left are %s", got)
	}
	if letters := parse[letterList](h.T, h.do("GET", "/api/test/letters", "")).Letters; len(letters) != 0 {
		h.Errorf("left are %+v", letters)
	}
	left, err := h.site.Store.Positions(h.Context(), h.world)
	h.must(err)
	var names []string
	for _, p := range left {
		if !p.Standard {
			names = append(names, p.Name)
		}
	}
	asked, err := h.site.Store.CoreQuestions(h.Context(), h.world.AccountID)
	h.must(err)
	if got := strings.Join(names, " "); got != "Nord Süd" && got != "Süd Nord" || len(asked) != len(typus.OfPosition(asked, h.south)) || len(asked) != typus.MinCore {
		h.Errorf("left are %s, with the questions %+v", got, asked)
	}
	for position, want := range map[int64]int{h.south: 1, h.north: 0} {
		if members, err := h.site.Store.MembersOf(h.Context(), h.world.AccountID, position); err != nil || len(members) != want {
			h.Errorf("position %d names %v, %v", position, members, err)
		}
	}
	h.opens(h.publish(h.south, 24*time.Hour), http.StatusOK)
}
