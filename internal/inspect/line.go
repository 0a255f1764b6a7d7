package inspect

import (
	"context"
	"net"
	"sync/atomic"
	"time"
)

// line makes connections, and can send what is written to them slowly.
type line struct {
	slow atomic.Bool
}

func (l *line) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return slowConn{conn, l}, nil
}

type slowConn struct {
	net.Conn
	line *line
}

const (
	pieces = 8
	pause  = 100 * time.Millisecond
)

// Write sends slowly while the line is slow: in pieces, with a pause before each.
func (c slowConn) Write(b []byte) (int, error) {
	if !c.line.slow.Load() {
		return c.Conn.Write(b)
	}
	sent, size := 0, len(b)/pieces+1
	for sent < len(b) {
		time.Sleep(pause)
		n, err := c.Conn.Write(b[sent:min(sent+size, len(b))])
		if sent += n; err != nil {
			return sent, err
		}
	}
	return sent, nil
}
