package courier

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/store"
)

// posted is a letter that went out, and when.
type posted struct {
	mail.Message
	after time.Duration
}

// postbox is a mail server that takes everything.
type postbox struct {
	began time.Time
	got   []posted
}

func newPostbox() *postbox { return &postbox{began: time.Now()} }

func (p *postbox) mailer() Mailer {
	return mailerFunc(func(_ context.Context, msgs []mail.Message) []error {
		for _, m := range msgs {
			p.got = append(p.got, posted{m, time.Since(p.began)})
		}
		return make([]error, len(msgs))
	})
}

// subjects are what went out, each with its hour.
func (p *postbox) subjects() string {
	var text strings.Builder
	for _, m := range p.got {
		fmt.Fprintf(&text, "%.0fh %s\n", m.after.Hours(), m.Subject)
	}
	return text.String()
}

func (w *world) endpointNow(id int64) typus.Endpoint {
	w.t.Helper()
	e, err := w.store.Endpoint(w.t.Context(), w.account, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

// A receiver that is gone for good: two letters in a week, however many results
// and webhooks there are, and nothing is lost when it is back.
func TestAReceiverThatIsGoneForAWeekCostsTwoLettersAndNoResult(t *testing.T) {
	net := internet{}
	up := false
	answer := func(_ int, w http.ResponseWriter, _ *http.Request) {
		if !up {
			w.WriteHeader(502)
		}
	}
	first, second := net.add("hooks.example.com", answer), net.add("hooks2.example.com", answer)
	simulate(t, net, func(t *testing.T, w *world, run func(Mailer) func()) {
		a, _ := w.endpoint(first.url)
		b, _ := w.endpoint(second.url)
		box := newPostbox()
		events := []typus.Event{w.event(1)}
		stop := run(box.mailer())
		for n := range int64(14) { // a result every twelve hours
			time.Sleep(12 * time.Hour)
			events = append(events, w.event(2+n))
			if n == 8 && (!w.endpointNow(a).On() || !w.endpointNow(b).On()) {
				t.Error("off after 108 hours")
			}
		}
		for _, id := range []int64{a, b} {
			e := w.endpointNow(id)
			off := e.StatusChangedAt.Sub(box.began)
			if e.Status != typus.EndpointDisabled || off < 120*time.Hour || off > 132*time.Hour+time.Minute {
				t.Errorf("%s after %s", e.Status, off)
			}
		}
		if len(box.got) != 2 || box.got[0].after < 24*time.Hour || box.got[0].after > 27*time.Hour || !strings.Contains(box.got[0].Text, "- Webhook 1 hooks. example. com\n- Webhook 2 hooks2. example. com\n") {
			t.Errorf("letters:\n%s", box.subjects())
		}
		before := len(first.requests())
		time.Sleep(24 * time.Hour)
		if after := len(first.requests()); after != before {
			t.Errorf("%d attempts after it was switched off", after-before)
		}

		up = true
		w.tx(func(tx *store.Tx) error { return tx.ReopenEndpoint(t.Context(), w.account, a, time.Now(), false) })
		time.Sleep(2 * time.Hour)
		stop()
		arrived := map[string]bool{}
		for _, r := range first.requests()[before:] {
			arrived[r.Get("Webhook-Id")] = true
		}
		for _, e := range events {
			if !arrived[e.ID] {
				t.Errorf("the result %d never arrived", e.CandidateID)
			}
		}
		if e := w.endpointNow(a); e.Status != typus.EndpointActive || e.DisabledReason != "" {
			t.Errorf("back again it is %+v", e)
		}
		if len(box.got) != 2 {
			t.Errorf("letters:\n%s", box.subjects())
		}
	})
}

// A receiver that refuses some results and takes others is never switched off,
// and the first result that is given up is told.
func TestAResultThatIsAlwaysRefusedEndsAndIsTold(t *testing.T) {
	net := internet{}
	var r *receiver
	r = net.add("hooks.example.com", func(n int, w http.ResponseWriter, _ *http.Request) {
		if bytes.Contains(r.requests()[n-1].body, []byte(`"id":1000`)) {
			w.WriteHeader(422)
		}
	})
	simulate(t, net, func(t *testing.T, w *world, run func(Mailer) func()) {
		id, _ := w.endpoint(r.url)
		box := newPostbox()
		bad := []typus.Event{w.event(10001), w.event(10002), w.event(10003)}
		stop := run(box.mailer())
		for n := range int64(30) {
			time.Sleep(5 * time.Hour)
			w.event(2 + n)
		}
		stop()
		for _, e := range bad {
			if d := w.delivery(e); d.State != typus.DeliveryExhausted || d.Failures != typus.DeliveryAttempts {
				t.Errorf("%+v", d)
			}
		}
		if e := w.endpointNow(id); !e.On() {
			t.Errorf("%+v", e)
		}
		if len(box.got) != 1 || box.got[0].Subject != "Demo GmbH: Ergebnis nicht zugestellt" || !strings.Contains(box.got[0].Text, "Webhook 1 hooks. example. com") {
			t.Errorf("letters:\n%s", box.subjects())
		}
	})
}

// Pausing the webhook does not bring the result back, so whoever pauses it in the
// minutes that the letter waits hears of it all the same.
func TestAResultThatIsGivenUpIsToldThoughItsWebhookIsPausedAtOnce(t *testing.T) {
	net := internet{}
	var r *receiver
	r = net.add("hooks.example.com", func(n int, w http.ResponseWriter, _ *http.Request) {
		if bytes.Contains(r.requests()[n-1].body, []byte(`"id":1000`)) {
			w.WriteHeader(422)
		}
	})
	simulate(t, net, func(t *testing.T, w *world, run func(Mailer) func()) {
		id, _ := w.endpoint(r.url)
		box := newPostbox()
		bad := w.event(10001)
		stop := run(box.mailer())
		for n := int64(0); w.delivery(bad).State != typus.DeliveryExhausted; n++ {
			if n > 2000 {
				t.Fatalf("after %d steps it is %+v", n, w.delivery(bad))
			}
			if n%60 == 0 {
				w.event(2 + n)
			}
			time.Sleep(5 * time.Minute)
		}
		w.tx(func(tx *store.Tx) error {
			return tx.SetEndpointStatus(t.Context(), w.account, id, typus.EndpointPaused, "", time.Now())
		})
		time.Sleep(time.Hour)
		stop()
		if len(box.got) != 1 || box.got[0].Subject != "Demo GmbH: Ergebnis nicht zugestellt" {
			t.Errorf("letters:\n%s", box.subjects())
		}
	})
}

// Trouble that passes before a letter has gone out is not told.
func TestTroubleThatIsOverWhenTheLetterIsDueIsNotTold(t *testing.T) {
	net := internet{}
	r := net.add("hooks.example.com", statuses(500))
	simulate(t, net, func(t *testing.T, w *world, run func(Mailer) func()) {
		id, _ := w.endpoint(r.url)
		w.event(1)
		stop := run(nil) // the mail server is away
		time.Sleep(40 * time.Hour)
		stop()
		if e := w.endpointNow(id); e.FailingToldAt.IsZero() {
			t.Fatalf("no letter waits: %+v", e)
		}
		r.answer = nil
		box := newPostbox()
		w.event(2)
		stop = run(nil)
		time.Sleep(time.Hour)
		stop()
		stop = run(box.mailer())
		time.Sleep(time.Hour)
		stop()
		list, err := w.store.Letters(t.Context(), w.account, 10)
		if err != nil || len(list) != 1 || list[0].State != typus.LetterHeld || len(box.got) != 0 {
			t.Errorf("letters %+v, %v; sent %v", list, err, box.got)
		}
	})
}
