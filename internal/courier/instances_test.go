package courier

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"typus"
	"typus/internal/store/storetest"
)

// instanceOf is the environment variable by which the test binary, run again, is a server
// on a database.
const instanceOf = "TYPUS_TEST_INSTANCE_OF"

// The lease of these servers. Their receivers answer within a fraction of it.
const shortLease = 4 * time.Second

// TestAnInstance is no test: it is a server when another test runs the binary again.
func TestAnInstance(t *testing.T) {
	dsn := os.Getenv(instanceOf)
	if dsn == "" {
		t.Skip("only for TestThreeInstances…")
	}
	w := newWorld(t, storetest.Open(t, dsn), nil)
	stop := start(w.courier(nil, func(c *Courier) {
		c.pace = usualPace()
		c.pace.sweep, c.pace.lease = 500*time.Millisecond, shortLease
		c.pace.ladder = func(int, time.Duration, func() float64) time.Duration { return 100 * time.Millisecond }
	}))

	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	<-end
	stop()
}

// instance is a server that a test has started.
type instance struct{ *exec.Cmd }

func startInstance(t *testing.T, dsn string) instance {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestAnInstance$", "-test.v")
	cmd.Env = append(os.Environ(), instanceOf+"="+dsn)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // says how
	})
	return instance{cmd}
}

func (i instance) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := i.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// crowd are receivers that count who is with them.
type crowd struct {
	mu     sync.Mutex
	limit  int
	open   map[string]int
	seen   map[string]bool // delivery and attempt
	broken []string
}

func (c *crowd) answer(name string) func(int, http.ResponseWriter, *http.Request) {
	return func(n int, w http.ResponseWriter, r *http.Request) {
		c.enter(name, r)
		time.Sleep(20 * time.Millisecond)
		c.mu.Lock()
		c.open[name]--
		c.mu.Unlock()
		w.WriteHeader(200 + n%5/4*300) // every fifth fails
	}
}

func (c *crowd) enter(name string, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[name]++; c.open[name] > c.limit {
		c.broken = append(c.broken, fmt.Sprintf("%d calls of %s at once", c.open[name], name))
	}
	attempt := r.Header.Get("X-Service-Delivery") + " " + r.Header.Get("X-Service-Attempt")
	if c.seen[attempt] {
		c.broken = append(c.broken, attempt+" was made twice")
	}
	c.seen[attempt] = true
}

// Three servers on one database, each a process of its own. One freezes for longer than
// its lease, one is killed: the third brings everything. The frozen one goes on, and what
// it had begun is nobody's any more. No attempt is made twice, and no receiver is called
// more often at once than it may be.
func TestThreeInstancesOfWhichOneFreezesAndOneDies(t *testing.T) {
	dsn := storetest.Postgres(t)
	w := newWorld(t, storetest.Open(t, dsn), nil)
	w.rate = typus.Rate{PerSecond: 50, Burst: 20}
	const endpoints, events = 5, 100
	c := &crowd{limit: 4, open: map[string]int{}, seen: map[string]bool{}}
	var receivers []*receiver
	for n := range endpoints {
		r := newReceiver(t, c.answer(fmt.Sprint("receiver ", n)))
		w.endpoint(r.url)
		receivers = append(receivers, r)
	}
	frozen, killed, whole := startInstance(t, dsn), startInstance(t, dsn), startInstance(t, dsn)
	all := w.events(0, events)
	w.eventually("all receivers are called", func() bool {
		return !slices.ContainsFunc(receivers, func(r *receiver) bool { return len(r.requests()) < 10 })
	})
	frozen.signal(t, syscall.SIGSTOP)
	killed.signal(t, syscall.SIGKILL)
	time.Sleep(2 * shortLease)
	w.eventually("everything has arrived", func() bool { return w.allDelivered(all) })
	frozen.signal(t, syscall.SIGCONT)
	more := w.events(events, events)
	w.eventually("what came then has arrived", func() bool { return w.allDelivered(more) })
	for _, i := range []instance{frozen, whole} {
		i.signal(t, syscall.SIGTERM)
		if err := i.Wait(); err != nil {
			t.Errorf("a server ended with %v", err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.broken {
		t.Error(b)
	}
	t.Logf("%d attempts at %d deliveries", len(c.seen), 2*endpoints*events)
}

// events adds n of them.
func (w *world) events(first, n int) []typus.Event {
	w.t.Helper()
	var list []typus.Event
	for i := range n {
		list = append(list, w.event(int64(first+i)))
	}
	return list
}

func (w *world) allDelivered(all []typus.Event) bool {
	w.t.Helper()
	for _, e := range all {
		list, err := w.store.DeliveriesOf(w.t.Context(), w.account, e.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, d := range list {
			if d.State != typus.DeliveryDelivered {
				return false
			}
		}
	}
	return true
}
