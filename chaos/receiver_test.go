//go:build chaos

package chaos

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"
)

// arrival is one request at a receiver.
type arrival struct {
	event    string // webhook-id
	delivery string // X-Service-Delivery
	attempt  int    // X-Service-Attempt
	at       time.Time
	answered time.Time // zero: not yet, or the caller has gone
	status   int
	gone     bool // the caller went before the answer
	header   http.Header
	body     []byte
}

// receiver takes webhooks and keeps a list of what came.
type receiver struct {
	url    string
	answer func(n int, a arrival) int // decides the status of the nth request, from 0

	mu   sync.Mutex
	list []*arrival
	open int // requests that have no answer yet
}

// newReceiver listens until the test ends. answer decides the status of each request and
// may take its time; nil: 200 at once.
func newReceiver(t *testing.T, answer func(n int, a arrival) int) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	server := httptest.NewServer(r)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	r.url = server.URL + "/hook"
	return r
}

// ServeHTTP takes one request.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // it has been cut off: nothing has arrived
	}
	attempt, _ := strconv.Atoi(req.Header.Get("X-Service-Attempt"))
	a := &arrival{
		event: req.Header.Get("webhook-id"), delivery: req.Header.Get("X-Service-Delivery"), attempt: attempt,
		at: time.Now(), header: req.Header, body: body, status: http.StatusOK,
	}
	r.mu.Lock()
	n := len(r.list)
	r.list = append(r.list, a)
	r.open++
	r.mu.Unlock()
	status := http.StatusOK
	if r.answer != nil {
		status = r.answer(n, *a)
	}
	r.mu.Lock()
	a.status, a.answered, a.gone = status, time.Now(), req.Context().Err() != nil
	r.open--
	r.mu.Unlock()
	w.WriteHeader(status)
}

// arrivals are all requests so far, in the order in which they came.
func (r *receiver) arrivals() []arrival {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]arrival, len(r.list))
	for i, a := range r.list {
		list[i] = *a
	}
	return list
}

// count is how many requests there were.
func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.list)
}

// checkArrivals wants no attempt twice at these receivers, and says how many events came
// more than once although an earlier request had been answered with success, and which came.
func checkArrivals(t *testing.T, list ...*receiver) (again int, events map[string]int) {
	t.Helper()
	type attempt struct {
		delivery string
		n        int
	}
	events = map[string]int{}
	seen := map[attempt]bool{}
	for _, r := range list {
		arrived := map[string]bool{}
		for _, a := range r.arrivals() {
			if a.event == "" || a.delivery == "" || a.attempt < 1 {
				t.Errorf("a request without its names: %v", a.header)
			}
			if seen[attempt{a.delivery, a.attempt}] {
				t.Errorf("attempt %d at %s was made twice", a.attempt, a.delivery)
			}
			seen[attempt{a.delivery, a.attempt}] = true
			events[a.event]++
			if arrived[a.delivery] {
				again++
			}
			arrived[a.delivery] = arrived[a.delivery] || a.status < 300
		}
	}
	return again, events
}
