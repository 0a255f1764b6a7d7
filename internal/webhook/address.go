package webhook

import (
	"net/netip"
	"slices"
)

// All of IPv4 is open except these networks: IANA's special-purpose registry (RFC
// 6890), what is reserved for multicast and future use, and the platform address of
// Azure, which looks public.
var closed4 = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
	"192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
)

// All of IPv6 is closed except the unicast space in use. Within that space these
// networks are closed: protocol assignments with Teredo, documentation, 6to4, AS112.
var (
	open6   = netip.MustParsePrefix("2000::/3")
	closed6 = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)

// These are opened only by a prefix of narrowBits or longer: unspecified and link-local
// addresses, and the metadata services of the clouds (169.254.169.254 and fd00:ec2::254
// of AWS and others, Alibaba, Oracle, Azure, Google).
var narrow = prefixes(
	"0.0.0.0/8", "169.254.0.0/16", "100.100.100.200/32", "192.0.0.192/32", "168.63.129.16/32",
	"::/128", "fe80::/10", "fd00:ec2::254/128", "fd20:ce::254/128",
)

const narrowBits = 24

// nat64 carries an IPv4 address in its last four bytes (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

func contains(list []netip.Prefix, ip netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// target is the address at which a connection to ip ends. For an IPv4 address that is
// written as IPv6, it is the IPv4 address.
func target(ip netip.Addr) netip.Addr {
	ip = ip.Unmap()
	if nat64.Contains(ip) {
		bytes := ip.As16()
		return netip.AddrFrom4([4]byte(bytes[12:]))
	}
	return ip
}

func (g *Guard) allowsIP(ip netip.Addr) bool {
	if ip.Zone() != "" {
		return false
	}
	ip = target(ip)
	if g.opened(ip) {
		return true
	}
	if ip.Is4() {
		return !contains(closed4, ip)
	}
	return open6.Contains(ip) && !contains(closed6, ip)
}

// opened reports whether the operator opened the network of ip.
func (g *Guard) opened(ip netip.Addr) bool {
	isNarrow := contains(narrow, ip)
	return slices.ContainsFunc(g.policy.AllowNets, func(p netip.Prefix) bool {
		return p.Contains(ip) && (!isNarrow || p.Bits() >= narrowBits)
	})
}
