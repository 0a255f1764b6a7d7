package webhook

import (
	"crypto/tls"
	"errors"
	"net"
	"sync/atomic"
)

// maxRead is how many bytes a connection may bring after the last attempt on it has
// begun, where ClientOptions say nothing else. It is far more than all answers that may be
// on their way. It is little enough to end a flood of pings or other frames soon: HTTP/2
// answers those outside of any request, so the connection would not become idle.
const maxRead = 4 << 20

var errFlood = errors.New("webhook: the receiver sent too much")

// metered is a connection that fails once it has brought more than most bytes, and that
// counts what was written to it.
type metered struct {
	net.Conn
	most          int64
	left, written atomic.Int64
}

func meter(conn net.Conn, most int64) *metered {
	m := &metered{Conn: conn, most: most}
	m.left.Store(most)
	return m
}

func (m *metered) Read(b []byte) (int, error) {
	if m.left.Load() <= 0 {
		return 0, errFlood
	}
	n, err := m.Conn.Read(b)
	m.left.Add(-int64(n))
	return n, err
}

func (m *metered) Write(b []byte) (int, error) {
	n, err := m.Conn.Write(b)
	m.written.Add(int64(n))
	return n, err
}

// mark is how much had been written to a connection when an attempt got it.
type mark struct {
	conn    *metered
	written int64
}

// begin makes the metered connection below conn count from zero for an attempt.
func begin(conn net.Conn) *mark {
	for {
		switch c := conn.(type) {
		case *tls.Conn:
			conn = c.NetConn()
		case *metered:
			c.left.Store(c.most)
			return &mark{c, c.written.Load()}
		default:
			return nil
		}
	}
}

// silent reports whether nothing was written since.
func (m *mark) silent() bool { return m != nil && m.conn.written.Load() == m.written }
