package web

import (
	"net/http"

	"typus"
)

// Private puts the walls of pages that belong to somebody before next: what
// another site sends is refused before it is read (Forbidden, answered by fail), and no
// answer, refusals included, is kept in a cache or an index.
func Private(fail Fail, next http.Handler) http.Handler {
	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fail(w, r, typus.Errorf(typus.Forbidden, "the request came from another site"))
	}))
	guarded := sameOrigin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Robots-Tag", "noindex, nofollow")
		guarded.ServeHTTP(w, r)
	})
}
