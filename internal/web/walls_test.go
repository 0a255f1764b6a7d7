package web_test

import (
	"net/http"
	"strings"
	"testing"

	"typus/internal/web"
)

func TestAFormMayComeFromTheHostOrFromTheBaseURL(t *testing.T) {
	for _, c := range []struct{ base, origin, site, host string }{
		{"http://typus.example.com", "http://typus.example.com", "", "10.0.0.5:8080"},
		{"http://Typus.Example.com:80", "http://typus.example.com", "", "backend"},
		{"HTTPS://typus.example.com:443", "https://typus.example.com", "", "backend"},
		{"http://typus.example.com:8080", "http://typus.example.com:8080", "", "backend"},
		{"http://prüfung.example.com", "http://xn--prfung-4ya.example.com", "", "backend"},
		{"http://[2001:db8::7]", "http://[2001:db8::7]", "", "backend"},
		{"http://[2001:db8::7]:8080", "http://[2001:db8::7]:8080", "", "backend"},
		{"http://typus.example.com", "http://10.0.0.5:8080", "", "10.0.0.5:8080"}, // without the proxy
		{"http://typus.example.com", "", "", "backend"},                           // no browser
		{"https://typus.example.com", "https://typus.example.com", "same-origin", "backend"},
		{"not an address", "http://typus.example.com", "", "typus.example.com"},
	} {
		if got, _ := sendFrom(t, c.base, c.origin, c.site, c.host); got != http.StatusOK {
			t.Errorf("%+v: %d", c, got)
		}
	}
	for _, c := range []struct{ base, origin, site, host string }{
		{"http://typus.example.com", "https://typus.example.com", "", "backend"},
		{"http://typus.example.com", "http://typus.example.com:8080", "", "backend"},
		{"http://typus.example.com", "http://evil.typus.example.com", "", "backend"},
		{"http://typus.example.com", "http://typus.example.com.evil.example", "", "backend"},
		{"http://typus.example.com", "null", "", "backend"},
		{"http://typus.example.com", "", "cross-site", "typus.example.com"},
		{"http://typus.example.com", "http://evil.example", "same-site", "typus.example.com"},
		{"", "http://evil.example", "", "backend"},
	} {
		status, logged := sendFrom(t, c.base, c.origin, c.site, c.host)
		if status != http.StatusForbidden || !strings.Contains(logged, `"level":"WARN"`) || !strings.Contains(logged, "TYPUS_BASE_URL ("+c.base+")") {
			t.Errorf("%+v: %d, %s", c, status, logged)
		}
	}
}

// sendFrom sends a form to a host, and returns the status and what was logged.
func sendFrom(t *testing.T, base, origin, site, host string) (int, string) {
	t.Helper()
	s, log := serve(t, web.Private(base, plain, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})))
	req, err := http.NewRequest("POST", s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	for name, value := range map[string]string{"Origin": origin, "Sec-Fetch-Site": site} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	s.Close() // the line is written once the answer has ended
	return resp.StatusCode, log.String()
}
