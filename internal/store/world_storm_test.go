package store_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// waits is when the deliveries of a backlog are due: the waits of a ladder, in turn.
var waits = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 24 * time.Hour}

// rest is how long two receivers have asked for, with Retry-After.
const rest = 3 * time.Hour

// backlog is a test world with ten webhooks for which much waits: six that are on, two whose
// receivers have asked for rest, one that is paused, one that was switched off.
type backlog struct {
	t         *testing.T
	s         *store.Store
	now       time.Time // by the machine's clock
	world     int64
	endpoints []int64
	each      int                  // deliveries
	due       map[string]time.Time // when each that can be attempted may be, by the world's clock
	seen      map[string]bool      // was claimed
}

func newBacklog(t *testing.T, s *store.Store, each int) *backlog {
	t.Helper()
	c := &backlog{t: t, now: noon, each: each, due: map[string]time.Time{}, seen: map[string]bool{}}
	c.s = s.WithClock(func() time.Time { return c.now })
	c.world = newWorld(t, c.s, newAccount(t, c.s))
	event := newEvent(t, c.s, c.world)
	for range 10 {
		c.endpoints = append(c.endpoints, newEndpoint(t, c.s, c.world))
	}
	var after strings.Builder
	for i, w := range waits {
		fmt.Fprintf(&after, " when %d then %d", i, w.Milliseconds())
	}
	for i, id := range c.endpoints {
		run(t, c.s, `insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, failures, next_attempt_at)
			with recursive n (i) as (select 0 union all select i + 1 from n where i < %d)
			select 'dlv_%02d_' || (10000 + i), %d, '%s', %d, 'replay', 'pending', i %% %d, %d + i + case i %% %d%s end from n`,
			each-1, i, c.world, event, id, len(waits), c.now.UnixMilli(), len(waits), after.String())
	}
	run(t, c.s, `update webhook_endpoints set rate_per_s = 1000, burst = 1000000, max_in_flight = 32, due_at = %d where account_id = %d`, c.now.Add(waits[0]).UnixMilli(), c.world)
	for _, id := range c.endpoints[6:8] {
		until := c.now.Add(rest).UnixMilli()
		run(t, c.s, `update webhook_endpoints set probe_after = %d, due_at = %d where id = %d`, until, until, id)
	}
	setStatus(t, c.s, c.world, c.endpoints[8], typus.EndpointPaused)
	setStatus(t, c.s, c.world, c.endpoints[9], typus.EndpointDisabled)
	c.settle()
	for _, line := range c.times()[:8*each] {
		id, at := timeOf(t, line)
		if strings.HasPrefix(id, "dlv_06") || strings.HasPrefix(id, "dlv_07") {
			at = at.Add(max(0, c.now.Add(rest).Sub(at)))
		}
		c.due[id] = at
	}
	return c
}

func (c *backlog) settle() {
	c.t.Helper()
	for must[bool](c.t)(c.s.SettleDeliveries(c.t.Context())) {
	}
}

// times are the deliveries with when they are due, in the order of their endpoints.
func (c *backlog) times() []string {
	c.t.Helper()
	return rows(c.t, c.s, `select id, next_attempt_at, state from webhook_deliveries where kind = 'replay' and account_id = $1 order by id`, c.world)
}

func timeOf(t *testing.T, line string) (string, time.Time) {
	t.Helper()
	parts := strings.Split(line, "|")
	ms, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return parts[0], time.UnixMilli(ms)
}

// moves moves the clock by d, and finds every time moved by that.
func (c *backlog) moves(d time.Duration) {
	c.t.Helper()
	before := c.times()
	write(c.t, c.s, func(tx *store.Tx) error { return tx.MoveWorld(c.t.Context(), c.world, d) })
	after := c.times()
	if len(after) != 10*c.each || len(after) != len(before) {
		c.t.Fatalf("%d deliveries have become %d", len(before), len(after))
	}
	for i := range before {
		id, was := timeOf(c.t, before[i])
		now, is := timeOf(c.t, after[i])
		if id != now || !is.Equal(was.Add(-d)) {
			c.t.Fatalf("%s has become %s", before[i], after[i])
		}
	}
}

// deliver brings what is due at this moment, and finds of each that it is due in the world
// since the last stop, and was never brought.
func (c *backlog) deliver(since, until time.Time) {
	c.t.Helper()
	for {
		claimed := must[[]store.Claimed](c.t)(c.s.ClaimDeliveries(c.t.Context(), "me", lease, 64))
		if len(claimed) == 0 {
			return
		}
		last := map[int64]store.Claimed{}
		for _, d := range claimed {
			due, waited := c.due[d.Delivery.ID]
			if c.seen[d.Delivery.ID] || !waited || due.After(until) || !due.After(since) {
				c.t.Fatalf("%s, due at %s, is brought between %s and %s, before: %t", d.Delivery.ID, due, since, until, c.seen[d.Delivery.ID])
			}
			c.seen[d.Delivery.ID], last[d.Endpoint.ID] = true, d
		}
		// The last of each webhook is finished as all are, the others at once: it is about
		// what is claimed.
		keep := []string{`''`}
		for _, d := range last {
			keep = append(keep, `'`+d.Delivery.ID+`'`)
		}
		run(c.t, c.s, `update webhook_deliveries set state = 'delivered', lease_owner = '', lease_until = 0, finished_at = %d where state = 'sending' and id not in (%s)`, c.now.UnixMilli(), strings.Join(keep, ", "))
		run(c.t, c.s, `update webhook_attempts set outcome = 'delivered' where outcome = 'started' and delivery_id not in (%s)`, strings.Join(keep, ", "))
		for _, d := range last {
			if !finishAttempt(c.t, c.s, "me", d, success(d.Delivery)) {
				c.t.Fatalf("%s is somebody else's", d.Delivery.ID)
			}
		}
	}
}

// However much waits, and why, a move takes all of it along.
func TestAMoveTakesTenThousandDeliveriesAlong(t *testing.T) {
	each := 1000
	if testing.Short() {
		each = 100
	}
	storetest.Run(t, func(t *testing.T, s *store.Store) { newBacklog(t, s, each).moves(72 * time.Hour) })
}

// On the way of a move each delivery becomes due at its time, and is brought once.
func TestAMoveBringsEachDeliveryAtItsTime(t *testing.T) {
	each := 200
	if testing.Short() {
		each = 50
	}
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		c := newBacklog(t, s, each)
		var m store.Move
		write(t, c.s, func(tx *store.Tx) error {
			var err error
			m, err = tx.AddMove(t.Context(), c.world, 48*time.Hour)
			return err
		})
		stops, shown := 0, c.now.Add(-time.Millisecond)
		for step := store.MoveOn; step == store.MoveOn; stops++ {
			now := must[typus.Account](t)(c.s.Account(t.Context(), c.world)).WorldTime(c.now)
			c.deliver(shown, now)
			if u := must[store.Unsettled](t)(c.s.Unsettled(t.Context(), c.world)); u != (store.Unsettled{}) {
				t.Fatalf("at %s is left %+v", now, u)
			}
			shown = now
			step = must[store.Progress](t)(c.s.GoOn(t.Context(), m, "me", lease, c.now))
		}
		if len(c.seen) != 8*each || stops < 2+len(waits) {
			t.Errorf("at %d stops %d of %d are brought", stops, len(c.seen), 8*each)
		}
		setStatus(t, c.s, c.world, c.endpoints[8], typus.EndpointActive)
		c.settle()
		want := fmt.Sprintf("delivered|%d held|%d pending|%d", 8*each, each, each)
		if got := strings.Join(rows(t, c.s, `select state, count(*) from webhook_deliveries where kind = 'replay' group by state order by state`), " "); got != want {
			t.Errorf("in the end %s, want %s", got, want)
		}
		twice := rows(t, c.s, `select delivery_id from webhook_attempts group by delivery_id having count(*) > 1 or min(outcome) <> 'delivered'`)
		if len(twice) > 0 {
			t.Errorf("%d have other attempts than one, such as %s", len(twice), twice[0])
		}
	})
}
