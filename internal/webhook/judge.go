package webhook

import (
	"time"

	"typus"
)

const (
	// failingAfter is how many failures in a row make an endpoint failing.
	failingAfter = 3
	// An endpoint that only fails is switched off by itself: nothing has arrived for
	// offAfter, at least offAttempts attempts have failed, and the last failure is
	// fresh, so that the first and the last lie as far apart.
	offAfter    = 120 * time.Hour
	offAttempts = 12
	// interruptionsPerFailure bounds a delivery whose attempts take the server
	// down: so many interruptions in a row count as one failure.
	interruptionsPerFailure = 3
	// afterInterruption is the wait before an interrupted attempt is made again.
	afterInterruption = 5 * time.Second
	// givenUpEvery is how often an endpoint is written about at most because a
	// delivery ended without arriving: one that refuses some results and takes
	// others does so for every one of them.
	givenUpEvery = 7 * 24 * time.Hour
	// spared is how many attempts of a delivery, the last ones, keep their times
	// when its endpoint has recovered: one that comes and goes would else use up all
	// of them in minutes.
	spared = 2
)

// WarnAfter is how long an endpoint fails before those who manage the account
// hear of it.
const WarnAfter = 24 * time.Hour

// Why an endpoint is off, as its page and the audit log say it.
const (
	reasonOff  = "nothing has arrived for five days"
	reasonGone = "the receiver answered 410 Gone"
)

// Result is the end of an attempt as it is judged.
type Result struct {
	Outcome
	Late bool          // the delivery was given to somebody else meanwhile, or has ended
	Wait time.Duration // before the next attempt, should this one have failed
}

// Interrupted is the result of an attempt whose outcome nobody knows.
var Interrupted = Result{Outcome: Outcome{Attempt: typus.Attempt{Outcome: OutcomeInterrupted}}}

// Judge says what follows from the end of an attempt for its delivery and its
// endpoint, as both are at that moment. All policy of deliveries is here: the
// ladder's end, failing after 3 failures in a row, off after 120 hours of nothing
// else, gone after a 410, recovery, and which letters are due. It is pure.
//
//   - A success ends the delivery and every spell of failures. A failing endpoint is
//     active again, and what waits for it is due; also after a test that arrived, for
//     whoever made it has mended something.
//   - A failure takes the ladder's next step, or ends the delivery after 12. What would
//     wait for an endpoint that is off is held, and cancelled if it was deleted. A test
//     ends with its one attempt and has no consequences but the count.
//   - A receiver that asks to wait (429, 503) is left alone for so long as a whole.
//   - A failure at an address that the endpoint no longer has counts for nothing.
//   - A late result changes nothing, except that a success ends a delivery of which no
//     newer attempt has begun.
func Judge(e typus.Endpoint, d typus.Delivery, r Result, now time.Time) typus.Verdict {
	v := ruling{Verdict: typus.Verdict{Endpoint: e, Delivery: d, Outcome: r.Attempt.Outcome}, now: now}
	switch {
	case r.Late:
		v.late(r)
	case r.Delivered:
		v.delivered(r)
	case r.Attempt.Outcome == OutcomeInterrupted:
		v.interrupted()
	default:
		v.failed(r)
	}
	return v.Verdict
}

// GiveBack is the verdict on an attempt that is cut by a clean stop: due at once,
// and nothing is counted. A test, which has one attempt, ends.
func GiveBack(e typus.Endpoint, d typus.Delivery, now time.Time) typus.Verdict {
	v := ruling{Verdict: typus.Verdict{Endpoint: e, Delivery: d, Outcome: OutcomeInterrupted}, now: now}
	if d.Kind == typus.DeliveryTest {
		v.Delivery.LastError = CodeInterrupted
		v.end(typus.DeliveryExhausted)
	} else {
		v.wait(0)
	}
	return v.Verdict
}

// ruling is a verdict in the making.
type ruling struct {
	typus.Verdict
	now time.Time
}

func (v *ruling) late(r Result) {
	v.Outcome = OutcomeLate
	waits := v.Delivery.State == typus.DeliveryPending || v.Delivery.State == typus.DeliveryHeld
	if r.Delivered && waits && v.Delivery.Attempt == r.Attempt.N {
		v.answered(r)
		v.end(typus.DeliveryDelivered)
	}
}

func (v *ruling) delivered(r Result) {
	v.answered(r)
	v.end(typus.DeliveryDelivered)
	if v.former(r) {
		return
	}
	v.cost(r)
	e := &v.Endpoint
	e.ConsecutiveFailures, e.FirstFailureAt, e.FailingToldAt, e.LastSuccessAt = 0, time.Time{}, time.Time{}, v.now
	recovered := e.Status == typus.EndpointFailing
	if recovered {
		e.Status, e.StatusChangedAt = typus.EndpointActive, v.now
	}
	if recovered || v.Delivery.Kind == typus.DeliveryTest && e.On() {
		v.Drain = typus.DeliveryAttempts - spared
	}
}

// cost puts the endpoint into the lane that fits what the attempt took. Inside a
// lane nothing is written, so that a success needs no lock.
func (v *ruling) cost(r Result) {
	is := v.Endpoint
	is.LastDuration = max(r.Attempt.Duration, time.Millisecond)
	if r.Attempt.HTTPStatus == 0 {
		is.LastDuration = typus.NoAnswer
	}
	if is.Lane() != v.Endpoint.Lane() {
		v.Endpoint.LastDuration = is.LastDuration
	}
}

func (v *ruling) interrupted() {
	d := &v.Delivery
	d.LastStatus, d.LastError = 0, CodeInterrupted
	if d.Interruptions++; d.Interruptions == interruptionsPerFailure {
		d.Interruptions = 0
		d.Failures++
	}
	v.next(afterInterruption)
	v.lastTry()
}

func (v *ruling) failed(r Result) {
	v.answered(r)
	if v.former(r) && v.Delivery.Kind != typus.DeliveryTest {
		v.wait(afterInterruption)
		return
	}
	v.Delivery.Failures++
	if r.Gone && !v.former(r) {
		v.switchOff(typus.EndpointGone, reasonGone)
	}
	v.next(r.Wait)
	if !v.former(r) {
		v.cost(r)
		v.rest(r.RetryAfter)
		v.count()
	}
	v.lastTry()
}

// rest keeps all attempts at the endpoint back for as long as its receiver asks. A
// shorter wish does not end a longer one.
func (v *ruling) rest(hint time.Duration) {
	if hint > typus.Ahead(v.Endpoint.ProbeAfter, v.now, MaxHint) {
		v.Endpoint.ProbeAfter = v.now.Add(hint)
	}
}

// former reports whether the attempt went to an address that the endpoint had
// then: it says nothing about the present one.
func (v *ruling) former(r Result) bool { return r.Attempt.URL != v.Endpoint.URL }

// answered notes what the receiver said.
func (v *ruling) answered(r Result) {
	d := &v.Delivery
	d.LastStatus, d.LastError, d.Interruptions = r.Attempt.HTTPStatus, r.Attempt.ErrorCode, 0
}

// next is the next attempt after some time, or the end if this was the last one.
func (v *ruling) next(wait time.Duration) {
	if v.Delivery.Kind == typus.DeliveryTest || v.Delivery.Failures >= typus.DeliveryAttempts {
		v.end(typus.DeliveryExhausted)
		return
	}
	v.wait(wait)
}

func (v *ruling) wait(wait time.Duration) {
	v.Delivery.NextAttemptAt = v.now.Add(wait)
	v.Delivery.State, v.Delivery.FinishedAt = v.Endpoint.Waits(), time.Time{}
	if v.Delivery.State == typus.DeliveryCancelled {
		v.Delivery.FinishedAt = v.now
	}
}

func (v *ruling) end(state typus.DeliveryState) {
	v.Delivery.State, v.Delivery.FinishedAt = state, v.now
}

// count adds a failure to those of the endpoint. A test, which may be the only
// thing in days, begins no spell and switches nothing off: it was asked for, and
// whoever did sees what came of it.
func (v *ruling) count() {
	e, test := &v.Endpoint, v.Delivery.Kind == typus.DeliveryTest
	e.ConsecutiveFailures++
	e.LastFailureAt = v.now
	if !test && (e.FirstFailureAt.IsZero() || e.FirstFailureAt.After(v.now)) { // the clock was ahead
		e.FirstFailureAt = v.now
	}
	if e.Status == typus.EndpointActive && e.ConsecutiveFailures >= failingAfter {
		e.Status, e.StatusChangedAt = typus.EndpointFailing, v.now
	}
	if !test && e.On() && e.ConsecutiveFailures >= offAttempts && v.now.Sub(e.FirstFailureAt) >= offAfter {
		v.switchOff(typus.EndpointDisabled, reasonOff)
		v.hold()
	}
}

// switchOff switches an endpoint off and has it told, unless the server itself had
// switched it off before: attempts that are under way find out one after the other.
func (v *ruling) switchOff(status typus.EndpointStatus, reason string) {
	e := &v.Endpoint
	switch e.Status {
	case typus.EndpointDeleted:
		return
	case typus.EndpointGone, typus.EndpointDisabled:
	default:
		v.Tell = typus.LetterWebhookOff
	}
	v.Hold = true
	e.Status, e.DisabledReason, e.StatusChangedAt = status, reason, v.now
}

// hold lets a delivery wait with its endpoint.
func (v *ruling) hold() {
	if v.Delivery.State == typus.DeliveryPending {
		v.Delivery.State = typus.DeliveryHeld
	}
}

// lastTry is what follows from a delivery that has used up its attempts: it has
// ended, which somebody hears. While its endpoint is off it waits like the others
// instead, and will have all its attempts again.
func (v *ruling) lastTry() {
	e := &v.Endpoint
	switch {
	case v.Delivery.State != typus.DeliveryExhausted || v.Delivery.Kind == typus.DeliveryTest || e.Status == typus.EndpointDeleted:
	case !e.On():
		v.Delivery.State, v.Delivery.FinishedAt = typus.DeliveryHeld, time.Time{}
	case v.now.Sub(e.GivenUpToldAt) >= givenUpEvery || e.GivenUpToldAt.After(v.now):
		e.GivenUpToldAt = v.now
		v.Tell = typus.LetterWebhookGivenUp
	}
}
