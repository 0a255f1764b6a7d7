package webhook

import (
	"time"

	"typus"
)

const (
	// failingAfter is how many failures in a row make an endpoint failing.
	failingAfter = 3
	// An endpoint that only fails is switched off automatically once three things are
	// true: nothing has arrived for offAfter, at least offAttempts attempts have
	// failed, and the first and the last of these failures lie offAfter apart.
	offAfter    = 120 * time.Hour
	offAttempts = 12
	// interruptionsPerFailure is how many interruptions in a row count as one failure.
	// It bounds a delivery whose attempts take the server down.
	interruptionsPerFailure = 3
	// afterInterruption is the wait before an interrupted attempt is made again.
	afterInterruption = 5 * time.Second
	// givenUpEvery is the shortest time between two letters which say that a delivery
	// to an endpoint was given up. An endpoint that refuses some results and takes
	// others would otherwise cause a letter for each of them.
	givenUpEvery = 7 * 24 * time.Hour
	// spared is how many last attempts of a delivery keep their times when its endpoint
	// recovers. Otherwise an endpoint that comes and goes would use up all attempts in
	// minutes.
	spared = 2
)

// WarnAfter is how long an endpoint must have been failing before owners and admins are
// told.
const WarnAfter = 24 * time.Hour

// Why an endpoint is off, in the words of its page and of the audit log.
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

// Judge decides whether there is a retry, and says what else follows from the end of an
// attempt for its delivery and its endpoint, given as both are at that moment. It
// holds all policy of deliveries: the end of the ladder, failing after 3 failures in a
// row, off after 120 hours of nothing but failures, gone after a 410, recovery, and which
// letters are due. It is pure.
//
//   - A success ends the delivery and every spell of failures. A failing endpoint is
//     active again, and what waits for it is due; also after a test that arrived, for
//     whoever made it has mended something.
//   - A failure takes the ladder's next rung, or ends the delivery after 12. What would
//     wait for an endpoint that is off is held, and cancelled if it was deleted. A test
//     ends with its one attempt and has no consequences.
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

// GiveBack is the verdict on an attempt that a clean stop cuts off. The delivery is due
// at once and nothing is counted. A test event has only one attempt, so it ends.
func GiveBack(e typus.Endpoint, d typus.Delivery, now time.Time) typus.Verdict {
	v := ruling{Verdict: typus.Verdict{Endpoint: e, Delivery: d, Outcome: OutcomeInterrupted}, now: now}
	if d.Kind == typus.DeliveryTest {
		v.Delivery.LastError, v.Delivery.Outcome = CodeInterrupted, OutcomeOf(CodeInterrupted, 0)
		v.end(typus.DeliveryExhausted)
	} else {
		v.wait(0)
	}
	return v.Verdict
}

// ruling is a verdict while it is being made.
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

// cost puts the endpoint into the lane that fits how long the attempt took. While the
// lane stays the same nothing is written, so that a success needs no lock.
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
	d.LastStatus, d.LastError, d.Outcome = 0, CodeInterrupted, OutcomeOf(CodeInterrupted, 0)
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

// rest holds all attempts at the endpoint back for as long as its receiver asks. A
// later wish for a shorter wait does not end a longer one.
func (v *ruling) rest(hint time.Duration) {
	if hint > typus.Ahead(v.Endpoint.ProbeAfter, v.now, MaxHint) {
		v.Endpoint.ProbeAfter = v.now.Add(hint)
	}
}

// former reports whether the attempt went to an earlier address of the endpoint. Its
// outcome says nothing about the present address.
func (v *ruling) former(r Result) bool { return r.Attempt.URL != v.Endpoint.URL }

// answered notes what the receiver said.
func (v *ruling) answered(r Result) {
	d := &v.Delivery
	d.LastStatus, d.LastError, d.Interruptions = r.Attempt.HTTPStatus, r.Attempt.ErrorCode, 0
	d.Outcome = OutcomeOf(d.LastError, d.LastStatus)
}

// next plans the next attempt after a wait, or ends the delivery if this was the last
// one.
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

// count adds a failure to those of the endpoint. A test event does not count, because
// whoever asked for it sees the outcome, and it may be the only attempt in days. Only the
// first one after the endpoint was switched on again does: it is the probe.
func (v *ruling) count() {
	e, test := &v.Endpoint, v.Delivery.Kind == typus.DeliveryTest
	e.LastFailureAt = v.now
	if test && !e.Probing() {
		return
	}
	e.ConsecutiveFailures++
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

// switchOff switches an endpoint off and asks for a letter about it. There is no second
// letter if the server had already switched it off: attempts that were under way end
// one after the other.
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

// hold makes a delivery wait until its endpoint is switched on.
func (v *ruling) hold() {
	if v.Delivery.State == typus.DeliveryPending {
		v.Delivery.State = typus.DeliveryHeld
	}
}

// lastTry says what follows when a delivery has used up its attempts. It ends, and a
// letter says so. If its endpoint is off, it waits like the others instead and will get
// all its attempts again.
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
