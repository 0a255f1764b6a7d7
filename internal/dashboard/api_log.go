package dashboard

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"typus"
	"typus/internal/store"
)

// refusedCallsPerPage is how many refused calls a page of the log shows.
const refusedCallsPerPage = 50

// apiLogView is the log of the API: refused calls one by one, all calls by day.
type apiLogView struct {
	frame
	Key, Code *field
	Refusals  []refusedCallRow
	Days      []typus.Calls // on the first page only
	Most      int           // calls on the busiest of the days
	Filtered  bool
	Older     string // the next page, "" on the last
	Newest    string // the first page, "" on it
}

// Template names the page.
func (apiLogView) Template() string { return "api_log" }

// Width is the share of a number of calls in the busiest day, 0 to 100.
func (v apiLogView) Width(calls int) int { return calls * 100 / max(v.Most, 1) }

// refusedCallRow is a refused call with what is known of its key.
type refusedCallRow struct {
	typus.RefusedCall
	Name, Fingerprint string
}

// refusalCodes are the codes of the API's errors.
var refusalCodes = []string{
	"invalid_input", "invalid_key", "no_credits", "insufficient_scope", "not_found", "method_not_allowed", "conflict", "too_large",
	"unsupported_media_type", "rate_limited", "internal", "unavailable", "outcome_unknown", "account_suspended",
}

// apiLog shows the log, of one key and one code if the address says so. A filter
// that names no key of the account finds nothing.
func (f *face) apiLog(v *visit) error {
	keys, calls, err := f.Store.KeysAndCalls(v.Context(), v.Account.ID, f.since())
	if err != nil {
		return err
	}
	asked := v.URL.Query()
	filter := store.RefusedCallFilter{Code: asked.Get("code"), Before: position(v, "vor"), Limit: refusedCallsPerPage}
	if asked.Get("schluessel") != "" {
		filter.KeyID = numberOr(asked.Get("schluessel"), -1)
	}
	refused, more, err := f.Store.RefusedCalls(v.Context(), v.Account.ID, filter)
	if err != nil {
		return err
	}
	if len(refused) == 0 && filter.Before != 0 { // whatever stood on this page is gone
		return f.goOn(v, logPage(filter, 0))
	}
	view := apiLogView{
		frame: f.settingsFrame(v, sectionKeys), Refusals: refusedCallRows(refused, keys),
		Key: f.keyChoice(v, keys, filter.KeyID), Code: f.codeChoice(v, filter.Code),
		Filtered: filter.KeyID != 0 || filter.Code != "",
	}
	view.Crumbs = []crumb{{Label: "shell.keys", Path: keysPath}}
	if more {
		view.Older = logPage(filter, refused[len(refused)-1].ID)
	}
	if filter.Before != 0 {
		view.Newest = logPage(filter, 0)
		return f.render(v, http.StatusOK, view)
	}
	view.Days = callsByDay(calls, filter.KeyID)
	for _, day := range view.Days {
		view.Most = max(view.Most, day.All())
	}
	return f.render(v, http.StatusOK, view)
}

// callsByDay adds up the calls of each day, newest first: of one key, or of all
// with keyID 0.
func callsByDay(calls []typus.Calls, keyID int64) []typus.Calls {
	byDay := map[string]typus.Calls{}
	for _, c := range calls {
		if keyID == 0 || c.KeyID == keyID {
			sum := byDay[c.Day]
			byDay[c.Day] = typus.Calls{Day: c.Day, Answered: sum.Answered + c.Answered, Refused: sum.Refused + c.Refused}
		}
	}
	return slices.SortedFunc(maps.Values(byDay), func(a, b typus.Calls) int { return strings.Compare(b.Day, a.Day) })
}

// logPage is the address of a page of the log with its filters.
func logPage(filter store.RefusedCallFilter, before int64) string {
	q := url.Values{}
	if filter.KeyID != 0 {
		q.Set("schluessel", strconv.FormatInt(filter.KeyID, 10))
	}
	if filter.Code != "" {
		q.Set("code", filter.Code)
	}
	if before != 0 {
		q.Set("vor", strconv.FormatInt(before, 10))
	}
	return listPath(keysPath+"/protokoll", q)
}

func refusedCallRows(refused []typus.RefusedCall, keys []typus.APIKey) []refusedCallRow {
	byID := map[int64]typus.APIKey{}
	for _, k := range keys {
		byID[k.ID] = k
	}
	var rows []refusedCallRow
	for _, r := range refused {
		row := refusedCallRow{RefusedCall: r}
		if key, found := byID[r.KeyID]; found {
			row.Name, row.Fingerprint = key.Name, key.Fingerprint()
		}
		rows = append(rows, row)
	}
	return rows
}

func (f *face) keyChoice(v *visit, keys []typus.APIKey, chosen int64) *field {
	fd := &field{Name: "schluessel", Label: "apikeys.log.key", Options: []option{{Label: f.say(v, "apikeys.log.allKeys")}}}
	for _, k := range keys {
		fd.Options = append(fd.Options, option{
			Value: strconv.FormatInt(k.ID, 10), Label: k.Name + " (" + k.Fingerprint() + ")", Chosen: k.ID == chosen,
		})
	}
	return fd
}

func (f *face) codeChoice(v *visit, chosen string) *field {
	fd := &field{Name: "code", Label: "apikeys.log.code", Options: []option{{Label: f.say(v, "apikeys.log.allCodes")}}}
	for _, code := range refusalCodes {
		fd.Options = append(fd.Options, option{Value: code, Label: code, Chosen: code == chosen})
	}
	return fd
}
