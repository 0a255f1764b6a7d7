package webhook

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"typus"
)

// limits bound one attempt, whatever the receiver does.
type limits struct {
	connect time.Duration // name and TCP connection
	tls     time.Duration // TLS handshake
	head    time.Duration // from the request sent to the end of the answer's head
	body    time.Duration // reading the answer's body
	total   time.Duration // all of it
}

// Standard Webhooks 1.0.0 asks for 15 to 30 seconds.
func defaultLimits() limits {
	return limits{connect: 5 * time.Second, tls: 5 * time.Second, head: 15 * time.Second, body: time.Second, total: 20 * time.Second}
}

// maxHead is how many bytes the head of an answer may have; a longer one ends the attempt.
const maxHead = 64 << 10

// MaxBody is how many bytes of an answer's body are read and kept.
const MaxBody = 4 << 10

// ClientOptions configures a Client. Only Guard and BaseURL are required.
type ClientOptions struct {
	Guard *Guard
	// HeaderPrefix is the service's own name in header names (API description 6); "" is
	// X-Service.
	HeaderPrefix string
	// BaseURL is named in the User-Agent, so that a receiver can look us up.
	BaseURL string
	// CAFile holds certificate authorities (PEM) that receivers may use beside
	// the system's. There is no way to skip verification.
	CAFile string
	// Proxy is the operator's proxy (http, https or socks5) for all
	// deliveries; one from the environment is never used. The guard then judges
	// what a name resolves to here; the proxy makes the connection.
	Proxy string
	// Dial replaces the guarded dialer, for simulations. Addresses are then judged only
	// as they are written.
	Dial dialFunc
	// MaxRead is how many bytes a connection may bring after the last attempt on it has
	// begun; 0 is 4 MB. Simulations of floods end sooner with less.
	MaxRead int64

	limits limits
}

// Client makes guarded POSTs over one shared transport. It may be used
// concurrently.
type Client struct {
	guard     *Guard
	dialer    *dialer
	transport *http.Transport
	limits    limits
	prefix    string
	agent     string

	proxyHandshakes int32 // of TLS with the proxy, before that with a receiver
}

// NewClient makes a client. Invalid when the CA file, the proxy or the header
// prefix cannot be used.
func NewClient(o ClientOptions) (*Client, error) {
	if o.HeaderPrefix == "" {
		o.HeaderPrefix = "X-Service"
	}
	if o.limits == (limits{}) {
		o.limits = defaultLimits()
	}
	if o.MaxRead == 0 {
		o.MaxRead = maxRead
	}
	// The prefix "webhook" would collide with the headers of the standard.
	if !httpguts.ValidHeaderFieldName(o.HeaderPrefix) || strings.EqualFold(o.HeaderPrefix, "webhook") {
		return nil, typus.Errorf(typus.Invalid, "the webhook header prefix %q cannot begin the name of a header", o.HeaderPrefix)
	}
	c := &Client{
		guard: o.Guard, dialer: newDialer(o.Guard, o.limits.connect), limits: o.limits,
		prefix: o.HeaderPrefix, agent: "Typus-Webhooks/1 (+" + typus.Links{BaseURL: o.BaseURL}.WebhookHelp() + ")",
	}
	if strings.HasPrefix(o.Proxy, "https:") {
		c.proxyHandshakes = 1
	}
	var err error
	c.transport, err = newTransport(o, c.dialer)
	return c, err
}

func newTransport(o ClientOptions, d *dialer) (*http.Transport, error) {
	roots, err := certPool(o.CAFile)
	if err != nil {
		return nil, err
	}
	t := &http.Transport{
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		TLSHandshakeTimeout:    o.limits.tls,
		ResponseHeaderTimeout:  o.limits.head,
		MaxResponseHeaderBytes: maxHead,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        30 * time.Second, // short, so that a tightened policy takes effect
		HTTP2:                  newHTTP2Config(),
	}
	dial := d.DialContext
	if o.Dial != nil {
		dial = o.Dial
	}
	if o.Proxy != "" {
		proxy, err := url.Parse(o.Proxy)
		if err != nil || proxy.Host == "" || !isProxyScheme(proxy.Scheme) {
			return nil, typus.Errorf(typus.Invalid, "the webhook proxy is not an address such as http://proxy.example.com:3128")
		}
		t.Proxy = http.ProxyURL(proxy)
		dial = (&net.Dialer{Timeout: o.limits.connect}).DialContext
	}
	t.DialContext = bounded(dial, o.MaxRead)
	return t, nil
}

// newHTTP2Config turns pings on, because every later delivery to a receiver would fail
// on a connection that died silently. It offers little room for bodies, because little
// of them is read.
func newHTTP2Config() *http.HTTP2Config {
	return &http.HTTP2Config{
		SendPingTimeout: 10 * time.Second, PingTimeout: 5 * time.Second, WriteByteTimeout: 5 * time.Second,
		MaxReceiveBufferPerStream: 16 << 10, MaxReceiveBufferPerConnection: 1 << 20,
	}
}

func isProxyScheme(s string) bool { return s == "http" || s == "https" || s == "socks5" }

// certPool returns the system's pool with the certificates of file added. Without a
// file it returns nil, which means the system's pool.
func certPool(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, typus.Errorf(typus.Invalid, "the CA file %s cannot be read", file).WithCause(err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, typus.Errorf(typus.Invalid, "the CA file %s contains no certificate in PEM form", file)
	}
	return pool, nil
}

// HeaderPrefix is what the names of the service's own headers begin with.
func (c *Client) HeaderPrefix() string { return c.prefix }

// Close drops idle connections. The client can still be used afterwards.
func (c *Client) Close() { c.transport.CloseIdleConnections() }
