package web

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/idna"

	"typus"
)

// Private puts walls before next, for pages that belong to somebody. A form that
// another site sends (CSRF) is refused before it is read: fail answers Forbidden. No
// answer, refusals included, may be kept in a cache or in the index of a search engine.
//
// A form from the origin of baseURL counts as our own even if a proxy in front has
// changed Host. Over plain HTTP browsers send no Sec-Fetch-Site, so without this only
// Host could be compared with Origin.
func Private(baseURL string, fail Fail, next http.Handler) http.Handler {
	sameOrigin := http.NewCrossOriginProtection()
	if own, err := origin(baseURL); err == nil {
		_ = sameOrigin.AddTrustedOrigin(own) // an address that no browser can name is nobody's origin
	}
	sameOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := typus.Errorf(typus.Forbidden, "the request came from another site").WithCause(&foreignError{r.Header.Get("Origin"), r.Host, baseURL})
		exchangeOf(r.Context()).err = err
		fail(w, r, err)
	}))
	guarded := sameOrigin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Robots-Tag", "noindex, nofollow")
		guarded.ServeHTTP(w, r)
	})
}

// foreignError is why a form was refused, for whoever runs the server.
type foreignError struct{ origin, host, baseURL string }

// Error names the setting that decides.
func (e *foreignError) Error() string {
	return fmt.Sprintf("a form was refused: its origin %.200q is neither the host it was sent to (%.200q) nor TYPUS_BASE_URL (%s), which must be the address that browsers show",
		e.origin, e.host, e.baseURL)
}

// origin is the origin of an address as browsers write it: in lower case, an
// international name in ASCII, and without the default port of the scheme (RFC 6454,
// 6.2).
func origin(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	host, scheme := strings.ToLower(u.Hostname()), strings.ToLower(u.Scheme)
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	port := u.Port()
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	switch {
	case port != "":
		host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	return scheme + "://" + host, nil
}
