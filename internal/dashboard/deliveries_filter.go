package dashboard

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"typus"
	"typus/internal/store"
)

// deliveryFilter is what the address of the delivery log asks for.
type deliveryFilter struct {
	Hook     int64 // id of a webhook
	State    typus.DeliveryState
	Outcome  string
	Person   string // id or external_id of a candidate, as in the API
	From, To string // days, as typed
}

// The parameters of the delivery log, beside paramFrom and paramTo.
const (
	paramHook     = "webhook"
	paramStanding = "stand"
	paramOutcome  = "antwort"
	paramPerson   = "person"
	paramBefore   = "vor" // the id of the last delivery of the page before
)

// readDeliveryFilter reads the filter from an address. What is none is left out.
func readDeliveryFilter(q url.Values) deliveryFilter {
	fl := deliveryFilter{
		Hook: numberOr(q.Get(paramHook), 0), State: typus.DeliveryState(q.Get(paramStanding)), Outcome: q.Get(paramOutcome),
		Person: strings.TrimSpace(q.Get(paramPerson)), From: q.Get(paramFrom), To: q.Get(paramTo),
	}
	if deliveryStateNames[fl.State] == "" {
		fl.State = ""
	}
	if deliveryOutcomeNames[fl.Outcome] == "" {
		fl.Outcome = ""
	}
	if utf8.RuneCountInString(fl.Person) > maxSearch {
		fl.Person = string([]rune(fl.Person)[:maxSearch])
	}
	return fl
}

var deliveryIDForm = regexp.MustCompile(`^dlv_[0-9A-Z]{26}$`)

// readDeliveryID is the id of a delivery in an address, "" for none.
func readDeliveryID(text string) string {
	if !deliveryIDForm.MatchString(text) {
		return ""
	}
	return text
}

// Any reports whether the log is narrowed.
func (fl deliveryFilter) Any() bool { return fl != deliveryFilter{} }

// at is an address with the filter, of the deliveries before an id ("": from the newest on).
func (fl deliveryFilter) at(path, before string) string {
	q := fl.values()
	if before != "" {
		q.Set(paramBefore, before)
	}
	return listPath(path, q)
}

// values are the filter as parameters of an address.
func (fl deliveryFilter) values() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{
		paramStanding: string(fl.State), paramOutcome: fl.Outcome, paramPerson: fl.Person, paramFrom: fl.From, paramTo: fl.To,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if fl.Hook != 0 {
		q.Set(paramHook, strconv.FormatInt(fl.Hook, 10))
	}
	return q
}

// span are the days of the filter in the account's zone; the last one is included. A day that
// is none has its fault. In a test world they are the machine's days, as the log shows them:
// when a delivery was made stands in its id, which no move changes.
func (fl deliveryFilter) span(zone typus.Zone) (from, until time.Time, fromSound, toSound bool) {
	fromSound, toSound = true, true
	if fl.From != "" {
		from, _, fromSound = zone.Day(fl.From)
	}
	if fl.To != "" {
		_, until, toSound = zone.Day(fl.To)
	}
	return from, until, fromSound, toSound
}

// deliveryQuery is the filter in the words of the store. False means that a day is not
// valid.
func (f *face) deliveryQuery(v *visit, fl deliveryFilter) (store.DeliveryFilter, bool, error) {
	q := store.DeliveryFilter{EndpointID: fl.Hook, State: fl.State, Outcome: fl.Outcome}
	var fromSound, toSound bool
	if q.From, q.Until, fromSound, toSound = fl.span(v.Account.Zone); !fromSound || !toSound {
		return q, false, nil
	}
	if fl.Person == "" {
		return q, true, nil
	}
	people, err := f.meant(v, fl.Person)
	if len(people) > 0 {
		q.CandidateID = people[0].ID
	}
	return q, true, err
}

// noCandidate is the id of nobody.
const noCandidate = -1

// meant are those whom an id or external_id means, newest first: the log has the deliveries
// about the first. Of people who share an external_id, up to 100, only those whom the visitor
// reads are meant. Whoever is not there, or is another account's, has had no delivery; the
// erased are found by their id only.
func (f *face) meant(v *visit, ref string) ([]typus.Candidate, error) {
	c, by, err := f.Store.CandidateByRef(v.Context(), v.Account.ID, ref, store.ByEither, store.AnyPosition)
	switch {
	case typus.Is(err, typus.NotFound):
		return []typus.Candidate{{ID: numberOr(ref, noCandidate)}}, nil
	case err != nil || by == store.ByID:
		return []typus.Candidate{c}, err
	}
	list, _, err := f.Store.Candidates(v.Context(), v.Account.ID, store.CandidateFilter{ExternalID: ref, HasExternalID: true, Limit: 100})
	if err != nil {
		return nil, err
	}
	return f.readable(v, list)
}

// readable are those of up to 100 people whom the visitor reads, newest first, or nobody.
func (f *face) readable(v *visit, list []typus.Candidate) ([]typus.Candidate, error) {
	var ids []int64
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	rows, err := f.Store.CandidateRowsOf(v.Context(), v.Reader, ids)
	if err != nil || len(rows) == 0 {
		return []typus.Candidate{{ID: noCandidate}}, err
	}
	var people []typus.Candidate
	for _, row := range rows {
		people = append(people, row.Candidate)
	}
	return people, nil
}
