package hostiletest

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Peer is a receiver's end of one HTTP/2 connection, on which it may write
// whatever it likes.
type Peer struct {
	*http2.Framer
	conn  net.Conn
	posts func() // counts one
	acked bool   // the client has acknowledged our settings
}

// Conversation treats one HTTP/2 connection like a Behaviour. Our settings are
// not sent yet, the client's preface is read.
type Conversation func(*Peer)

// StartHTTP2 starts a receiver that speaks HTTP/2 over TLS and nothing else.
func StartHTTP2(t testing.TB, cert tls.Certificate, talk Conversation) *Receiver {
	t.Helper()
	conf := &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{http2.NextProtoTLS}}
	r := new(Receiver)
	r.listen(t, "https", func(raw net.Conn) {
		conn := tls.Server(raw, conf)
		defer conn.Close()
		preface := make([]byte, len(http2.ClientPreface))
		if _, err := io.ReadFull(conn, preface); err == nil {
			talk(&Peer{Framer: http2.NewFramer(conn, conn), conn: raw, posts: func() { r.posts.Add(1) }})
		}
	})
	return r
}

// Posts is how many requests have begun over HTTP/2 so far.
func (r *Receiver) Posts() int { return int(r.posts.Load()) }

// next reads a frame, nil when the client has gone.
func (p *Peer) next() http2.Frame {
	frame, err := p.ReadFrame()
	if err != nil {
		return nil
	}
	switch frame := frame.(type) {
	case *http2.HeadersFrame:
		p.posts()
	case *http2.SettingsFrame:
		p.acked = p.acked || frame.IsAck()
	}
	return frame
}

// head waits for the head of a request and gives its stream, 0 when the client
// has gone.
func (p *Peer) head() uint32 {
	for frame := p.next(); frame != nil; frame = p.next() {
		if head, ok := frame.(*http2.HeadersFrame); ok {
			return head.StreamID
		}
	}
	return 0
}

// request waits for a whole request and gives its stream, 0 when the client has
// gone.
func (p *Peer) request() uint32 {
	for frame := p.next(); frame != nil; frame = p.next() {
		if data, ok := frame.(*http2.DataFrame); ok && data.StreamEnded() {
			return data.StreamID
		}
	}
	return 0
}

// listen reads what the client still sends, until it has gone.
func (p *Peer) listen() {
	for p.next() != nil {
	}
}

// attend reads what the client still sends and answers its pings, until it has
// gone.
func (p *Peer) attend() {
	for frame := p.next(); frame != nil; frame = p.next() {
		if ping, ok := frame.(*http2.PingFrame); ok && !ping.IsAck() {
			p.WritePing(true, ping.Data)
		}
	}
}

// answer writes the head of an answer, "name: value" fields after the status.
func (p *Peer) answer(stream uint32, ends bool, status string, fields ...string) error {
	return p.WriteHeaders(http2.HeadersFrameParam{
		StreamID: stream, BlockFragment: block(status, fields...), EndHeaders: true, EndStream: ends,
	})
}

func block(status string, more ...string) []byte {
	return append(fields(":status: "+status), fields(more...)...)
}

// fields is "name: value" fields in HPACK, each put into the dynamic table.
func fields(list ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for _, f := range list {
		colon := strings.LastIndex(f, ": ")
		e.WriteField(hpack.HeaderField{Name: f[:colon], Value: f[colon+2:]})
	}
	return b.Bytes()
}
