package api_test

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"typus"
	"typus/internal/api"
	"typus/internal/clocktest"
	"typus/internal/store/storetest"
)

// limited is a world with the real limiter.
func limited(t *testing.T) *world {
	t.Helper()
	c := clocktest.At(time.Date(2026, 11, 27, 10, 20, 30, 123e6, time.UTC))
	w := newWorldOn(t, storetest.OpenSQLite(t), api.NewMemoryLimiter(c.Now, 100))
	w.limiterClock = c
	return w
}

func TestAHundredRequestsPassInAMinuteAndNoMore(t *testing.T) {
	w := limited(t)
	for i := range 100 {
		r := w.doWith(w.plain, call{})
		if r.status != 200 || r.header.Get("RateLimit-Limit") != "100" || r.header.Get("RateLimit-Remaining") != strconv.Itoa(99-i) {
			t.Fatalf("request %d: %d, %v", i+1, r.status, r.header)
		}
		w.limiterClock.Later(100 * time.Millisecond)
	}
	for range 50 {
		r := w.do(call{})
		if p := parse[problem](t, r); r.status != 429 || p.Code != "rate_limited" || r.header.Get("RateLimit-Remaining") != "0" {
			t.Fatalf("the next: %d %s", r.status, r.body)
		}
		if after, reset := r.header.Get("Retry-After"), r.header.Get("RateLimit-Reset"); after != "50" || reset != "50" {
			t.Fatalf("Retry-After %s, RateLimit-Reset %s; the first request is 10 s old, so 50", after, reset)
		}
	}
	w.limiterClock.Later(50*time.Second - time.Nanosecond)
	if r := w.do(call{}); r.status != 429 || r.header.Get("Retry-After") != "1" {
		t.Errorf("a nanosecond early: %d, Retry-After %s", r.status, r.header.Get("Retry-After"))
	}
	w.limiterClock.Later(time.Nanosecond)
	if r := w.do(call{}); r.status != 200 || r.header.Get("RateLimit-Remaining") != "0" {
		t.Errorf("after Retry-After: %d, %s left", r.status, r.header.Get("RateLimit-Remaining"))
	}
	if r := w.do(call{}); r.status != 429 {
		t.Errorf("one more: %d", r.status)
	}
}

func TestRetryAfterIsRoundedUp(t *testing.T) {
	w := limited(t)
	for range 100 {
		w.doWith(w.plain, call{})
	}
	w.limiterClock.Later(10*time.Second + time.Millisecond)
	r := w.do(call{})
	if r.header.Get("Retry-After") != "50" {
		t.Errorf("49.999 s became %s", r.header.Get("Retry-After"))
	}
	w.limiterClock.Later(50 * time.Second)
	if r := w.do(call{}); r.status != 200 {
		t.Errorf("after Retry-After: %d", r.status)
	}
}

func TestEveryAnswerToAValidKeyTellsTheRate(t *testing.T) {
	w := limited(t)
	for _, c := range []call{
		{}, {path: "/api/v1/nothing"}, {method: "DELETE"}, {path: "/api/v1/candidates/x"}, {path: "/api/v1/candidates?limit=0", invalid: true},
		{path: "/api/v1/invites", body: "{", invalid: true}, {path: "/api/v1/invites", body: `{` + person + `}`},
	} {
		if r := w.do(c); r.header.Get("RateLimit-Limit") == "" || r.header.Get("RateLimit-Remaining") == "" || r.header.Get("RateLimit-Reset") == "" {
			t.Errorf("%s %s → %d: %v", c.method, c.path, r.status, r.header)
		}
	}
}

func TestTheRateIsCountedPerKey(t *testing.T) {
	w := limited(t)
	for range 101 {
		w.doWith(w.plain, call{})
	}
	_, second, err := w.Access.CreateKey(t.Context(), w.Account, "second", typus.Actor{Name: "operator"})
	if err != nil {
		t.Fatal(err)
	}
	if r := w.do(call{key: second}); r.status != 200 || r.header.Get("RateLimit-Remaining") != "99" {
		t.Errorf("a second key of the account: %d, %s left", r.status, r.header.Get("RateLimit-Remaining"))
	}
}

func TestParallelRequestsAreCountedExactly(t *testing.T) {
	w := limited(t)
	var passed, refused atomic.Int64
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for range 10 {
				switch w.doWith(w.plain, call{}).status {
				case 200:
					passed.Add(1)
				case 429:
					refused.Add(1)
				}
			}
		})
	}
	all.Wait()
	if passed.Load() != 100 || refused.Load() != 100 {
		t.Errorf("%d passed, %d refused; want 100 each", passed.Load(), refused.Load())
	}
}

func TestAClockSetBackDoesNotLockOut(t *testing.T) {
	w := limited(t)
	for range 101 {
		w.doWith(w.plain, call{})
	}
	for _, jump := range []time.Duration{-5 * time.Hour, -10 * 24 * time.Hour} {
		w.limiterClock.Later(jump)
		r := w.do(call{})
		if r.status != 429 || r.header.Get("Retry-After") != "60" {
			t.Errorf("at once: %d, Retry-After %s; the limit must hold, and for a minute at most", r.status, r.header.Get("Retry-After"))
		}
		w.limiterClock.Later(time.Minute)
		if r := w.do(call{}); r.status != 200 {
			t.Errorf("a minute later: %d", r.status)
		}
		for range 100 {
			w.doWith(w.plain, call{})
		}
	}
	w.limiterClock.Later(5 * time.Hour)
	if r := w.do(call{}); r.status != 200 || r.header.Get("RateLimit-Remaining") != "99" {
		t.Errorf("after a jump ahead: %d", r.status)
	}
}

// In any 60 seconds at most 100 requests are accepted, and none is refused
// that could have been: checked against all accepted times, for random gaps.
func TestTheLimitIsExactInEveryWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := clocktest.At(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		l := api.NewMemoryLimiter(c.Now, 100)
		var accepted []time.Time
		for range rapid.IntRange(1, 400).Draw(t, "requests") {
			c.Later(time.Duration(rapid.IntRange(0, 1500).Draw(t, "gap ms")) * time.Millisecond)
			now := c.Now()
			q, err := l.Take(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			recent := accepted[max(0, len(accepted)-100):]
			i := slices.IndexFunc(recent, func(at time.Time) bool { return now.Sub(at) < time.Minute })
			count := 0
			if i >= 0 {
				count = len(recent) - i
			}
			if q.Refused != (count >= 100) {
				t.Fatalf("%d requests in the last minute, refused: %v", count, q.Refused)
			}
			if !q.Refused {
				accepted = append(accepted, now)
				count++
			}
			if q.Remaining != 100-count {
				t.Fatalf("%d remain after %d", q.Remaining, count)
			}
			if q.Refused && q.Wait != recent[i].Add(time.Minute).Sub(now) {
				t.Fatalf("wait %s, want %s", q.Wait, recent[i].Add(time.Minute).Sub(now))
			}
		}
	})
}
