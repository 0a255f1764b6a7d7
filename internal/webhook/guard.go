package webhook

import "net/netip"

// Policy is what the operator allows beyond the strict default: https to
// public addresses, on ports that belong to no other kind of service.
type Policy struct {
	// AllowHTTP lets addresses begin with http://.
	AllowHTTP bool
	// AllowNets are networks that may be called although they are not public.
	// Cloud metadata, link-local and "this host" addresses open only by a
	// prefix of /24 or longer: who opens a wide network does not mean those.
	AllowNets []netip.Prefix
	// AllowPorts are ports that may be called although they are closed.
	AllowPorts []uint16
	// OwnListeners are the host:port of our own sockets and of our base URL.
	// They are never called, whatever else is allowed.
	OwnListeners []string
}

// Guard decides which addresses may be called. One guard serves everything
// that leaves the server at a customer's wish: saving an address, deliveries,
// tests. It may be used concurrently.
type Guard struct {
	policy Policy
	own    []listener
}

// NewGuard makes the guard of a policy.
func NewGuard(p Policy) *Guard {
	g := &Guard{policy: p}
	for _, addr := range p.OwnListeners {
		if l, ok := parseListener(addr); ok {
			g.own = append(g.own, l)
		}
	}
	return g
}

// Policy is what the guard was made with.
func (g *Guard) Policy() Policy { return g.policy }

// CheckURL is the verdict when an address is saved: its canonical form (lower
// case, punycode, no default port, at least the path /), or kind Invalid with
// the reason and the remedy in words, a Field "url", and a Refusal as cause. It
// asks no name server: where a name leads is decided at every dial anew, since
// the answer may change in between.
func (g *Guard) CheckURL(raw string) (string, error) {
	u, err := g.parse(raw)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// judge is the verdict on a concrete address: "" or why it is not called.
func (g *Guard) judge(addr netip.AddrPort) Refusal {
	ip := addr.Addr()
	switch {
	case !g.allowsIP(ip):
		return RefusedPrivate
	case !g.allowsPort(addr.Port()):
		return RefusedClosedPort
	case g.isOwn(netip.AddrPortFrom(target(ip), addr.Port())):
		return RefusedOwn
	}
	return ""
}
