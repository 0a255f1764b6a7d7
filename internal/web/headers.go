package web

import "net/http"

// The two content security policies. Pages run own scripts, styles and images
// only and make no markup from strings (Trusted Types); data is not a page at all.
const (
	PagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; " +
		"require-trusted-types-for 'script'; trusted-types 'none'"
	DataPolicy = "default-src 'none'; frame-ancestors 'none'"
)

// SecurityHeaders sets the headers that every answer carries, with PagePolicy;
// a handler that answers data sets DataPolicy instead. https adds
// Strict-Transport-Security for this host alone: what else runs below its name is not
// ours to decide.
//
// Referrer-Policy is same-origin and not no-referrer: with no-referrer browsers
// post forms with "Origin: null", which the check of the origin refuses on plain HTTP.
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
