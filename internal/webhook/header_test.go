package webhook

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"typus/internal/webhook/hostiletest"
)

func TestAnOwnHeaderNeverReplacesWhatARequestNeeds(t *testing.T) {
	for _, name := range []string{"Authorization", "X-Gateway-Key", "Cookie", "X-Services", "Contents", "x-1"} {
		if !MayName(name, "X-Service") {
			t.Errorf("%s is refused", name)
		}
	}
	for _, name := range []string{
		"", " ", "X-`id`", "X-$(id)", "X-'", "X|id", "x_api_key", "a.b", "a\n", "a b", "a:b", "Schlüssel", "a\r\nb", "Host", "HOST", "content-type", "Content-Length", "Content-Anything", "Connection", "Keep-Alive", "TE",
		"Trailer", "Transfer-Encoding", "Upgrade", "Proxy-Authorization", "Expect", "User-Agent", "Idempotency-Key", "x-idempotency-key",
		"webhook-id", "Webhook-Signature", "webhook-anything", "X-Service-Signature", "x-service-anything", "X-Acme-Event", strings.Repeat("a", 101),
	} {
		if MayName(name, "X-Acme") {
			t.Errorf("%q is taken", name)
		}
	}
}

func TestAnOwnHeaderHoldsVisibleASCII(t *testing.T) {
	for _, value := range []string{"x", "Bearer abc", "!~", strings.Repeat("x", 1000)} {
		if !MayHold(value) {
			t.Errorf("%.20q is refused", value)
		}
	}
	for _, value := range []string{"", " ", " x", "x ", "a\tb", "a\nb", "a\r\nb", "a\x00b", "ü", "a\u00a0b", "\x7f", strings.Repeat("x", 1001)} {
		if MayHold(value) {
			t.Errorf("%.20q is taken", value)
		}
	}
}

func TestAnOwnHeaderIsSentAndMaskedInTheLog(t *testing.T) {
	var got http.Header
	r := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { got = req.Header }))
	defer r.Close()
	for value, shown := range map[string]string{"Bearer 0123456789abcd": "••••abcd", "short": "••••"} {
		req := request(r.URL)
		req.Header = Header{"Authorization", value}
		out := client(t, ClientOptions{}).Post(t.Context(), req)
		if !out.Delivered || got.Get("Authorization") != value {
			t.Errorf("%+v, got %v", out, got)
		}
		log := out.Attempt.RequestHeaders
		if !strings.Contains(log, "Authorization: "+shown+"\n") || strings.Contains(log, value) {
			t.Errorf("the log says %s", log)
		}
		if SplitHeader(req.Header.Line()) != req.Header {
			t.Errorf("%q is read otherwise", req.Header.Line())
		}
	}
}

func TestAnOwnHeaderThatIsLostIsSaidNotLeftOut(t *testing.T) {
	r := hostiletest.Start(t, hostiletest.Answers(200))
	req := request(r.URL)
	req.HeaderLost = true
	if out := client(t, ClientOptions{}).Post(t.Context(), req); out.Attempt.ErrorCode != CodeNeedsHeader || r.Connections() != 0 {
		t.Errorf("outcome %+v after %d connections", out, r.Connections())
	}
}
