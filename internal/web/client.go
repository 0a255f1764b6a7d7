package web

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

type clientKey struct{}

// WithClientIP finds out the address of each client. Behind proxies of the
// trusted networks it is the last one that X-Forwarded-For names before them, read
// from the right; what stands left of it anybody could have written.
func WithClientIP(trusted []netip.Prefix, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ip := clientIP(r, trusted)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), clientKey{}, ip)))
	})
}

// ClientIP is the address of the client, "" outside WithClientIP and where the
// connection names none.
func ClientIP(ctx context.Context) string {
	ip, _ := ctx.Value(clientKey{}).(string)
	return ip
}

func clientIP(r *http.Request, trusted []netip.Prefix) string {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	client := plainAddr(at.Addr())
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !isTrusted(client, trusted) {
			break
		}
		addr, err := parseHop(strings.TrimSpace(hop))
		if err != nil {
			break // what a trusted proxy cannot have written names nobody
		}
		client = plainAddr(addr)
	}
	return client.String()
}

// parseHop reads an address as proxies write it, some of them with the port.
func parseHop(hop string) (netip.Addr, error) {
	if at, err := netip.ParseAddrPort(hop); err == nil {
		return at.Addr(), nil
	}
	return netip.ParseAddr(strings.Trim(hop, "[]"))
}

func plainAddr(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

func isTrusted(a netip.Addr, trusted []netip.Prefix) bool {
	return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(a) })
}
