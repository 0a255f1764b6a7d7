package courier

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/webhook"
)

func TestADeliveryArrivesOnceWithBothSignatures(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		r := newReceiver(t, nil)
		_, secret := w.endpoint(r.url)
		e := w.event(42)
		stop := start(w.courier(nil, nil))
		d := w.until(e, typus.DeliveryDelivered)
		stop()

		got := r.requests()
		if len(got) != 1 {
			t.Fatalf("%d requests arrived, want 1", len(got))
		}
		req := got[0]
		if req.method != "POST" || req.path != "/hook" || string(req.body) != string(e.Payload) {
			t.Errorf("%s %s %s", req.method, req.path, req.body)
		}
		if !webhook.Verify(secret, req.Get("X-Service-Signature"), req.body) {
			t.Error("X-Service-Signature does not verify")
		}
		if err := webhook.VerifyStandard(secret, req.Header, req.body, time.Now()); err != nil {
			t.Errorf("webhook-signature: %v", err)
		}
		for name, want := range map[string]string{
			"X-Service-Event": "candidate.completed", "X-Service-Delivery": d.ID, "X-Service-Attempt": "1",
			"Webhook-Id": e.ID, "Content-Type": "application/json",
		} {
			if got := req.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if d.Attempt != 1 || d.Failures != 0 || d.LastStatus != 204 {
			t.Errorf("%+v", d)
		}
		log := w.attempts(e)
		if len(log) != 1 || log[0].Outcome != webhook.OutcomeDelivered || log[0].HTTPStatus != 204 || log[0].N != 1 || log[0].RemoteIP != "127.0.0.1" {
			t.Errorf("log: %+v", log)
		}
	})
}

func TestAFailedDeliveryIsTriedAgainUnderTheSameID(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		r := newReceiver(t, statuses(500, 200))
		w.endpoint(r.url)
		e := w.event(42)
		stop := start(w.courier(nil, nil))
		d := w.until(e, typus.DeliveryDelivered)
		stop()

		got := r.requests()
		if len(got) != 2 || got[0].Get("Webhook-Id") != e.ID || got[1].Get("Webhook-Id") != e.ID || string(got[1].body) != string(e.Payload) {
			t.Errorf("requests: %v", got)
		}
		if got[0].Get("X-Service-Attempt") != "1" || got[1].Get("X-Service-Attempt") != "2" {
			t.Errorf("attempts %s and %s", got[0].Get("X-Service-Attempt"), got[1].Get("X-Service-Attempt"))
		}
		if d.Attempt != 2 || d.Failures != 1 {
			t.Errorf("%+v", d)
		}
	})
}

func TestAReceiverMayAskForMoreTimeButNotForLess(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		for _, c := range []struct {
			status int
			hint   string
			least  time.Duration
			most   time.Duration
		}{
			{503, "120", 120 * time.Second, 125 * time.Second},
			{429, "7200", 2 * time.Hour, 2*time.Hour + 5*time.Second},
			{503, "1", 5 * time.Second, 10 * time.Second},
			{500, "120", 5 * time.Second, 10 * time.Second},
			{503, "999999999", 24 * time.Hour, 24*time.Hour + 5*time.Second},
		} {
			w := newWorld(t, s, nil)
			r := newReceiver(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", c.hint)
				w.WriteHeader(c.status)
			})
			w.endpoint(r.url)
			e := w.event(42)
			at := time.Now().Add(time.Minute) // the event is due, and the next attempt never is
			stop := start(w.courier(nil, func(c *Courier) {
				c.pace.ladder, c.store = webhook.Backoff, s.WithClock(func() time.Time { return at })
			}))
			w.eventually("the attempt failed", func() bool { return w.delivery(e).Failures == 1 })
			stop()
			d := w.delivery(e)
			// The database rounds times.
			if wait := d.NextAttemptAt.Sub(at); wait < c.least-time.Second || wait > c.most+time.Second {
				t.Errorf("%d with Retry-After %s: next attempt after %v, want %v to %v", c.status, c.hint, wait, c.least, c.most)
			}
			if d.State != typus.DeliveryPending || len(r.requests()) != 1 {
				t.Errorf("%+v after %d requests", d, len(r.requests()))
			}
		}
	})
}

func TestAReceiverThatIsGoneIsNotCalledAgain(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		r := newReceiver(t, statuses(410, 200))
		id, _ := w.endpoint(r.url)
		first := w.event(1)
		stop := start(w.courier(nil, nil))
		defer stop()
		w.until(first, typus.DeliveryHeld)
		endpoint, err := s.Endpoint(t.Context(), w.account, id)
		if err != nil || endpoint.Status != typus.EndpointGone {
			t.Fatalf("endpoint %+v, %v", endpoint, err)
		}
		if d := w.delivery(w.event(2)); d.State != typus.DeliveryHeld {
			t.Errorf("a later event is %s, want held", d.State)
		}
		if log := w.attempts(first); len(log) != 1 || log[0].ErrorCode != webhook.CodeGone || log[0].HTTPStatus != 410 {
			t.Errorf("log: %+v", log)
		}
		if n := len(r.requests()); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
	})
}

func TestARedirectIsAFailureAndNotFollowed(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		elsewhere := newReceiver(t, nil)
		for n, status := range []int{301, 302, 303, 307, 308} {
			r := newReceiver(t, func(n int, w http.ResponseWriter, r *http.Request) {
				if n > 1 {
					w.WriteHeader(200)
					return
				}
				http.Redirect(w, r, elsewhere.url, status)
			})
			id, _ := w.endpoint(r.url)
			e := w.event(int64(n))
			stop := start(w.courier(nil, nil))
			w.until(e, typus.DeliveryDelivered)
			stop()
			if log := w.attempts(e); len(log) != 2 || log[0].HTTPStatus != status || log[0].ErrorCode != webhook.Code3xx || !strings.Contains(log[0].ResponseHead, elsewhere.url) {
				t.Errorf("%d: log %+v", status, log)
			}
			w.tx(func(tx *store.Tx) error {
				return tx.SetEndpointStatus(t.Context(), w.account, id, typus.EndpointDeleted, "", time.Now())
			})
		}
		if n := len(elsewhere.requests()); n != 0 {
			t.Errorf("the redirect was followed %d times", n)
		}
	})
}

// A crash between the claim and the write-back leaves the attempt without an
// outcome. Whether the receiver got it nobody knows, so it comes again.
func TestAnAttemptLostInACrashIsMadeAgain(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		r := newReceiver(t, nil)
		w.endpoint(r.url)
		e := w.event(42)
		crashed := w.courier(nil, nil)
		claimed, err := s.ClaimDeliveries(t.Context(), crashed.owner, time.Millisecond, 1)
		if err != nil || len(claimed) != 1 {
			t.Fatalf("claimed %v, %v", claimed, err)
		}
		if out := crashed.client.Post(t.Context(), crashed.request(claimed[0])); !out.Delivered {
			t.Fatalf("%+v", out)
		}

		stop := start(w.courier(nil, nil))
		d := w.until(e, typus.DeliveryDelivered)
		stop()
		got := r.requests()
		if len(got) != 2 || got[0].Get("Webhook-Id") != got[1].Get("Webhook-Id") {
			t.Fatalf("requests: %v", got)
		}
		log := w.attempts(e)
		if len(log) != 2 || log[0].Outcome != webhook.OutcomeInterrupted || log[1].Outcome != webhook.OutcomeDelivered {
			t.Errorf("log: %+v", log)
		}
		if d.Failures != 0 || d.Attempt != 2 {
			t.Errorf("%+v: an interruption used up a step", d)
		}
		arrived := webhook.Outcome{Delivered: true, Attempt: typus.Attempt{Outcome: webhook.OutcomeDelivered}}
		if mine, _, err := crashed.writeBack(t.Context(), claimed[0].Delivery, arrived); mine || err != nil {
			t.Errorf("the crashed courier wrote back: %v, %v", mine, err)
		}
	})
}

// A server that stood still after a claim wakes up when another may have the delivery. A
// process that was stopped sees it on both clocks, a machine that was paused on one alone.
func TestAnAttemptThatCannotEndWithinItsLeaseIsGivenBack(t *testing.T) {
	for name, stood := range map[string]func(moment) moment{
		"a stopped process": func(m moment) moment { return moment{m.run.Add(-lease), m.wall.Add(-lease)} },
		"a paused machine":  func(m moment) moment { return moment{m.run, m.wall.Add(-lease)} },
		"a clock put back":  func(m moment) moment { return moment{m.run.Add(-lease), m.wall} },
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T, s *store.Store) {
				w := newWorld(t, s, nil)
				r := newReceiver(t, nil)
				w.endpoint(r.url)
				e := w.event(42)
				c := w.courier(nil, nil)
				claimed := claimOne(t, c)
				c.attempt(t.Context(), claimed, stood(c.now()))
				if d := w.delivery(e); len(r.requests()) != 0 || d.State != typus.DeliveryPending || d.Failures != 0 || d.Interruptions != 0 {
					t.Errorf("%d requests, %+v", len(r.requests()), d)
				}
				if log := w.attempts(e); len(log) != 1 || log[0].Outcome != webhook.OutcomeInterrupted {
					t.Errorf("log %+v", log)
				}
				if again := claimOne(t, c); again.Delivery.ID != claimed.Delivery.ID {
					t.Errorf("claimed %+v", again)
				}
			})
		})
	}
}

// What another server has by then stays as it is.
func TestAnAttemptThatIsNotMadeLeavesAnothersAlone(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		w.endpoint(newReceiver(t, nil).url)
		e := w.event(42)
		frozen, other := w.courier(nil, nil), w.courier(nil, nil)
		claimed := claimOne(t, frozen)
		if _, err := s.ReleaseDeliveries(t.Context(), frozen.owner, giveBack); err != nil {
			t.Fatal(err)
		}
		theirs := claimOne(t, other)
		before := frozen.now()
		before.wall = before.wall.Add(-lease)
		frozen.attempt(t.Context(), claimed, before)
		if d := w.delivery(e); d.State != typus.DeliverySending || d.Attempt != theirs.Delivery.Attempt {
			t.Errorf("%+v", d)
		}
		if log := w.attempts(e); len(log) != 2 || log[0].Outcome != webhook.OutcomeInterrupted || log[1].Outcome != "started" {
			t.Errorf("log %+v", log)
		}
	})
}

// claimOne has a courier claim the one delivery that is due.
func claimOne(t *testing.T, c *Courier) store.Claimed {
	t.Helper()
	claimed, err := c.store.ClaimDeliveries(t.Context(), c.owner, lease, 1)
	if err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %v, %v", claimed, err)
	}
	return claimed[0]
}

func TestCouriersNeverMakeTheSameAttemptTwice(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		const endpoints, events = 5, 40
		var receivers []*receiver
		for range endpoints {
			r := newReceiver(t, func(n int, w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(200 + n%7/6*300) // every seventh fails
			})
			w.endpoint(r.url)
			receivers = append(receivers, r)
		}
		var all []typus.Event
		for n := range events {
			all = append(all, w.event(int64(n)))
		}
		stopFirst, stopSecond := start(w.courier(nil, nil)), start(w.courier(nil, nil))
		w.eventually("all are delivered", func() bool {
			for _, e := range all {
				list, err := s.DeliveriesOf(t.Context(), w.account, e.ID)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range list {
					if d.State != typus.DeliveryDelivered {
						return false
					}
				}
			}
			return true
		})
		stopFirst()
		stopSecond()
		seen := map[string]bool{}
		for _, r := range receivers {
			for _, req := range r.requests() {
				key := req.Get("X-Service-Delivery") + " " + req.Get("X-Service-Attempt")
				if seen[key] {
					t.Errorf("%s was made twice", key)
				}
				seen[key] = true
			}
		}
		if len(seen) < endpoints*events {
			t.Errorf("%d attempts for %d deliveries", len(seen), endpoints*events)
		}
	})
}

func TestAHangingReceiverDoesNotHoldUpAnother(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		release := make(chan struct{})
		hanging := newReceiver(t, func(_ int, w http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
		w.endpoint(hanging.url)
		for n := range int64(200) {
			w.event(n)
		}
		began := time.Now()
		stop := start(w.courier(nil, nil))
		w.eventually("the receiver hangs with all it may have", func() bool { return len(hanging.requests()) > 0 })
		healthy := newReceiver(t, nil)
		w.endpoint(healthy.url)
		for n := range int64(20) {
			w.event(1000 + n)
		}
		w.eventually("the healthy receiver has everything", func() bool { return len(healthy.requests()) == 20 })
		if n := len(hanging.requests()); n > 1+int(time.Since(began)/(15*time.Second)) { // so long an attempt lasts
			t.Errorf("the hanging receiver has %d requests at once, want 1", n)
		}
		close(release)
		stop()
	})
}

// A stop finishes what can be finished and gives the rest back, so that the
// next instance has it at once.
func TestAStopFinishesWhatItCanAndGivesBackTheRest(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		reached, release := make(chan struct{}, 8), make(chan struct{})
		slow := newReceiver(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			reached <- struct{}{}
			<-release
			w.WriteHeader(200)
		})
		w.endpoint(slow.url)
		e := w.event(1)
		stop := start(w.courier(nil, nil))
		<-reached
		stopped := make(chan struct{})
		go func() { stop(); close(stopped) }()
		later := w.event(2) // comes after the stop has begun, or is claimed just before
		close(release)
		<-stopped
		if d := w.delivery(e); d.State != typus.DeliveryDelivered {
			t.Errorf("the attempt in flight is %s, want delivered", d.State)
		}
		if d := w.delivery(later); d.State != typus.DeliveryPending && d.State != typus.DeliveryDelivered {
			t.Errorf("the later delivery is %s", d.State)
		}

		claimed, err := s.ClaimDeliveries(t.Context(), "cut", time.Hour, 10)
		if err != nil {
			t.Fatal(err)
		}
		cut := w.courier(nil, func(c *Courier) { c.owner = "cut" })
		cut.release(t.Context())
		for _, c := range claimed {
			list, err := s.Attempts(t.Context(), w.account, c.Delivery.ID)
			if err != nil || list[len(list)-1].Outcome != webhook.OutcomeInterrupted {
				t.Errorf("attempts of what was given back: %+v, %v", list, err)
			}
		}
		stop = start(w.courier(nil, nil))
		d := w.until(later, typus.DeliveryDelivered)
		stop()
		if d.Failures != 0 {
			t.Errorf("giving back used up a step: %+v", d)
		}
	})
}

func TestALostServerKeyFailsTheDeliveryAndSaysSo(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		r := newReceiver(t, nil)
		id, _ := w.endpoint(r.url)
		w.tx(func(tx *store.Tx) error {
			_, err := tx.AddSecret(t.Context(), w.account, id, typus.SecretNext, "other", time.Now(), func(int64) ([]byte, error) { return []byte("not sealed by us"), nil })
			return err
		})
		e := w.event(1)
		stop := start(w.courier(nil, nil))
		w.until(e, typus.DeliveryDelivered)
		stop()
		if !strings.Contains(w.logs.String(), "cannot be opened") {
			t.Errorf("the log says nothing:\n%s", w.logs)
		}

		bare := newReceiver(t, nil)
		w.tx(func(tx *store.Tx) error {
			_, err := tx.AddEndpoint(t.Context(), typus.Endpoint{AccountID: w.account, URL: bare.url, Status: typus.EndpointActive, MaxInFlight: 4, CreatedAt: time.Now()})
			return err
		})
		lost := w.event(2)
		stop = start(w.courier(nil, nil))
		defer stop()
		w.eventually("the delivery without a secret is exhausted", func() bool {
			list, err := s.DeliveriesOf(t.Context(), w.account, lost.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range list {
				if d.State == typus.DeliveryExhausted && d.Failures == typus.DeliveryAttempts {
					return true
				}
			}
			return false
		})
		if n := len(bare.requests()); n != 0 {
			t.Errorf("%d unsigned requests went out", n)
		}
	})
}

func TestAPanicEndsOneAttemptAndNoLoop(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		r := newReceiver(t, nil)
		w.endpoint(r.url)
		e := w.event(1)
		broken := w.courier(nil, func(c *Courier) { c.client = nil })
		claimed, err := s.ClaimDeliveries(t.Context(), broken.owner, lease, 1)
		if err != nil || len(claimed) != 1 {
			t.Fatalf("%v, %v", claimed, err)
		}
		broken.attempt(t.Context(), claimed[0], broken.now())
		if d := w.delivery(e); d.State != typus.DeliverySending {
			t.Errorf("after a panic the delivery is %s, want sending until its lease ends", d.State)
		}
		broken.release(t.Context())
		stop := start(w.courier(nil, nil))
		d := w.until(e, typus.DeliveryDelivered)
		stop()
		if log := w.attempts(e); d.Failures != 0 || len(log) != 2 || log[0].Outcome != webhook.OutcomeInterrupted {
			t.Errorf("%+v, log %+v", d, log)
		}
	})
}

func TestNoLogNamesReceiversOrPeople(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		r := newReceiver(t, statuses(500, 200))
		_, secret := w.endpoint(r.url + "?key=geheim")
		e := w.event(1)
		stop := start(w.courier(nil, nil))
		w.until(e, typus.DeliveryDelivered)
		stop()
		for _, private := range []string{"geheim", secret, "Jürgen", "example.com", r.url} {
			if strings.Contains(w.logs.String(), private) {
				t.Errorf("the log holds %q:\n%s", private, w.logs)
			}
		}
		if took := regexp.MustCompile(`took=(0s|\d+ms|\d+(\.\d{1,3})?s)\s`).FindAllString(w.logs.String(), -1); len(took) != 2 {
			t.Errorf("the log tells %d durations in whole milliseconds, want 2:\n%s", len(took), w.logs)
		}
	})
}
