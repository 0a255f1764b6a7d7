package webhook

import (
	"context"
	"errors"
	"net"
	"net/http"
	"regexp"
)

// maxDials bounds the connections of one attempt: its own, that of a repeat, and
// one for when another attempt took the one that was dialled for this.
const maxDials = 3

var errDials = errors.New("webhook: no connection of the receiver takes a request")

// once makes the attempt, which is one POST. Go's transport repeats a POST by
// itself as long as it can have the body anew, without end, without a pause and
// also where the receiver may have processed it (golang/go#52459). So it cannot:
// the request has no GetBody. What the receiver certainly did not process is
// repeated here, at most once.
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

// disowned is what the transport says of a request that it would repeat if it
// could have the body anew, after a GOAWAY that names an earlier last stream
// (RFC 9113, 6.8) or after REFUSED_STREAM (8.7). It says the same of
// PROTOCOL_ERROR, which proves nothing.
var disowned = regexp.MustCompile(`^http2: Transport: cannot retry err \[(.* graceful shutdown GOAWAY|.*; REFUSED_STREAM; .*)\] after`)

// unprocessed reports whether the receiver certainly did not process the
// request: it says so, or a kept-alive connection turned out to be closed before
// a byte of the request was written. A new one that does that is left alone.
func (p *progress) unprocessed(err error) bool {
	if disowned.MatchString(err.Error()) {
		return true
	}
	return p.reused.Load() && !isTimeout(err) && (p.heads.Load() == 0 || p.begun.Load().silent())
}

type progressKey struct{}

type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// bounded dials at most maxDials times for one attempt: while every connection
// says before the request that it takes none, the transport dials without end.
// It hands on the values of the request's context, if not its end. What a
// connection brings is bounded too.
func bounded(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if p, ok := ctx.Value(progressKey{}).(*progress); ok && p.dials.Add(1) > maxDials {
			return nil, errDials
		}
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return meter(conn), nil
	}
}
