package webhook

import (
	"context"
	"errors"
	"net"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
)

// The error codes of an attempt, beside interrupted, which the courier also
// writes for an attempt whose end nobody saw.
const (
	CodeDNS            = "dns"
	CodeBlocked        = "blocked_address" // refused by the guard; tells neither the address nor the time it took
	CodeConnect        = "connect"
	CodeTLS            = "tls"
	CodeTimeoutHeaders = "timeout_headers" // no complete head of an answer in time
	CodeTimeoutBody    = "timeout_body"    // our body was not taken in time
	CodeReset          = "reset"           // the connection broke, or what came was not HTTP
	Code3xx            = "http_3xx"        // redirects are not followed
	Code4xx            = "http_4xx"
	Code5xx            = "http_5xx"
	Code429            = "http_429"
	CodeGone           = "gone"             // 410
	CodeOther          = "http_other"       // 1xx, or a number HTTP does not know
	CodeInterrupted    = "interrupted"      // ended from our side
	CodeNeedsSecret    = "needs_new_secret" // the stored secret cannot sign
)

// progress follows one request, to tell afterwards where it failed. The
// transport may call it from a dial that outlives the request, hence atomics.
type progress struct {
	tls, connected, sent atomic.Bool
	remote               atomic.Value // netip.Addr
}

func (p *progress) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		TLSHandshakeStart: func() { p.tls.Store(true) },
		GotConn: func(info httptrace.GotConnInfo) {
			p.connected.Store(true)
			if to, err := netip.ParseAddrPort(info.Conn.RemoteAddr().String()); err == nil {
				p.remote.Store(to.Addr().Unmap())
			}
		},
		WroteRequest: func(info httptrace.WroteRequestInfo) { p.sent.Store(info.Err == nil) },
	}
}

// remoteIP is the address that was connected to, "" if none.
func (p *progress) remoteIP() string {
	if ip, ok := p.remote.Load().(netip.Addr); ok {
		return ip.String()
	}
	return ""
}

// code classifies the error of a request.
func (p *progress) code(err error) string {
	if _, refused := errors.AsType[Refusal](err); refused {
		return CodeBlocked
	}
	if _, unresolved := errors.AsType[*net.DNSError](err); unresolved {
		return CodeDNS
	}
	switch {
	case !p.connected.Load() && p.tls.Load():
		return CodeTLS
	case !p.connected.Load():
		return CodeConnect
	case isTimeout(err) && p.sent.Load():
		return CodeTimeoutHeaders
	case isTimeout(err):
		return CodeTimeoutBody
	}
	return CodeReset
}

func isTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
