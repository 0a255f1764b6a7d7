package typus

import (
	"net/netip"
	"strings"
)

// HostName is a name of a host as somebody typed it, as it stands in an address: in lower case
// and in A-labels (RFC 5890), without a port and without the dot of the root. False: it is none
// with a dot in it, or a number.
func HostName(typed string) (string, bool) {
	name, err := mailDomains.ToASCII(strings.TrimSuffix(TypedAddress(typed), "."))
	_, number := netip.ParseAddr(name)
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, is := strings.CutPrefix(last, "0x"); is { // 127.0x1 is a number to browsers
		last = strings.Trim(hex, "abcdef")
	}
	return name, err == nil && number != nil && strings.Contains(name, ".") && strings.Trim(last, "0123456789") != ""
}
