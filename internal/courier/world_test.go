package courier

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/waittest"
	"typus/internal/web/logtest"
	"typus/internal/webhook"
)

// world is an account with what a courier needs around it.
type world struct {
	t       testing.TB
	store   *store.Store
	box     *seal.Box
	client  *webhook.Client
	account int64
	rate    typus.Rate // of endpoints; the usual one without
	hashes  int        // of tokens, handed out so far
	logs    *logtest.Log
}

func newWorld(t testing.TB, s *store.Store, dial func(context.Context, string, string) (net.Conn, error)) *world {
	t.Helper()
	box, err := seal.New([]byte("0123456789abcdef0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	client, err := webhook.NewClient(webhook.ClientOptions{
		Guard:   webhook.NewGuard(webhook.Policy{AllowHTTP: true, AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
		BaseURL: "https://typus.example.com", Dial: dial,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	w := &world{t: t, store: s, box: box, client: client, logs: new(logtest.Log)}
	w.tx(func(tx *store.Tx) error {
		w.account, err = tx.AddAccount(t.Context(), typus.Account{
			Name: "Demo GmbH", Plan: typus.PlanStarter, Language: "de", RoleProfile: "general_sales",
			InviteDays: 30, ContactEmail: "chef@example.com", CreatedAt: time.Now(),
		})
		return err
	})
	return w
}

func (w *world) tx(fn func(tx *store.Tx) error) {
	w.t.Helper()
	if err := w.store.InTx(w.t.Context(), fn); err != nil {
		w.t.Fatal(err)
	}
}

// courier makes one whose ladders are climbed in moments; change undoes that.
func (w *world) courier(mailer Mailer, change func(*Courier)) *Courier {
	c := New(Options{
		Store: w.store, Client: w.client, Box: w.box, Mailer: mailer, BaseURL: "https://typus.example.com",
		Log: w.logger(),
	})
	c.random = func() float64 { return 0 }
	c.pace = pace{
		poll: 20 * time.Millisecond, sweep: 20 * time.Millisecond, lease: lease,
		ladder:    func(int, time.Duration, func() float64) time.Duration { return 0 },
		letterGap: func(int, func() float64) time.Duration { return 0 },
	}
	if change != nil {
		change(c)
	}
	return c
}

func (w *world) logger() *slog.Logger { return slog.New(slog.NewTextHandler(w.logs, nil)) }

// start runs c until the returned function is called; that waits for its end.
func start(c *Courier) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { c.Run(ctx); close(done) }()
	return func() { cancel(); <-done }
}

// endpoint adds one with a secret of its own.
func (w *world) endpoint(url string) (id int64, secret string) {
	w.t.Helper()
	secret = webhook.NewSecret()
	w.tx(func(tx *store.Tx) error {
		var err error
		id, err = tx.AddEndpoint(w.t.Context(), typus.Endpoint{AccountID: w.account, URL: url, Status: typus.EndpointActive, MaxInFlight: 4, Rate: w.rate, CreatedAt: time.Now()})
		if err != nil {
			return err
		}
		_, err = tx.AddSecret(w.t.Context(), w.account, id, typus.SecretCurrent, w.box.KeyID(), time.Now(), func(secretID int64) ([]byte, error) {
			return w.box.Seal([]byte(secret), webhook.SecretAAD(secretID, id)), nil
		})
		return err
	})
	return id, secret
}

// event adds one about a candidate of the given number, with its deliveries.
func (w *world) event(candidate int64) typus.Event {
	w.t.Helper()
	e := typus.Event{
		ID: webhook.NewEventID(time.Now()), AccountID: w.account, Type: typus.EventCandidateCompleted, CandidateID: candidate,
		OccurredAt: time.Now(), Payload: fmt.Appendf(nil, `{"event":"candidate.completed","data":{"candidate":{"id":%d,"name":"Jürgen <b>"}}}`, candidate),
	}
	w.tx(func(tx *store.Tx) error {
		_, err := tx.AddEvent(w.t.Context(), e, func() string { return webhook.NewDeliveryID(time.Now()) })
		return err
	})
	return e
}

// delivery is the first one of an event.
func (w *world) delivery(e typus.Event) typus.Delivery {
	w.t.Helper()
	list, err := w.store.DeliveriesOf(w.t.Context(), w.account, e.ID)
	if err != nil || len(list) == 0 {
		w.t.Fatalf("deliveries of %s: %v, %v", e.ID, list, err)
	}
	return list[0]
}

func (w *world) attempts(e typus.Event) []typus.Attempt {
	w.t.Helper()
	list, err := w.store.Attempts(w.t.Context(), w.account, w.delivery(e).ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

// until waits for a delivery's state. The time it allows is only there to end
// a test that has failed.
func (w *world) until(e typus.Event, state typus.DeliveryState) typus.Delivery {
	w.t.Helper()
	var d typus.Delivery
	w.eventually("delivery is "+string(state), func() bool {
		d = w.delivery(e)
		return d.State == state
	})
	return d
}

func (w *world) eventually(what string, holds func() bool) {
	w.t.Helper()
	if !waittest.So(time.Minute, holds) {
		w.t.Fatalf("it never came to pass that %s\n%s", what, w.logs)
	}
}

// received is one request as a receiver saw it.
type received struct {
	http.Header
	method string
	path   string
	body   []byte
	at     time.Time
}

// receiver is an endpoint of a customer that keeps what it gets and answers as
// it is told.
type receiver struct {
	url string
	mu  sync.Mutex
	got []received
	// answer is called with the number of the request, from 1; nil: 204.
	answer func(n int, w http.ResponseWriter, r *http.Request)
}

func newReceiver(t testing.TB, answer func(n int, w http.ResponseWriter, r *http.Request)) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL + "/hook"
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	r.got = append(r.got, received{req.Header.Clone(), req.Method, req.URL.Path, body, time.Now()})
	n := len(r.got)
	r.mu.Unlock()
	if r.answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	r.answer(n, w, req)
}

func (r *receiver) requests() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.got...)
}

// statuses answers with one after the other, and with the last from then on.
func statuses(list ...int) func(int, http.ResponseWriter, *http.Request) {
	return func(n int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(list[min(n, len(list))-1]) }
}
