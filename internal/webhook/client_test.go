package webhook

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/porttest"
	"typus/internal/webhook/hostiletest"
)

// unhurried are limits that a busy machine keeps; client has them unless told otherwise.
func unhurried() limits {
	return limits{connect: patience, tls: patience, head: patience, body: patience, total: time.Minute}
}

// quick are limits that let a test of a receiver end soon of which nothing more comes.
func quick() limits {
	l := unhurried()
	l.head, l.body = time.Second, 200*time.Millisecond
	return l
}

func client(t *testing.T, o ClientOptions) *Client {
	t.Helper()
	if o.Guard == nil {
		o.Guard = NewGuard(loopback())
	}
	if o.limits == (limits{}) {
		o.limits = unhurried()
	}
	o.BaseURL = "https://typus.example.com"
	c, err := NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func request(url string) Request {
	return Request{
		URL:        url,
		Event:      typus.Event{ID: vectorID, Type: typus.EventCandidateCompleted, Payload: []byte(vectorBody)},
		DeliveryID: "dlv_01JGJ6Q3YJ8X2V6W5T4S3R2Q1P",
		Attempt:    3,
		Secrets:    map[typus.SecretRole]string{typus.SecretCurrent: vectorSecret},
		At:         time.Unix(vectorTime, 0),
	}
}

// capture listens for one request and gives its raw bytes.
func capture(t *testing.T) (string, <-chan string) {
	t.Helper()
	got := make(chan string, 1)
	r := hostiletest.Start(t, func(conn net.Conn) {
		var raw strings.Builder
		for !strings.HasSuffix(raw.String(), vectorBody) {
			if _, err := io.CopyN(&raw, conn, 1); err != nil {
				break
			}
		}
		got <- raw.String()
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	})
	return r.URL, got
}

func TestADeliveryCarriesExactlyThePromisedHeaders(t *testing.T) {
	url, got := capture(t)
	out := client(t, ClientOptions{}).Post(t.Context(), request(url))
	if !out.Delivered {
		t.Fatalf("outcome %+v", out)
	}
	head, body, _ := strings.Cut(<-got, "\r\n\r\n")
	want := strings.Join([]string{
		"POST /hook HTTP/1.1",
		"Content-Length: 468",
		"Content-Type: application/json",
		"Host: " + strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/hook"),
		"User-Agent: Typus-Webhooks/1 (+https://typus.example.com/docs/webhooks)",
		"X-Service-Attempt: 3",
		"X-Service-Delivery: dlv_01JGJ6Q3YJ8X2V6W5T4S3R2Q1P",
		"X-Service-Event: candidate.completed",
		"X-Service-Signature: " + vectorSeed,
		"webhook-id: " + vectorID,
		"webhook-signature: " + vectorStandard,
		"webhook-timestamp: 1767323045",
	}, "\n")
	if sorted := sortedHead(head); sorted != want {
		t.Errorf("the head of the request is\n%s\nwant\n%s", sorted, want)
	}
	if body != vectorBody {
		t.Errorf("the body is %s", body)
	}
}

func sortedHead(head string) string {
	lines := strings.Split(head, "\r\n")
	slices.Sort(lines[1:])
	return strings.Join(lines, "\n")
}

func TestTheHeaderPrefixIsASetting(t *testing.T) {
	url, got := capture(t)
	client(t, ClientOptions{HeaderPrefix: "X-Acme-Test"}).Post(t.Context(), request(url))
	if raw := <-got; !strings.Contains(raw, "\r\nX-Acme-Test-Signature: sha256=") || strings.Contains(raw, "X-Service") {
		t.Errorf("the request is\n%s", raw)
	}
	for _, prefix := range []string{"X Acme", "X:", "Ä", "webhook", "Webhook"} {
		if _, err := NewClient(ClientOptions{Guard: NewGuard(Policy{}), HeaderPrefix: prefix}); err == nil || typus.KindOf(err) != typus.Invalid {
			t.Errorf("prefix %q: error = %v, want Invalid", prefix, err)
		}
	}
}

func TestDuringARotationBothSecretsSign(t *testing.T) {
	body := []byte(vectorBody)
	for role, name := range map[typus.SecretRole]string{typus.SecretNext: "the next", typus.SecretPrevious: "the previous"} {
		other := NewSecret()
		var header http.Header
		srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { header = r.Header }))
		r := request(srv.URL)
		r.Secrets[role] = other
		out := client(t, ClientOptions{}).Post(t.Context(), r)
		srv.Close()
		if !out.Delivered || !Verify(vectorSecret, header.Get("X-Service-Signature"), body) || !Verify(other, header.Get("X-Service-Signature-Alt"), body) {
			t.Errorf("with %s secret the API description's signatures are wrong: %v", name, header)
		}
		for _, secret := range []string{vectorSecret, other} {
			if err := VerifyStandard(secret, header, body, r.At); err != nil {
				t.Errorf("with %s secret: %v", name, err)
			}
		}
		if !strings.HasPrefix(header.Get("webhook-signature"), vectorStandard+" ") {
			t.Errorf("the current secret's signature is not the first: %s", header.Get("webhook-signature"))
		}
	}
}

func TestTheLogMasksSignaturesAndKeepsTheRest(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Trace", "bytes \xff and all")
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, "thank you")
	}))
	defer srv.Close()
	r := request(srv.URL)
	r.Secrets[typus.SecretNext] = NewSecret()
	a := client(t, ClientOptions{}).Post(t.Context(), r).Attempt
	for _, secret := range []string{vectorSeed[len("sha256=")+8:], vectorStandard[len("v1,")+8:], vectorSecret} {
		if strings.Contains(a.RequestHeaders, secret) {
			t.Errorf("the log shows a whole signature or secret:\n%s", a.RequestHeaders)
		}
	}
	for _, line := range []string{
		"Content-Type: application/json\n", "X-Service-Signature: sha256=ebe12770…\n", "X-Service-Signature-Alt: sha256=",
		"webhook-signature: v1,ZL0eeeS4… v1,", "webhook-id: " + vectorID + "\n",
	} {
		if !strings.Contains(a.RequestHeaders, line) {
			t.Errorf("%q is missing in the log:\n%s", line, a.RequestHeaders)
		}
	}
	if a.HTTPStatus != 202 || string(a.ResponseBody) != "thank you" || a.RemoteIP != "127.0.0.1" || a.Outcome != OutcomeDelivered ||
		a.ErrorCode != "" || a.URL != srv.URL || !a.StartedAt.Equal(r.At) || a.Duration <= 0 {
		t.Errorf("the attempt is %+v", a)
	}
	if !strings.HasPrefix(a.ResponseHead, "HTTP/1.1 202 Accepted\n") || !strings.Contains(a.ResponseHead, "X-Trace: bytes \ufffd and all\n") {
		t.Errorf("the head of the answer is logged as\n%s", a.ResponseHead)
	}
}

func TestABlockedAddressTellsNeitherAddressNorTime(t *testing.T) {
	for _, url := range []string{"https://127.0.0.1:9999/", "https://10.0.0.1/", "https://localhost/"} {
		out := client(t, ClientOptions{Guard: NewGuard(Policy{})}).Post(t.Context(), request(url))
		a := out.Attempt
		if a.ErrorCode != CodeBlocked || out.Delivered || a.RemoteIP != "" || a.Duration != 0 || a.ResponseHead != "" || a.Outcome != OutcomeFailed {
			t.Errorf("%s: %+v", url, a)
		}
	}
}

func TestASecretThatCannotSignIsSaidNotSent(t *testing.T) {
	r := hostiletest.Start(t, hostiletest.Answers(200))
	req := request(r.URL)
	req.Secrets = nil
	if out := client(t, ClientOptions{}).Post(t.Context(), req); out.Attempt.ErrorCode != CodeNeedsSecret || r.Connections() != 0 {
		t.Errorf("outcome %+v after %d connections", out, r.Connections())
	}
}

func TestAnAttemptEndedFromOurSideIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := hostiletest.Start(t, func(conn net.Conn) {
		cancel()
		hostiletest.NeverAnswers(conn)
	})
	a := client(t, ClientOptions{}).Post(ctx, request(r.URL)).Attempt
	if a.Outcome != OutcomeInterrupted || a.ErrorCode != CodeInterrupted {
		t.Errorf("attempt %+v", a)
	}
}

// The transport repeats a POST by itself on a broken kept-alive connection if it
// takes it for repeatable; ours must be counted by the ladder.
func TestABrokenConnectionIsNotRetriedUnseen(t *testing.T) {
	r := hostiletest.Start(t, hostiletest.BreaksSecondRequest)
	c := client(t, ClientOptions{})
	if first := c.Post(t.Context(), request(r.URL)); !first.Delivered {
		t.Fatalf("first: %+v", first)
	}
	second := c.Post(t.Context(), request(r.URL))
	if second.Attempt.ErrorCode != CodeClosed || r.Connections() != 1 {
		t.Errorf("second: %+v over %d connections", second, r.Connections())
	}
}

func TestConnectionsAreKeptAndReused(t *testing.T) {
	r := hostiletest.Start(t, hostiletest.Answers(200))
	c := client(t, ClientOptions{})
	for range 5 {
		if out := c.Post(t.Context(), request(r.URL)); !out.Delivered {
			t.Fatalf("%+v", out)
		}
	}
	if r.Connections() != 1 {
		t.Errorf("5 deliveries used %d connections, want 1", r.Connections())
	}
}

func TestNoProxyIsTakenFromTheEnvironment(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://proxy.example.com:3128")
	t.Setenv("HTTP_PROXY", "http://proxy.example.com:3128")
	if c := client(t, ClientOptions{}); c.transport.Proxy != nil {
		t.Error("the transport has a proxy that nobody set")
	}
}

func TestTheOperatorsProxyIsUsedForAllowedAddressesOnly(t *testing.T) {
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked = append(asked, r.URL.String()) }))
	defer proxy.Close()
	c := client(t, ClientOptions{Guard: NewGuard(selfHoster()), Proxy: proxy.URL})
	if out := c.Post(t.Context(), request("http://10.20.3.4:8080/h")); !out.Delivered {
		t.Errorf("through the proxy: %+v", out)
	}
	if out := c.Post(t.Context(), request("http://10.21.0.1/h")); out.Attempt.ErrorCode != CodeBlocked {
		t.Errorf("a blocked address through the proxy: %+v", out)
	}
	if len(asked) != 1 || asked[0] != "http://10.20.3.4:8080/h" {
		t.Errorf("the proxy was asked for %q", asked)
	}
}

// What goes wrong at the operator's proxy is not the receiver's fault; what goes
// wrong behind it is.
func TestTheOperatorsProxyIsToldFromTheReceiver(t *testing.T) {
	tomorrow := time.Now().Add(12 * time.Hour)
	cert, file := hostiletest.Certificate(t, "127.0.0.1", tomorrow)
	srv := tlsReceiver(t, &tls.Config{Certificates: []tls.Certificate{cert}}, thanks)
	refuses := hostiletest.Start(t, hostiletest.Answers(403))
	hangsUp := hostiletest.Start(t, func(net.Conn) {})
	silent := hostiletest.Start(t, hostiletest.NeverAnswers)
	for what, c := range map[string]struct{ proxy, caFile, code string }{
		"is not there":             {"http://" + porttest.Free(t), file, CodeProxy},
		"refuses":                  {refuses.URL, file, CodeProxy},
		"hangs up":                 {hangsUp.URL, file, CodeProxy},
		"never answers":            {silent.URL, file, CodeProxy},
		"speaks no TLS":            {"https" + strings.TrimPrefix(refuses.URL, "http"), file, CodeProxy},
		"speaks no SOCKS":          {"socks5" + strings.TrimPrefix(refuses.URL, "http"), file, CodeProxy},
		"never answers in SOCKS":   {"socks5" + strings.TrimPrefix(silent.URL, "http"), file, CodeProxy},
		"connects":                 {tunnel(t), file, ""},
		"connects to a stranger":   {tunnel(t), "", CodeTLSAuthority},
		"has an unresolvable name": {"http://proxy.invalid:3128", file, CodeProxy},
	} {
		t.Run(what, func(t *testing.T) {
			bounds := unhurried()
			if strings.HasPrefix(what, "never answers") || what == "speaks no SOCKS" { // and says nothing more
				bounds.total = 2 * time.Second
			}
			out := client(t, ClientOptions{Proxy: c.proxy, CAFile: c.caFile, limits: bounds}).Post(t.Context(), request(srv.URL))
			if out.Attempt.ErrorCode != c.code || out.Delivered != (c.code == "") {
				t.Errorf("%+v, want code %q", out.Attempt, c.code)
			}
		})
	}
	if refuses.Connections() > 3 || hangsUp.Connections() != 1 {
		t.Errorf("%d and %d connections to proxies that refuse", refuses.Connections(), hangsUp.Connections())
	}
}

// tunnel is a proxy that connects as it is asked.
func tunnel(t *testing.T) string {
	return hostiletest.Start(t, func(conn net.Conn) {
		in := bufio.NewReader(conn)
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", req.Host)
		if err != nil {
			return
		}
		defer to.Close()
		io.WriteString(conn, "HTTP/1.1 200 Connected\r\n\r\n")
		go func() { io.Copy(to, in); to.Close() }()
		io.Copy(conn, to)
	}).URL
}

func TestAnUnusableProxyOrCAFileIsRefusedAtTheStart(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, o := range map[string]ClientOptions{
		"a proxy without scheme":     {Proxy: "proxy.example.com:3128"},
		"a proxy of another scheme":  {Proxy: "ftp://me:hunter2hunter2@proxy.example.com"},
		"a missing CA file":          {CAFile: filepath.Join(t.TempDir(), "missing.pem")},
		"a CA file without any cert": {CAFile: empty},
	} {
		o.Guard = NewGuard(Policy{})
		_, err := NewClient(o)
		if err == nil || typus.KindOf(err) != typus.Invalid || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: error = %v, want Invalid without the password", what, err)
		}
	}
}
