package dashboard

import (
	"time"

	"typus"
	"typus/internal/webhook"
)

// rung is one step of the ladder of attempts: one that was made, or one to come.
type rung struct {
	N      int
	Kind   string    // done, missed, cut, now, next, later
	Status int       // of the answer, 0 without one
	What   string    // text key
	At     time.Time // when it began, or begins at the earliest; zero while nobody knows
}

// rungs are all attempts that were made at a delivery and those that the ladder still has
// for it. An interrupted one does not count, so that there may be more than the ladder has.
// Nobody knows when those of a suspended account (idle) begin.
func rungs(d typus.Delivery, attempts []typus.Attempt, idle bool) []rung {
	var list []rung
	for _, a := range attempts {
		list = append(list, madeRung(a))
	}
	if d.Finished() || d.Kind == typus.DeliveryTest && len(attempts) > 0 {
		return list
	}
	first, kind := d.Failures, "next"
	if d.State == typus.DeliverySending {
		first, kind = first+1, "later"
	}
	at := d.NextAttemptAt
	for failures := first; failures < typus.DeliveryAttempts; failures++ {
		if failures > first || d.State == typus.DeliverySending {
			at, kind = at.Add(webhook.Wait(failures)), "later"
		}
		r := rung{N: len(list) + 1, Kind: kind, What: comingNames[kind]}
		if d.State == typus.DeliveryPending && !idle {
			r.At = at
		}
		list = append(list, r)
	}
	return list
}

// comingNames are the kinds of attempts that are still to come, by text key.
var comingNames = map[string]string{"next": "deliveries.rung.next", "later": "deliveries.rung.later"}

// madeRung is an attempt that was made.
func madeRung(a typus.Attempt) rung {
	r := rung{N: a.N, Kind: "missed", Status: a.HTTPStatus, At: a.StartedAt}
	r.What, _ = attemptOutcome(a)
	switch a.Outcome {
	case webhook.OutcomeDelivered:
		r.Kind = "done"
	case "started":
		r.Kind = "now"
	case webhook.OutcomeInterrupted, webhook.OutcomeLate:
		r.Kind = "cut"
	}
	return r
}
