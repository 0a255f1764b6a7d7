package hostiletest

import (
	"strings"

	"golang.org/x/net/http2"
)

// EndlessInterim2 sends 103 answers without end and never a final one.
func EndlessInterim2(p *Peer) {
	p.WriteSettings()
	stream := p.request()
	go p.listen()
	for p.answer(stream, false, "103", "link: </x>; rel=preload") == nil {
	}
}

// EndlessContinuation gives a Conversation whose answer's head goes on in
// CONTINUATION frames of size bytes each and never ends.
func EndlessContinuation(size int) Conversation {
	fragment := make([]byte, 0, size)
	for len(fragment) < size {
		fragment = append(fragment, 0x88) // an indexed field, :status 200, is one byte
	}
	return func(p *Peer) {
		p.WriteSettings()
		stream := p.request()
		p.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block("200")})
		p.AllowIllegalWrites = true
		go p.listen()
		for p.WriteContinuation(stream, false, fragment) == nil {
		}
	}
}

// ZeroWindow never lets the client send its body.
func ZeroWindow(p *Peer) {
	p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	p.attend()
}

// NeverAnswers2 reads everything, answers pings, and nothing else.
func NeverAnswers2(p *Peer) {
	p.WriteSettings()
	p.attend()
}

// FloodsPings takes the request and then pings without end, reading the client's
// answers.
func FloodsPings(p *Peer) {
	p.WriteSettings()
	p.request()
	go p.listen()
	p.ping()
}

// FloodsPingsDeaf pings without end and reads nothing, so that the client cannot
// get rid of its answers.
func FloodsPingsDeaf(p *Peer) {
	p.WriteSettings()
	p.request()
	p.ping()
}

// AnswersAndFloodsPings answers with 204 and then pings without end.
func AnswersAndFloodsPings(p *Peer) {
	p.WriteSettings()
	p.answer(p.request(), true, "204")
	go p.listen()
	p.ping()
}

func (p *Peer) ping() {
	for p.WritePing(false, [8]byte{}) == nil {
	}
}

// FloodsSettings takes the request and then changes its settings without end.
func FloodsSettings(p *Peer) {
	p.WriteSettings()
	p.request()
	go p.listen()
	for p.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 16384}) == nil {
	}
}

// BombsHead answers with a head of a few kilobytes that unfolds to 40 MB: one
// large field, put into the table once and referred to ever after (HPACK).
func BombsHead(p *Peer) {
	p.WriteSettings()
	stream := p.request()
	bomb := block("200", "x-bomb: "+strings.Repeat("b", 4000))
	for range 10_000 {
		bomb = append(bomb, 0x80|62) // the newest entry of the dynamic table
	}
	p.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: bomb, EndHeaders: true, EndStream: true})
	p.listen()
}

// HugeHead2 answers with a head of 10 MB in CONTINUATION frames.
func HugeHead2(p *Peer) {
	p.WriteSettings()
	stream := p.request()
	go p.listen()
	p.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block("200")})
	for n := range 10 << 10 {
		if p.WriteContinuation(stream, n == 10<<10-1, fields("x-big: "+strings.Repeat("b", 1000))) != nil {
			return
		}
	}
}

// EndlessBody2 answers 200 with a body that has no end, whatever window the
// client gives.
func EndlessBody2(p *Peer) {
	p.WriteSettings()
	stream := p.request()
	p.answer(stream, false, "200")
	go p.listen()
	block := make([]byte, 16<<10)
	for p.WriteData(stream, false, block) == nil {
	}
}

// SpeaksGarbage2 answers with what is not HTTP/2: a DATA frame of a stream that
// never was.
func SpeaksGarbage2(p *Peer) {
	p.WriteSettings()
	p.request()
	p.AllowIllegalWrites = true
	p.WriteData(99, false, []byte("220 mail.example.com ESMTP\r\n"))
	p.listen()
}

// Mute reads everything and writes nothing, not even its settings.
func Mute(p *Peer) { p.listen() }
