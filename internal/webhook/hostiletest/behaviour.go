package hostiletest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// dripPause is the time between two bytes of a drip: short against every limit
// of a client, so that only a limit on the whole ends it.
const dripPause = 20 * time.Millisecond

// Answers gives a Behaviour that answers every request on a connection with
// the status, "Name: value" headers and a short body, as a decent server would.
func Answers(status int, headers ...string) Behaviour {
	body := "thanks"
	if status == http.StatusNotModified || status == http.StatusNoContent {
		body = "" // by the protocol they have none
	}
	answer := fmt.Sprintf("HTTP/1.1 %d Whatever\r\nContent-Length: %d\r\n", status, len(body))
	for _, h := range headers {
		answer += h + "\r\n"
	}
	return func(conn net.Conn) {
		for request(conn) {
			io.WriteString(conn, answer+"\r\n"+body)
		}
	}
}

// NeverReads takes the connection and not a byte. Over TCP the system's buffers
// hide that; over a net.Pipe a client cannot get rid of its request.
func NeverReads(conn net.Conn) {
	for conn.SetReadDeadline(time.Time{}) == nil { // fails once the connection is closed
		time.Sleep(dripPause)
	}
}

// NeverAnswers reads the request and everything after it, and says nothing.
func NeverAnswers(conn net.Conn) { io.Copy(io.Discard, conn) }

// ResetsAtOnce reads the request and resets the connection.
func ResetsAtOnce(conn net.Conn) {
	request(conn)
	reset(conn)
}

// SpeaksGarbage answers with what is not HTTP.
func SpeaksGarbage(conn net.Conn) {
	request(conn)
	conn.Write([]byte("220 mail.example.com ESMTP\r\n\x00\xff\xfe\r\n\r\n"))
}

// GarblesAHeader answers with a header whose name is not one.
func GarblesAHeader(conn net.Conn) {
	request(conn)
	io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-\u00fcber mut: 1\r\nContent-Length: 0\r\n\r\n")
}

// DripsHead sends its head a byte at a time, for ever.
func DripsHead(conn net.Conn) {
	request(conn)
	io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-Drip: ")
	drip(conn)
}

// DripsBody gives a Behaviour that answers with the status at once and drips
// its body for ever.
func DripsBody(status int) Behaviour {
	return func(conn net.Conn) {
		request(conn)
		fmt.Fprintf(conn, "HTTP/1.1 %d Whatever\r\nContent-Length: 100000000\r\n\r\n", status)
		drip(conn)
	}
}

// StallsBody answers 200 at once and never sends the body it promised.
func StallsBody(conn net.Conn) {
	request(conn)
	io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
	NeverAnswers(conn)
}

// ReadsAndCloses closes without an answer. It has read the whole request: unread bytes
// would turn the close into a reset.
func ReadsAndCloses(conn net.Conn) { request(conn) }

// TruncatesBody answers 200, promises more than it sends, and closes.
func TruncatesBody(conn net.Conn) {
	request(conn)
	io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
}

// EndlessBody answers 200 with a body that has no end.
func EndlessBody(conn net.Conn) {
	request(conn)
	io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
	flood(conn, "x")
}

// HugeHead sends 10 MB of headers.
func HugeHead(conn net.Conn) {
	request(conn)
	io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
	for range 10 << 10 {
		if _, err := io.WriteString(conn, "X-Big: "+strings.Repeat("b", 1000)+"\r\n"); err != nil {
			return
		}
	}
	io.WriteString(conn, "Content-Length: 0\r\n\r\n")
}

// EndlessInterim sends 103 answers without end and never a final one.
func EndlessInterim(conn net.Conn) {
	request(conn)
	flood(conn, "HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n")
}

// InterimOnly sends one 103 answer and closes.
func InterimOnly(conn net.Conn) {
	request(conn)
	io.WriteString(conn, "HTTP/1.1 103 Early Hints\r\n\r\n")
}

// SwitchesProtocols answers 101 unasked and keeps the connection.
func SwitchesProtocols(conn net.Conn) {
	request(conn)
	io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	NeverAnswers(conn)
}

// BreaksSecondRequest answers the first request of a connection, keeps it
// open, and closes it without an answer when it has read the second.
func BreaksSecondRequest(conn net.Conn) {
	request(conn)
	io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
	request(conn)
}

func drip(conn net.Conn) {
	for {
		if _, err := io.WriteString(conn, "d"); err != nil {
			return
		}
		time.Sleep(dripPause)
	}
}

func flood(conn net.Conn, text string) {
	block := bytes.Repeat([]byte(text), 1+32<<10/len(text))
	for {
		if _, err := conn.Write(block); err != nil {
			return
		}
	}
}

func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
}
