package hostiletest

import (
	"golang.org/x/net/http2"
)

// Answers2 answers every request of a connection with 204.
func Answers2(p *Peer) {
	p.WriteSettings()
	for stream := p.request(); stream != 0; stream = p.request() {
		p.answer(stream, true, "204")
	}
}

// GoesAwayAtOnce says GOAWAY before any request.
func GoesAwayAtOnce(p *Peer) {
	p.WriteSettings()
	p.WriteGoAway(0, http2.ErrCodeNo, nil)
	p.listen()
}

// TakesNoStreams allows no request at a time, and refuses one that comes before
// the client knows.
func TakesNoStreams(p *Peer) {
	p.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 0})
	for stream := p.head(); stream != 0; stream = p.head() {
		p.WriteRSTStream(stream, http2.ErrCodeRefusedStream)
	}
}

// GoesAwayDuring gives a Conversation that says GOAWAY between the head and the
// body of a request, disowning it.
func GoesAwayDuring(code http2.ErrCode) Conversation {
	return func(p *Peer) {
		p.WriteSettings()
		p.head()
		p.WriteGoAway(0, code, nil)
	}
}

// GoesAwayAfter gives a Conversation that takes a whole request and says GOAWAY,
// naming last as the last stream it will have looked at.
func GoesAwayAfter(last uint32, code http2.ErrCode) Conversation {
	return func(p *Peer) {
		p.WriteSettings()
		p.request()
		p.WriteGoAway(last, code, []byte("REFUSED_STREAM is what the debug data say"))
	}
}

// AnswersOnceAndGoesAway answers the first request of a connection and disowns
// the second by GOAWAY, as a server does that closes what it has kept for long.
func AnswersOnceAndGoesAway(p *Peer) {
	p.WriteSettings()
	stream := p.request()
	p.answer(stream, true, "204")
	p.request()
	p.WriteGoAway(stream, http2.ErrCodeNo, nil)
}

// ResetsStream gives a Conversation that takes each request and resets it.
func ResetsStream(code http2.ErrCode) Conversation {
	return func(p *Peer) {
		p.WriteSettings()
		for stream := p.request(); stream != 0; stream = p.request() {
			p.WriteRSTStream(stream, code)
		}
	}
}

// RefusesFirstStream refuses the first request of a connection and answers the
// others with 204.
func RefusesFirstStream(p *Peer) {
	p.WriteSettings()
	p.WriteRSTStream(p.request(), http2.ErrCodeRefusedStream)
	for stream := p.request(); stream != 0; stream = p.request() {
		p.answer(stream, true, "204")
	}
}

// ClosesAfter takes a whole request and closes the connection without a word.
func ClosesAfter(p *Peer) {
	p.WriteSettings()
	p.request()
}

// ResetsAfter takes a whole request and resets the TCP connection, once the
// client has nothing more to write, which would see the reset before it reads.
func ResetsAfter(p *Peer) {
	p.WriteSettings()
	p.request()
	for !p.acked && p.next() != nil {
	}
	reset(p.conn)
	p.conn.Close()
}
