package api

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"typus"
	"typus/internal/store"
)

// listCall is a checked request for a list.
type listCall struct {
	filter  store.CandidateFilter
	empty   bool // no candidate can match
	extra   bool
	values  url.Values // as given, filters of the cursor included
	filters url.Values // the part of values that a cursor keeps
}

// otherPages are how other APIs turn pages.
var otherPages = foreign{[]string{"page", "offset"}, "is not supported; follow the Link header for more"}

// readList checks the parameters of a list and names everything wrong at once.
func readList(w http.ResponseWriter, r *http.Request) (listCall, *query, error) {
	q := readQuery(w, r, []string{"status", "external_id", "position", "limit", "completed_since", "cursor", "include"}, otherPages)
	l := listCall{values: q.values, filters: url.Values{}}
	l.filter.After = meantCursor(r.Context(), q.cursor(keyOf(r.Context()).AccountID))
	l.filter.Status = typus.Status(q.oneOf("status", string(typus.StatusOpen), string(typus.StatusStarted), string(typus.StatusFinished)))
	l.filter.ExternalID, l.filter.HasExternalID = q.values.Get("external_id"), q.values.Has("external_id")
	l.filter.CompletedSince = worldOf(r.Context()).MachineTime(q.since("completed_since"))
	l.filter.Limit = q.limit()
	l.extra = q.extra()
	// An identifier that nobody can have must not become the list of everybody:
	// a broken mapping in the client sends an empty one.
	l.empty = l.filter.HasExternalID && !possibleExternalID(l.filter.ExternalID)
	for _, name := range filterNames() {
		if q.values.Has(name) {
			l.filters.Set(name, q.values.Get(name))
		}
	}
	return l, q, invalid(q.faults)
}

// filterNames are the parameters that say which list it is; the others say how
// much of it is shown, and how.
func filterNames() []string { return []string{"status", "external_id", "completed_since", "position"} }

// since reads a time of RFC 3339.
func (q *query) since(name string) time.Time {
	if !q.values.Has(name) {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, q.values.Get(name))
	if err != nil {
		q.fault(name, "must be a time such as 2026-11-27T10:20:30Z; a + in a query is a space, so use Z")
	}
	if t.Before(time.UnixMilli(1)) {
		return time.UnixMilli(1) // the zero time would not filter
	}
	return t
}

var limitForm = regexp.MustCompile(`^([1-9][0-9]?|100)$`)

// limit reads the size of the page: 50 unless given, 1 to 100 (API description 8).
func (q *query) limit() int {
	if !q.values.Has("limit") {
		return 50
	}
	given := q.values.Get("limit")
	if !limitForm.MatchString(given) {
		q.fault("limit", "must be 1 to 100; follow the Link header for more")
		return 0
	}
	n, _ := strconv.Atoi(given) // cannot fail on this form
	return n
}

// next is the Link to the following page (RFC 8288) of the list at an address.
func (l listCall) next(list string, accountID int64, at store.Cursor) string {
	kept := url.Values{}
	for _, name := range append(filterNames(), "limit", "include") {
		if l.values.Has(name) {
			kept.Set(name, l.values.Get(name))
		}
	}
	query := kept.Encode()
	if query != "" {
		query += "&"
	}
	return fmt.Sprintf("<%s?%scursor=%s>; rel=%q", list, query, encodeCursor(accountID, l.filters, at), "next")
}
