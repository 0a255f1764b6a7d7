package courier

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/webhook"
)

// In these tests time is simulated: days pass in moments, and to the second.
// Store, courier and HTTP are the real ones; only the network is made of pipes,
// since a real socket would stop the clock.

// internet is the network of a simulation: receivers by host name.
type internet map[string]*receiver

func (i internet) dial(_ context.Context, _, addr string) (net.Conn, error) {
	r, ok := i[addr]
	if !ok {
		return nil, errors.New("nobody listens there")
	}
	near, far := net.Pipe()
	server := &http.Server{Handler: r}
	go func() {
		_ = server.Serve(&oneConn{conn: far})
	}()
	return near, nil
}

// oneConn is a listener that hands out one connection and then ends.
type oneConn struct {
	conn net.Conn
	done bool
}

func (l *oneConn) Accept() (net.Conn, error) {
	if l.done {
		return nil, net.ErrClosed
	}
	l.done = true
	return l.conn, nil
}

func (l *oneConn) Close() error   { return nil }
func (l *oneConn) Addr() net.Addr { return l.conn.LocalAddr() }

// simulate runs fn where time is simulated. The courier polls and sweeps rarely
// there, to get through the days: it knows when the next thing is due.
func simulate(t *testing.T, net internet, fn func(t *testing.T, w *world, run func(Mailer) (stop func()))) {
	t.Helper()
	file := storetest.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		w := newWorld(t, s, net.dial)
		fn(t, w, func(m Mailer) func() {
			return start(w.courier(m, func(c *Courier) {
				c.pace = usualPace()
				c.pace.poll, c.pace.sweep = time.Hour, time.Hour
			}))
		})
		w.client.Close()
		if t.Failed() {
			text := w.logs.String()
			t.Log(text[max(0, len(text)-4000):])
		}
	})
}

func (i internet) add(host string, answer func(n int, w http.ResponseWriter, r *http.Request)) *receiver {
	r := &receiver{url: "http://" + host + "/hook", answer: answer}
	i[host+":80"] = r
	return r
}

func timestamp(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }

func TestWhatIsCommittedIsBroughtBeforeAnybodyAsks(t *testing.T) {
	net := internet{}
	r := net.add("hooks.example.com", nil)
	simulate(t, net, func(t *testing.T, w *world, run func(Mailer) func()) {
		w.endpoint(r.url)
		stop := run(nil) // asks every hour
		time.Sleep(time.Minute)
		w.event(42)
		time.Sleep(time.Second)
		if n := len(r.requests()); n != 1 {
			t.Errorf("called %d times within a second of the commit, want once", n)
		}
		stop()
	})
}

func TestTheLadderIsClimbedForFiveDaysAndThenTheWebhookIsOff(t *testing.T) {
	net := internet{}
	r := net.add("hooks.example.com", statuses(500))
	simulate(t, net, func(t *testing.T, w *world, run func(Mailer) func()) {
		w.endpoint(r.url)
		e := w.event(42)
		began := time.Now()
		stop := run(nil)
		time.Sleep(200 * time.Hour)
		stop()

		var want time.Duration
		got := r.requests()
		if len(got) != typus.DeliveryAttempts {
			t.Fatalf("%d attempts, want %d", len(got), typus.DeliveryAttempts)
		}
		for n, req := range got {
			want += webhook.Backoff(n, 0, func() float64 { return 0 })
			// The response's own time lies between two steps: nothing here, for pipes are
			// quick.
			if after := req.at.Sub(began); after < want || after > want+time.Second {
				t.Errorf("attempt %d came after %v, want %v", n+1, after, want)
			}
			if req.Get("Webhook-Id") != e.ID || string(req.body) != string(e.Payload) {
				t.Errorf("attempt %d reports %s with %s", n+1, req.Get("Webhook-Id"), req.body)
			}
		}
		if d := w.delivery(e); d.State != typus.DeliveryHeld || d.Failures != typus.DeliveryAttempts || !d.FinishedAt.IsZero() {
			t.Errorf("%+v", d)
		}
	})
}

func TestTheEndOfAnOutageEndsTheLadder(t *testing.T) {
	net := internet{}
	up := time.Time{}
	r := net.add("hooks.example.com", func(_ int, w http.ResponseWriter, _ *http.Request) {
		if time.Now().Before(up) {
			w.WriteHeader(503)
		}
	})
	simulate(t, net, func(t *testing.T, w *world, run func(Mailer) func()) {
		up = time.Now().Add(111 * time.Hour) // from Thursday evening over Easter to Tuesday morning
		w.endpoint(r.url)
		e := w.event(42)
		stop := run(nil)
		time.Sleep(130 * time.Hour)
		stop()
		d := w.delivery(e)
		if d.State != typus.DeliveryDelivered || d.FinishedAt.Before(up) {
			t.Errorf("%+v", d)
		}
		last := r.requests()[d.Attempt-1]
		if signed := last.Get("Webhook-Timestamp"); signed != timestamp(last.at) {
			t.Errorf("the last attempt is signed for %s, made at %s", signed, timestamp(last.at))
		}
	})
}

// While it is down, each event climbs a ladder of its own. The first that arrives
// brings the others with it, hours before their next steps.
func TestAReceiverThatIsUpAgainGetsItsBacklogAtOnce(t *testing.T) {
	net := internet{}
	up := time.Time{}
	r := net.add("hooks.example.com", func(_ int, w http.ResponseWriter, _ *http.Request) {
		if time.Now().Before(up) {
			w.WriteHeader(503)
		}
	})
	simulate(t, net, func(t *testing.T, w *world, run func(Mailer) func()) {
		up = time.Now().Add(3 * time.Hour)
		w.endpoint(r.url)
		c := w.courier(nil, func(c *Courier) { c.pace = usualPace() })
		stop := start(c)
		var backlog []typus.Event
		for n := range int64(10) {
			backlog = append(backlog, w.event(n))
			time.Sleep(15 * time.Minute)
		}
		time.Sleep(90 * time.Minute) // until an hour after it is up
		stop()
		var arrived []time.Time
		for _, req := range r.requests() {
			if !req.at.Before(up) {
				arrived = append(arrived, req.at)
			}
		}
		if len(arrived) != len(backlog) {
			t.Fatalf("%d requests since it is up, want %d", len(arrived), len(backlog))
		}
		if took := arrived[len(arrived)-1].Sub(arrived[0]); took > 2*time.Second {
			t.Errorf("the backlog took %v", took)
		}
		for n, e := range backlog {
			if d := w.delivery(e); d.State != typus.DeliveryDelivered {
				t.Errorf("event %d: %+v", n, d)
			}
		}
	})
}

func TestRetryAfterIsKeptToTheSecond(t *testing.T) {
	net := internet{}
	r := net.add("hooks.example.com", func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			w.Header().Set("Retry-After", "5400")
			w.WriteHeader(429)
		}
	})
	simulate(t, net, func(t *testing.T, w *world, run func(Mailer) func()) {
		w.endpoint(r.url)
		w.event(42)
		stop := run(nil)
		time.Sleep(3 * time.Hour)
		stop()
		got := r.requests()
		if len(got) != 2 {
			t.Fatalf("%d attempts, want 2", len(got))
		}
		if wait := got[1].at.Sub(got[0].at); wait < 90*time.Minute || wait > 90*time.Minute+time.Second {
			t.Errorf("came again after %v, was asked for 1h30m", wait)
		}
	})
}

// A crash costs at most a lease, a sweep and the pause after an interruption.
func TestWhatACrashLeftBehindIsTakenUpWithinAMinuteAndAHalf(t *testing.T) {
	net := internet{}
	r := net.add("hooks.example.com", nil)
	simulate(t, net, func(t *testing.T, w *world, run func(Mailer) func()) {
		w.endpoint(r.url)
		e := w.event(42)
		began := time.Now()
		if claimed, err := w.store.ClaimDeliveries(t.Context(), "crashed", lease, 1); err != nil || len(claimed) != 1 {
			t.Fatalf("%v, %v", claimed, err)
		}
		stop := start(w.courier(nil, func(c *Courier) { c.pace = usualPace() }))
		time.Sleep(90 * time.Second)
		stop()
		got := r.requests()
		if len(got) != 1 || got[0].at.Sub(began) < lease || got[0].Get("X-Service-Attempt") != "2" {
			t.Fatalf("%d attempts", len(got))
		}
		log := w.attempts(e)
		if len(log) != 2 || log[0].Outcome != webhook.OutcomeInterrupted || w.delivery(e).Failures != 0 {
			t.Errorf("log %+v of %+v", log, w.delivery(e))
		}
	})
}

// Whoever is alone on its database knows that what is under way at its start is not.
func TestACourierThatIsAloneTakesUpWhatACrashLeftBehindAtOnce(t *testing.T) {
	net := internet{}
	r := net.add("hooks.example.com", nil)
	simulate(t, net, func(t *testing.T, w *world, run func(Mailer) func()) {
		w.endpoint(r.url)
		e := w.event(42)
		if claimed, err := w.store.ClaimDeliveries(t.Context(), "crashed", lease, 1); err != nil || len(claimed) != 1 {
			t.Fatalf("%v, %v", claimed, err)
		}
		stop := start(w.courier(nil, func(c *Courier) { c.pace, c.alone = usualPace(), true }))
		time.Sleep(10 * time.Second)
		stop()
		log := w.attempts(e)
		if d := w.delivery(e); d.State != typus.DeliveryDelivered || d.Failures != 0 || len(log) != 2 || log[0].Outcome != webhook.OutcomeInterrupted {
			t.Errorf("%+v, log %+v", d, log)
		}
	})
}

// Beside a hundred receivers that hang and thirty that are slow, one that has
// answered once gets each event within two seconds, and one never met within a minute.
func TestReceiversThatHangOrAreSlowHoldUpNobodyElse(t *testing.T) {
	net := internet{}
	simulate(t, net, func(t *testing.T, w *world, run func(Mailer) func()) {
		for n := range 130 {
			r := net.add(fmt.Sprintf("bad%d.example.com", n), func(_ int, _ http.ResponseWriter, r *http.Request) {
				if n < 100 {
					<-r.Context().Done()
					return
				}
				time.Sleep(3 * time.Second)
			})
			w.endpoint(r.url)
		}
		healthy := net.add("healthy.example.com", nil)
		w.endpoint(healthy.url)
		c := w.courier(nil, func(c *Courier) { c.pace = usualPace() })
		stop := start(c)
		var events []typus.Event
		for n := range int64(120) {
			events = append(events, w.event(n))
			time.Sleep(time.Second)
		}
		time.Sleep(time.Minute)
		stop()
		time.Sleep(time.Minute) // until the slow ones have ended
		arrived := map[string]time.Time{}
		for _, r := range healthy.requests() {
			arrived[r.Get("Webhook-Id")] = r.at
		}
		for n, e := range events {
			at, found := arrived[e.ID]
			most := 2 * time.Second
			if n < 60 {
				most = time.Minute // until it has been met
			}
			if !found || at.Sub(e.OccurredAt) > most {
				t.Errorf("event %d arrived %v later (%t)", n, at.Sub(e.OccurredAt), found)
			}
		}
	})
}

func TestAReceiverThatNeverAnswersCostsItselfAlone(t *testing.T) {
	net := internet{}
	hanging := net.add("hanging.example.com", func(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	healthy := net.add("healthy.example.com", nil)
	simulate(t, net, func(t *testing.T, w *world, run func(Mailer) func()) {
		w.endpoint(hanging.url)
		w.endpoint(healthy.url)
		c := w.courier(nil, func(c *Courier) { c.pace = usualPace() })
		stop := start(c)
		for n := range int64(300) { // five an hour would do; this is one a second
			e := w.event(n)
			at := time.Now()
			time.Sleep(time.Second)
			got := healthy.requests()
			if len(got) != int(n)+1 || got[n].Get("Webhook-Id") != e.ID || got[n].at.Sub(at) > time.Second {
				t.Fatalf("event %d did not reach the healthy receiver within a second", n)
			}
		}
		stop()
		if n := len(hanging.requests()); n == 0 {
			t.Error("the hanging receiver was never called")
		}
	})
}

func TestAStopCutsWhatHangsAndGivesItBackWithinTwentySeconds(t *testing.T) {
	net := internet{}
	r := net.add("hooks.example.com", func(n int, _ http.ResponseWriter, r *http.Request) {
		if n == 1 {
			<-r.Context().Done()
		}
	})
	simulate(t, net, func(t *testing.T, w *world, run func(Mailer) func()) {
		w.endpoint(r.url)
		e := w.event(42)
		stop := run(nil)
		time.Sleep(time.Second)
		began := time.Now()
		stop()
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("the stop took %v", took)
		}
		d := w.delivery(e)
		if d.State != typus.DeliveryPending || d.Failures != 0 || d.NextAttemptAt.After(time.Now()) {
			t.Errorf("%+v, want pending and due", d)
		}
		if log := w.attempts(e); len(log) != 1 || log[0].Outcome != webhook.OutcomeInterrupted {
			t.Errorf("log %+v", log)
		}
		stop = run(nil)
		time.Sleep(time.Second)
		stop()
		if d := w.delivery(e); d.State != typus.DeliveryDelivered || d.Attempt != 2 {
			t.Errorf("%+v", d)
		}
	})
}

// outage is a mail server that cannot be used for so long from now on. It notes
// when it was tried.
func outage(length time.Duration) (Mailer, func() []time.Duration) {
	var at []time.Duration
	began := time.Now()
	return mailerFunc(func(_ context.Context, msgs []mail.Message) []error {
		at = append(at, time.Since(began))
		if time.Since(began) < length {
			return []error{&mail.SendError{Temporary: true, Session: true, Reason: "the mail server cannot be reached"}}
		}
		return make([]error, len(msgs))
	}), func() []time.Duration { return at }
}

func TestALetterOutlivesThreeWeeksWithoutAMailServer(t *testing.T) {
	const weeks = 21 * 24 * time.Hour
	simulate(t, internet{}, func(t *testing.T, w *world, run func(Mailer) func()) {
		id := w.candidate("Anna", "anna@example.com") // valid for 30 days
		w.invite(id)
		mailer, attempts := outage(weeks)
		stop := run(mailer)
		time.Sleep(weeks + 5*time.Hour)
		stop()
		at := attempts()
		want := []time.Duration{0, time.Minute, 6 * time.Minute, 21 * time.Minute, 81 * time.Minute}
		for n, after := range want {
			if n >= len(at) || at[n] < after || at[n] > after+time.Second {
				t.Errorf("attempt %d came after %v, want %v", n+1, at, after)
			}
		}
		if l := w.letter(id); l.State != typus.LetterSent || l.Attempts != len(at) || at[len(at)-1] < weeks || at[len(at)-1] > weeks+4*time.Hour+time.Minute {
			t.Errorf("%+v after attempts at %v", l, at)
		}
	})
}

// sleepReading sleeps and reads the clock meanwhile, by which times settle.
func (w *world) sleepReading(d time.Duration) {
	w.t.Helper()
	const every = 10 * time.Minute
	for ; d > 0; d -= every {
		time.Sleep(every)
		if err := w.store.ReadClock(w.t.Context(), every); err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestALetterWaitsVisiblyUntilTheInvitationHasRunOut(t *testing.T) {
	simulate(t, internet{}, func(t *testing.T, w *world, run func(Mailer) func()) {
		id := w.candidate("Anna", "anna@example.com")
		w.invite(id)
		mailer, attempts := outage(365 * 24 * time.Hour)
		stop := run(mailer)
		time.Sleep(29 * 24 * time.Hour)
		if l := w.letter(id); l.State != typus.LetterQueued || l.LastError != "the mail server cannot be reached" {
			t.Errorf("after 29 days: %+v", l)
		}
		w.sleepReading(2 * 24 * time.Hour)
		stop()
		if l := w.letter(id); l.State != typus.LetterHeld || l.LastError != "not sent: the invitation has expired" {
			t.Errorf("after 31 days: %+v", l)
		}
		if at := attempts(); at[len(at)-1] > 30*24*time.Hour {
			t.Errorf("tried after %v, the invitation had run out", at[len(at)-1])
		}
	})
}

// What waits for a receiver that has been mended leaves at the rate of the webhook: N
// in N/rate and a minute. The rest that the receiver asks for meanwhile is kept; the one
// delivery that it refused for that takes the next step of its ladder.
func TestABacklogLeavesAtTheRateOfTheWebhookAndRestsWhenAsked(t *testing.T) {
	const backlog, rate, rest = 600, 20, 90 * time.Second
	net := internet{}
	var mu sync.Mutex
	var up, asked time.Time
	arrived, early := map[string]time.Time{}, 0
	r := net.add("hooks.example.com", func(_ int, w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		switch {
		case now.Before(up):
			w.WriteHeader(500)
		case len(arrived) == backlog/2 && asked.IsZero():
			asked = now
			w.Header().Set("Retry-After", "90")
			w.WriteHeader(503)
		case now.Sub(asked) < rest && now.After(asked): // others were under way when it asked
			early++
			w.WriteHeader(503)
		default:
			arrived[r.Header.Get("Webhook-Id")] = now
		}
	})
	simulate(t, net, func(t *testing.T, w *world, _ func(Mailer) func()) {
		w.rate = typus.Rate{PerSecond: rate, Burst: 20}
		id, _ := w.endpoint(r.url)
		up = time.Now().Add(10 * time.Minute)
		c := w.courier(nil, func(c *Courier) { c.pace = usualPace() })
		stop := start(c)
		for n := range int64(backlog) {
			w.event(n)
		}
		time.Sleep(time.Until(up))
		began := time.Now()
		w.tx(func(tx *store.Tx) error {
			if _, err := tx.LockEndpoint(t.Context(), w.account, id); err != nil {
				return err
			}
			return tx.DrainEndpoint(t.Context(), w.account, id)
		})
		time.Sleep(backlog/rate*time.Second + rest + 2*time.Minute)
		stop()
		last := began
		for _, at := range arrived {
			if at.After(last) {
				last = at
			}
		}
		t.Logf("%d left in %v, a rest of %v included; %d requests", len(arrived), last.Sub(began), rest, len(r.requests()))
		if most := backlog/rate*time.Second + rest + time.Minute; len(arrived) != backlog-1 || last.Sub(began) > most {
			t.Errorf("%d of %d arrived, the last after %v, want all but one within %v", len(arrived), backlog, last.Sub(began), most)
		}
		if asked.IsZero() || early > 0 {
			t.Errorf("%d requests within %v of %v, when the receiver asked for rest", early, rest, asked)
		}
	})
}
