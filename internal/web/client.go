package web

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"typus"
)

type clientKey struct{}

// client is what is known of where a request comes from.
type client struct {
	addr    netip.Addr // not valid where the connection names none
	near    bool
	unknown netip.Addr // the proxy that is not trusted, if there is one
}

// WithClientIP finds the address of each client. If the request comes from a trusted
// proxy, X-Forwarded-For is read from the right: the first address that is not a
// trusted proxy is the client. What stands left of it could have been written by
// anybody.
func WithClientIP(trusted []netip.Prefix, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), clientKey{}, clientOf(r, trusted))))
	})
}

func clientIn(ctx context.Context) client {
	c, _ := ctx.Value(clientKey{}).(client)
	return c
}

// ClientIP is the address of the client, "" outside WithClientIP and where the
// connection names none.
func ClientIP(ctx context.Context) string { return textOf(clientIn(ctx).addr) }

// UnknownProxy is the address of a private or loopback peer that sends X-Forwarded-For
// without being trusted, or "" if there is none. All clients behind such a proxy count
// as one.
func UnknownProxy(ctx context.Context) string { return textOf(clientIn(ctx).unknown) }

// Near reports whether the client is in the trusted networks, or is this machine and
// asks for it by a loopback name or address, and nothing hints at a proxy in between. A
// proxy on this machine that is not trusted and sets no header cannot be told from a
// near client.
func Near(ctx context.Context) bool { return clientIn(ctx).near }

func textOf(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	return a.String()
}

func clientOf(r *http.Request, trusted []netip.Prefix) client {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return client{}
	}
	peer := plainAddr(at.Addr())
	c := client{addr: peer}
	hops, all := r.Header.Values("X-Forwarded-For"), true
	if len(hops) > 0 {
		c.addr, all = lastHop(peer, strings.Split(strings.Join(hops, ","), ","), trusted)
		if !isTrusted(peer, trusted) && (peer.IsPrivate() || peer.IsLoopback() || peer.IsLinkLocalUnicast()) {
			c.unknown = peer
		}
	} else if slices.ContainsFunc(proxyMarks, func(name string) bool { return r.Header.Get(name) != "" }) {
		all = false
	}
	c.near = all && (isTrusted(c.addr, trusted) || c.addr.IsLoopback() && (isTrusted(peer, trusted) || asksLoopback(r)))
	return c
}

// asksLoopback reports whether a request names this machine as its host. A proxy that
// passes the host on does not.
func asksLoopback(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host // without a port
	}
	return typus.Loopback(strings.Trim(host, "[]"))
}

// proxyMarks are set by proxies, some of which do not say for whom they ask.
var proxyMarks = []string{"Forwarded", "Via", "X-Real-Ip", "X-Forwarded-Host", "X-Forwarded-Proto"}

// lastHop reads the hops from the right for as long as the proxy that named them is
// trusted. False means that some hops were not read.
func lastHop(peer netip.Addr, hops []string, trusted []netip.Prefix) (netip.Addr, bool) {
	for _, hop := range slices.Backward(hops) {
		if !isTrusted(peer, trusted) {
			return peer, false
		}
		addr, err := parseHop(strings.TrimSpace(hop))
		if err != nil {
			return peer, false // what a trusted proxy cannot have written names nobody
		}
		peer = plainAddr(addr)
	}
	return peer, true
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
