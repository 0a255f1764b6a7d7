package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"typus/internal/web"
)

func TestTheClientIsTheRightmostHopThatNobodyVouchesFor(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:1::/48")}
	for _, c := range []struct {
		remote string
		header []string
		want   string
	}{
		{"192.0.2.1:5", nil, "192.0.2.1"},
		{"192.0.2.1:5", []string{"198.51.100.9"}, "192.0.2.1"},
		{"10.0.0.1:5", nil, "10.0.0.1"},
		{"10.0.0.1:5", []string{"198.51.100.9"}, "198.51.100.9"},
		{"10.0.0.1:5", []string{"1.1.1.1, 198.51.100.9"}, "198.51.100.9"},
		{"10.0.0.1:5", []string{"1.1.1.1, 198.51.100.9, 10.2.3.4"}, "198.51.100.9"},
		{"10.0.0.1:5", []string{"1.1.1.1", "198.51.100.9", "10.2.3.4"}, "198.51.100.9"},
		{"10.0.0.1:5", []string{"198.51.100.9:4711"}, "198.51.100.9"},
		{"10.0.0.1:5", []string{"[2001:db8:9::1]:4711"}, "2001:db8:9::1"},
		{"10.0.0.1:5", []string{"2001:db8:9::1"}, "2001:db8:9::1"},
		{"10.0.0.1:5", []string{"198.51.100.9, nonsense"}, "10.0.0.1"},
		{"10.0.0.1:5", []string{"198.51.100.9, "}, "10.0.0.1"},
		{"10.0.0.1:5", []string{"10.9.9.9, 10.8.8.8"}, "10.9.9.9"},
		{"[2001:db8:1::7]:5", []string{"::ffff:198.51.100.9"}, "198.51.100.9"},
		{"[::ffff:10.0.0.1]:5", []string{"198.51.100.9"}, "198.51.100.9"},
		{"nonsense", []string{"198.51.100.9"}, ""},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.remote
		for _, h := range c.header {
			r.Header.Add("X-Forwarded-For", h)
		}
		got := "not called"
		web.WithClientIP(trusted, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = web.ClientIP(r.Context()) })).
			ServeHTTP(httptest.NewRecorder(), r)
		if got != c.want {
			t.Errorf("from %s with %q: %q, want %q", c.remote, c.header, got, c.want)
		}
	}
}

func TestAProxyThatNobodyHasToldUsOfIsNoticed(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, c := range []struct {
		remote, forwarded, mark string
		unknown                 string
		near                    bool
	}{
		{"127.0.0.1:5", "", "", "", true},
		{"[::1]:5", "", "", "", true},
		{"10.0.0.1:5", "", "", "", true},
		{"192.168.0.7:5", "", "", "", false},
		{"198.51.100.9:5", "", "", "", false},
		{"127.0.0.1:5", "198.51.100.9", "", "127.0.0.1", false},
		{"127.0.0.1:5", "127.0.0.1", "", "127.0.0.1", false},
		{"[::1]:5", "198.51.100.9", "", "::1", false},
		{"192.168.0.7:5", "198.51.100.9", "", "192.168.0.7", false},
		{"[fe80::7%eth0]:5", "198.51.100.9", "", "fe80::7", false},
		{"198.51.100.9:5", "127.0.0.1", "", "", false}, // a client that makes something up
		{"10.0.0.1:5", "198.51.100.9", "", "", false},
		{"10.0.0.1:5", "10.2.3.4", "", "", true},
		{"10.0.0.1:5", "127.0.0.1", "", "", true}, // written by a proxy that we trust
		{"10.0.0.1:5", "127.0.0.1, 198.51.100.9", "", "", false},
		{"10.0.0.1:5", "nonsense", "", "", false},
		{"127.0.0.1:5", "", "Forwarded", "", false},
		{"127.0.0.1:5", "", "Via", "", false},
		{"127.0.0.1:5", "", "X-Real-IP", "", false},
		{"127.0.0.1:5", "", "X-Forwarded-Proto", "", false},
		{"nonsense", "198.51.100.9", "", "", false},
	} {
		r := httptest.NewRequest("GET", "http://localhost:8080/", nil)
		r.RemoteAddr = c.remote
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if c.mark != "" {
			r.Header.Set(c.mark, "x")
		}
		web.WithClientIP(trusted, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if unknown, near := web.UnknownProxy(r.Context()), web.Near(r.Context()); unknown != c.unknown || near != c.near {
				t.Errorf("%+v: an unknown proxy %q, near: %t", c, unknown, near)
			}
		})).ServeHTTP(httptest.NewRecorder(), r)
	}
}

func TestWhoeverAsksThisMachineForAnotherHostIsNotNear(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:8080": true, "127.0.0.1:8080": true, "[::1]": true, "[::1]:8080": true,
		"typus.example.com": false, "typus.example.com:443": false, "192.168.0.7:8080": false, "": false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Host = "127.0.0.1:5", host
		web.WithClientIP(nil, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if near := web.Near(r.Context()); near != want {
				t.Errorf("asked for %q: near is %t", host, near)
			}
		})).ServeHTTP(httptest.NewRecorder(), r)
	}
}
