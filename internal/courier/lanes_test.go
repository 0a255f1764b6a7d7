package courier

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// The lanes in real time, with real receivers: a hundred hang, thirty take two seconds.
// None of them is in the way of one that has answered once, nor for long of one that
// was never met. To hang is to cut the connection after a tenth of the 15 seconds that
// an attempt would wait, so the never met one has a tenth of its minute, and slack.
func TestLanesHoldInRealTime(t *testing.T) {
	const hanging, slow, events = 100, 30, 47
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		bad := newReceiver(t, func(_ int, w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/slow") {
				sleep(r.Context(), 2*time.Second)
				return
			}
			sleep(r.Context(), 1500*time.Millisecond)
			panic(http.ErrAbortHandler)
		})
		met, unmet := newReceiver(t, nil), newReceiver(t, nil)
		w.endpoint(met.url)
		c := w.courier(nil, func(c *Courier) { c.pace = usualPace() })
		stop := start(c)
		defer stop()
		w.until(w.event(0), typus.DeliveryDelivered)
		server := strings.TrimSuffix(bad.url, "/hook")
		for n := range hanging {
			w.endpoint(fmt.Sprintf("%s/hang/%d", server, n))
		}
		for n := range slow {
			w.endpoint(fmt.Sprintf("%s/slow/%d", server, n))
		}
		w.endpoint(unmet.url)
		began := time.Now()
		written := map[string]time.Time{}
		for n := range int64(events) {
			e := w.event(n + 1)
			written[e.ID] = time.Now()
			time.Sleep(120 * time.Millisecond) // the rate of the receiver is 10/s
		}
		w.eventually("all events have arrived", func() bool { return len(met.requests()) >= 1+events })
		w.eventually("the one never met was called", func() bool { return len(unmet.requests()) > 0 })
		var took []time.Duration
		for _, r := range met.requests()[1:] {
			took = append(took, r.at.Sub(written[r.Get("Webhook-Id")]))
		}
		slices.Sort(took)
		first := unmet.requests()[0].at.Sub(began)
		t.Logf("to the one that has answered: median %v, longest %v; to the one never met: %v; %d requests at the others",
			took[len(took)/2], took[len(took)-1], first, len(bad.requests()))
		if longest := took[len(took)-1]; longest > 10*time.Second || first > 30*time.Second {
			t.Errorf("it took %v and %v", longest, first)
		}
	})
}
