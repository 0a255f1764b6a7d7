package web_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"typus/internal/web"
)

// rawServer runs NewServer on loopback; its handler answers with what it was
// sent, so that a smuggled request would show as an answer of its own.
func rawServer(t *testing.T) string {
	t.Helper()
	addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, "%s %s %q %q", r.Method, r.URL.Path, body, r.Header.Get("X-Probe"))
	}), nil)
	return addr
}

// dial connects for 20 seconds at most, and until the test ends.
func dial(t *testing.T, addr string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c.(*net.TCPConn)
}

// converse sends raw bytes on one connection, closes the sending half, and
// returns everything that comes back.
func converse(t *testing.T, addr, raw string) string {
	t.Helper()
	c := dial(t, addr)
	if _, err := io.WriteString(c, raw); err != nil {
		t.Fatal(err)
	}
	c.CloseWrite()
	back, _ := io.ReadAll(bufio.NewReader(c))
	return string(back)
}

func TestAmbiguousRequestsSmuggleNothing(t *testing.T) {
	addr := rawServer(t)
	const smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	for name, c := range map[string]struct{ raw, want string }{
		"two lengths that differ": {
			"POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 36\r\n\r\n" + smuggled, "HTTP/1.1 400"},
		"a list of lengths": {
			"POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 0, 36\r\n\r\n" + smuggled, "HTTP/1.1 400"},
		"a length with a sign": {
			"POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: +0\r\n\r\n" + smuggled, "HTTP/1.1 400"},
		"chunked and a length": {
			"POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 41\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, "HTTP/1.1 200"},
		"an unknown coding": {
			"POST /first HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + smuggled, "HTTP/1.1 501"},
		"chunk lines that end in a bare LF": {
			"POST /first HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\n\n" + smuggled, "HTTP/1.1 400"},
		"a space before the colon": {
			"POST /first HTTP/1.1\r\nHost: x\r\nContent-Length : 36\r\n\r\n" + smuggled, "HTTP/1.1 400"},
		"two hosts": {
			"GET /first HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "HTTP/1.1 400"},
	} {
		t.Run(name, func(t *testing.T) {
			back := converse(t, addr, c.raw)
			if !strings.HasPrefix(back, c.want) || strings.Contains(back, "smuggled") {
				t.Errorf("got %q, want %s and nothing of the second request", back, c.want)
			}
		})
	}
}

func TestLenientLinesAreOneRequestEach(t *testing.T) {
	addr := rawServer(t)
	for name, raw := range map[string]string{
		"bare LF":  "GET /first HTTP/1.1\nHost: x\nX-Probe: a\nConnection: close\n\n",
		"obs-fold": "GET /first HTTP/1.1\r\nHost: x\r\nX-Probe: a\r\n Connection: keep-alive\r\nConnection: close\r\n\r\n",
	} {
		back := converse(t, addr, raw)
		if strings.Count(back, "HTTP/1.1 ") != 1 {
			t.Errorf("%s: want exactly one answer, got %q", name, back)
		}
	}
}

func TestAHeaderAboveTheLimitIsRefused(t *testing.T) {
	addr := rawServer(t)
	back := converse(t, addr, "GET / HTTP/1.1\r\nHost: x\r\nX-Probe: "+strings.Repeat("a", 40<<10)+"\r\n\r\n")
	if !strings.HasPrefix(back, "HTTP/1.1 431") {
		t.Errorf("got %.80q", back)
	}
}

func TestTheServerHasALimitForEveryWait(t *testing.T) {
	s := web.NewServer(t.Context(), slog.New(slog.DiscardHandler), http.NotFoundHandler(), http.NotFoundHandler())
	if s.ReadHeaderTimeout != 5*time.Second || s.ReadTimeout != 10*time.Second || s.WriteTimeout == 0 || s.IdleTimeout == 0 || s.MaxHeaderBytes != 32<<10 {
		t.Errorf("got %v %v %v %v %d", s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout, s.IdleTimeout, s.MaxHeaderBytes)
	}
	if s.BaseContext(nil) != t.Context() {
		t.Error("requests do not descend from the given context")
	}
}
