package dashboard

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"typus"
	"typus/internal/report"
	"typus/internal/store"
)

// candidateFilter is what the address of the list asks for.
type candidateFilter struct {
	Search, Tag string
	Status      typus.Status
	Position    string // an id, or standardWord
	Role        string
	Need        string // a word of needWords
	Stage       typus.Stage
	From, To    string // days, as typed
	Sort        string
	After       string
}

// needWords name needs in an address, in the order in which they are offered.
var needWords = []struct {
	word  string
	need  store.Need
	label string // text key
}{
	{"neu", store.NeedLook, "list.need.neu"}, {"pruefen", store.NeedCare, "list.need.pruefen"}, {"link", store.NeedLink, "list.need.link"},
	{"adresse", store.NeedAddress, "list.need.adresse"}, {"frist", store.NeedTime, "list.need.frist"},
}

// needOf is the need of a word, "" for none.
func needOf(word string) store.Need {
	for _, n := range needWords {
		if n.word == word {
			return n.need
		}
	}
	return ""
}

// maxSearch bounds a search, in characters, maxRoleKey the key of a role profile.
const (
	maxSearch  = 200
	maxRoleKey = 100
)

func readFilter(q url.Values) candidateFilter {
	fl := candidateFilter{
		Search: strings.TrimSpace(q.Get(paramSearch)), Tag: q.Get(paramTag), Status: typus.Status(q.Get(paramStatus)),
		Position: q.Get(paramPosition), Role: q.Get(paramRole), Need: q.Get(paramNeed), Stage: typus.Stage(q.Get(paramStage)),
		From: q.Get(paramFrom), To: q.Get(paramTo), Sort: q.Get(paramSort), After: q.Get(paramAfter),
	}
	if utf8.RuneCountInString(fl.Search) > maxSearch {
		fl.Search = string([]rune(fl.Search)[:maxSearch])
	}
	if fl.Status != "" && !fl.Status.Valid() {
		fl.Status = ""
	}
	if fl.Position != standardWord && numberOr(fl.Position, 0) == 0 {
		fl.Position = ""
	}
	if len(fl.Role) > maxRoleKey {
		fl.Role = ""
	}
	if needOf(fl.Need) == "" {
		fl.Need = ""
	}
	if report.StageName(fl.Stage, "de") == "" {
		fl.Stage = ""
	}
	if fl.Sort != sortByName && fl.Sort != sortByOverall {
		fl.Sort = ""
	}
	if _, ours := readCursor(fl.After); !ours {
		fl.After = ""
	}
	return fl
}

// sortsByScore reports whether the list has an order by score.
func (v visitor) sortsByScore() bool {
	return !v.Account.ScoreSortingAt.IsZero() && v.Reader.SortsByScore()
}

// allowed is the filter without what the visitor may not ask for. Tags and stages may say
// something of a result that is withheld.
func (fl candidateFilter) allowed(v *visit) candidateFilter {
	if fl.Sort == sortByOverall && !v.sortsByScore() {
		fl.Sort = ""
	}
	if v.Reader.Blind.Somewhere {
		fl.Tag, fl.Stage = "", ""
	}
	if !v.seesDecisions() {
		fl.Stage = ""
	}
	return fl
}

// Any reports whether the list is narrowed.
func (fl candidateFilter) Any() bool {
	return fl.Search != "" || fl.Status != "" || fl.Position != "" || fl.Role != "" || fl.Need != "" || fl.Stage != "" || fl.More()
}

// More reports whether it is narrowed by what stands in the form of days and tags.
func (fl candidateFilter) More() bool { return fl.Tag != "" || fl.From != "" || fl.To != "" }

// param is a parameter of an address.
type param struct{ Name, Value string }

// params are those of the filter, without empty ones.
func (fl candidateFilter) params() []param {
	var list []param
	for _, p := range []param{
		{paramSearch, fl.Search}, {paramTag, fl.Tag}, {paramStatus, string(fl.Status)}, {paramPosition, fl.Position}, {paramRole, fl.Role},
		{paramNeed, fl.Need}, {paramStage, string(fl.Stage)}, {paramFrom, fl.From}, {paramTo, fl.To}, {paramSort, fl.Sort}, {paramAfter, fl.After},
	} {
		if p.Value != "" {
			list = append(list, p)
		}
	}
	return list
}

// BesideSearch and BesideMore are what a form that asks for something else must keep.
func (fl candidateFilter) BesideSearch() []param {
	fl.Search, fl.After = "", ""
	return fl.params()
}

// BesideMore is BesideSearch for the form of days and tags.
func (fl candidateFilter) BesideMore() []param {
	fl.Tag, fl.From, fl.To, fl.After = "", "", "", ""
	return fl.params()
}

func (fl candidateFilter) path() string { return fl.at(peoplePath) }

// at is an address with the filter.
func (fl candidateFilter) at(path string) string {
	q := url.Values{}
	for _, p := range fl.params() {
		q.Set(p.Name, p.Value)
	}
	return listPath(path, q)
}

// listCookie keeps which list a browser saw last, so that whoever opens somebody from it,
// or changes something there, comes back to the same.
const listCookie = "typus-liste"

// maxListCookie bounds what is kept, in bytes.
const maxListCookie = 3000

// rememberList keeps the list for the visitor until the browser is closed.
func (f *face) rememberList(v *visit, fl candidateFilter) {
	path := fl.path()
	if path == f.lastList(v) {
		return
	}
	_, query, _ := strings.Cut(path, "?")
	value := strconv.FormatInt(v.User.ID, 10) + "." + query
	if query == "" || len(value) > maxListCookie {
		f.setCookie(v, listCookie, "", -1)
		return
	}
	f.setCookie(v, listCookie, value, 0)
}

// lastList is the address of the list that the visitor saw last, or of the whole one.
func (f *face) lastList(v *visit) string {
	cookie, err := v.Cookie(f.cookieName(listCookie))
	if err != nil {
		return peoplePath
	}
	whose, query, _ := strings.Cut(cookie.Value, ".")
	q, err := url.ParseQuery(query)
	if err != nil || whose != strconv.FormatInt(v.User.ID, 10) {
		return peoplePath
	}
	return readFilter(q).allowed(v).path()
}

// listCrumb leads back to the list that the visitor saw last.
func (f *face) listCrumb(v *visit) crumb {
	return crumb{Label: "shell.candidates", Path: f.lastList(v)}
}

// freshFor is how long a result is new at most.
const freshFor = 30 * 24 * time.Hour

// readTo is up to when completed tests are not new to the visitor: since they said so, joined
// the team, or for as long as nothing is new any more. A time in the future, from before the
// clock was set back, does not count.
func (v visitor) readTo(now time.Time) time.Time {
	to := now.Add(-freshFor)
	for _, at := range []time.Time{v.User.CreatedAt, v.User.ResultsReadAt} {
		if at.After(to) && !at.After(now) {
			to = at
		}
	}
	return to
}

// query is the filter in the words of the store. Days are the
// account's; the last one is included. False means that a day is not valid.
func (fl candidateFilter) query(v *visit, now time.Time) (store.CandidateQuery, bool) {
	q := store.CandidateQuery{
		Search: fl.Search, Tag: fl.Tag, Status: fl.Status, Position: numberOr(fl.Position, 0), General: fl.Position == standardWord,
		Role: fl.Role, Need: needOf(fl.Need), Stage: fl.Stage, Now: now, ReadTo: v.readTo(now),
	}
	switch fl.Sort {
	case sortByName:
		q.Sort = store.SortName
	case sortByOverall:
		q.Sort = store.SortOverall
	}
	sound := true
	if fl.From != "" {
		q.From, _, sound = v.Account.Zone.Day(fl.From)
	}
	if fl.To != "" && sound {
		_, q.To, sound = v.Account.Zone.Day(fl.To)
	}
	q.From, q.To = v.Account.MachineTime(q.From), v.Account.MachineTime(q.To)
	if fl.After != "" {
		q.After, _ = readCursor(fl.After)
		q.After.At = v.Account.MachineTime(q.After.At)
	}
	return q, sound
}

// chipMenu is a filter of the list: a chip that opens its choices.
type chipMenu struct {
	Label   string // text key
	Chosen  string // in words, "" for everybody
	Choices []choice
}

// choice is one of them, with the address of the list that is narrowed to it.
type choice struct {
	Name    string
	Path    string
	Current bool
}

// menu makes a filter of what can be chosen. with sets a value in a filter. There is none
// where nothing can be told apart.
func (f *face) menu(v *visit, label string, fl candidateFilter, chosen string, values []param, with func(fl *candidateFilter, value string)) []chipMenu {
	if chosen == "" && len(values) < 2 {
		return nil
	}
	m := chipMenu{Label: label}
	for _, of := range append([]param{{f.say(v, "candidates.all"), ""}}, values...) {
		other := fl
		other.After = ""
		with(&other, of.Value)
		m.Choices = append(m.Choices, choice{of.Name, other.path(), of.Value == chosen})
		if of.Value == chosen && chosen != "" {
			m.Chosen = of.Name
		}
	}
	if chosen != "" && m.Chosen == "" {
		m.Chosen = f.say(v, "list.unknown")
	}
	return []chipMenu{m}
}

// menus are the filters of the list for what there is in the account.
func (f *face) menus(v *visit, fl candidateFilter, counts store.CandidateCounts) []chipMenu {
	var positions, roles, needs, stages []param
	for _, p := range counts.Positions {
		if !p.Standard {
			positions = append(positions, param{p.Name, strconv.FormatInt(p.ID, 10)})
		}
	}
	if v.Reader.AtStandard() && len(positions) > 0 {
		positions = append([]param{{f.say(v, "positions.standard"), standardWord}}, positions...)
	}
	for _, r := range counts.Roles {
		roles = append(roles, param{f.roleWords(v, r), r.Key})
	}
	for _, n := range needWords {
		needs = append(needs, param{f.say(v, n.label), n.word})
	}
	if v.seesDecisions() && !v.Reader.Blind.Somewhere {
		for _, s := range typus.Stages() {
			stages = append(stages, param{report.StageName(s, v.lang), string(s)})
		}
	}
	list := f.menu(v, "list.position", fl, fl.Position, positions, func(fl *candidateFilter, value string) { fl.Position = value })
	list = append(list, f.menu(v, "list.role", fl, fl.Role, roles, func(fl *candidateFilter, value string) { fl.Role = value })...)
	list = append(list, f.menu(v, "list.need", fl, fl.Need, needs, func(fl *candidateFilter, value string) { fl.Need = value })...)
	return append(list, f.menu(v, "list.stage", fl, string(fl.Stage), stages, func(fl *candidateFilter, value string) { fl.Stage = typus.Stage(value) })...)
}

// roleWords is the name of a role profile.
func (f *face) roleWords(v *visit, r store.NamedRole) string {
	return inWords(f.Instrument.RoleName(v.lang, r.Key), inWords(r.Name, r.Key))
}

// listLinks fills in the addresses of the same list in other orders, pages and formats.
func (f *face) listLinks(v *visit, view *candidatesView, fl candidateFilter, page store.CandidatePage) {
	for _, c := range []struct {
		label  string
		status typus.Status
		count  store.Count
	}{
		{"candidates.all", "", page.Counts.All},
		{"candidates.status.open", typus.StatusOpen, page.Counts.Open},
		{"candidates.status.started", typus.StatusStarted, page.Counts.Started},
		{"candidates.status.finished", typus.StatusFinished, page.Counts.Finished},
	} {
		other := fl
		other.Status, other.After = c.status, ""
		view.Chips = append(view.Chips, chip{Label: c.label, Count: counted(c.count), Path: other.path(), Current: fl.Status == c.status})
	}
	view.Menus = f.menus(v, fl, page.Counts)
	for _, s := range []struct{ label, sort string }{
		{"candidates.sort.date", ""}, {"candidates.sort.name", sortByName}, {"candidates.sort.overall", sortByOverall},
	} {
		other := fl
		other.Sort, other.After = s.sort, ""
		if s.sort != sortByOverall || view.Score {
			view.Sorts = append(view.Sorts, chip{Label: s.label, Path: other.path(), Current: fl.Sort == s.sort})
		}
	}
	if fl.Sort == sortByOverall && fl.Role == "" {
		for _, r := range page.Counts.Roles {
			other := fl
			other.Role, other.After = r.Key, ""
			view.WithinRole = append(view.WithinRole, choice{Name: f.roleWords(v, r), Path: other.path()})
		}
	}
	for _, tag := range page.Counts.Tags {
		view.Tags = append(view.Tags, option{Value: tag, Label: tag, Chosen: tag == fl.Tag})
	}
	other := fl
	other.After = ""
	view.Export = other.at(exportPath)
	if fl.After != "" {
		view.First = other.path()
	}
	if page.Next.ID != 0 {
		next := page.Next
		next.At = v.Account.WorldTime(next.At) // the same place after its clock has been moved on
		other.After = writeCursor(next)
		view.Next = other.path()
	}
	view.Clear = candidateFilter{Sort: fl.Sort}.path()
}
