package webhook

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"typus"
)

// The outcomes of an attempt that the client gives.
const (
	OutcomeDelivered   = "delivered"
	OutcomeFailed      = "failed"
	OutcomeInterrupted = "interrupted"
	OutcomeLate        = "late" // given by Judge
)

// Outcome is what an attempt brought.
type Outcome struct {
	Attempt    typus.Attempt // all but DeliveryID and N
	Delivered  bool
	Gone       bool          // 410: the receiver wants no more
	RetryAfter time.Duration // hint of a 429 or 503, at most MaxHint; 0 for none
}

// read reads the answer and closes it.
func (o *Outcome) read(resp *http.Response, patience time.Duration) {
	a := &o.Attempt
	a.HTTPStatus = resp.StatusCode
	a.ResponseHead = head(resp)
	a.ResponseBody = body(resp, patience)
	a.ErrorCode = statusCode(resp.StatusCode)
	o.Gone = resp.StatusCode == http.StatusGone
	o.RetryAfter = retryAfter(resp.StatusCode, resp.Header.Get("Retry-After"), time.Now())
	if a.ErrorCode == "" {
		o.Delivered, a.Outcome = true, OutcomeDelivered
	}
}

// statusCode is the error code of a status, "" for success.
func statusCode(status int) string {
	switch {
	case status == http.StatusGone:
		return CodeGone
	case status == http.StatusTooManyRequests:
		return Code429
	case status < 200 || status > 599:
		return CodeOther
	}
	return [...]string{"", Code3xx, Code4xx, Code5xx}[status/100-2]
}

// body reads at most MaxBody bytes of the answer, for at most patience. After status
// 101 the body is the bare connection. A read on it would outlast every deadline, so it
// is not read at all.
func body(resp *http.Response, patience time.Duration) []byte {
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	timer := time.AfterFunc(patience, func() { resp.Body.Close() })
	defer timer.Stop()
	// An error ends the reading like the end of the body: the log keeps what came.
	read, _ := io.ReadAll(io.LimitReader(resp.Body, MaxBody))
	return read
}

// head is the answer's status line and headers as text for the log, at most
// maxLoggedHead bytes. What came is a stranger's bytes: no database takes
// invalid UTF-8 or NUL as text.
func head(resp *http.Response) string {
	var b strings.Builder
	b.WriteString(resp.Proto + " " + resp.Status + "\n")
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		for _, value := range resp.Header[name] {
			b.WriteString(name + ": " + value + "\n")
		}
	}
	text := b.String()
	text = text[:min(len(text), maxLoggedHead)]
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
}

const maxLoggedHead = 8 << 10
