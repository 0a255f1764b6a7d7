package dashboard

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"typus"
	"typus/internal/accounts"
	"typus/internal/page/pagetest"
	"typus/internal/store"
)

// thing is what stands on the first page about somebody or something, nil for nothing.
func (c *client) thing(name string) *html.Node {
	c.Helper()
	doc, err := html.Parse(strings.NewReader(c.get(homePath).want(c.T, 200).body))
	c.Must(err)
	for _, li := range pagetest.All(doc, "li") {
		for _, kind := range []string{"a", "strong"} {
			for _, n := range pagetest.All(li, kind) {
				if class, _ := pagetest.Attr(li, "class"); class == "home-item" && pagetest.Text(n) == name {
					return li
				}
			}
		}
	}
	return nil
}

// remedy makes the one click that stands beside a thing and returns the page that it leads to.
func (c *client) remedy(name string) answer {
	c.Helper()
	item := c.thing(name)
	if item == nil {
		c.Fatalf("%s does not stand there", name)
	}
	if forms := pagetest.All(item, "form"); len(forms) > 0 {
		action, _ := pagetest.Attr(forms[0], "action")
		sent := url.Values{}
		for _, input := range pagetest.All(forms[0], "input") {
			field, _ := pagetest.Attr(input, "name")
			value, _ := pagetest.Attr(input, "value")
			sent.Add(field, value)
		}
		return c.follow(c.post(action, sent)).want(c.T, 200)
	}
	for _, a := range pagetest.All(item, "a") {
		if class, _ := pagetest.Attr(a, "class"); strings.Contains(class, "button") {
			to, _ := pagetest.Attr(a, "href")
			path, _, _ := strings.Cut(to, "#")
			return c.get(path).want(c.T, 200)
		}
	}
	c.Fatalf("there is nothing to click beside %s", name)
	return answer{}
}

// fills sends a form of the page that an answer has, with some of it changed.
func (c *client) fills(a answer, action string, typed map[string]string) {
	c.Helper()
	form := formIn(c.T, a.body, action)
	for name, value := range typed {
		form.Set(name, value)
	}
	c.follow(c.post(action, form)).want(c.T, 200)
}

// busyDay gives the account one of each thing that the first page has. It returns an owner and
// the webhooks by name.
func (w *world) busyDay() (*client, map[string]int64) {
	w.Helper()
	refused := func(l *typus.Letter) {
		l.State = typus.LetterSent
		if l.To == "falsch@example.com" {
			l.State, l.LastCode, l.LastError = typus.LetterFailed, 550, "no such mailbox"
		}
	}
	link := w.written("Kim Link", "link@example.com")
	w.Later(31 * 24 * time.Hour)
	w.Must(w.Assess.RequestLink(w.Ctx, link.Token))
	boss, hooks := w.as(owner), map[string]int64{}
	w.written("Kim Adresse", "falsch@example.com")
	w.ends(refused)
	w.Must(w.Accounts.Change(w.Ctx, w.Account, by, func(a *typus.Account) { a.InviteDays = 2 }))
	w.written("Kim Frist", "frist@example.com")
	w.Must(w.Accounts.Change(w.Ctx, w.Account, by, func(a *typus.Account) { a.InviteDays = 30 }))
	asks := w.finished("Kim Bitte")
	boss.get(candidatePath(asks.Candidate.ID)).want(w.T, 200)
	w.Must(w.Assess.OwnRequest(w.Ctx, asks.Token, typus.RequestErasure, "", typus.Actor{Name: typus.ActorCandidate}))
	w.doubtful("Kim Zweifel")
	w.finished("Kim Neu")
	for name, status := range map[string]typus.EndpointStatus{"CRM": typus.EndpointDisabled, "ERP": typus.EndpointFailing} {
		id, _, err := w.Accounts.CreateEndpoint(w.Ctx, w.Account, w.server.URL+"/"+name, name, by)
		w.Must(err)
		w.stands(id, status)
		hooks[name] = id
	}
	w.spend(5)
	return boss, hooks
}

// stands makes a webhook stand in a way.
func (w *world) stands(hook int64, status typus.EndpointStatus) {
	w.Helper()
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		return tx.SetEndpointStatus(w.Ctx, w.Account, hook, status, "", w.Now())
	}))
}

// Each thing of the day has one click beside it, and once that is made, and what it leads to
// is done, the thing does not stand there any more. At the end nothing does.
func TestEachThingOfTheDayIsGoneOnceItsClickIsMade(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss, hooks := w.busyDay()
		idOf := func(name string) string {
			to, _ := pagetest.Attr(pagetest.All(boss.thing(name), "a")[0], "href")
			return to
		}
		then := map[string]func(a answer){ // what is left to do on the page that the click leads to
			"Kim Link": nil, "Kim Frist": nil, "Kim Zweifel": nil, "Kim Neu": nil,
			"Kim Adresse": func(a answer) {
				boss.fills(a, idOf("Kim Adresse")+"/korrigieren", map[string]string{"email": "richtig@example.com", "senden": "1"})
			},
			"Kim Bitte": func(answer) {
				asked, err := w.Store.OpenRequests(w.Ctx, store.WholeAccount(w.Account), 1)
				w.Must(err)
				n := strconv.FormatInt(asked[0].ID, 10)
				boss.follow(boss.post(candidatePath(asked[0].CandidateID)+"/anfragen/"+n, fields("antwort-"+n, "Wir löschen alles."))).want(t, 200)
			},
			"CRM": func(answer) { w.stands(hooks["CRM"], typus.EndpointActive) }, // what it is tested with has arrived
			"ERP": func(answer) { w.stands(hooks["ERP"], typus.EndpointActive) }, // its receiver was mended
			"Credits": func(answer) {
				_, _, err := w.Accounts.GrantCredits(w.Ctx, w.Account, accounts.Grant{Amount: 50, Note: "Test", Actor: "operator"})
				w.Must(err)
			},
			"Hinweise vor dem Test": func(answer) {
				boss.post(noticePath, fields("notice_consequence", "interview", "notice_operator", "Muster IT", "notice_country", "DE", "notice_abroad", "none",
					"notice_officer", "dsb@example.com", "notice_period_de", "Sechs Monate", "notice_period_en", "Six months")).want(t, 303)
			},
		}
		if n := strings.Count(boss.get(homePath).body, `class="home-item"`); n != len(then) {
			t.Fatalf("the day has %d things, want %d", n, len(then))
		}
		for _, name := range slices.Sorted(maps.Keys(then)) {
			a := boss.remedy(name)
			if then[name] != nil {
				then[name](a)
			}
			if boss.thing(name) != nil {
				t.Errorf("%s still stands there", name)
			}
		}
		boss.get(homePath).want(t, 200, "Heute ist nichts offen")
	})
}
