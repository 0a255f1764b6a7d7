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

// parseListener reads host:port as net.Listen takes it. A name is mapped as the
// hosts of addresses are, or its other spellings would not be ours. It reports
// false for what nobody can listen on.
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
