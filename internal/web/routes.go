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

// Routes is a method table. It looks for the path first (404) and then for the
// method (405 with Allow), and never redirects: http.ServeMux sends unclean paths
// elsewhere, which clients of an API follow with another method or without
// their key, and forgets Allow beside a catch-all.
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

// NewRoutes builds the table; fail answers every error, 404 and 405 included.
// A {name} in a pattern stands for one segment that is not empty; segments are
// compared still escaped, so an encoded slash stays inside its segment. A pattern
// without names goes before one with names, then the earlier before the later.
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

// List returns the lines of the table, in order, for tests that must hold on
// every route.
func (t *Routes) List() []Route { return slices.Clone(t.list) }

// ServeHTTP answers the request, errors included.
func (t *Routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	Answer(t.fail, t.Handle).ServeHTTP(w, r)
}

// Handle is the table as a HandlerFunc, for those who put walls before it and
// answer errors themselves. Kinds: NotFound, and StatusError 405.
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

// Pattern is the pattern of the path that a request asks for, "" where there is
// none: what may be logged of a path that holds an id.
func (t *Routes) Pattern(r *http.Request) string {
	if p, _ := t.find(r.URL.EscapedPath()); p != nil {
		return p.pattern
	}
	return ""
}

// Answers reports whether a method is answered at a path, which is still escaped.
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

// values are what the names of the pattern stand for, decoded; false where the
// segments do not fit it.
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
