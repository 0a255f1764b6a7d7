package courier

import (
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

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
	c := w.courier(nil, func(c *Courier) { c.pace, c.log = usualPace(), slog.New(slog.DiscardHandler) })
	stop := start(c)
	b.ResetTimer()
	for n := range b.N { // not b.Loop, which would leave out the waiting for the last
		w.event(int64(n))
	}
	w.eventually("all have arrived", func() bool { return arrived.Load() >= int64(b.N)*receivers })
	stop()
	b.ReportMetric(float64(b.N*receivers)/b.Elapsed().Seconds(), "deliveries/s")
}

// BenchmarkCommitToReceiver is the way of one event through an idle courier, from the
// return of the commit to the request at its receiver.
func BenchmarkCommitToReceiver(b *testing.B) {
	commitToReceiver(b, newWorld(b, storetest.OpenSQLite(b), nil))
}

// commitToReceiver measures the way to a receiver that has answered once.
func commitToReceiver(b *testing.B, w *world) {
	b.Helper()
	defer start(w.courier(nil, func(c *Courier) { c.pace, c.log = usualPace(), slog.New(slog.DiscardHandler) }))()
	w.rate = typus.Rate{PerSecond: 1000, Burst: 1_000_000} // what is measured is ours, not the bucket
	arrived := make(chan time.Time, 1)
	w.endpoint(newReceiver(b, func(_ int, _ http.ResponseWriter, _ *http.Request) { arrived <- time.Now() }).url)
	w.event(-1)
	<-arrived
	b.ResetTimer()
	var took []time.Duration
	for n := range b.N {
		time.Sleep(20 * time.Millisecond) // idle
		w.event(int64(n))
		began := time.Now()
		took = append(took, max(0, (<-arrived).Sub(began))) // it may be there before the commit has returned
	}
	b.StopTimer()
	quantiles(b, took)
}

// quantiles reports the median and the 99th percentile.
func quantiles(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	for what, at := range map[string]int{"p50": len(took) / 2, "p99": len(took) * 99 / 100} {
		b.ReportMetric(float64(took[at].Microseconds())/1000, what+"-ms")
	}
}

// BenchmarkCommitToReceiverOfThree is the way of one event through three idle servers on
// one PostgreSQL: committed by one of them, by another process that tells them, and by one
// that cannot, because a transaction pooler stands in between.
func BenchmarkCommitToReceiverOfThree(b *testing.B) {
	for _, c := range []struct {
		name string
		how  string // the address continues so
		own  bool   // one of the three commits
	}{{"own", "", true}, {"told", "", false}, {"asked", "?default_query_exec_mode=exec", false}} {
		b.Run(c.name, func(b *testing.B) {
			dsn := storetest.Postgres(b) + c.how
			w := newWorld(b, storetest.Open(b, dsn), nil)
			w.rate = typus.Rate{PerSecond: 1000, Burst: 1_000_000}
			arrived := make(chan time.Time, 1)
			w.endpoint(newReceiver(b, func(_ int, _ http.ResponseWriter, _ *http.Request) { arrived <- time.Now() }).url)
			for n := range 3 {
				served := w.store
				if n > 0 || !c.own {
					served = storetest.Open(b, dsn)
				}
				defer start(w.courier(nil, func(c *Courier) {
					c.store, c.pace, c.log = served, usualPace(), slog.New(slog.DiscardHandler)
				}))()
			}
			var took []time.Duration
			for n := range b.N {
				time.Sleep(time.Duration(100+n*137%900) * time.Millisecond) // idle, at any point of the second
				w.event(int64(n))
				began := time.Now()
				took = append(took, (<-arrived).Sub(began))
			}
			quantiles(b, took)
		})
	}
}
