package webhook

import "net/netip"

// Policy is what the operator allows beyond the strict default. The default is https to
// public addresses, on ports that belong to no other kind of service.
type Policy struct {
	// AllowHTTP lets addresses begin with http://.
	AllowHTTP bool
	// AllowNets are networks that may be called although they are not public. Cloud
	// metadata, link-local and "this host" addresses are opened only by a prefix of /24
	// or longer, because whoever opens a wide network does not mean those.
	AllowNets []netip.Prefix
	// AllowPorts are ports that may be called although they are closed.
	AllowPorts []uint16
	// OwnListeners are the host:port of our own sockets and of our base URL.
	// They are never called, whatever else is allowed.
	OwnListeners []string
}

// Guard decides which addresses may be called (against SSRF). One guard serves
// everything that a customer makes the server call: saving an address, deliveries, test
// events. It may be used concurrently.
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

// CheckURL checks an address that is to be saved. It returns the canonical form (lower
// case, punycode, no default port, at least the path /), or an error of kind Invalid
// with the reason and the remedy in words, a Field "url", and a Refusal as its cause.
// It asks no name server. Where a name leads is judged at every dial, because the
// answer may change in between.
func (g *Guard) CheckURL(raw string) (string, error) {
	u, err := g.parse(raw)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// judge is the verdict on a concrete address: "" if it may be called, else why not.
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
