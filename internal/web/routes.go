package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"typus"
)

// Route is one line of the table.
type Route struct {
	Method  string      // "GET" also answers HEAD
	Pattern string      // "/api/v1/candidates/{id}"
	Handle  HandlerFunc // reads {id} with r.PathValue("id"), decoded
}

// Routes is a table of routes (a router). It looks for the path first (404) and then
// for the method (405 with Allow), and it never redirects. http.ServeMux redirects
// unclean paths, and clients of an API follow a redirect with another method or without
// their key. It also loses Allow where there is a catch-all pattern.
type Routes struct {
	fail    Fail
	list    []Route
	exact   map[string]*path
	pattern []*path
}

type path struct {
	pattern  string
	segments []string
	methods  map[string]HandlerFunc
	allow    string
}

// NewRoutes builds the table; fail answers every error, 404 and 405 included. A {name}
// in a pattern stands for one segment that is not empty. Segments are compared in their
// escaped form, so an encoded slash stays inside its segment. A pattern without names
// goes before one with names; among equals the earlier one goes first.
func NewRoutes(fail Fail, routes ...Route) *Routes {
	t := &Routes{fail: fail, list: routes, exact: map[string]*path{}}
	for _, r := range routes {
		p := t.pathOf(r.Pattern)
		p.methods[r.Method] = r.Handle
		if r.Method == http.MethodGet {
			p.methods[http.MethodHead] = r.Handle
		}
		p.allow = strings.Join(slices.Sorted(maps.Keys(p.methods)), ", ")
	}
	return t
}

// pathOf returns the entry of a pattern, a new one if there is none yet.
func (t *Routes) pathOf(pattern string) *path {
	if p := t.exact[pattern]; p != nil {
		return p
	}
	for _, p := range t.pattern {
		if p.pattern == pattern {
			return p
		}
	}
	p := &path{pattern: pattern, segments: strings.Split(pattern, "/"), methods: map[string]HandlerFunc{}}
	if strings.Contains(pattern, "{") {
		t.pattern = append(t.pattern, p)
	} else {
		t.exact[pattern] = p
	}
	return p
}

// List returns the lines of the table in order, for tests of every route.
func (t *Routes) List() []Route { return slices.Clone(t.list) }

// ServeHTTP answers the request, errors included.
func (t *Routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	Answer(t.fail, t.Handle).ServeHTTP(w, r)
}

// Handle is the table as a HandlerFunc, for callers that put walls before it and answer
// errors themselves. It returns NotFound for an unknown path and a StatusError 405 for
// an unknown method, or the handler's error.
func (t *Routes) Handle(w http.ResponseWriter, r *http.Request) error {
	p := t.match(r)
	if p == nil {
		return typus.Errorf(typus.NotFound, "there is nothing at this address")
	}
	exchangeOf(r.Context()).route = p.pattern
	handle := p.methods[r.Method]
	if handle == nil {
		w.Header().Set("Allow", p.allow)
		return &StatusError{http.StatusMethodNotAllowed, "this address answers " + p.allow + " only"}
	}
	return handle(w, r)
}

// Pattern is the pattern that the path of a request matches, or "" if there is none.
// Unlike the path, which may hold an id, it may be logged.
func (t *Routes) Pattern(r *http.Request) string {
	if p, _ := t.find(r.URL.EscapedPath()); p != nil {
		return p.pattern
	}
	return ""
}

// Answers reports whether the table has a handler for a method and an escaped path.
func (t *Routes) Answers(method, path string) bool {
	p, _ := t.find(path)
	return p != nil && p.methods[method] != nil
}

// match finds the entry of the request's path and sets its path values.
func (t *Routes) match(r *http.Request) *path {
	p, values := t.find(r.URL.EscapedPath())
	for name, value := range values {
		r.SetPathValue(name, value)
	}
	return p
}

// find returns the entry of an escaped path, nil for none, and what its names stand for.
func (t *Routes) find(escaped string) (*path, map[string]string) {
	if p := t.exact[escaped]; p != nil {
		return p, nil
	}
	segments := strings.Split(escaped, "/")
	for _, p := range t.pattern {
		if values, ok := p.values(segments); ok {
			return p, values
		}
	}
	return nil, nil
}

// values returns what the names of the pattern stand for, decoded. False means that the
// segments do not fit the pattern.
func (p *path) values(segments []string) (map[string]string, bool) {
	if !slices.EqualFunc(p.segments, segments, fits) {
		return nil, false
	}
	values := map[string]string{}
	for i, want := range p.segments {
		if !isName(want) {
			continue
		}
		value, err := url.PathUnescape(segments[i])
		if err != nil {
			return nil, false
		}
		values[want[1:len(want)-1]] = value
	}
	return values, true
}

func fits(want, got string) bool { return want == got || isName(want) && got != "" }

func isName(segment string) bool { return strings.HasPrefix(segment, "{") }
