package api

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"typus"
)

// query holds the parameters of a request and every fault in them. An unknown parameter
// is ignored, and the answer says so, unless it looks like a slip of a known one.
type query struct {
	values url.Values
	faults []typus.Field
}

// foreign are names that other APIs use and ours does not, and the sentence with which
// they are refused.
type foreign struct {
	names []string
	msg   string
}

// readQuery reads the parameters with known names and refuses the foreign ones.
func readQuery(w http.ResponseWriter, r *http.Request, known []string, f foreign) *query {
	values, err := url.ParseQuery(r.URL.RawQuery)
	q := &query{values: values}
	if err != nil {
		q.fault("query", "is not well-formed; percent-encode its values")
	}
	var ignored []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if slices.Contains(known, name) {
			q.once(name)
		} else if meant, near := misspelt(name, slices.Concat(known, f.names)); !near {
			ignored = append(ignored, name)
		} else if len(q.faults) < maxFaults {
			q.faults = append(q.faults, slip(name, meant, f))
		}
	}
	if len(ignored) > 0 {
		w.Header().Set("X-Ignored-Parameters", headerList(ignored))
	}
	return q
}

func (q *query) once(name string) {
	if len(q.values[name]) > 1 {
		q.fault(name, "is there more than once")
	}
}

// slip is the fault of a name that was probably meant to be another. If a misspelt
// filter were ignored, the answer would list everybody (our choice).
func slip(typed, meant string, f foreign) typus.Field {
	fault := unknownField(typed, meant)
	if slices.Contains(f.names, meant) {
		fault.Msg = f.msg
	}
	return fault
}

// headerList writes names into one header. They are percent-encoded, so that none
// brings a line break or a comma of its own, and the list is cut to a bounded length.
func headerList(names []string) string {
	const most, longest = 20, 40
	var list []string
	for _, name := range names[:min(len(names), most)] {
		list = append(list, url.QueryEscape(name[:min(len(name), longest)]))
	}
	return strings.Join(list, ", ")
}

func (q *query) fault(name, msg string) {
	q.faults = append(q.faults, typus.Field{Name: name, Code: typus.CodeInvalid, Msg: msg})
}

// oneOf returns the value of a parameter, or "" if it is absent. A value that is not
// allowed is a fault.
func (q *query) oneOf(name string, allowed ...string) string {
	if !q.values.Has(name) {
		return ""
	}
	value := q.values.Get(name)
	if !slices.Contains(allowed, value) {
		q.fault(name, "must be "+list(allowed))
	}
	return value
}

// extra reads include, our addition to all endpoints.
func (q *query) extra() bool { return q.oneOf("include", "extra") != "" }

func list(words []string) string {
	text := words[0]
	for i, w := range words[1:] {
		if i == len(words)-2 {
			text += " or " + w
		} else {
			text += ", " + w
		}
	}
	return text
}
