package web

import (
	"bytes"
	"math"
	"net"
	"net/http"
	"slices"
	"sync"
)

// conn is a connection that puts net/http's own error answers into our words.
//
// A request that net/http cannot serve (a bad escape, no Host, two lengths, a header
// that is too large) is answered by net/http straight on the connection, before any
// handler runs and without any hook. We recognise such an answer by the time at which
// it is written, not by what it looks like. From the moment a handler begins until the
// connection is idle again, everything written passes unchanged, streamed and
// half-written answers included. At any other time only net/http can write, and all it
// ever writes then is one refusal in one piece, after which it closes the connection.
// So nothing that a handler writes can be taken for a refusal. Which requests are
// refused, and how far they are read, stays net/http's decision.
type conn struct {
	net.Conn
	refuse func(said, head []byte) []byte // what is written in place of a refusal

	mu        sync.Mutex // a request's body is read, and the next one awaited, while a handler writes
	answering bool
	body      int64  // bytes of the answered request's body that have not been read yet
	head      []byte // what has been read of the request that comes next or is being refused
}

// Read notes the head of the next request. net/http reads ahead 4 KiB at most, and of
// a head no more than the server's limit.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head = append(c.head, c.pastBody(p[:n])...)
	return n, err
}

// pastBody leaves out what belongs to the body of the answered request. c.mu is held.
func (c *conn) pastBody(read []byte) []byte {
	n := min(int64(len(read)), c.body)
	c.body -= n
	return read[n:]
}

// Write passes on what a handler says and puts a refusal into our words.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	answering, head := c.answering, c.head
	c.mu.Unlock()
	if answering {
		return c.Conn.Write(p)
	}
	if _, err := c.Conn.Write(c.refuse(p, head)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// CloseWrite lets net/http end a connection so that a client that is still sending its
// request can read the answer.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// begin is called when a handler begins to answer r. The next request begins after the
// body of r. After a chunked body, whose end is not known here, there is no next
// request, because the connection is closed (see NewServer).
func (c *conn) begin(r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answering = true
	c.body = r.ContentLength
	if c.body < 0 {
		c.body = math.MaxInt64
	}
	c.head = slices.Clone(c.pastBody(afterHead(c.head)))
}

// idle is called when the answer has been sent and the connection waits for the next
// request.
func (c *conn) idle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answering = false
}

// afterHead is what follows the first empty line. net/http has read the head before,
// so there is one; it passes over line ends before the head, as after the body of a POST.
func afterHead(read []byte) []byte {
	rest := bytes.TrimLeft(read, "\r\n")
	for {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		if !found || len(bytes.TrimSuffix(line, []byte("\r"))) == 0 {
			return after
		}
		rest = after
	}
}

// listener hands out the connections of a Server.
type listener struct {
	net.Listener
	refuse func(said, head []byte) []byte
}

// Accept waits for the next connection.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, refuse: l.refuse}, nil
}
