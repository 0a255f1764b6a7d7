package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

// connections is how many keep-alive connections every load uses.
const connections = 32

// load is one kind of request. The generator is deliberately lean, with requests
// made ahead and answers only measured: what it saves goes to the server and to
// the reference alike, and makes a ratio stricter than a generous client would.
type load struct {
	want int // status of every answer
	// request appends the n-th request of a connection to buf, or returns nil
	// when there are no more.
	request func(buf []byte, conn, n int) []byte
}

// speed is what a load reached.
type speed struct {
	requests int
	elapsed  time.Duration
	took     []time.Duration // of each request, ascending
}

func (s speed) perSecond() float64 { return float64(s.requests) / s.elapsed.Seconds() }

// quantile is the time within which the share q of all requests was answered.
func (s speed) quantile(q float64) time.Duration {
	if len(s.took) == 0 {
		return 0
	}
	return s.took[min(len(s.took)-1, int(q*float64(len(s.took))))]
}

// run sends the load to addr for so long, or until every connection has sent
// all its requests.
func (l load) run(ctx context.Context, addr string, turn time.Duration) (speed, error) {
	ctx, cancel := context.WithTimeout(ctx, turn)
	defer cancel()
	var (
		all   sync.WaitGroup
		took  [connections][]time.Duration
		fails [connections]error
	)
	begun := time.Now()
	for i := range connections {
		all.Go(func() { took[i], fails[i] = l.drive(ctx, addr, i) })
	}
	all.Wait()
	s := speed{elapsed: time.Since(begun), took: slices.Concat(took[:]...)}
	s.requests = len(s.took)
	slices.Sort(s.took)
	for _, err := range fails {
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// drive sends one request after the other over one connection.
func (l load) drive(ctx context.Context, addr string, conn int) ([]time.Duration, error) {
	c, err := dial(addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var took []time.Duration
	var buf []byte
	for n := 0; ctx.Err() == nil; n++ {
		if buf = l.request(buf[:0], conn, n); buf == nil {
			break
		}
		begun := time.Now()
		got, err := c.exchange(buf)
		if err != nil {
			return took, err
		}
		if got.status != l.want {
			return took, fmt.Errorf("%q was answered with %d, want %d: %s", firstLine(buf), got.status, l.want, got.body)
		}
		took = append(took, time.Since(begun))
	}
	return took, nil
}

func firstLine(request []byte) []byte {
	line, _, _ := bytes.Cut(request, []byte("\r\n"))
	return line
}

// conn is a keep-alive connection that speaks as much HTTP/1.1 as our answers need.
type conn struct {
	net.Conn
	in   *bufio.Reader
	body []byte
}

// received is an answer; it holds until the next exchange.
type received struct {
	status   int
	location string
	size     int // of head and body
	body     []byte
}

func dial(addr string) (*conn, error) {
	c, err := net.Dial("tcp", addr) //nolint:noctx // to this machine
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, in: bufio.NewReaderSize(c, 64<<10)}, nil
}

func (c *conn) exchange(request []byte) (received, error) {
	if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return received{}, err
	}
	if _, err := c.Write(request); err != nil {
		return received{}, err
	}
	var got received
	length := -1
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return got, fmt.Errorf("after %q: %w", firstLine(request), err)
		}
		got.size += len(line)
		line = bytes.TrimRight(line, "\r\n")
		if first {
			got.status = number(line[min(9, len(line)):min(12, len(line))])
		} else if len(line) == 0 {
			break
		} else if value, ok := header(line, "Content-Length: "); ok {
			length = number(value)
		} else if value, ok := header(line, "Location: "); ok {
			got.location = string(value)
		}
	}
	if length < 0 {
		return got, fmt.Errorf("%q was answered without a length", firstLine(request))
	}
	return got, c.readBody(&got, length)
}

func (c *conn) readBody(got *received, length int) error {
	c.body = slices.Grow(c.body[:0], length)[:length]
	for read := 0; read < length; {
		n, err := c.in.Read(c.body[read:])
		if err != nil {
			return err
		}
		read += n
	}
	got.body = c.body
	got.size += length
	return nil
}

func header(line []byte, name string) ([]byte, bool) { return bytes.CutPrefix(line, []byte(name)) }

func number(text []byte) int {
	n, err := strconv.Atoi(string(text))
	if err != nil {
		return -1
	}
	return n
}
