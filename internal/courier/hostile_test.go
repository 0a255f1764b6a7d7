package courier

import (
	"crypto/tls"
	"maps"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"typus"
	"typus/internal/store/storetest"
	"typus/internal/webhook"
	"typus/internal/webhook/hostiletest"
)

// A hundred receivers beside a healthy one, which do all that hostiletest knows by name,
// over HTTP/1 and HTTP/2: each of their attempts ends, none of them holds up the healthy
// one, and nothing of them is left behind. `make hostile` plays it for TYPUS_HOSTILE_SECONDS
// (60) without the race detector, and each flood until the usual client ends it; three
// seconds and the beginning of a flood show each behaviour as well.
func TestAHundredHostileReceiversHoldUpNobodyAndLeaveNothing(t *testing.T) {
	const hostile = 100
	length, most, flood := 3*time.Second, 30*time.Second, int64(64<<10) // an attempt may take 20, and a busy machine
	if seconds := os.Getenv("TYPUS_HOSTILE_SECONDS"); seconds != "" {
		length, most, flood = time.Duration(number(t, seconds))*time.Second, 21*time.Second, 0 //nolint:gosec // a minute or an hour
	}
	w := newWorld(t, storetest.OpenSQLite(t), nil)
	cert, file := hostiletest.Certificate(t, "127.0.0.1", time.Now().Add(time.Hour))
	w.client = loopbackClient(t, file, flood)
	healthy := newReceiver(t, nil)
	w.endpoint(healthy.url)
	var bad []*hostiletest.Receiver
	for n := range hostile {
		r := hostileReceiver(t, cert, n)
		w.endpoint(r.URL)
		bad = append(bad, r)
	}
	goroutines, heap := runtime.NumGoroutine(), heapInUse()
	stop := start(w.courier(nil, func(c *Courier) { c.pace = usualPace() }))
	var all []typus.Event
	var took []time.Duration
	for end := time.Now().Add(length); time.Now().Before(end); {
		began := time.Now()
		all = append(all, w.event(int64(len(all))))
		w.eventually("the healthy receiver has it", func() bool { return len(healthy.requests()) >= len(all) })
		took = append(took, time.Since(began))
		time.Sleep(time.Until(began.Add(200 * time.Millisecond))) // five a second at most
	}
	w.eventually("each hostile receiver was called", func() bool {
		return !slices.ContainsFunc(bad, func(r *hostiletest.Receiver) bool { return r.Connections() == 0 })
	})
	w.eventually("each first attempt has ended", func() bool { return w.allTried(all[0]) })
	stop()
	slices.Sort(took)
	ended, longest := w.longest(all)
	t.Logf("the healthy receiver got %d events, half of them within %v, the last within %v; %d attempts, the longest took %v",
		len(took), took[len(took)/2], took[len(took)-1], ended, longest)
	if took[len(took)-1] > most {
		t.Errorf("the healthy receiver got an event %v after its commit", took[len(took)-1])
	}
	if longest > most {
		t.Errorf("an attempt took %v", longest)
	}
	w.eventually("the goroutines are gone", func() bool {
		w.client.Close() // drops what is idle by now
		deaf := 0
		for _, r := range bad {
			deaf += 2 * r.Open() // goroutines of receivers that do not notice that the client has gone
		}
		return runtime.NumGoroutine() <= goroutines+deaf
	})
	if now := heapInUse(); now > heap+32<<20 {
		t.Errorf("the heap has grown from %d to %d bytes", heap, now)
	}
}

// loopbackClient trusts the certificates of a file, and reads so much of a flood.
func loopbackClient(t *testing.T, file string, flood int64) *webhook.Client {
	t.Helper()
	c, err := webhook.NewClient(webhook.ClientOptions{
		Guard:   webhook.NewGuard(webhook.Policy{AllowHTTP: true, AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
		BaseURL: "https://typus.example.com", CAFile: file, MaxRead: flood,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// hostileReceiver starts the nth one: all behaviours in turn.
func hostileReceiver(t *testing.T, cert tls.Certificate, n int) *hostiletest.Receiver {
	t.Helper()
	one, two := slices.Sorted(maps.Keys(hostiletest.Behaviours)), slices.Sorted(maps.Keys(hostiletest.Conversations))
	n %= len(one) + len(two)
	if n < len(one) {
		return hostiletest.Start(t, hostiletest.Behaviours[one[n]])
	}
	return hostiletest.StartHTTP2(t, cert, hostiletest.Conversations[two[n-len(one)]])
}

// allTried reports whether each delivery of an event has had an attempt that ended.
func (w *world) allTried(e typus.Event) bool {
	w.t.Helper()
	list, err := w.store.DeliveriesOf(w.t.Context(), w.account, e.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return !slices.ContainsFunc(list, func(d typus.Delivery) bool {
		return d.State == typus.DeliveryPending && d.Failures == 0 || d.State == typus.DeliverySending && d.Attempt == 1
	})
}

// longest is how long the longest attempt took of all that have ended, and how many those
// were.
func (w *world) longest(all []typus.Event) (int, time.Duration) {
	w.t.Helper()
	n, most := 0, time.Duration(0)
	for _, e := range all {
		list, err := w.store.DeliveriesOf(w.t.Context(), w.account, e.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, d := range list {
			attempts, err := w.store.Attempts(w.t.Context(), w.account, d.ID)
			if err != nil {
				w.t.Fatal(err)
			}
			for _, a := range attempts {
				n, most = n+1, max(most, a.Duration)
			}
		}
	}
	return n, most
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
