package typus

import (
	"net/netip"
	"strings"
)

// Loopback reports whether host, a name or an address without brackets and
// port, stands for this machine alone: an address of 127.0.0.0/8 or ::1, also
// written as IPv4 in IPv6, or localhost and the names below it, in any case and
// with or without the final dot (RFC 6761, 6.3).
func Loopback(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}
