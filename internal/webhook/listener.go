package webhook

import (
	"net"
	"net/netip"
	"slices"

	"typus"
)

// listener is one of our own sockets: an address, or a name without one.
type listener struct {
	name string // as mapped gives it; "" when ip is set
	ip   netip.Addr
	port uint16
}

// parseListener reads host:port in the form that net.Listen takes. A name is mapped
// like the host of a URL, so that its other spellings count as ours too. It reports
// false if nobody can listen on addr.
func parseListener(addr string) (listener, bool) {
	host, service, err := net.SplitHostPort(addr)
	if err != nil {
		return listener{}, false
	}
	port, err := net.LookupPort("tcp", service)
	if err != nil {
		return listener{}, false
	}
	if host == "" {
		host = "::"
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return listener{ip: ip.Unmap().WithZone(""), port: uint16(port)}, true
	}
	name, ok := mapped(host)
	if ip, err := netip.ParseAddr(name); err == nil {
		return listener{ip: ip, port: uint16(port)}, ok
	}
	return listener{name: name, port: uint16(port)}, ok
}

// isOwn reports whether a connection to addr would reach one of our sockets. Another
// name that leads to the address of our base URL is allowed on purpose, because several
// names may share one reverse proxy.
func (g *Guard) isOwn(addr netip.AddrPort) bool {
	return slices.ContainsFunc(g.own, func(l listener) bool {
		return l.port == addr.Port() && l.reachedAt(addr.Addr())
	})
}

func (l listener) reachedAt(ip netip.Addr) bool {
	switch {
	case typus.Loopback(l.name):
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
		return true // without the list of our addresses we call none
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
