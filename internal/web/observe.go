package web

import (
	"net/http"
	"time"
)

// Observe tells saw of each request that next has answered: the matched route, "" for none,
// the status and how long it took. It belongs below WithRequestID, and never tells what a
// client has sent.
func Observe(saw func(route string, status int, took time.Duration), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, x, status := time.Now(), exchangeOf(r.Context()), http.StatusInternalServerError // of a panic
		defer func() {
			if x.status != 0 {
				status = x.status
			}
			saw(x.route, status, time.Since(began))
		}()
		next.ServeHTTP(w, r)
		status = http.StatusOK // what net/http sends for a handler that writes nothing
	})
}
