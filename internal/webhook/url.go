package webhook

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"typus"
)

const maxURL = 2048

// parse gives the canonical form of raw, or the error of its Refusal.
func (g *Guard) parse(raw string) (*url.URL, error) {
	u, refusal := g.parts(raw)
	if refusal == "" {
		refusal = g.judgeScheme(u.Scheme, g.canonicalHost(u))
	}
	if refusal != "" {
		return nil, refusal.fault()
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = escapeQuery(u.RawQuery)
	if len(u.String()) > maxURL {
		return nil, RefusedLength.fault()
	}
	return u, nil
}

// parts looks at everything but host and port.
func (g *Guard) parts(raw string) (*url.URL, Refusal) {
	if len(raw) > maxURL {
		return nil, RefusedLength
	}
	if hasOddCharacter(raw) {
		return nil, RefusedCharacters
	}
	if !strings.Contains(raw, "://") {
		return nil, RefusedForm
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, RefusedForm
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, RefusedScheme
	case u.User != nil:
		return nil, RefusedUserinfo
	case strings.Contains(raw, "#"):
		return nil, RefusedFragment
	case u.Host == "":
		return nil, RefusedForm
	}
	return u, ""
}

// judgeScheme adds the verdict on the scheme to the one on the host. A refusal that no
// setting can lift is said first. If two settings are needed, both are named.
func (g *Guard) judgeScheme(scheme string, host Refusal) Refusal {
	if scheme != "http" || g.policy.AllowHTTP {
		return host
	}
	switch host {
	case "", RefusedClosedPort:
		return RefusedHTTP
	case RefusedPrivate, RefusedLocalName:
		return RefusedPrivateHTTP
	}
	return host
}

// hasOddCharacter reports whether raw holds a character about which parsers disagree:
// some drop a tab, read a backslash as a slash, or end at a line break.
func hasOddCharacter(raw string) bool {
	_, unsafe := typus.UnsafeRune(raw)
	return unsafe || strings.Contains(raw, `\`) || strings.ContainsFunc(raw, unicode.IsSpace)
}

// canonicalHost rewrites host and port in u and judges them.
func (g *Guard) canonicalHost(u *url.URL) Refusal {
	port, refusal := portOf(u)
	if refusal != "" {
		return refusal
	}
	if ip, isIP := literal(u); isIP {
		ip = ip.Unmap()
		setHost(u, ip.String(), port)
		return g.judge(netip.AddrPortFrom(ip, port))
	}
	name, refusal := canonicalName(u)
	if refusal != "" {
		return refusal
	}
	setHost(u, name, port)
	return g.judgeName(name, port)
}

// portOf is the port of u. It accepts only one spelling: no colon without a port, and
// no leading zero.
func portOf(u *url.URL) (uint16, Refusal) {
	text := u.Port()
	if text == "" {
		if strings.HasSuffix(u.Host, ":") {
			return 0, RefusedPort
		}
		return defaultPort(u.Scheme), ""
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 || text[0] == '0' {
		return 0, RefusedPort
	}
	return uint16(port), ""
}

func defaultPort(scheme string) uint16 {
	if scheme == "http" {
		return 80
	}
	return 443
}

func setHost(u *url.URL, host string, port uint16) {
	u.Host = net.JoinHostPort(host, strconv.Itoa(int(port)))
	if port == defaultPort(u.Scheme) {
		u.Host = strings.TrimSuffix(u.Host, ":"+strconv.Itoa(int(port)))
	}
}

// escapeQuery percent-encodes what may not stand unescaped in a request line. A query
// that is copied from a browser's address line may hold such characters.
func escapeQuery(query string) string {
	var b strings.Builder
	for _, c := range []byte(query) {
		if c > 0x7e || strings.IndexByte(`"<>`, c) >= 0 {
			b.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(c), 16)))
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// hostPort is what a connection to u is dialled at.
func hostPort(u *url.URL) string {
	port, _ := portOf(u)
	return net.JoinHostPort(u.Hostname(), strconv.Itoa(int(port)))
}
