package metrics

import (
	"context"
	"maps"
	"slices"
	"time"

	"typus/internal/store"
)

// read says what the database and the counters of the packages below know. What cannot be
// read is left out.
func (m *Metrics) read(ctx context.Context, t *text) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	t.gauge("typus_ready", "1 while new requests should come to this server, as /readyz says.", truth(m.o.Ready(ctx)))
	if g, grouped := m.o.Store.Groups(); grouped {
		t.counter("typus_database_groups_total", "Transactions of SQLite's writer, each with one sync of the disk.", float64(g.Groups))
		t.counter("typus_database_group_writes_total", "Writes that those transactions answered.", float64(g.Writes))
		t.counter("typus_database_group_wait_seconds_total", "How long writes waited for their turn, all together.", g.Waited.Seconds())
	}
	bytes, sizeErr := m.o.Store.Size(ctx)
	if sizeErr == nil {
		for _, of := range []struct {
			name, help string
			n          int64
		}{
			{"typus_database_size_bytes", "Size of the database.", bytes.Database},
			{"typus_database_wal_bytes", "Size of the write-ahead log of an SQLite file.", bytes.Log},
			{"typus_database_disk_free_bytes", "Room on the disk of an SQLite file.", bytes.Free},
		} {
			if of.n >= 0 {
				t.gauge(of.name, of.help, float64(of.n))
			}
		}
	}
	backlog, err := m.o.Store.Backlog(ctx)
	t.gauge("typus_database_answers", "1 if the database told what waits within five seconds; if 0, that is absent.", truth(err == nil && sizeErr == nil))
	if err == nil {
		tell(t, backlog)
	}
}

func tell(t *text, b store.Backlog) {
	each(t, "typus_deliveries", "Deliveries to webhooks, by state; counted up to 10,000.", "state", b.Deliveries)
	each(t, "typus_letters", "Letters that are not sent, by state; counted up to 10,000.", "state", b.Letters)
	t.gauge("typus_delivery_overdue_seconds", "For how long the oldest delivery has been due; 0 if none is.", since(b.Overdue.Delivery, b.Now))
	t.gauge("typus_letter_overdue_seconds", "For how long the oldest letter has been due; 0 if none is.", since(b.Overdue.Letter, b.Now))
	done := map[string]float64{}
	for chore, at := range b.Done {
		done[chore] = 0
		if !at.IsZero() {
			done[chore] = float64(at.UnixMilli()) / 1000
		}
	}
	each(t, "typus_chore_last_success_timestamp_seconds", "When recurring work last ended well, on any server; 0: never.", "chore", done)
}

// each is a family of gauges, one for each value of its label.
func each[V int | float64](t *text, name, help, label string, values map[string]V) {
	if len(values) == 0 {
		return
	}
	t.family(name, "gauge", help)
	for _, of := range slices.Sorted(maps.Keys(values)) {
		t.sample(name, float64(values[of]), label, of)
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
