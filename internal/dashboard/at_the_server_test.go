package dashboard

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"typus/internal/instrument"
)

// The server's own name is never looked for among those of accounts, however TYPUS_BASE_URL
// writes it: an account that has had it would send everybody in a circle.
func TestTheServersOwnNameIsNoAccounts(t *testing.T) {
	site, pages := parsed()
	for base, host := range map[string]string{
		"https://Tests.Müller.example:8443": "tests.xn--mller-kva.example:8443",
		"https://TESTS.example.com":         "tests.example.com",
		"https://tests.example.com.":        "tests.example.com",
	} {
		f := newFace(Options{Site: site, Instrument: instrument.Own(), BaseURL: base}, pages) // which has no accounts to look into
		served := false
		r := httptest.NewRequest(http.MethodGet, "/dashboard", nil)
		r.Host = host
		f.atTheServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served = true })).ServeHTTP(httptest.NewRecorder(), r)
		if !served {
			t.Errorf("%s: %s is somebody else's", base, host)
		}
	}
}
