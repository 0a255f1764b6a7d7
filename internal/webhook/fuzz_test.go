package webhook

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// Whatever CheckURL accepts: its canonical form is accepted again and stays as
// it is, and Go's transport dials for it a name in letters, or an IP address
// that the guard allows.
func FuzzCheckURL(f *testing.F) {
	for _, seed := range []string{
		"https://hooks.example.com/a", "https://bücher.de:8443/ä?ö=ü", "https://[2606:4700:4700::1111]:1/",
		"https://①②⑦.⓪.⓪.①/", "https://127。0。0。1/", "https://ⓛocalhost/", "https://0x7f.1/", "https://127.0.0.1./",
		"https://a@b/", "https://[::ffff:127.0.0.1]/", "https://[::1%25lo]/", "https://%31.example.com/", "https://a:0/",
		"http://10.20.3.4/", "https://xn--a.example.com/", "https://a\u200bb.example.com/", "https://1.2.3.4.5/", "https://%D1./",
	} {
		f.Add(seed)
	}
	guards := []*Guard{NewGuard(Policy{}), NewGuard(selfHoster()), NewGuard(loopback("127.0.0.1:8080"))}
	f.Fuzz(func(t *testing.T, raw string) {
		for _, g := range guards {
			url, err := g.CheckURL(raw)
			if err != nil {
				continue
			}
			if again, err := g.CheckURL(url); err != nil || again != url {
				t.Fatalf("%q became %q, and that %q, %v", raw, url, again, err)
			}
			addr := dialledFor(t, url)
			if !safe(g, addr) {
				t.Fatalf("%q became %q, for which %s is dialled", raw, url, addr)
			}
		}
	})
}

// dialledFor is the address Go's transport asks its dialer for.
func dialledFor(t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, nil)
	if err != nil {
		t.Fatalf("no request can be made of %q: %v", url, err)
	}
	dialled := ""
	transport := &http.Transport{DialContext: func(_ context.Context, _, addr string) (net.Conn, error) {
		dialled = addr
		return nil, errors.New("far enough")
	}}
	if _, err = transport.RoundTrip(req); err == nil || dialled == "" {
		t.Fatalf("nothing was dialled for %q: %v", url, err)
	}
	return dialled
}

func safe(g *Guard, addr string) bool {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if to, err := netip.ParseAddrPort(addr); err == nil {
		return g.judge(to) == ""
	}
	if isNumber(host[strings.LastIndexByte(host, '.')+1:]) || host == "localhost" && len(g.own) == 0 {
		return false
	}
	for i := range len(host) {
		if !isLabel(host[i:i+1]) && host[i] != '.' && host[i] != '-' {
			return false
		}
	}
	return port != "0"
}
