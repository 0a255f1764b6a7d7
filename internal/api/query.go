package api

import (
	"maps"
	"net/http"
	"net/url"
	"slices"

	"typus"
)

// query is the parameters of a request and every fault in them. Unknown ones
// are ignored unless they look like a slip of a known one.
type query struct {
	values url.Values
	faults []typus.Field
}

func readQuery(r *http.Request, known ...string) *query {
	values, err := url.ParseQuery(r.URL.RawQuery)
	q := &query{values: values}
	if err != nil {
		q.fault("query", "is not well-formed; percent-encode its values")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if field, near := nearMiss(name, known); near {
			q.faults = append(q.faults, unknownField(name, field))
		} else if len(values[name]) > 1 && slices.Contains(known, name) {
			q.fault(name, "is there more than once")
		}
	}
	return q
}

func (q *query) fault(name, msg string) {
	q.faults = append(q.faults, typus.Field{Name: name, Code: typus.CodeInvalid, Msg: msg})
}

// oneOf returns the value of a parameter, "" if it is absent; any value that is
// not allowed is a fault.
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
