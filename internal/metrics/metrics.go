// Package metrics says in the words of Prometheus what one server does and what waits
// (monitoring).
package metrics

import (
	"context"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"typus/internal/store"
)

// scrapeWithin is how long one answer may take, patience how long the database may within
// it. Who scrapes waits for ten seconds unless told otherwise.
const (
	scrapeWithin = 8 * time.Second
	patience     = 5 * time.Second
)

// Options are what metrics are made of; all are required.
type Options struct {
	Store   *store.Store
	Version string
	Ready   func(ctx context.Context) bool // whether requests should come to this server
}

// Metrics counts requests, and reads everything else when it is asked. No label says
// anything that a client has sent, nor whom something is about (decision 0081).
type Metrics struct {
	handler  http.Handler
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	limited  *prometheus.CounterVec
}

// New makes metrics of a registry of their own.
func New(o Options) *Metrics {
	registry := prometheus.NewRegistry()
	m := &Metrics{
		handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 1, Timeout: scrapeWithin}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "typus_http_requests_total", Help: "Requests answered, by face, matched route (none: no such address) and class of the status.",
		}, []string{"face", "route", "class"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "typus_http_request_duration_seconds", Help: "How long requests took, by face.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"face"}),
		limited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "typus_http_rate_limited_total", Help: "Requests refused because there were too many (429), by face.",
		}, []string{"face"}),
	}
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "typus_build_info", Help: "1, with the version, the Go that built it and the kind of database.",
		ConstLabels: prometheus.Labels{"version": o.Version, "goversion": runtime.Version(), "database": o.Store.Dialect()},
	}, func() float64 { return 1 })
	registry.MustRegister(m.requests, m.took, m.limited, build, &scrape{o},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Of returns what notes the requests of one face.
func (m *Metrics) Of(face string) func(route string, status int, took time.Duration) {
	seconds, limited := m.took.WithLabelValues(face), m.limited.WithLabelValues(face)
	return func(route string, status int, took time.Duration) {
		if route == "" {
			route = "none"
		}
		m.requests.WithLabelValues(face, route, strconv.Itoa(status/100)+"xx").Inc()
		seconds.Observe(took.Seconds())
		if status == http.StatusTooManyRequests {
			limited.Inc()
		}
	}
}

// Handler answers GET /metrics in the text format of Prometheus, one scrape at a time; a
// second one beside it gets 503. There is nothing else.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.handler)
	return mux
}
