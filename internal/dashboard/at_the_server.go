package dashboard

import (
	"net"
	"net/http"
	"strings"

	"typus"
)

// atTheServer serves at the own host of an account what experts open, and nothing else:
// whoever looks for the dashboard or a login there is sent to the server's address, since
// nobody should learn to type a password at a name that a customer's DNS leads elsewhere
// tomorrow. A form that is sent there is NotFound. All other names are the server's.
func (f *face) atTheServer(next http.Handler) http.Handler {
	own, _ := typus.HostName(f.links.Host()) // TYPUS_BASE_URL as somebody typed it
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			name = r.Host // without a port
		}
		host, sound := typus.HostName(name)
		if !sound || host == own || strings.HasPrefix(r.URL.Path, "/e/") {
			next.ServeHTTP(w, r)
			return
		}
		account, err := f.Store.AccountAt(r.Context(), host)
		switch {
		case err != nil:
			f.fail(w, r, err)
		case account == 0:
			next.ServeHTTP(w, r)
		case r.Method == http.MethodGet || r.Method == http.MethodHead:
			http.Redirect(w, r, f.links.Asked(r.URL.RequestURI()), http.StatusFound)
		default:
			f.fail(w, r, typus.Errorf(typus.NotFound, "nothing is here"))
		}
	})
}
