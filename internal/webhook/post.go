package webhook

import (
	"context"
	"net/http"
	"time"

	"typus"
)

// Post makes one attempt, which is one POST, and always returns an outcome, after at
// most 20 seconds. A status from 200 to 299 in the answer's head is a success. What
// happens to the body after that does not matter, so that no delivery is repeated
// needlessly. When ctx ends first, the outcome is "interrupted".
func (c *Client) Post(ctx context.Context, r Request) Outcome {
	begun := time.Now()
	out := Outcome{Attempt: typus.Attempt{StartedAt: r.At, URL: r.URL, Outcome: OutcomeFailed}}
	lines, err := c.headers(r)
	if err != nil {
		out.Attempt.ErrorCode = CodeNeedsSecret
		return out
	}
	if r.HeaderLost { // the receiver's gateway would refuse it
		out.Attempt.ErrorCode = CodeNeedsHeader
		return out
	}
	out.Attempt.RequestHeaders = logged(lines)
	c.send(ctx, r, lines, &out)
	if out.Attempt.ErrorCode != CodeBlocked {
		out.Attempt.Duration = time.Since(begun)
	}
	return out
}

func (c *Client) send(ctx context.Context, r Request, lines []headerLine, out *Outcome) {
	p := new(progress)
	limited, cancel := context.WithTimeout(p.follow(ctx), c.limits.total)
	defer cancel()
	resp, err := c.roundTrip(limited, p, r, lines)
	switch {
	case err == nil:
		out.Attempt.RemoteIP = p.remoteIP()
		out.read(resp, c.limits.body)
	case ctx.Err() != nil:
		out.Attempt.ErrorCode, out.Attempt.Outcome = CodeInterrupted, OutcomeInterrupted
	default:
		out.Attempt.ErrorCode = join(c.fault(p, err))
		out.Attempt.RemoteIP = p.remoteIP()
	}
}

// roundTrip checks the address again, since the policy may have changed after it was
// saved, and sends the request. It uses the transport directly, which follows no
// redirect, keeps no cookie and adds nothing.
func (c *Client) roundTrip(ctx context.Context, p *progress, r Request, lines []headerLine) (*http.Response, error) {
	u, err := c.guard.parse(r.URL)
	if err != nil {
		return nil, err
	}
	if c.transport.Proxy != nil {
		if err := c.dialer.vet(ctx, hostPort(u)); err != nil {
			return nil, err
		}
	}
	return c.once(p, func() (*http.Request, error) { return newRequest(ctx, u.String(), lines, r.Event.Payload) })
}
