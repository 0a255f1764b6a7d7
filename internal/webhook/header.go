package webhook

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Header is a header of the customer's own that each request to an endpoint carries, for
// a receiver behind a gateway. The zero Header is none. Its value is a secret.
type Header struct{ Name, Value string }

// Limits of a Header, in bytes (our choice).
const (
	MaxHeaderName  = 100
	MaxHeaderValue = 1000
)

// HeaderAAD ties a sealed header to its endpoint.
func HeaderAAD(endpointID int64) string { return fmt.Sprintf("webhook_header|%d", endpointID) }

// Line is the header as it is sealed, and Split reads it.
func (h Header) Line() string { return h.Name + ": " + h.Value }

// SplitHeader is the header of a Line.
func SplitHeader(line string) Header {
	name, value, _ := strings.Cut(line, ": ")
	return Header{name, value}
}

// Masked is the value as it may be shown: its last four characters, or none of a short
// one.
func (h Header) Masked() string {
	const dots, shown, long = "••••", 4, 16
	if len(h.Value) < long {
		return dots
	}
	return dots + h.Value[len(h.Value)-shown:]
}

// taken are the names, in lower case, that say how a request is sent (RFC 9110, 7.6.1
// and 9113, 8.2.2), or that are ours. With Idempotency-Key, Go's transport would repeat a
// POST by itself.
var taken = []string{
	"host", "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding",
	"upgrade", "http2-settings", "expect", "user-agent", "idempotency-key", "x-idempotency-key",
}

// headerName are the names that neither a gateway nor a shell, into which somebody copies
// them, reads as anything else. A token of RFC 9110, 5.6.2, may have more characters.
var headerName = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

// MayName reports whether a header of the customer's own may have a name: letters, digits
// and hyphens, and it neither says how the request is sent nor is ours. The prefix begins
// the names of the service's own headers, "" is X-Service.
func MayName(name, prefix string) bool {
	low := strings.ToLower(name)
	for _, ours := range []string{"content-", "webhook-", "x-service-", strings.ToLower(prefix) + "-"} {
		if strings.HasPrefix(low, ours) {
			return false
		}
	}
	return len(name) <= MaxHeaderName && headerName.MatchString(name) && !slices.Contains(taken, low)
}

// MayHold reports whether a header of the customer's own may have a value: 1 to
// MaxHeaderValue visible characters of ASCII, with spaces between them.
func MayHold(value string) bool {
	if value == "" || len(value) > MaxHeaderValue || strings.TrimSpace(value) != value {
		return false
	}
	return !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' })
}
