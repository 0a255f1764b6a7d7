package webhook

import (
	"context"
	"errors"
	"net"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
)

// progress follows one attempt, so that we can say afterwards where it failed. Its
// fields are atomic because the transport may call it from a dial that outlives the
// request.
type progress struct {
	dials      atomic.Int32
	handshakes atomic.Int32 // TLS handshakes begun, that with the proxy too
	heads      atomic.Int32 // requests whose head was written
	connected  atomic.Bool
	reused     atomic.Bool // the last connection had served before
	begun      atomic.Pointer[mark]
	sent       atomic.Bool
	remote     atomic.Value // netip.Addr
}

// follow returns the context for the requests of the attempt.
func (p *progress) follow(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(context.WithValue(ctx, progressKey{}, p), p.trace())
}

func (p *progress) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn:           func(string) { p.connected.Store(false); p.handshakes.Store(0) }, // a repeat begins anew
		TLSHandshakeStart: func() { p.handshakes.Add(1) },
		GotConn: func(info httptrace.GotConnInfo) {
			p.begun.Store(begin(info.Conn))
			p.connected.Store(true)
			p.reused.Store(info.Reused)
			if to, err := netip.ParseAddrPort(info.Conn.RemoteAddr().String()); err == nil {
				p.remote.Store(to.Addr().Unmap())
			}
		},
		WroteHeaders: func() { p.heads.Add(1) },
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

// lost is what the transport says of a receiver that answers no ping.
const lost = "http2: client connection lost"

func isTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || err.Error() == lost {
		return true
	}
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
