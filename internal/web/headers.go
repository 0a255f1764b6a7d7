package web

import "net/http"

// The content security policies. A page may use only our own scripts, styles and images,
// and its scripts may not make markup from strings (Trusted Types). Data is not a page and
// may use nothing. WorkerPolicy is for the one page that registers a service worker, which
// takes a policy of Trusted Types; its script makes that once, for one address (decision
// 0079).
const (
	PagePolicy   = walls + "trusted-types 'none'"
	WorkerPolicy = walls + "worker-src 'self'; trusted-types typus-worker"
	DataPolicy   = "default-src 'none'; frame-ancestors 'none'"

	walls = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; " +
		"require-trusted-types-for 'script'; "
)

// SecurityHeaders sets the headers that every answer carries, PagePolicy among them; a
// handler that answers with data sets DataPolicy instead. With https the answer also
// carries Strict-Transport-Security, for this host alone (decision 0036).
//
// Referrer-Policy is same-origin and not no-referrer. With no-referrer, browsers send
// forms with "Origin: null", which the check of the origin refuses over plain HTTP.
func SecurityHeaders(https bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", PagePolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()")
		if https {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}
