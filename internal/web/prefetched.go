package web

import (
	"net/http"
	"strings"
)

// Prefetched reports whether a browser asks for a page before anybody wants to see it, and
// nobody knows whether it will be shown. It asks again once somebody does.
func Prefetched(r *http.Request) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"} {
		said := strings.ToLower(r.Header.Get(name))
		if strings.Contains(said, "prefetch") || strings.Contains(said, "prerender") || strings.Contains(said, "preview") {
			return true
		}
	}
	return false
}
