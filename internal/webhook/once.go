package webhook

import (
	"context"
	"errors"
	"net"
	"net/http"
	"regexp"
)

// maxDials bounds the connections of one attempt: its own, the one of a repeat, and one
// more in case another attempt took a connection that was dialled for this one.
const maxDials = 3

var errDials = errors.New("webhook: no connection of the receiver takes a request")

// once makes the attempt, which is one POST. If Go's transport can get the body again,
// it repeats a POST by itself, without end, without a pause, and even where the
// receiver may have processed it (golang/go#52459). Therefore the request has no
// GetBody. A request that the receiver certainly did not process is repeated here, at
// most once.
func (c *Client) once(p *progress, request func() (*http.Request, error)) (*http.Response, error) {
	for repeated := false; ; repeated = true {
		req, err := request()
		if err != nil {
			return nil, err
		}
		resp, err := c.transport.RoundTrip(req)
		if err == nil || repeated || req.Context().Err() != nil || !p.unprocessed(err) {
			return resp, err
		}
	}
}

// disowned matches the transport's error for a request that it would repeat if it could
// get the body again: after a GOAWAY that names an earlier last stream (RFC 9113, 6.8)
// or after REFUSED_STREAM (8.7). The transport has the same words for PROTOCOL_ERROR,
// which proves nothing.
var disowned = regexp.MustCompile(`^http2: Transport: cannot retry err \[(.* graceful shutdown GOAWAY|.*; REFUSED_STREAM; .*)\] after`)

// unprocessed reports whether the receiver certainly did not process the request: it
// says so, or a kept-alive connection turned out to be closed before a byte of the
// request was written. On a new connection the latter is not repeated.
func (p *progress) unprocessed(err error) bool {
	if disowned.MatchString(err.Error()) {
		return true
	}
	return p.reused.Load() && !isTimeout(err) && (p.heads.Load() == 0 || p.begun.Load().silent())
}

type progressKey struct{}

type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// bounded dials at most maxDials times for one attempt. The transport alone would dial
// without end while each new connection says that it takes no request. The dial gets
// the values of the request's context, but may outlive it. A connection may bring no more
// than most bytes (metered).
func bounded(dial dialFunc, most int64) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if p, ok := ctx.Value(progressKey{}).(*progress); ok && p.dials.Add(1) > maxDials {
			return nil, errDials
		}
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return meter(conn, most), nil
	}
}
