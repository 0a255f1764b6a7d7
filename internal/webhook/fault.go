package webhook

import (
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
)

// fault says how an attempt failed: a code and what it is about.
func (c *Client) fault(p *progress, err error) (code, about string) {
	if _, refused := errors.AsType[Refusal](err); refused {
		return CodeBlocked, ""
	}
	if _, unresolved := errors.AsType[*net.DNSError](err); unresolved && !isOp(err, "proxyconnect") {
		return CodeDNS, ""
	}
	switch {
	case errors.Is(err, errDials):
		return CodeHTTP2Refused, ""
	case !p.connected.Load():
		return c.unconnected(p, err)
	case isTimeout(err) && p.sent.Load():
		return CodeTimeoutHeaders, ""
	case isTimeout(err):
		return CodeTimeoutBody, ""
	}
	return broken(err)
}

// unconnected says why there was no connection to send the request on.
func (c *Client) unconnected(p *progress, err error) (code, about string) {
	switch {
	case p.handshakes.Load() > c.proxyHandshakes:
		return tlsFault(err)
	case c.transport.Proxy != nil:
		return CodeProxy, ""
	case errors.Is(err, syscall.ECONNREFUSED):
		return CodeRefused, ""
	}
	return CodeConnect, ""
}

// broken says how the connection ended on which the request was sent.
func broken(err error) (code, about string) {
	switch {
	case isOp(err, tlsAlert):
		return tlsFault(err) // TLS 1.3 says only now that it wants a certificate of ours
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return CodeReset, ""
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return CodeClosed, ""
	case errors.Is(err, errFlood):
		return CodeHeadTooLarge, ""
	case disowned.MatchString(err.Error()):
		return CodeHTTP2Refused, ""
	}
	return brokenText(err.Error())
}

// brokenText tells apart those errors of Go's transport that have a text and no type.
func brokenText(text string) (code, about string) {
	for _, t := range brokenTexts {
		if strings.HasPrefix(text, t.prefix) && strings.Contains(text, t.part) {
			if t.code == CodeHTTP2Reset {
				return t.code, http2Error(text)
			}
			return t.code, ""
		}
	}
	return CodeMalformed, ""
}

var brokenTexts = []struct{ prefix, part, code string }{
	{"net/http: HTTP/1.x transport connection broken: net/http: server response headers exceeded", "", CodeHeadTooLarge},
	{"http: server closed idle connection", "", CodeClosed},
	{"net/http: cannot rewind body after connection loss", "", CodeHTTP2Refused},
	{"stream error: ", "; received from peer", CodeHTTP2Reset},
	{"stream error: ", "header list", CodeHeadTooLarge},
	{"http2: Transport: cannot retry err [stream error: ", "", CodeHTTP2Reset},
	{"http2: server sent GOAWAY", "", CodeHTTP2Reset},
	{"http2: Transport received GOAWAY", "", CodeHTTP2Reset},
	{"http2: client conn not usable", "", CodeHTTP2Refused},
	{"http2: client conn", "", CodeClosed},
}

// http2Error is the name of HTTP/2's error (RFC 9113, 7) in a text of the
// transport, "" for one that HTTP/2 does not know.
func http2Error(text string) string {
	text, _, _ = strings.Cut(text, `debug="`) // what follows is the receiver's own
	for _, name := range []string{
		"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR",
		"REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
	} {
		if strings.Contains(text, name) {
			return name
		}
	}
	return ""
}

// isOp reports whether err comes from the operation op of package net, or of a package
// that reports operations in the same way.
func isOp(err error, op string) bool {
	o, found := errors.AsType[*net.OpError](err)
	return found && o.Op == op
}
