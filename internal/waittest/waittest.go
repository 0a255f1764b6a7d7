// Package waittest lets tests wait for what must come: it asks until it is so (polling).
package waittest

import (
	"testing"
	"time"
)

// Until asks until something is so, and ends the test if it is not after a minute. That
// time only ends a test that has failed: a busy machine may take most of it.
func Until(t testing.TB, what string, is func() bool) {
	t.Helper()
	Within(t, time.Minute, what, is)
}

// Within is Until with another time.
func Within(t testing.TB, within time.Duration, what string, is func() bool) {
	t.Helper()
	if !So(within, is) {
		t.Fatalf("not within %s: %s", within, what)
	}
}

// So asks until something is so, and reports whether it came to that in time. It asks
// soon at first and then less and less often, up to fifty times a second.
func So(within time.Duration, is func() bool) bool {
	deadline := time.Now().Add(within)
	for pause := time.Millisecond; !is(); pause = min(2*pause, 20*time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pause)
	}
	return true
}
