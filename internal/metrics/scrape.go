package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"typus/internal/store"
)

func described(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("typus_"+name, help, labels, nil)
}

// What is read when somebody asks.
var (
	ready    = described("ready", "1 while new requests should come to this server, as /readyz says.")
	answers  = described("database_answers", "1 if the database told what waits within five seconds; if 0, that is absent.")
	size     = described("database_size_bytes", "Size of the database.")
	wal      = described("database_wal_bytes", "Size of the write-ahead log of an SQLite file.")
	free     = described("database_disk_free_bytes", "Room on the disk of an SQLite file.")
	groups   = described("database_groups_total", "Transactions of SQLite's writer, each with one sync of the disk.")
	writes   = described("database_group_writes_total", "Writes that those transactions answered.")
	waited   = described("database_group_wait_seconds_total", "How long writes waited for their turn, all together.")
	delivers = described("deliveries", "Deliveries to webhooks, by state; counted up to 10,000.", "state")
	overdue  = described("delivery_overdue_seconds", "For how long the oldest delivery has been due; 0 if none is.")
	letters  = described("letters", "Letters that are not sent, by state; counted up to 10,000.", "state")
	late     = described("letter_overdue_seconds", "For how long the oldest letter has been due; 0 if none is.")
	done     = described("chore_last_success_timestamp_seconds", "When recurring work last ended well, on any server; 0: never.", "chore")
)

// scrape reads the database and the counters of the packages below. Only what it describes
// is ever told.
type scrape struct{ o Options }

// Describe implements prometheus.Collector.
func (s *scrape) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{ready, answers, size, wal, free, groups, writes, waited, delivers, overdue, letters, late, done} {
		to <- d
	}
}

// Collect implements prometheus.Collector. What cannot be read is left out.
func (s *scrape) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	counter := func(d *prometheus.Desc, value float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	gauge(ready, truth(s.o.Ready(ctx)))
	if g, grouped := s.o.Store.Groups(); grouped {
		counter(groups, float64(g.Groups))
		counter(writes, float64(g.Writes))
		counter(waited, g.Waited.Seconds())
	}
	bytes, sizeErr := s.o.Store.Size(ctx)
	if sizeErr == nil {
		for _, of := range []struct {
			d *prometheus.Desc
			n int64
		}{{size, bytes.Database}, {wal, bytes.Log}, {free, bytes.Free}} {
			if of.n >= 0 {
				gauge(of.d, float64(of.n))
			}
		}
	}
	backlog, err := s.o.Store.Backlog(ctx)
	gauge(answers, truth(err == nil && sizeErr == nil))
	if err == nil {
		tell(gauge, backlog)
	}
}

func tell(gauge func(d *prometheus.Desc, value float64, labels ...string), b store.Backlog) {
	for state, n := range b.Deliveries {
		gauge(delivers, float64(n), state)
	}
	for state, n := range b.Letters {
		gauge(letters, float64(n), state)
	}
	gauge(overdue, since(b.Overdue.Delivery, b.Now))
	gauge(late, since(b.Overdue.Letter, b.Now))
	for chore, at := range b.Done {
		seconds := 0.0
		if !at.IsZero() {
			seconds = float64(at.UnixMilli()) / 1000
		}
		gauge(done, seconds, chore)
	}
}

// since is how many seconds a time is past, 0 for none.
func since(at, now time.Time) float64 {
	if at.IsZero() || at.After(now) {
		return 0
	}
	return now.Sub(at).Seconds()
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
