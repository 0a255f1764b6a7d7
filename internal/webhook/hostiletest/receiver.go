// Package hostiletest gives webhook receivers that answer badly on purpose.
package hostiletest

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
)

// Behaviour answers on one connection and returns when it is done or the
// client has gone; the connection is closed after it. It works on any net.Conn,
// a net.Pipe too.
type Behaviour func(net.Conn)

// Receiver is a Behaviour that listens on 127.0.0.1 until its test ends.
type Receiver struct {
	URL         string // http(s)://127.0.0.1:port/hook
	connections atomic.Int32
	open        atomic.Int32
	posts       atomic.Int32
}

// Connections is how many connections were made to the receiver so far.
func (r *Receiver) Connections() int { return int(r.connections.Load()) }

// Open is how many connections to the receiver are open.
func (r *Receiver) Open() int { return int(r.open.Load()) }

// Start starts a receiver that treats every connection with b. At the end of
// the test it waits until all its connections are closed.
func Start(t testing.TB, b Behaviour) *Receiver {
	t.Helper()
	r := new(Receiver)
	r.listen(t, "http", b)
	return r
}

func (r *Receiver) listen(t testing.TB, scheme string, b Behaviour) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.URL = scheme + "://" + l.Addr().String() + "/hook"
	var open sync.WaitGroup
	ended := make(chan struct{})
	open.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			r.connections.Add(1)
			r.open.Add(1)
			open.Go(func() {
				defer r.open.Add(-1)
				converse(conn, b, ended)
			})
		}
	})
	t.Cleanup(func() {
		close(ended)
		l.Close()
		open.Wait()
	})
}

// converse closes the connection when b is done or the test has ended.
func converse(conn net.Conn, b Behaviour, ended <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer conn.Close()
		b(conn)
	}()
	select {
	case <-done:
	case <-ended:
		conn.Close()
		<-done
	}
}

// request reads one request with its body and reports whether there was one.
func request(conn net.Conn) bool {
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, req.Body)
	return err == nil
}
