package courier

import (
	"context"
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

// A command stores something and ends at once. It tells the servers before.
func TestACommandTellsBeforeItEnds(t *testing.T) {
	dsn := storetest.Postgres(t)
	w := newWorld(t, storetest.Open(t, dsn), nil)
	r := newReceiver(t, nil)
	w.endpoint(r.url)
	stop := start(w.courier(nil, func(c *Courier) {
		c.pace = usualPace()
		c.pace.poll, c.pace.sweep = time.Hour, time.Hour
	}))
	defer stop()
	for n := range int64(10) {
		command := *w
		command.store = storetest.Open(t, dsn)
		e := command.event(n)
		if err := command.store.Close(); err != nil {
			t.Fatal(err)
		}
		w.until(e, typus.DeliveryDelivered)
	}
}

// A transaction pooler passes no notifications on: a server behind one asks, and does not
// listen.
func TestBehindAPoolerAServerAsks(t *testing.T) {
	dsn := storetest.Postgres(t)
	ours, theirs := storetest.Open(t, dsn+"?default_query_exec_mode=exec"), storetest.Open(t, dsn+"?default_query_exec_mode=exec")
	w := newWorld(t, ours, nil)
	r := newReceiver(t, nil)
	w.endpoint(r.url)
	stop := start(w.courier(nil, func(c *Courier) { c.store, c.pace = theirs, usualPace() }))
	defer stop()
	w.until(w.event(1), typus.DeliveryDelivered)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	theirs.Listen(ctx, func() { // returns at once
		t.Error("it listens")
		cancel()
	})
}
