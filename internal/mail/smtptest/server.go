// Package smtptest is an SMTP server for tests that keeps what it is given.
package smtptest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"net/textproto"
	"strings"
	"sync"
	"testing"
)

// Envelope is one accepted message: who it is from and for, and its bytes.
type Envelope struct {
	From string // the path of MAIL FROM without brackets
	To   []string
	Data []byte // with CRLF as LF
	Raw  []byte // as they were sent, without the dots that SMTP adds
}

// Server is a real SMTP server on a loopback port. Set its fields before the
// first connection; it then answers as a careful server does (RFC 5321) and
// fails the test on anything a client must not send.
type Server struct {
	Addr string // host:port

	// Sender answers MAIL for an envelope sender as Reply does; nil accepts everybody.
	Sender func(from string) string
	// Reply answers RCPT for a recipient: a full line such as "451 try later",
	// or "" to accept. It may block. nil accepts everybody.
	Reply func(to string) string
	// Verdict answers the final dot of a message: a full line such as "554
	// refused", after which the message is not kept, or "" to accept. nil accepts
	// everything.
	Verdict func(data []byte) string
	// Greeting is a full line to begin every connection with and to end it after;
	// "" for a friendly one.
	Greeting string
	// MaxPerConnection hangs up with 421 after so many messages; 0 is no limit.
	MaxPerConnection int
	// Confirm answers the final dot of the n-th message, counted from 1 over all
	// connections, which is kept whatever is said: a full line, or "" to hang up
	// instead. nil confirms each.
	Confirm func(n int) string
	// HangUpAfter closes the connection after so many bytes of a message; 0 reads all.
	HangUpAfter int
	// TLS offers STARTTLS, and with Implicit begins every connection in TLS.
	TLS      *tls.Config
	Implicit bool
	// Login is "user password"; with it, mail needs AUTH PLAIN first.
	Login string

	t        testing.TB
	listener net.Listener
	mu       sync.Mutex
	got      []Envelope
	conns    map[net.Conn]bool
	opened   int
	served   sync.WaitGroup
}

// Start runs a server until the test ends. change sets its fields, nil for none.
func Start(t testing.TB, change func(*Server)) *Server {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := New(t, change)
	s.Addr, s.listener = listener.Addr().String(), listener
	s.served.Go(s.accept)
	t.Cleanup(s.stop)
	return s
}

// New is a server that listens nowhere; Dial reaches it.
func New(t testing.TB, change func(*Server)) *Server {
	s := &Server{t: t, conns: map[net.Conn]bool{}}
	if change != nil {
		change(s)
	}
	return s
}

// Dial opens a connection that is no socket, for where time is simulated. It has the
// form of mail.SMTPOptions.Dial.
func (s *Server) Dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	s.take(far)
	return near, nil
}

// URL is the server's address as a setting.
func (s *Server) URL() string { return "smtp://" + s.Addr }

// Envelopes are the messages accepted so far, in order.
func (s *Server) Envelopes() []Envelope {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Envelope(nil), s.got...)
}

// Connections is how many connections were opened so far.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.take(conn)
	}
}

// take serves a connection.
func (s *Server) take(conn net.Conn) {
	s.mu.Lock()
	s.opened++
	s.conns[conn] = true
	s.mu.Unlock()
	s.served.Go(func() {
		s.serve(conn)
		_ = conn.Close()
		s.mu.Lock()
		delete(s.conns, conn)
		s.mu.Unlock()
	})
}

func (s *Server) stop() {
	_ = s.listener.Close()
	s.mu.Lock()
	for conn := range s.conns {
		_ = conn.Close()
	}
	s.mu.Unlock()
	s.served.Wait()
}

// session is the state of one connection.
type session struct {
	server   *Server
	conn     net.Conn
	text     *textproto.Conn
	secure   bool
	loggedIn bool
	mail     *Envelope // since MAIL
	accepted int
}

func (s *Server) serve(conn net.Conn) {
	c := &session{server: s, conn: conn, loggedIn: s.Login == ""}
	if s.Implicit {
		c.conn, c.secure = tls.Server(conn, s.TLS), true
	}
	c.text = textproto.NewConn(c.conn)
	if s.Greeting != "" {
		c.say("%s", s.Greeting)
		return
	}
	if !c.say("220 sink.example.com ESMTP") {
		return
	}
	for {
		line, err := c.text.ReadLine()
		if err != nil || !c.command(line) {
			return
		}
	}
}

func (c *session) say(format string, args ...any) bool {
	return c.text.PrintfLine(format, args...) == nil
}

// command answers one line and reports whether the conversation goes on.
func (c *session) command(line string) bool {
	verb, rest, _ := strings.Cut(line, " ")
	switch strings.ToUpper(verb) {
	case "EHLO":
		return c.hello(rest)
	case "STARTTLS":
		return c.startTLS()
	case "AUTH":
		return c.login(rest)
	case "MAIL":
		return c.from(rest)
	case "RCPT":
		return c.to(rest)
	case "DATA":
		return c.data()
	case "RSET":
		c.mail = nil
		return c.say("250 2.0.0 ok")
	case "*": // the client gives up a login (RFC 4954, 4)
		return c.say("501 5.7.0 login cancelled")
	case "QUIT":
		c.say("221 2.0.0 bye")
		return false
	}
	c.server.t.Errorf("the client sent the unknown command %q", line)
	return c.say("500 5.5.2 unknown command")
}

func (c *session) hello(name string) bool {
	if !strings.Contains(name, ".") && name != "localhost" {
		c.server.t.Errorf("EHLO %s: not a domain", name)
	}
	lines := []string{"sink.example.com", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES"}
	if c.server.TLS != nil && !c.secure {
		lines = append(lines, "STARTTLS")
	}
	if c.server.Login != "" {
		lines = append(lines, "AUTH PLAIN LOGIN")
	}
	for _, line := range lines[:len(lines)-1] {
		c.say("250-%s", line)
	}
	return c.say("250 %s", lines[len(lines)-1])
}

func (c *session) startTLS() bool {
	c.say("220 2.0.0 go ahead")
	c.conn, c.secure = tls.Server(c.conn, c.server.TLS), true
	c.text = textproto.NewConn(c.conn)
	return true
}

func (c *session) login(rest string) bool {
	want := "PLAIN " + plainResponse(c.server.Login)
	if rest != want {
		return c.say("535 5.7.8 authentication failed")
	}
	c.loggedIn = true
	return c.say("235 2.7.0 welcome")
}

func (c *session) from(rest string) bool {
	if !c.loggedIn {
		return c.say("530 5.7.0 log in first")
	}
	limit := c.server.MaxPerConnection
	if limit > 0 && c.accepted >= limit {
		c.say("421 4.7.0 too many messages in one session")
		return false
	}
	if strings.Contains(rest, "SMTPUTF8") {
		c.server.t.Errorf("MAIL %s: asks every hop for SMTPUTF8", rest)
	}
	if s := c.server.Sender; s != nil {
		if reply := s(path(rest)); reply != "" {
			return c.say("%s", reply)
		}
	}
	c.mail = &Envelope{From: path(rest)}
	return c.say("250 2.1.0 ok")
}

func (c *session) to(rest string) bool {
	if c.mail == nil {
		return c.say("503 5.5.1 MAIL first")
	}
	to := path(rest)
	if reply := c.server.reply(to); reply != "" {
		return c.say("%s", reply)
	}
	c.mail.To = append(c.mail.To, to)
	return c.say("250 2.1.5 ok")
}

func (s *Server) reply(to string) string {
	if s.Reply == nil {
		return ""
	}
	return s.Reply(to)
}

func (s *Server) verdict(data []byte) string {
	if s.Verdict == nil {
		return ""
	}
	return s.Verdict(data)
}

func (c *session) data() bool {
	if c.mail == nil || len(c.mail.To) == 0 {
		return c.say("503 5.5.1 RCPT first")
	}
	c.say("354 end with a dot")
	if c.server.HangUpAfter > 0 {
		_, _ = c.text.R.Discard(c.server.HangUpAfter)
		return false
	}
	raw, err := readMessage(c.text.R)
	if err != nil {
		return false
	}
	c.server.checkLines(raw)
	c.mail.Raw, c.mail.Data = raw, bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
	if verdict := c.server.verdict(c.mail.Data); verdict != "" {
		c.mail = nil
		return c.say("%s", verdict)
	}
	number := c.server.keep(*c.mail)
	c.mail = nil
	c.accepted++
	if c.server.Confirm == nil {
		return c.say("250 2.0.0 kept as %d", number)
	}
	reply := c.server.Confirm(number)
	return reply != "" && c.say("%s", reply)
}

// readMessage reads up to the lone dot and takes the dots away that SMTP adds (RFC
// 5321, 4.5.2).
func readMessage(r *bufio.Reader) ([]byte, error) {
	var raw []byte
	for {
		line, err := r.ReadBytes('\n')
		if err != nil || string(line) == ".\r\n" {
			return raw, err
		}
		raw = append(raw, bytes.TrimPrefix(line, []byte("."))...)
	}
}

// checkLines holds the line limit of RFC 5322, 2.1.1, and that no line ends in
// anything but CRLF (RFC 5321, 2.3.8).
func (s *Server) checkLines(raw []byte) {
	for line := range bytes.SplitSeq(raw, []byte("\r\n")) {
		if len(line) > 998 {
			s.t.Errorf("a line of %d bytes was sent; 998 are allowed", len(line))
		}
		if bytes.ContainsAny(line, "\r\n") {
			s.t.Errorf("a bare CR or LF was sent in %q", line)
		}
	}
}

func (s *Server) keep(e Envelope) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, e)
	return len(s.got)
}

// path takes the address out of "FROM:<a@example.com> BODY=8BITMIME".
func path(rest string) string {
	_, after, _ := strings.Cut(rest, "<")
	inside, _, _ := strings.Cut(after, ">")
	return inside
}
