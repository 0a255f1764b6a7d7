package webhook

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"typus"
)

func without() float64 { return 0 }
func most() float64    { return 0.9999999999 }

func TestTheLadderReachesOverALongWeekend(t *testing.T) {
	var least, longest time.Duration
	for failures := range typus.DeliveryAttempts {
		least += Backoff(failures, 0, without)
		longest += Backoff(failures, 0, most)
	}
	if want := 123*time.Hour + 35*time.Minute + 5*time.Second; least != want {
		t.Errorf("the ladder without jitter takes %s, want %s", least, want)
	}
	if want := 125*time.Hour + 36*time.Minute; longest > want || longest < want-time.Minute {
		t.Errorf("the ladder with the most jitter takes %s, want almost %s", longest, want)
	}
}

func TestTheFirstAttemptIsMadeAtOnce(t *testing.T) {
	if got := Backoff(0, 0, most); got != 0 {
		t.Errorf("the first attempt waits %s", got)
	}
}

func TestJitterIsOnlyEverAddedAndBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		failures := rapid.IntRange(1, typus.DeliveryAttempts-1).Draw(t, "failures")
		hint := time.Duration(rapid.Int64Range(-1, int64(72*time.Hour)).Draw(t, "hint"))
		random := rapid.Float64Range(0, 0.9999999).Draw(t, "random")
		wait := Backoff(failures, hint, func() float64 { return random })
		least := max(waits[failures], min(hint, MaxHint))
		window := min(max(waits[failures]/10, 2*time.Second), 15*time.Minute)
		if wait < least || wait >= least+window {
			t.Fatalf("Backoff(%d, %s) = %s, want within %s and %s more", failures, hint, wait, least, window)
		}
		// Beyond this a due row is taken as the trace of a clock set back.
		if wait > 24*time.Hour+30*time.Minute {
			t.Fatalf("Backoff(%d, %s) = %s, more than 24.5 h", failures, hint, wait)
		}
	})
}

func TestJitterSpreadsEvenly(t *testing.T) {
	half := Backoff(4, 0, func() float64 { return 0.5 })
	if want := 2*time.Hour + 6*time.Minute; half != want {
		t.Errorf("half the jitter of two hours gives %s, want %s", half, want)
	}
}

func TestRetryAfterIsReadAsTheRFCSays(t *testing.T) {
	now := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		status int
		value  string
		want   time.Duration
	}{
		{429, "120", 2 * time.Minute},
		{503, "0", 0},
		{503, "Fri, 27 Nov 2026 10:05:00 GMT", 5 * time.Minute},
		{503, "Friday, 27-Nov-26 10:05:00 GMT", 5 * time.Minute},
		{429, "Fri, 27 Nov 2026 09:00:00 GMT", 0},
		{429, "Sun, 27 Nov 2033 10:00:00 GMT", MaxHint},
		{429, "86401", MaxHint},
		{429, "9223372036854775807", MaxHint},
		{429, "", 0}, {429, "-5", 0}, {429, "+5", 0}, {429, "1.5", 0}, {429, "soon", 0}, {429, "99999999999999999999999", MaxHint},
		{500, "120", 0}, {200, "120", 0}, {404, "120", 0},
	} {
		if got := retryAfter(c.status, c.value, now); got != c.want {
			t.Errorf("%d with Retry-After %q gives %s, want %s", c.status, c.value, got, c.want)
		}
	}
}
