// Package metrics says in the words of Prometheus what one server does and what waits.
package metrics

import (
	"cmp"
	"context"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"typus/internal/store"
)

// scrapeWithin is how long one answer may take, patience how long the database may within
// it. Who scrapes waits for ten seconds unless told otherwise.
const (
	scrapeWithin = 8 * time.Second
	patience     = 5 * time.Second
)

// buckets are the seconds that requests are told apart by.
var buckets = [...]float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// Options are what metrics are made of; all are required.
type Options struct {
	Store   *store.Store
	Version string
	Ready   func(ctx context.Context) bool // whether requests should come to this server
}

// Metrics counts requests, and reads everything else when it is asked. No label says
// anything that a client has sent, nor whom something is about (decision 0081). It is safe
// for concurrent use.
type Metrics struct {
	o        Options
	scraping chan struct{} // holds one for the scrape that runs

	mu       sync.Mutex
	requests map[request]uint64
	faces    map[string]*figures
}

// request is what requests are told apart by.
type request struct{ class, face, route string }

// figures are those of one face.
type figures struct {
	limited uint64
	count   uint64
	seconds float64
	within  [len(buckets)]uint64 // requests of at most so many seconds, and more than of the bucket before
}

// New makes metrics that have counted nothing.
func New(o Options) *Metrics {
	return &Metrics{o: o, scraping: make(chan struct{}, 1), requests: map[request]uint64{}, faces: map[string]*figures{}}
}

// Of returns what notes the requests of one face.
func (m *Metrics) Of(face string) func(route string, status int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	of := m.faces[face]
	if of == nil {
		of = &figures{}
		m.faces[face] = of
	}
	return func(route string, status int, took time.Duration) {
		if route == "" {
			route = "none"
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.requests[request{strconv.Itoa(status/100) + "xx", face, route}]++
		of.note(took.Seconds())
		if status == http.StatusTooManyRequests {
			of.limited++
		}
	}
}

func (f *figures) note(seconds float64) {
	f.count++
	f.seconds += seconds
	if i, _ := slices.BinarySearch(buckets[:], seconds); i < len(buckets) {
		f.within[i]++
	}
}

// Handler answers GET /metrics in the text format of Prometheus, one scrape at a time; a
// second one beside it gets 503. There is nothing else.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", http.TimeoutHandler(http.HandlerFunc(m.scrape), scrapeWithin, "too slow"))
	return mux
}

func (m *Metrics) scrape(w http.ResponseWriter, r *http.Request) {
	select {
	case m.scraping <- struct{}{}:
		defer func() { <-m.scraping }()
	default:
		http.Error(w, "another scrape is running", http.StatusServiceUnavailable)
		return
	}
	t := &text{}
	t.family("typus_build_info", "gauge", "1, with the version, the Go that built it and the kind of database.")
	t.sample("typus_build_info", 1, "database", m.o.Store.Dialect(), "goversion", runtime.Version(), "version", m.o.Version)
	m.counted(t)
	m.read(r.Context(), t)
	tellGo(t)
	tellProcess(t)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = io.WriteString(w, t.String()) // a reader who has gone is no fault
}

// soFar is a copy of what was counted.
func (m *Metrics) soFar() (map[request]uint64, map[string]figures) {
	m.mu.Lock()
	defer m.mu.Unlock()
	faces := map[string]figures{}
	for face, of := range m.faces {
		faces[face] = *of
	}
	return maps.Clone(m.requests), faces
}

// counted says what was counted so far.
func (m *Metrics) counted(t *text) {
	requests, figures := m.soFar()
	name := "typus_http_requests_total"
	if len(requests) > 0 {
		t.family(name, "counter", "Requests answered, by face, matched route (none: no such address) and class of the status.")
	}
	for _, of := range slices.SortedFunc(maps.Keys(requests), request.compare) {
		t.sample(name, float64(requests[of]), "class", of.class, "face", of.face, "route", of.route)
	}
	if len(figures) == 0 {
		return
	}
	faces := slices.Sorted(maps.Keys(figures))
	name = "typus_http_request_duration_seconds"
	t.family(name, "histogram", "How long requests took, by face.")
	for _, face := range faces {
		of, within := figures[face], uint64(0)
		for i, n := range of.within {
			within += n
			t.sample(name+"_bucket", float64(within), "face", face, "le", number(buckets[i]))
		}
		t.sample(name+"_bucket", float64(of.count), "face", face, "le", "+Inf")
		t.sample(name+"_sum", of.seconds, "face", face)
		t.sample(name+"_count", float64(of.count), "face", face)
	}
	name = "typus_http_rate_limited_total"
	t.family(name, "counter", "Requests refused because there were too many (429), by face.")
	for _, face := range faces {
		t.sample(name, float64(figures[face].limited), "face", face)
	}
}

func (r request) compare(other request) int {
	return cmp.Or(cmp.Compare(r.class, other.class), cmp.Compare(r.face, other.face), cmp.Compare(r.route, other.route))
}
