package accounts_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/clerk"
	"typus/internal/store"
	"typus/internal/webhook"
)

// brisk is a webhook of the world's account that may be called often. A run keeps 40
// deliveries waiting for it.
func (w *world) brisk() int64 { return w.paced(20) }

// paced is a webhook with a rate that a run goes by, and a bucket that is never empty.
func (w *world) paced(perSecond int) int64 {
	w.Helper()
	var id int64
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		var err error
		id, err = tx.AddEndpoint(w.Ctx, typus.Endpoint{AccountID: w.Account, URL: "https://hooks.example.com/t?token=sekret", MaxInFlight: 32, Rate: typus.Rate{PerSecond: perSecond, Burst: 1000}, CreatedAt: w.Now()})
		return err
	}))
	return id
}

// event is a finished test of a person who does not exist, with one delivery.
func (w *world) event(person int64) typus.Delivery {
	w.Helper()
	e := typus.Event{ID: webhook.NewEventID(w.Now()), AccountID: w.Account, Type: typus.EventCandidateCompleted, CandidateID: person, OccurredAt: w.Now(), Payload: []byte(`{}`)}
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		_, err := tx.AddEvent(w.Ctx, e, func() string { return webhook.NewDeliveryID(w.Now()) })
		return err
	}))
	return w.deliveries(e.ID)[0]
}

// deliveries are those of an event, oldest first.
func (w *world) deliveries(event string) []typus.Delivery {
	w.Helper()
	list, err := w.Store.DeliveriesOf(w.Ctx, w.Account, event)
	w.Must(err)
	return list
}

// claim takes what is due.
func (w *world) claim() []store.Claimed {
	w.Helper()
	list, err := w.Store.ClaimDeliveries(w.Ctx, "me", time.Minute, 64)
	w.Must(err)
	return list
}

// end ends what is due, and returns how many those are.
func (w *world) end(arrived bool) int {
	w.Helper()
	list := w.claim()
	for _, c := range list {
		w.finish(c, arrived)
	}
	return len(list)
}

func (w *world) finish(c store.Claimed, arrived bool) {
	w.Helper()
	result := webhook.Result{Outcome: webhook.Outcome{Delivered: arrived, Attempt: typus.Attempt{
		Outcome: webhook.OutcomeDelivered, HTTPStatus: 200, URL: c.Endpoint.URL, Duration: time.Millisecond,
	}}, Wait: time.Hour}
	if !arrived {
		result.Attempt.Outcome, result.Attempt.HTTPStatus, result.Attempt.ErrorCode = webhook.OutcomeFailed, 500, "http_5xx"
	}
	_, err := w.Store.FinishAttempt(w.Ctx, "me", c.Delivery, result.Attempt, func(e typus.Endpoint, d typus.Delivery, late bool, now time.Time) typus.Verdict {
		result.Late = late
		return webhook.Judge(e, d, result, now)
	})
	w.Must(err)
}

// wantRefusal finds fault with an error that is not a Conflict of that cause.
func (w *world) wantRefusal(what string, err error, want accounts.ReplayObstacle) {
	w.Helper()
	if got, _ := errors.AsType[accounts.ReplayObstacle](err); got != want || !typus.Is(err, typus.Conflict) {
		w.Errorf("%s: %v, want %q", what, err, want)
	}
}

func TestADeliveryIsSentAgainByItsState(t *testing.T) {
	run(t, func(w *world) {
		id := w.brisk()
		again := func(d typus.Delivery) (string, error) { return w.Accounts.ReplayDelivery(w.Ctx, w.Account, d.ID, ada) }
		d := w.event(1)
		if n := w.end(false); n != 1 || len(w.claim()) != 0 {
			t.Fatalf("%d were due", n)
		}
		// It waits an hour: it is due now, under its own id and with its failures.
		if next, err := again(d); err != nil || next != d.ID {
			t.Fatalf("sent as %q, %v; want %s itself", next, err, d.ID)
		}
		under := w.claim()
		if len(under) != 1 || under[0].Delivery.ID != d.ID || under[0].Delivery.Failures != 1 || under[0].Delivery.Attempt != 2 {
			t.Fatalf("then due: %+v", under)
		}
		_, err := again(d)
		w.wantRefusal("what is being sent", err, accounts.ReplayUnderWay)
		w.finish(under[0], true)
		// It has ended: each time a successor, with the same event.
		first, err := again(d)
		second, err2 := again(d)
		list := w.deliveries(d.EventID)
		if err != nil || err2 != nil || first == second || len(list) != 3 {
			t.Fatalf("sent as %q and %q: %v, %v; %d deliveries", first, second, err, err2, len(list))
		}
		for _, next := range list {
			if next.ID == d.ID {
				continue
			}
			if next.Kind != typus.DeliveryReplay || next.State != typus.DeliveryPending || next.EndpointID != id || next.Attempt+next.Failures != 0 {
				t.Errorf("a successor is %+v", next)
			}
		}
		for _, c := range w.claim() {
			if c.Event.ID != d.EventID || string(c.Event.Payload) != `{}` {
				t.Errorf("it carries %+v", c.Event)
			}
			w.finish(c, false)
		}
		if last, err := w.Store.Delivery(w.Ctx, w.Account, second); err != nil || last.State != typus.DeliveryPending || last.Failures != 1 {
			t.Errorf("what fails is repeated: %+v, %v", last, err)
		}
		w.Must(w.Accounts.PauseEndpoint(w.Ctx, w.Account, id, ada))
		_, err = again(d)
		w.wantRefusal("a webhook that is off", err, accounts.ReplayOff)
		_, err = w.Accounts.ReplayDelivery(w.Ctx, w.Account, second, ada)
		w.wantRefusal("what is held", err, accounts.ReplayOff)
		w.Must(w.Accounts.DeleteEndpoint(w.Ctx, w.Account, id, ada))
		_, err = again(d)
		w.wantRefusal("a webhook that is deleted", err, accounts.ReplayDeleted)
		_, err = w.Accounts.ReplayDelivery(w.Ctx, w.Account+1, d.ID, ada)
		w.WantKind(err, typus.NotFound)
		log, err := w.Store.Audit(w.Ctx, w.Account, 100)
		w.Must(err)
		log = slices.DeleteFunc(log, func(e typus.AuditEntry) bool { return e.Action != typus.AuditWebhookReplayed })
		if len(log) != 3 || log[0].CandidateID != 1 || log[0].UserID != 7 || log[0].Detail != fmt.Sprintf("%d hooks.example.com", id) {
			t.Errorf("the audit log says %+v", log)
		}
	})
}

func TestATestEventIsNotSentAgain(t *testing.T) {
	run(t, func(w *world) {
		d, err := w.Accounts.TestEndpoint(w.Ctx, w.Account, w.brisk(), ada)
		w.Must(err)
		_, err = w.Accounts.ReplayDelivery(w.Ctx, w.Account, d, ada)
		w.wantRefusal("a test event", err, accounts.ReplayOfTest)
	})
}

func TestADoubleClickSendsAgainOnce(t *testing.T) {
	run(t, func(w *world) {
		w.brisk()
		d := w.event(1)
		w.end(true)
		form := ada
		form.Form = "once"
		for n := range 2 {
			_, err := w.Accounts.ReplayDelivery(w.Ctx, w.Account, d.ID, form)
			if _, before := clerk.SentBefore(err); before != (n == 1) || !before && err != nil {
				t.Errorf("click %d: %v", n+1, err)
			}
		}
		if list := w.deliveries(d.EventID); len(list) != 2 {
			t.Errorf("%d deliveries, want 2", len(list))
		}
	})
}

// Several people send the same delivery at once while it is claimed and finished: it never
// has two attempts under way, and nothing is lost.
func TestADeliveryThatIsSentAgainWhileItEndsIsSentOnceMore(t *testing.T) {
	run(t, func(w *world) {
		w.brisk()
		for n := range 10 {
			d := w.event(int64(n + 1))
			refused := 0
			faults := parallel(6, func(i int) error {
				if i == 0 {
					w.end(true)
					return nil
				}
				_, err := w.Accounts.ReplayDelivery(w.Ctx, w.Account, d.ID, ada)
				return err
			})
			for _, err := range faults {
				if err != nil {
					w.wantRefusal("beside the courier", err, accounts.ReplayUnderWay)
					refused++
				}
			}
			for w.end(true) > 0 {
			}
			list := w.deliveries(d.EventID)
			if len(list)+refused > 6 || len(list) < 1 {
				t.Errorf("%d deliveries, %d refused", len(list), refused)
			}
			for _, d := range list {
				if d.State != typus.DeliveryDelivered || d.Attempt != 1 {
					t.Errorf("then %+v", d)
				}
			}
		}
	})
}

func TestARunSendsEverythingAndSaysSo(t *testing.T) {
	run(t, func(w *world) {
		id := w.brisk()
		const n = 250
		for i := range n {
			w.event(int64(i + 1))
		}
		for w.end(true) > 0 {
		}
		f := store.DeliveryFilter{EndpointID: id, State: typus.DeliveryDelivered}
		run, err := w.Accounts.StartReplay(w.Ctx, w.Account, f, ada)
		w.Must(err)
		_, err = w.Accounts.StartReplay(w.Ctx, w.Account, f, ada)
		w.wantRefusal("a second run", err, accounts.ReplayBusy)
		sent := 0
		for range 20 {
			w.Must(errors.Join(parallel(3, func(int) error { return w.Accounts.RunReplays(w.Ctx) })...))
			for more := 1; more > 0; sent += more {
				more = w.end(true)
			}
		}
		r, err := w.Store.ReplayRun(w.Ctx, w.Account, run)
		if err != nil || r.State != typus.ReplayDone || r.Total != n || r.Made != n || sent != n || r.FinishedAt.IsZero() {
			t.Errorf("%d were sent by %+v, %v", sent, r, err)
		}
		outcomes, err := w.Store.ReplayOutcomes(w.Ctx, w.Account, run)
		if err != nil || outcomes[typus.DeliveryDelivered] != n || len(outcomes) != 1 {
			t.Errorf("outcomes %v, %v", outcomes, err)
		}
		w.wantReplayAudit(typus.AuditReplayStarted, typus.AuditReplayFinished)
	})
}

// wantReplayAudit compares the lines about runs in the audit log, oldest first.
func (w *world) wantReplayAudit(want ...typus.AuditAction) {
	w.Helper()
	log, err := w.Store.Audit(w.Ctx, w.Account, 1000)
	w.Must(err)
	var got []typus.AuditAction
	for _, e := range slices.Backward(log) {
		switch e.Action {
		case typus.AuditReplayStarted, typus.AuditReplayFinished, typus.AuditReplayCancelled:
			got = append(got, e.Action)
			if byServer := e.Action == typus.AuditReplayFinished; (e.UserID == 7) == byServer || (e.Actor == typus.ActorServer) != byServer {
				w.Errorf("audit line %+v", e)
			}
		}
	}
	if !slices.Equal(got, want) {
		w.Errorf("the audit log says %v, want %v", got, want)
	}
}

func TestACancelledRunSendsNothingMore(t *testing.T) {
	run(t, func(w *world) {
		id := w.paced(1)
		lost := w.lost(id, 5)
		run, err := w.Accounts.StartReplay(w.Ctx, w.Account, store.DeliveryFilter{EndpointID: id}, ada)
		w.Must(err)
		before, err := w.Store.ReplayOutcomes(w.Ctx, w.Account, run)
		w.Must(err)
		w.Must(w.Accounts.CancelReplay(w.Ctx, w.Account, run, ada))
		w.Must(w.Accounts.CancelReplay(w.Ctx, w.Account, run, ada))
		w.WantKind(w.Accounts.CancelReplay(w.Ctx, w.Account+1, run, ada), typus.NotFound)
		went := w.end(true)
		w.Must(w.Accounts.RunReplays(w.Ctx))
		r, err := w.Store.ReplayRun(w.Ctx, w.Account, run)
		if err != nil || r.State != typus.ReplayCancelled || r.Made != before[typus.DeliveryPending] || r.Made != went || went == 0 || went == len(lost) || w.end(true) != 0 {
			t.Errorf("%d went, %+v, %v", went, r, err)
		}
		w.wantReplayAudit(typus.AuditReplayStarted, typus.AuditReplayCancelled)
	})
}

// lost are deliveries of n events that have been cancelled, of an endpoint that nobody knows.
func (w *world) lost(endpoint int64, n int) []typus.Delivery {
	w.Helper()
	w.Must(w.Accounts.PauseEndpoint(w.Ctx, w.Account, endpoint, ada))
	var list []typus.Delivery
	for i := range n {
		list = append(list, w.event(int64(i+1)))
	}
	_, err := w.Accounts.ResumeEndpoint(w.Ctx, w.Account, endpoint, false, ada)
	w.Must(err)
	w.end(true) // the test event
	return list
}

func TestARunWaitsForItsWebhookAndEndsWithIt(t *testing.T) {
	run(t, func(w *world) {
		id := w.paced(1)
		f := store.DeliveryFilter{EndpointID: id}
		_, err := w.Accounts.StartReplay(w.Ctx, w.Account, f, ada)
		w.wantRefusal("nothing", err, accounts.ReplayNothing)
		_, err = w.Accounts.StartReplay(w.Ctx, w.Account+1, f, ada)
		w.WantKind(err, typus.NotFound)
		w.lost(id, 5)
		w.Must(w.Accounts.PauseEndpoint(w.Ctx, w.Account, id, ada))
		_, err = w.Accounts.StartReplay(w.Ctx, w.Account, f, ada)
		w.wantRefusal("a webhook that is off", err, accounts.ReplayOff)
		_, err = w.Accounts.ResumeEndpoint(w.Ctx, w.Account, id, true, ada)
		w.Must(err)
		run, err := w.Accounts.StartReplay(w.Ctx, w.Account, f, ada)
		w.Must(err)
		w.Must(w.Accounts.RunReplays(w.Ctx))
		if r, err := w.Store.ReplayRun(w.Ctx, w.Account, run); err != nil || r.State != typus.ReplayRunning || r.Made != 0 {
			t.Errorf("while the webhook is being tried: %+v, %v", r, err)
		}
		w.end(true) // the test event arrives
		w.Must(w.Accounts.RunReplays(w.Ctx))
		if r, err := w.Store.ReplayRun(w.Ctx, w.Account, run); err != nil || r.Made == 0 {
			t.Errorf("once it is reached: %+v, %v", r, err)
		}
		w.Must(w.Accounts.DeleteEndpoint(w.Ctx, w.Account, id, ada))
		w.Must(w.Accounts.RunReplays(w.Ctx))
		if r, err := w.Store.ReplayRun(w.Ctx, w.Account, run); err != nil || r.State != typus.ReplayCancelled {
			t.Errorf("once it is deleted: %+v, %v", r, err)
		}
	})
}

// parallel does something n times at once.
func parallel(n int, do func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			errs[i] = do(i)
		})
	}
	close(start)
	all.Wait()
	return errs
}
