package dbtest

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// Cut is a proxy before a PostgreSQL server. Once armed it cuts the connection at a
// commit: before the server has seen it, or instead of the server's answer.
type Cut struct {
	DSN        string // of the database through the proxy
	server     string
	armed      atomic.Bool
	passOn     atomic.Bool                   // let the server commit first
	silent     atomic.Pointer[chan struct{}] // closed when the silence ends; nil: there is none
	unanswered atomic.Int64                  // what was said in silence
	cuts       atomic.Int64
}

// CutAtCommit starts the proxy for the length of a test. With stored the server
// commits before the connection is cut.
func CutAtCommit(t testing.TB, dsn string, stored bool) *Cut {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it ends with the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	c := &Cut{server: u.Host}
	c.passOn.Store(stored)
	u.Host = l.Addr().String()
	c.DSN = u.String()
	go c.accept(l)
	return c
}

// Arm says whether commits are cut from now on.
func (c *Cut) Arm(armed bool) { c.armed.Store(armed) }

// TwoCuts cuts two commits and no more: the first before the server has seen it, the
// second instead of its answer.
func (c *Cut) TwoCuts() {
	c.passOn.Store(false)
	c.cuts.Store(2)
}

// Silence lets nothing pass any more: connections stay and are made, and nobody answers,
// until end is called, which closes those on which something was said.
func (c *Cut) Silence() (end func()) {
	over := make(chan struct{})
	c.silent.Store(&over)
	return func() { close(over) }
}

// Unanswered is how often something was said in silence.
func (c *Cut) Unanswered() int { return int(c.unanswered.Load()) }

// Answer lets all pass again but those connections on which something was said in silence;
// these stay as they are until end of Silence is called.
func (c *Cut) Answer() { c.silent.Store(nil) }

// ends reports whether a piece that the client sends ends its connection.
func (c *Cut) ends(b []byte) bool {
	if !bytes.Contains(b, []byte("commit\x00")) {
		return false
	}
	if c.cuts.Load() == 0 {
		return c.armed.Load()
	}
	c.passOn.Store(c.cuts.Add(-1) == 0)
	return true
}

func (c *Cut) accept(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		go c.serve(client)
	}
}

func (c *Cut) serve(client net.Conn) {
	server, err := net.Dial("tcp", c.server) //nolint:noctx // it ends with the client
	if err != nil {
		_ = client.Close()
		return
	}
	var cut atomic.Bool
	var both sync.WaitGroup
	both.Go(func() {
		c.pass(server, client, func(b []byte) bool {
			cut.Store(cut.Load() || c.ends(b))
			return !cut.Load() || c.passOn.Load()
		})
		_ = server.Close()
	})
	both.Go(func() {
		c.pass(client, server, func([]byte) bool { return !cut.Load() })
		_ = client.Close()
	})
	both.Wait()
}

// pass copies until an end or until ok refuses a piece.
func (c *Cut) pass(to, from net.Conn, ok func([]byte) bool) {
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if err != nil || !ok(buffer[:n]) {
			return
		}
		if over := c.silent.Load(); over != nil {
			c.unanswered.Add(1)
			<-*over
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}
