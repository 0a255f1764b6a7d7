package webhook

import (
	"errors"
	"net/http"
	"strconv"
	"time"
)

// retryAfter reads the hint of a 429 or 503 (RFC 9110, 10.2.3: whole seconds
// or an HTTP-date), at most MaxHint. Anything else, and what cannot be read, is
// no hint: 0.
func retryAfter(status int, value string, now time.Time) time.Duration {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return 0
	}
	// A number too large to read is the largest one.
	if seconds, err := strconv.ParseUint(value, 10, 63); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(MaxHint/time.Second))) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), MaxHint)
}
