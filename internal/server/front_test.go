package server

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"typus/internal/store/storetest"
	"typus/internal/web"
)

// A proxy on the same machine passes everything on and adds nothing, as nginx does that
// is told where to and no more.
func TestSettingsAreToldToNobodyThroughAProxyThatTellsNothing(t *testing.T) {
	st := storetest.OpenSQLite(t)
	elsewhere := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, c := range []struct {
		base    string
		trusted []netip.Prefix
		told    bool
	}{
		{"https://typus.example.com", nil, false},
		{"http://192.168.0.7:8080", nil, false},
		{"http://localhost:8080", nil, true},
		{"http://127.0.0.1:8080", nil, true},
		{"https://typus.example.com", elsewhere, true}, // whose proxies are known
	} {
		o := Options{BaseURL: c.base, TrustedProxies: c.trusted}
		f := &front{store: st, log: slog.New(slog.DiscardHandler), proxies: &proxies{}, open: toldVerbose(o)}
		inside := httptest.NewServer(web.WithClientIP(c.trusted, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := f.health(w, r); err != nil {
				t.Error(err)
			}
		})))
		defer inside.Close()
		to, err := url.Parse(inside.URL)
		if err != nil {
			t.Fatal(err)
		}
		proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }})
		defer proxy.Close()
		resp, err := http.Get(proxy.URL + "/healthz?verbose")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if told := strings.Contains(string(body), "journal_mode"); err != nil || told != c.told || resp.StatusCode != http.StatusOK {
			t.Errorf("%+v: %s, %s, %v", c, resp.Status, body, err)
		}
	}
}
