package courier

import (
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"

	"typus"
	"typus/internal/store/storetest"
)

// BenchmarkDeliveries brings each event to 100 receivers, from the commit to the
// last write-back, on SQLite with every commit synced.
func BenchmarkDeliveries(b *testing.B) {
	w := newWorld(b, storetest.OpenSQLite(b), nil)
	w.rate = typus.Rate{PerSecond: 1000, Burst: 1_000_000} // what is measured is ours, not the bucket
	const receivers = 100
	var arrived atomic.Int64
	for range receivers {
		w.endpoint(newReceiver(b, func(_ int, _ http.ResponseWriter, _ *http.Request) { arrived.Add(1) }).url)
	}
	c := w.courier(nil, func(c *Courier) {
		c.pace = usualPace()
		c.log = slog.New(slog.NewTextHandler(io.Discard, nil))
	})
	stop := start(c)
	b.ResetTimer()
	for n := range b.N { // not b.Loop, which would leave out the waiting for the last
		w.event(int64(n))
	}
	w.eventually("all have arrived", func() bool { return arrived.Load() >= int64(b.N)*receivers })
	stop()
	b.ReportMetric(float64(b.N*receivers)/b.Elapsed().Seconds(), "deliveries/s")
}

// BenchmarkCommitToReceiver is the way of one event through an idle courier.
func BenchmarkCommitToReceiver(b *testing.B) {
	w := newWorld(b, storetest.OpenSQLite(b), nil)
	w.rate = typus.Rate{PerSecond: 1000, Burst: 1_000_000} // what is measured is ours, not the bucket
	arrived := make(chan struct{})
	w.endpoint(newReceiver(b, func(_ int, _ http.ResponseWriter, _ *http.Request) { arrived <- struct{}{} }).url)
	c := w.courier(nil, func(c *Courier) {
		c.pace = usualPace()
		c.log = slog.New(slog.NewTextHandler(io.Discard, nil))
	})
	stop := start(c)
	var events int64
	for b.Loop() {
		events++
		w.event(events)
		<-arrived
	}
	stop()
}
