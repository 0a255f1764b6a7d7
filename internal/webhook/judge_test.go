package webhook

import (
	"fmt"
	"testing"
	"time"

	"typus"
)

// row is one line of the table: what there was, what came, what follows.
type row struct {
	status   typus.EndpointStatus
	failures int // in a row, of the endpoint; the first 119 hours ago, or as spell says
	spell    time.Duration
	kind     string
	state    typus.DeliveryState // sending unless said otherwise
	used     int                 // failures of the delivery
	came     string              // "2xx", "500", "410", "interrupted", "late 2xx", "late 500", "2xx elsewhere", "500 elsewhere", "410 elsewhere", "given back"

	delivery typus.DeliveryState
	now      int // failures of the delivery
	in       time.Duration
	endpoint typus.EndpointStatus
	count    int // failures in a row, of the endpoint
	hold     bool
	drain    int
	tell     typus.LetterKind
}

const (
	active   = typus.EndpointActive
	failing  = typus.EndpointFailing
	paused   = typus.EndpointPaused
	disabled = typus.EndpointDisabled
	gone     = typus.EndpointGone
	deleted  = typus.EndpointDeleted

	pending   = typus.DeliveryPending
	delivered = typus.DeliveryDelivered
	exhausted = typus.DeliveryExhausted
	held      = typus.DeliveryHeld
	cancelled = typus.DeliveryCancelled

	off     = typus.LetterWebhookOff
	givenUp = typus.LetterWebhookGivenUp

	step = 30 * time.Minute
	soon = 5 * time.Second
)

var table = []row{
	// A success.
	{status: active, came: "2xx", delivery: delivered, endpoint: active},
	{status: active, failures: 2, came: "2xx", delivery: delivered, endpoint: active},
	{status: failing, failures: 40, came: "2xx", delivery: delivered, endpoint: active, drain: 10},
	{status: failing, came: "2xx", kind: "test", delivery: delivered, endpoint: active, drain: 10},
	{status: paused, failures: 4, came: "2xx", delivery: delivered, endpoint: paused},
	{status: disabled, failures: 12, came: "2xx", delivery: delivered, endpoint: disabled},
	{status: gone, came: "2xx", delivery: delivered, endpoint: gone},
	{status: deleted, came: "2xx", delivery: delivered, endpoint: deleted},
	{status: failing, failures: 5, came: "2xx elsewhere", delivery: delivered, endpoint: failing, count: 5},

	// A failure.
	{status: active, came: "500", delivery: pending, now: 1, in: step, endpoint: active, count: 1},
	{status: active, failures: 2, used: 2, came: "500", delivery: pending, now: 3, in: step, endpoint: failing, count: 3},
	{status: failing, failures: 11, used: 5, came: "500", delivery: pending, now: 6, in: step, endpoint: failing, count: 12},
	{status: failing, failures: 10, spell: 200 * time.Hour, came: "500", delivery: pending, now: 1, in: step, endpoint: failing, count: 11},
	{status: failing, failures: 11, spell: 120 * time.Hour, came: "500", delivery: held, now: 1, in: step, endpoint: disabled, count: 12, hold: true, tell: off},
	{status: failing, failures: 11, spell: 120 * time.Hour, used: 11, came: "500", delivery: held, now: 12, endpoint: disabled, count: 12, hold: true, tell: off},
	{status: failing, failures: 11, spell: -240 * time.Hour, came: "500", delivery: pending, now: 1, in: step, endpoint: failing, count: 12},
	{status: active, used: 11, came: "500", delivery: exhausted, now: 12, endpoint: active, count: 1, tell: givenUp},
	{status: paused, came: "500", delivery: held, now: 1, in: step, endpoint: paused, count: 1},
	{status: paused, used: 11, came: "500", delivery: held, now: 12, endpoint: paused, count: 1},
	{status: disabled, failures: 12, spell: 130 * time.Hour, came: "500", delivery: held, now: 1, in: step, endpoint: disabled, count: 13},
	{status: gone, came: "500", delivery: held, now: 1, in: step, endpoint: gone, count: 1},
	{status: deleted, came: "500", delivery: cancelled, now: 1, in: step, endpoint: deleted, count: 1},
	{status: deleted, used: 11, came: "500", delivery: exhausted, now: 12, endpoint: deleted, count: 1},
	{status: active, failures: 11, spell: 200 * time.Hour, kind: "test", came: "500", delivery: exhausted, now: 1, endpoint: active, count: 11},
	{status: paused, kind: "test", came: "500", delivery: exhausted, now: 1, endpoint: paused},
	{status: failing, kind: "test", came: "500", delivery: exhausted, now: 1, endpoint: failing, count: 1},
	{status: failing, failures: 4, kind: "test", came: "500", delivery: exhausted, now: 1, endpoint: failing, count: 4},

	// A failure at another address.
	{status: active, failures: 1, used: 3, came: "500 elsewhere", delivery: pending, now: 3, in: soon, endpoint: active, count: 1},
	{status: active, came: "410 elsewhere", delivery: pending, in: soon, endpoint: active},
	{status: active, used: 11, came: "500 elsewhere", delivery: pending, now: 11, in: soon, endpoint: active},
	{status: paused, came: "500 elsewhere", delivery: held, in: soon, endpoint: paused},
	{status: active, kind: "test", came: "410 elsewhere", delivery: exhausted, now: 1, endpoint: active},

	// 410.
	{status: active, came: "410", delivery: held, now: 1, in: step, endpoint: gone, count: 1, hold: true, tell: off},
	{status: failing, failures: 4, used: 11, came: "410", delivery: held, now: 12, endpoint: gone, count: 5, hold: true, tell: off},
	{status: active, kind: "test", came: "410", delivery: exhausted, now: 1, endpoint: gone, hold: true, tell: off},
	{status: paused, came: "410", delivery: held, now: 1, in: step, endpoint: gone, count: 1, hold: true, tell: off},
	{status: disabled, failures: 12, came: "410", delivery: held, now: 1, in: step, endpoint: gone, count: 13, hold: true},
	{status: gone, came: "410", delivery: held, now: 1, in: step, endpoint: gone, count: 1, hold: true},
	{status: deleted, came: "410", delivery: cancelled, now: 1, in: step, endpoint: deleted, count: 1},

	// Nobody knows what came.
	{status: active, came: "interrupted", delivery: pending, in: soon, endpoint: active},
	{status: failing, failures: 3, came: "interrupted", delivery: pending, in: soon, endpoint: failing, count: 3},
	{status: paused, came: "interrupted", delivery: held, in: soon, endpoint: paused},
	{status: deleted, came: "interrupted", delivery: cancelled, in: soon, endpoint: deleted},
	{status: active, kind: "test", came: "interrupted", delivery: exhausted, endpoint: active},
	{status: active, came: "given back", delivery: pending, endpoint: active},
	{status: gone, came: "given back", delivery: held, endpoint: gone},
	{status: deleted, came: "given back", delivery: cancelled, endpoint: deleted},
	{status: active, kind: "test", came: "given back", delivery: exhausted, endpoint: active},

	// Late.
	{status: active, failures: 1, came: "late 500", delivery: typus.DeliverySending, endpoint: active, count: 1},
	{status: active, came: "late 2xx", delivery: typus.DeliverySending, endpoint: active},
	{status: failing, failures: 5, state: pending, used: 2, came: "late 2xx", delivery: delivered, now: 2, endpoint: failing, count: 5},
	{status: paused, state: held, came: "late 2xx", delivery: delivered, endpoint: paused},
	{status: active, state: pending, came: "late 500", delivery: pending, endpoint: active},
	{status: deleted, state: cancelled, came: "late 2xx", delivery: cancelled, endpoint: deleted},
	{status: active, state: exhausted, came: "late 2xx", delivery: exhausted, endpoint: active},
}

const hook = "https://hooks.example.com/a"

func (r row) before(now time.Time) (typus.Endpoint, typus.Delivery) {
	e := typus.Endpoint{ID: 1, URL: hook, Status: r.status, ConsecutiveFailures: r.failures}
	if r.failures > 0 {
		e.FirstFailureAt = now.Add(-119 * time.Hour)
		if r.spell != 0 {
			e.FirstFailureAt = now.Add(-r.spell)
		}
	}
	d := typus.Delivery{ID: "dlv_1", Kind: "auto", State: typus.DeliverySending, Attempt: 7, Failures: r.used}
	if r.kind != "" {
		d.Kind = r.kind
	}
	if r.state != "" {
		d.State = r.state
	}
	return e, d
}

func (r row) judge(now time.Time) typus.Verdict {
	e, d := r.before(now)
	result := Result{Wait: step, Outcome: Outcome{Attempt: typus.Attempt{URL: hook, N: 7, Outcome: OutcomeFailed, HTTPStatus: 500, ErrorCode: Code5xx}}}
	switch r.came {
	case "410", "410 elsewhere":
		result.Gone = true
	case "2xx", "2xx elsewhere", "late 2xx":
		result.Delivered, result.Attempt.Outcome = true, OutcomeDelivered
	case "interrupted":
		return Judge(e, d, Interrupted, now)
	case "given back":
		return GiveBack(e, d, now)
	}
	switch r.came {
	case "2xx elsewhere", "500 elsewhere", "410 elsewhere":
		result.Attempt.URL = "https://before.example.com"
	case "late 2xx", "late 500":
		result.Late = true
	}
	return Judge(e, d, result, now)
}

func TestEveryEndOfAnAttemptHasOneVerdict(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for _, r := range table {
		name := fmt.Sprintf("%s %s on %s after %d, delivery %s used %d", r.came, r.kind, r.status, r.failures, r.state, r.used)
		v := r.judge(now)
		var in time.Duration
		if !v.Delivery.NextAttemptAt.IsZero() {
			in = v.Delivery.NextAttemptAt.Sub(now)
		}
		got := row{r.status, r.failures, r.spell, r.kind, r.state, r.used, r.came,
			v.Delivery.State, v.Delivery.Failures, in, v.Endpoint.Status, v.Endpoint.ConsecutiveFailures, v.Hold, v.Drain, v.Tell}
		if got != r {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, r)
		}
		ended := v.Delivery.State != pending && v.Delivery.State != held && v.Delivery.State != typus.DeliverySending
		if changed := v.Delivery.State != r.state && !(r.state == "" && v.Delivery.State == typus.DeliverySending); changed && v.Delivery.FinishedAt.IsZero() == ended {
			t.Errorf("%s: ended at %v", name, v.Delivery.FinishedAt)
		}
		if changed := v.Endpoint.Status != r.status; changed != v.Endpoint.StatusChangedAt.Equal(now) && r.endpoint != gone {
			t.Errorf("%s: status changed at %v", name, v.Endpoint.StatusChangedAt)
		}
	}
}

// The table has a row for every status with every kind of end.
func TestTheTableOfVerdictsIsWhole(t *testing.T) {
	have := map[string]bool{}
	for _, r := range table {
		have[string(r.status)+" "+r.came] = true
	}
	for _, status := range []typus.EndpointStatus{active, failing, paused, disabled, gone, deleted} {
		for _, came := range []string{"2xx", "500", "410"} {
			if !have[string(status)+" "+came] {
				t.Errorf("no row for %s on %s", came, status)
			}
		}
	}
}

func TestThreeInterruptionsInARowAreAFailure(t *testing.T) {
	now := time.Now()
	e, d := row{status: active, used: 11}.before(now)
	for range 2 {
		d = Judge(e, d, Interrupted, now).Delivery
		if d.State != pending || d.Failures != 11 {
			t.Errorf("%+v", d)
		}
		d.State = typus.DeliverySending
	}
	if v := Judge(e, d, Interrupted, now); v.Delivery.State != exhausted || v.Tell != givenUp || v.Delivery.Interruptions != 0 {
		t.Errorf("%+v", v)
	}
}

// What ends without arriving is told once a week, and a clock that was ahead does
// not make that longer.
func TestAnEndpointIsToldOnceAWeekThatADeliveryHasEnded(t *testing.T) {
	now := time.Now()
	for ago, want := range map[time.Duration]typus.LetterKind{
		7*24*time.Hour - time.Second: "", 7 * 24 * time.Hour: givenUp, -10 * 24 * time.Hour: givenUp,
	} {
		r := row{status: active, used: 11, came: "500"}
		e, d := r.before(now)
		e.GivenUpToldAt = now.Add(-ago)
		v := Judge(e, d, Result{Outcome: Outcome{Attempt: typus.Attempt{URL: hook, Outcome: OutcomeFailed}}}, now)
		if v.Tell != want || want != "" && !v.Endpoint.GivenUpToldAt.Equal(now) {
			t.Errorf("told %v ago: %+v", ago, v)
		}
	}
}

// Five days of failures that a wrong clock began in the future would never be over.
func TestASpellOfFailuresThatAWrongClockBeganLaterBeginsNow(t *testing.T) {
	now := time.Now()
	r := row{status: active, came: "500"}
	for _, ahead := range []time.Duration{5 * time.Hour, 240 * time.Hour} {
		e, d := r.before(now)
		e.FirstFailureAt = now.Add(ahead)
		v := Judge(e, d, Result{Outcome: Outcome{Attempt: typus.Attempt{URL: hook, Outcome: OutcomeFailed}}}, now)
		if !v.Endpoint.FirstFailureAt.Equal(now) {
			t.Errorf("it fails since %s from now", v.Endpoint.FirstFailureAt.Sub(now))
		}
	}
}
