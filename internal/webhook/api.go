// Package webhook builds the payload, signs it, and makes the one guarded POST.
package webhook

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"time"

	"typus"
)

// Payload is the frozen body of candidate.completed (seed 2.5, webhooks.md B6).
func Payload(c typus.Candidate, s typus.Scores, reportURL string, at time.Time) ([]byte, error) {
	panic("unwritten")
}

// NewSecret makes a secret as it is shown: "whsec_" and base64 of 32 random bytes.
func NewSecret() string { panic("unwritten") }

// NewEventID and NewDeliveryID make "evt_"/"dlv_" + ULID ids.
func NewEventID() string    { panic("unwritten") }
func NewDeliveryID() string { panic("unwritten") }

// SecretAAD ties a sealed secret to its row.
func SecretAAD(secretID, endpointID int64) string { panic("unwritten") }

// Sign is the seed's signature: "sha256=" + hex HMAC-SHA256, keyed with the secret's text (seed 5).
func Sign(secret string, body []byte) string { panic("unwritten") }

// SignStandard is one "v1,<base64>" of the Standard Webhooks scheme.
func SignStandard(secret, id string, timestamp int64, body []byte) (string, error) {
	panic("unwritten")
}

// Verify and VerifyStandard check what a receiver got (demo, tests, docs).
func Verify(secret, header string, body []byte) bool { panic("unwritten") }
func VerifyStandard(secret string, h http.Header, body []byte, now time.Time) error {
	panic("unwritten")
}

// Policy is what the operator allows beyond the strict default.
type Policy struct {
	AllowHTTP    bool
	AllowNets    []netip.Prefix
	AllowPorts   []uint16
	OwnListeners []string // host:port of our own sockets and base URL, never to be called
}

// Guard decides which addresses may be called.
type Guard struct{}

// NewGuard makes the guard of a policy.
func NewGuard(p Policy) *Guard { panic("unwritten") }

// CheckURL is the verdict at save time: the canonical URL, or kind Invalid with the reason in words.
func (g *Guard) CheckURL(raw string) (string, error) { panic("unwritten") }

// Request is one signed attempt to be made.
type Request struct {
	URL        string
	Event      typus.Event
	DeliveryID string
	Attempt    int
	Secrets    map[typus.SecretRole]string // plain; current is required
	At         time.Time
}

// Outcome is what the attempt brought.
type Outcome struct {
	Attempt    typus.Attempt // everything but DeliveryID, N
	Delivered  bool
	Gone       bool          // 410
	RetryAfter time.Duration // hint of a 429 or 503, 0 for none
}

// Client makes guarded POSTs over one shared transport.
type Client struct{}

// ClientOptions: HeaderPrefix "X-Service", UserAgent with the base URL, extra CA pool, operator proxy, dialer for simulations.
type ClientOptions struct {
	Guard        *Guard
	HeaderPrefix string
	BaseURL      string
	CAFile       string
	Proxy        string
	Dial         func(ctx context.Context, network, addr string) (net.Conn, error) // nil: the guarded dialer
}

// NewClient makes a client. Invalid when the CA file or the proxy cannot be used.
func NewClient(o ClientOptions) (*Client, error) { panic("unwritten") }

// Post makes the attempt and always returns an outcome.
func (c *Client) Post(ctx context.Context, r Request) Outcome { panic("unwritten") }

// Close drops idle connections.
func (c *Client) Close() { panic("unwritten") }

// Attempts is the number of steps of the ladder: 12.
const Attempts = 12

// Step is the wait before attempt n (0-based failures used), with jitter added, and at least the hint (B1).
func Step(failures int, hint time.Duration, random func() float64) time.Duration { panic("unwritten") }
