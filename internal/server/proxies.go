package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"

	"typus/internal/web"
)

// proxies remembers the first proxy in front that is not in the trusted networks.
type proxies struct {
	log  *slog.Logger
	seen atomic.Pointer[string]
}

// watch warns once, at the first request through such a proxy.
func (p *proxies) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if peer := web.UnknownProxy(r.Context()); peer != "" && p.seen.CompareAndSwap(nil, &peer) {
			p.log.WarnContext(r.Context(), unknownProxy(peer))
		}
		next.ServeHTTP(w, r)
	})
}

// warnings is what /healthz?verbose says of it.
func (p *proxies) warnings() []string {
	if peer := p.seen.Load(); peer != nil {
		return []string{unknownProxy(*peer)}
	}
	return nil
}

func unknownProxy(peer string) string {
	return fmt.Sprintf("X-Forwarded-For came from %s, which is not in TYPUS_TRUSTED_PROXIES: everybody behind it counts as one client, "+
		"for the pace of log-ins and in the audit log; if it is your proxy, add its network there", peer)
}
