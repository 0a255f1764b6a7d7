package dashboard

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"typus"
	"typus/internal/store"
)

// homeView is what there is to do today: new results, and what needs somebody. Nothing on it
// tells of a result to a visitor from whom that is withheld, nor any figure to anybody.
type homeView struct {
	frame
	Fresh   homeGroup
	Todo    []homeGroup
	Matters []homeItem // of the account
	ReadTo  string     // up to when the results on the page are new
}

// Template names the page.
func (homeView) Template() string { return "home" }

// Empty reports whether there is nothing to do.
func (h homeView) Empty() bool { return len(h.Fresh.Items)+len(h.Todo)+len(h.Matters) == 0 }

// Count is how many things wait for somebody.
func (h homeView) Count() int {
	n := len(h.Matters)
	for _, g := range h.Todo {
		n += g.All
	}
	return n
}

// Most reports whether there is more to do than Count says.
func (h homeView) Most() bool {
	return slices.ContainsFunc(h.Todo, func(g homeGroup) bool { return g.Most })
}

// homeGroup is what needs the same.
type homeGroup struct {
	Items []homeItem
	All   int
	More  string // the address of the list of all, "" where the page has them or no list does
	Most  bool   // All is broken off: there are more
}

// Left is how many the page does not name.
func (g homeGroup) Left() int { return g.All - len(g.Items) }

// homeItem is one thing to do, with one click that does it or leads to where it is done.
type homeItem struct {
	Look   string // good, warn, bad or soft
	Name   string // of a person or a thing
	Path   string // "" for nothing to open
	Beside string // such as the position, may be empty
	Says   string // what is the matter, in words
	At     time.Time
	Do     string // text key of the button, "" for none
	To     string // where the button leads
	Post   []param
	Change bool // the button changes something: a POST
}

// requestsShown is how many requests of candidates the page names, the earliest first, and
// requestsCounted how many it counts. Each has its time limit, and no list has the others.
const requestsShown, requestsCounted = 25, 125

// home shows what there is to do. It costs four statements at most, one of which finds the
// visitor. An address of the list, which stood here once, leads to it.
func (f *face) home(v *visit) error {
	if fl := readFilter(v.URL.Query()); fl.Any() || fl.Sort != "" {
		return f.goOn(v, fl.path())
	}
	now := f.now()
	view := homeView{frame: f.frame(v, areaHome), ReadTo: strconv.FormatInt(now.UnixMilli(), 10)}
	found, err := f.Store.Needing(v.Context(), v.Reader, v.needs(), now, v.readTo(now))
	if err != nil {
		return err
	}
	var asked []store.OpenRequest
	if v.may(member) {
		if asked, err = f.Store.OpenRequests(v.Context(), v.Reader, requestsCounted+1); err != nil {
			return err
		}
	}
	var hooks []typus.Endpoint
	if v.may(admin) {
		if hooks, err = f.Store.Endpoints(v.Context(), v.Account.ID); err != nil {
			return err
		}
	}
	f.fillHome(v, &view, found, asked, hooks)
	return f.render(v, http.StatusOK, view)
}

// needs are those that the visitor can do something about.
func (v visitor) needs() []store.Need {
	if v.may(member) {
		return store.Needs()
	}
	return []store.Need{store.NeedCare, store.NeedLook}
}

// fillHome puts what was found into words, the most urgent first.
func (f *face) fillHome(v *visit, view *homeView, found []store.Needing, asked []store.OpenRequest, hooks []typus.Endpoint) {
	if g := f.requested(v, asked); len(g.Items) > 0 {
		view.Todo = append(view.Todo, g)
	}
	for _, n := range found {
		g := homeGroup{All: n.All}
		for _, row := range n.Rows {
			g.Items = append(g.Items, f.homeItem(v, n.Need, row))
		}
		if g.Left() > 0 {
			g.More = candidateFilter{Need: wordOf(n.Need)}.path()
		}
		if n.Need == store.NeedLook {
			view.Fresh = g
		} else {
			view.Todo = append(view.Todo, g)
		}
	}
	view.Matters = f.matters(v, hooks)
}

// wordOf is the word of a need in an address.
func wordOf(need store.Need) string {
	for _, n := range needWords {
		if n.need == need {
			return n.word
		}
	}
	return ""
}

// homeItem is a candidate with a need.
func (f *face) homeItem(v *visit, need store.Need, row store.CandidateRow) homeItem {
	c := row.Candidate
	path := candidatePath(c.ID)
	item := homeItem{Look: "warn", Name: c.Name, Path: path, Beside: row.Position, To: path}
	ask := []param{{paramID, strconv.FormatInt(c.ID, 10)}, {paramBack, homePath}}
	switch need {
	case store.NeedLink:
		item.Says = f.say(v, "home.link", "Date", f.dayOf(v, c.ExpiresAt))
		item.Do, item.To, item.Change, item.Post = "home.link.do", path+"/neuer-link", true, ask
	case store.NeedAddress:
		item.Look = "bad"
		if row.Corrected() {
			item.Says, item.Do = f.say(v, "home.corrected", "Old", row.MailTo, "New", c.Email), "candidate.send"
			item.To, item.Change, item.Post = path+"/senden", true, ask
			break
		}
		item.Says, item.Do, item.To = f.say(v, "home.address", "Email", c.Email), "home.address.do", path+"#unzustellbar"
	case store.NeedTime:
		item.Says, item.Do = f.say(v, "home.time", "Date", f.dayOf(v, c.ExpiresAt)), "home.time.do"
		item.To, item.Change = bulkExtend.path, true
		item.Post = append(ask, param{"ende", f.untilField(v.Account, row.Days, c.ExpiresAt).Value})
	case store.NeedCare:
		item.Says, item.Do, item.At = f.say(v, "home.care"), "home.care.do", c.CompletedAt
	case store.NeedLook:
		item.Look, item.Do, item.At = "good", "home.look.do", c.CompletedAt
		if c.Withheld() {
			item.Says, item.Do, item.To = f.say(v, "home.rate"), "home.rate.do", path+"/leitfaden"
		}
	}
	return item
}

// requested are the requests that wait for an answer.
func (f *face) requested(v *visit, asked []store.OpenRequest) homeGroup {
	g := homeGroup{All: min(len(asked), requestsCounted), Most: len(asked) > requestsCounted}
	for _, q := range asked[:min(len(asked), requestsShown)] {
		item := homeItem{
			Look: "warn", Name: q.Name, Path: candidatePath(q.CandidateID), Do: "home.request.do", To: candidatePath(q.CandidateID) + "#einsicht",
			Says: f.say(v, "home.request", "Asks", f.say(v, ownKinds[q.Kind]), "Date", f.dayOf(v, q.Due())),
		}
		if q.Due().Before(f.now()) {
			item.Look = "bad"
		}
		g.Items = append(g.Items, item)
	}
	return g
}

// fewCredits is how many credits are few.
const fewCredits = 5

// matters are those of the account that the visitor is told of.
func (f *face) matters(v *visit, hooks []typus.Endpoint) []homeItem {
	var list []homeItem
	if v.Account.Suspended() {
		hooks = nil // nothing is sent, and no webhook can be switched on
	}
	for _, e := range hooks {
		row := endpointRow{Endpoint: e}
		switch e.Status {
		case typus.EndpointDisabled:
			list = append(list, homeItem{Look: "bad", Name: row.Called(), Path: endpointPath(e.ID), Says: f.say(v, "home.hookOff"),
				Do: "home.hookOff.do", To: endpointPath(e.ID) + "/fortsetzen", Change: true})
		case typus.EndpointFailing:
			list = append(list, homeItem{Look: "warn", Name: row.Called(), Path: endpointPath(e.ID), Says: f.say(v, "home.hook"), Do: "home.hook.do", To: endpointPath(e.ID)})
		}
	}
	if v.Account.Plan == typus.PlanStarter && v.Account.Credits <= fewCredits && v.may(viewer) {
		item := homeItem{Look: "warn", Name: f.say(v, "shell.creditsArea"), Path: creditsPath, Says: f.sayCount(v, "home.credits", int(max(v.Account.Credits, 0))), Do: "home.credits.do", To: creditsPath}
		if v.Account.OutOfCredits() {
			item.Look, item.Says = "bad", f.say(v, "home.creditsOut")
		}
		list = append(list, item)
	}
	if gaps := f.gaps(v); gaps != "" && v.may(admin) { // the list tells those who cannot add them
		list = append(list, homeItem{Look: "warn", Name: f.say(v, "home.notice"), Path: noticePath, Says: gaps, Do: "home.notice.do", To: noticePath})
	}
	return list
}

// readAll notes that no result that the page showed is new to the visitor any more. A page
// that does not say which it showed notes nothing.
func (f *face) readAll(v *visit) error {
	shown := numberOr(v.PostFormValue("bis"), 0)
	if shown <= 0 {
		return f.goOn(v, homePath)
	}
	to, now := time.UnixMilli(shown).UTC(), f.now()
	if to.After(now) {
		to = now
	}
	err := f.Store.InTx(v.Context(), func(tx *store.Tx) error {
		return tx.SetResultsRead(v.Context(), v.Account.ID, v.User.ID, to, now)
	})
	if err != nil {
		return err
	}
	return f.done(v, homePath, f.say(v, "home.isRead"))
}

// newLink gives a candidate whose link has run out more time, and writes to them again.
func (f *face) newLink(v *visit, c typus.Candidate) error {
	back := f.backTo(v, v.PostForm)
	p, err := f.Store.PositionFor(v.Context(), v.Reader, c.PositionID)
	if err != nil {
		return err
	}
	err = f.Steps.RenewLink(v.Context(), v.Reader, c.ID, v.Account.EndOfDay(f.untilField(v.Account, p.InviteDays, c.ExpiresAt).Value), v.actor(), nil)
	if typus.Is(err, typus.Conflict) {
		return f.undone(v, back, f.say(v, "home.link.unsent", "Reason", f.say(v, f.reasonKey(v, err))))
	}
	if err != nil {
		return err
	}
	return f.done(v, back, f.written(v, "home.link.done"))
}
