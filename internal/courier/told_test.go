package courier

import (
	"testing"
	"time"

	"typus"
	"typus/internal/store/storetest"
)

// What one server commits, another brings at once, though it asks every hour. The other
// one is known to listen when something has come that only it could have been told of.
func TestAServerHearsOfWhatAnotherCommits(t *testing.T) {
	dsn := storetest.Postgres(t)
	ours, theirs := storetest.Open(t, dsn), storetest.Open(t, dsn)
	w := newWorld(t, ours, nil)
	r := newReceiver(t, nil)
	w.endpoint(r.url)
	c := w.courier(nil, func(c *Courier) {
		c.store, c.pace = theirs, usualPace()
		c.pace.poll, c.pace.sweep = time.Hour, time.Hour
	})
	stop := start(c)
	defer stop()
	for n := range int64(5) {
		w.until(w.event(n), typus.DeliveryDelivered)
	}
}

// A transaction pooler passes no notifications on: a server behind one asks.
func TestBehindAPoolerAServerAsks(t *testing.T) {
	dsn := storetest.Postgres(t)
	ours, theirs := storetest.Open(t, dsn+"?default_query_exec_mode=exec"), storetest.Open(t, dsn+"?default_query_exec_mode=exec")
	w := newWorld(t, ours, nil)
	r := newReceiver(t, nil)
	w.endpoint(r.url)
	stop := start(w.courier(nil, func(c *Courier) { c.store, c.pace = theirs, usualPace() }))
	defer stop()
	w.until(w.event(1), typus.DeliveryDelivered)
}
