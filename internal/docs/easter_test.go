package docs

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/webhook"
)

// holidays follows one result to a receiver that answers nobody, without the random
// additions.
type holidays struct {
	typus.Endpoint
	typus.Delivery
	attempts []time.Time
	told     []typus.LetterKind
}

// until makes the attempts that are due before a time.
func (h *holidays) until(end time.Time) {
	for h.NextAttemptAt.Before(end) && h.Delivery.State == typus.DeliveryPending {
		now := h.NextAttemptAt
		wait := webhook.Backoff(min(h.Failures+1, typus.DeliveryAttempts-1), 0, func() float64 { return 0 })
		v := webhook.Judge(h.Endpoint, h.Delivery, webhook.Result{
			Outcome: webhook.Outcome{Attempt: typus.Attempt{URL: h.URL, Outcome: webhook.OutcomeFailed, ErrorCode: webhook.CodeRefused}}, Wait: wait,
		}, now)
		h.Endpoint, h.Delivery = v.Endpoint, v.Delivery
		h.attempts = append(h.attempts, now)
		if v.Tell != "" {
			h.told = append(h.told, v.Tell)
		}
	}
}

func resultAt(at time.Time) *holidays {
	return &holidays{
		Endpoint: typus.Endpoint{ID: 1, URL: "https://hooks.example.com/", Status: typus.EndpointActive},
		Delivery: typus.Delivery{Kind: "auto", State: typus.DeliveryPending, NextAttemptAt: at},
	}
}

// The story of the receiver that was off over Easter is what the verdicts make of it.
func TestTheStoryOfEasterIsTrue(t *testing.T) {
	thursday := time.Date(2026, 4, 2, 18, 0, 0, 0, time.UTC)
	tuesday := time.Date(2026, 4, 7, 9, 0, 0, 0, time.UTC)
	h := resultAt(thursday)
	h.until(thursday.Add(5 * time.Minute))
	if h.Status != typus.EndpointActive {
		t.Error("two failures make it failing")
	}
	h.until(thursday.Add(6 * time.Minute))
	if h.Status != typus.EndpointFailing || h.attempts[2].Format("15:04") != "18:05" {
		t.Errorf("%s after %v", h.Status, h.attempts)
	}
	if warned := h.FirstFailureAt.Add(webhook.WarnAfter); warned.Format("Monday 15:04") != "Friday 18:00" {
		t.Errorf("the letter comes on %v", warned)
	}
	h.until(tuesday)
	if h.Status != typus.EndpointFailing || h.Failures != 11 || len(h.told) != 0 {
		t.Errorf("on Tuesday: %s, %d failures, %v", h.Status, h.Failures, h.told)
	}

	saturday := resultAt(time.Date(2026, 4, 4, 12, 0, 0, 0, time.UTC))
	saturday.until(tuesday)
	test := typus.Delivery{Kind: typus.DeliveryTest, State: typus.DeliverySending}
	arrived := webhook.Judge(h.Endpoint, test, webhook.Result{Outcome: webhook.Outcome{Delivered: true, Attempt: typus.Attempt{URL: h.URL, HTTPStatus: 200}}}, tuesday)
	if arrived.Endpoint.Status != typus.EndpointActive || saturday.Failures != 9 || saturday.Failures >= arrived.Drain || h.Failures < arrived.Drain {
		t.Errorf("%s, drained below %d: Saturday's has %d, Thursday's %d", arrived.Endpoint.Status, arrived.Drain, saturday.Failures, h.Failures)
	}

	h.until(tuesday.Add(24 * time.Hour))
	if h.Status != typus.EndpointDisabled || h.Delivery.State != typus.DeliveryHeld || !slices.Equal(h.told, []typus.LetterKind{typus.LetterWebhookOff}) {
		t.Errorf("in the end: %s, %s, %v", h.Status, h.Delivery.State, h.told)
	}
	bilingual(t, "webhooks", func(t *testing.T, said text) {
		for i, row := range said.table(t, "easter") {
			want := h.on(thursday.AddDate(0, 0, i))
			if row[1] != want.times || i < 5 && row[2] != strconv.Itoa(want.failed) {
				t.Errorf("%v, want %+v", row, want)
			}
		}
	})
}

type easterDay struct {
	times  string
	failed int
}

// on are the attempts of a day; those of the first minute have their seconds.
func (h *holidays) on(day time.Time) easterDay {
	var list []string
	var d easterDay
	for _, at := range h.attempts {
		if at.YearDay() > day.YearDay() {
			break
		}
		d.failed++
		form := "15:04"
		if at.Sub(h.attempts[0]) < time.Minute {
			form = time.TimeOnly
		}
		if at.YearDay() == day.YearDay() {
			list = append(list, at.Format(form))
		}
	}
	d.times = strings.Join(list, ", ")
	return d
}
