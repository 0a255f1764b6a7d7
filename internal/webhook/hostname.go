package webhook

import (
	"cmp"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"typus"
)

// literal is the IP address in u, if its host is one in the form of RFC 3986:
// IPv6 in brackets, IPv4 without.
func literal(u *url.URL) (netip.Addr, bool) {
	ip, err := netip.ParseAddr(u.Hostname())
	if err != nil || ip.Is6() != strings.HasPrefix(u.Host, "[") {
		return netip.Addr{}, false
	}
	return ip, true
}

// canonicalName is the host name of u as the resolver will see it. It is mapped by IDNA
// first (UTS 46, as browsers and Go's transport do). Only then do full-width digits,
// circled letters and ideographic full stops show themselves as localhost or an IP
// address.
func canonicalName(u *url.URL) (string, Refusal) {
	name, ok := mapped(u.Hostname())
	if !ok || len(name) > 253 {
		return "", RefusedHost
	}
	last := ""
	for label := range strings.SplitSeq(name, ".") {
		if !isLabel(label) {
			return "", RefusedHost
		}
		last = label
	}
	if isNumber(last) {
		return "", RefusedNumber
	}
	return name, ""
}

// mapped is the punycode form of host without a final dot. It reports false if mapping
// that form once more changes it, as happens with bytes that are no text: the next
// parser would read it as another name.
func mapped(host string) (string, bool) {
	profile := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false),
		idna.StrictDomainName(false), idna.CheckHyphens(false))
	name, err := profile.ToASCII(host)
	if err != nil {
		return "", false
	}
	again, err := profile.ToASCII(name)
	return strings.TrimSuffix(name, "."), err == nil && again == name
}

// isLabel accepts letters, digits, inner hyphens, and the underscore, which container
// networks use in host names.
func isLabel(label string) bool {
	if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	return strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// isNumber reports whether some resolvers take a name with this last label for an IPv4
// address: 127.1, 0x7f.1, 2130706433 (the "ends in a number" rule of the URL standard).
// Go's own resolver fails on them; the system's dials loopback.
func isNumber(label string) bool {
	if digits, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// Names that no public name server answers for (RFC 6761, 6762, 7686, 8375,
// and what home routers and clouds use).
var localSuffixes = []string{".local", ".internal", ".lan", ".home.arpa", ".onion"}

// judgeName is the verdict on a name before it is resolved. Once the operator
// has opened a network, local names pass and the dial decides.
func (g *Guard) judgeName(name string, port uint16) Refusal {
	switch {
	case g.isOwnName(name, port):
		return RefusedOwn
	case typus.Loopback(name):
		return g.judgeLocalhost(port)
	case !g.allowsPort(port):
		return RefusedClosedPort
	case isLocal(name) && len(g.policy.AllowNets) == 0:
		return RefusedLocalName
	}
	return ""
}

func isLocal(name string) bool {
	return !strings.Contains(name, ".") || slices.ContainsFunc(localSuffixes, func(s string) bool { return strings.HasSuffix(name, s) })
}

// judgeLocalhost is the verdict on localhost, which is loopback by definition (RFC
// 6761). It usually stands for both 127.0.0.1 and ::1. A dial is refused if one of
// several addresses is, so both must be allowed.
func (g *Guard) judgeLocalhost(port uint16) Refusal {
	v4 := g.judge(netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port))
	v6 := g.judge(netip.AddrPortFrom(netip.IPv6Loopback(), port))
	if v4 == RefusedOwn || v6 == RefusedOwn {
		return RefusedOwn
	}
	return cmp.Or(v4, v6)
}
