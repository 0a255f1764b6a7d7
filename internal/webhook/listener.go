package webhook

import (
	"net"
	"net/netip"
	"slices"
	"strings"
)

// listener is one of our own sockets: an address, or a name without one.
type listener struct {
	name string // lower case, without a trailing dot; "" when ip is set
	ip   netip.Addr
	port uint16
}

// parseListener reads host:port as net.Listen takes it. It reports false for
// what nobody can listen on.
func parseListener(addr string) (listener, bool) {
	host, service, err := net.SplitHostPort(addr)
	if err != nil {
		return listener{}, false
	}
	port, err := net.LookupPort("tcp", service)
	if err != nil {
		return listener{}, false
	}
	l := listener{port: uint16(port)}
	if host == "" {
		host = "::"
	}
	if l.ip, err = netip.ParseAddr(host); err != nil {
		l.name = strings.ToLower(strings.TrimSuffix(host, "."))
	}
	l.ip = l.ip.Unmap().WithZone("")
	return l, true
}

// isOwn reports whether a connection to addr would reach one of our sockets.
// A name that is not ours but leads to the address of our base URL is not
// caught here, on purpose: behind one reverse proxy several names share it.
func (g *Guard) isOwn(addr netip.AddrPort) bool {
	return slices.ContainsFunc(g.own, func(l listener) bool {
		return l.port == addr.Port() && l.reachedAt(addr.Addr())
	})
}

func (l listener) reachedAt(ip netip.Addr) bool {
	switch {
	case isLocalhost(l.name):
		return ip.IsLoopback() || ip.IsUnspecified()
	case l.name != "":
		return false
	case l.ip == ip, ip.IsUnspecified():
		return true
	}
	return l.ip.IsUnspecified() && isOurs(ip)
}

// isOurs reports whether ip is an address of this machine.
func isOurs(ip netip.Addr) bool {
	if ip.IsLoopback() {
		return true
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return true // what cannot be told apart is not called
	}
	return slices.ContainsFunc(addrs, func(a net.Addr) bool {
		p, err := netip.ParsePrefix(a.String())
		return err == nil && p.Addr().Unmap() == ip
	})
}

// isOwnName reports whether host:port is one of our sockets by name.
func (g *Guard) isOwnName(host string, port uint16) bool {
	return slices.ContainsFunc(g.own, func(l listener) bool { return l.name == host && l.port == port })
}

func isLocalhost(name string) bool {
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}
