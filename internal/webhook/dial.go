package webhook

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"
)

// dialer opens connections for deliveries. The verdict that counts is that of control,
// which is given for each concrete address just before connecting. So a name that has
// changed its address since it was saved or resolved does not pass (DNS rebinding).
type dialer struct {
	guard    *Guard
	resolver *net.Resolver
	timeout  time.Duration // for resolving and connecting together
}

func newDialer(g *Guard, timeout time.Duration) *dialer {
	// Go's resolver reads /etc/hosts and asks name servers, and does nothing else. The
	// system's resolver may ask other sources and takes 127.1 and the like for
	// addresses.
	return &dialer{guard: g, resolver: &net.Resolver{PreferGo: true}, timeout: timeout}
}

// DialContext connects to host:port over TCP, or fails with a Refusal in the
// error's chain.
func (d *dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	if err := d.vet(ctx, addr); err != nil {
		return nil, err
	}
	tcp := net.Dialer{Resolver: d.resolver, ControlContext: d.control}
	return tcp.DialContext(ctx, network, addr)
}

// vet resolves a name and refuses it if any of its addresses is refused. A name with
// one public and one private address must not work by chance, and must not tell which
// of them is which.
func (d *dialer) vet(ctx context.Context, addr string) error {
	host, service, err := net.SplitHostPort(addr)
	if err != nil {
		return RefusedHost
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		return RefusedPort
	}
	ips, err := d.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return err
	}
	for _, ip := range ips {
		if refusal := d.guard.judge(netip.AddrPortFrom(ip, uint16(port))); refusal != "" {
			return refusal
		}
	}
	return nil
}

// control is called by net.Dialer with the address it is about to connect to.
func (d *dialer) control(_ context.Context, network, addr string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return RefusedScheme
	}
	to, err := netip.ParseAddrPort(addr)
	if err != nil {
		return RefusedHost
	}
	if refusal := d.guard.judge(to); refusal != "" {
		return refusal
	}
	return nil
}
