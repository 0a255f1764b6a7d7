package webhook

import (
	"context"
	"net"
	"runtime"
	"syscall"
	"testing"
	"time"

	"typus/internal/waittest"
	"typus/internal/webhook/hostiletest"
)

// aDrop is a MaxRead at which a flood ends like at the usual one, after a sixteenth of its
// frames: the race detector makes each of them dear.
const aDrop = maxRead / 16

// patience is for what comes a moment later; a busy machine may take its time.
const patience = 20 * time.Second

func TestHostileHTTP2ReceiversGetOnePOSTAndAreNamed(t *testing.T) {
	const most = maxDials
	cert, file := hostiletest.Certificate(t, "127.0.0.1", time.Now().Add(time.Hour))
	heap := heapInUse()
	outcomes := map[string]struct {
		code         string // "" for delivered
		posts, conns int    // at most
	}{
		"answers":                                {"", 1, 1},
		"says GOAWAY before the request":         {CodeHTTP2Refused, 2, most},
		"allows no streams":                      {CodeHTTP2Refused, 2, most},
		"says GOAWAY during the request":         {CodeHTTP2Refused, 2, most},
		"says GOAWAY during, with an error":      {CodeHTTP2Reset + " ENHANCE_YOUR_CALM", 1, 1},
		"says GOAWAY after the body":             {CodeHTTP2Refused, 2, most},
		"says GOAWAY after, with an error":       {CodeHTTP2Reset + " INTERNAL_ERROR", 1, 1},
		"says GOAWAY after processing":           {CodeHTTP2Reset + " NO_ERROR", 1, 1},
		"says GOAWAY after its first answer":     {"", 1, 1},
		"never answers":                          {CodeTimeoutHeaders, 1, 1},
		"never begins to speak":                  {CodeTimeoutHeaders, 1, 1},
		"refuses a stream once":                  {"", 2, 1},
		"refuses streams always":                 {CodeHTTP2Refused, 2, 1},
		"resets with PROTOCOL_ERROR":             {CodeHTTP2Reset + " PROTOCOL_ERROR", 1, 1},
		"resets with INTERNAL_ERROR":             {CodeHTTP2Reset + " INTERNAL_ERROR", 1, 1},
		"resets with NO_ERROR":                   {CodeHTTP2Reset + " NO_ERROR", 1, 1},
		"resets with a number HTTP/2 has not":    {CodeHTTP2Reset, 1, 1},
		"closes after the body":                  {CodeClosed, 1, 1},
		"resets the connection after the body":   {CodeReset, 1, 1},
		"never lets the body through":            {CodeTimeoutBody, 1, 1},
		"sends 103 without end":                  {CodeHeadTooLarge, 1, 1},
		"sends large CONTINUATIONs without end":  {CodeMalformed, 1, 1},
		"sends small CONTINUATIONs without end":  {CodeMalformed, 1, 1},
		"sends empty CONTINUATIONs without end":  {CodeHeadTooLarge, 1, 1},
		"sends 10 MB of headers":                 {CodeMalformed, 1, 1},
		"sends a bomb in HPACK":                  {CodeHeadTooLarge, 1, 1},
		"floods pings":                           {CodeHeadTooLarge, 1, 1},
		"floods pings and reads nothing":         {CodeHeadTooLarge, 1, 1},
		"floods settings":                        {CodeHeadTooLarge, 1, 1},
		"has an endless body":                    {"", 1, 1},
		"sends a frame that has no place":        {CodeMalformed, 1, 1},
		"answers and floods pings until dropped": {"", 1, 1},
	}
	for name, talk := range hostiletest.Conversations {
		t.Run(name, func(t *testing.T) {
			c, said := outcomes[name]
			if !said {
				t.Fatal("nobody has said what comes of it")
			}
			r := hostiletest.StartHTTP2(t, cert, talk)
			req, bounds := request(r.URL), limits{connect: patience, tls: patience, head: patience, body: patience, total: patience}
			if c.code == CodeTimeoutHeaders {
				bounds.head = time.Second
			}
			if c.code == CodeTimeoutBody {
				bounds.total = time.Second
				req.Event.Payload = make([]byte, MaxPayload) // more than a stream may take at first
			}
			read := int64(aDrop)
			if name == "floods pings and reads nothing" {
				read = maxRead // its buffers take as many answers before the client has to wait
			}
			sender := client(t, ClientOptions{CAFile: file, MaxRead: read, limits: bounds})
			base := runtime.NumGoroutine()
			a := sender.Post(t.Context(), req).Attempt
			if a.ErrorCode != c.code || (a.Outcome == OutcomeDelivered) != (c.code == "") {
				t.Errorf("code %q, outcome %q; want code %q", a.ErrorCode, a.Outcome, c.code)
			}
			waittest.Until(t, "the connections' goroutines are gone", func() bool {
				sender.Close() // drops what is idle by now
				return runtime.NumGoroutine() <= base
			})
			if r.Posts() > c.posts || r.Connections() > c.conns {
				t.Errorf("%d POSTs over %d connections, want at most %d over %d", r.Posts(), r.Connections(), c.posts, c.conns)
			}
		})
	}
	if now := heapInUse(); now > heap+16<<20 {
		t.Errorf("the heap has grown from %d to %d bytes", heap, now)
	}
}

func TestTheLimitsOfAnAttemptOverHTTP2(t *testing.T) {
	cert, file := hostiletest.Certificate(t, "127.0.0.1", time.Now().Add(time.Hour))
	short := limits{connect: patience, tls: patience, head: time.Second, body: time.Second, total: 2 * time.Second}
	long := limits{connect: patience, tls: patience, head: time.Minute, body: time.Second, total: time.Minute}
	for name, c := range map[string]struct {
		talk   hostiletest.Conversation
		body   int
		bounds limits
		code   string
		least  time.Duration
	}{
		"never answers":                {hostiletest.NeverAnswers2, 500, short, CodeTimeoutHeaders, short.head},
		"never begins to speak":        {hostiletest.Mute, 500, short, CodeTimeoutHeaders, short.head},
		"never lets the body through":  {hostiletest.ZeroWindow, MaxPayload, short, CodeTimeoutBody, short.total},
		"answers not even pings":       {hostiletest.Mute, 500, long, CodeTimeoutHeaders, 15 * time.Second},
		"answers no pings, takes none": {hostiletest.Mute, MaxPayload, long, CodeTimeoutBody, 15 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := hostiletest.StartHTTP2(t, cert, c.talk)
			req := request(r.URL)
			req.Event.Payload = make([]byte, c.body)
			a := client(t, ClientOptions{CAFile: file, limits: c.bounds}).Post(t.Context(), req).Attempt
			if a.ErrorCode != c.code || a.Duration < c.least || a.Duration > c.least+patience || r.Posts() != 1 {
				t.Errorf("code %q after %s and %d POSTs, want %q after %s and 1", a.ErrorCode, a.Duration, r.Posts(), c.code, c.least)
			}
		})
	}
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A flood ends although nobody waits for anything on the connection any more, and at the
// usual number of bytes.
func TestAReceiverThatFloodsAfterItsAnswerIsDropped(t *testing.T) {
	cert, file := hostiletest.Certificate(t, "127.0.0.1", time.Now().Add(time.Hour))
	r := hostiletest.StartHTTP2(t, cert, hostiletest.AnswersAndFloodsPings)
	c := client(t, ClientOptions{CAFile: file})
	c.transport.IdleConnTimeout = time.Hour // which would close it too, without any drop
	if out := c.Post(t.Context(), request(r.URL)); !out.Delivered {
		t.Fatalf("%+v", out)
	}
	waittest.Until(t, "the connection is closed", func() bool { return r.Open() == 0 })
}

func TestAKeptConnectionThatGoesAwayCostsNoFailure(t *testing.T) {
	cert, file := hostiletest.Certificate(t, "127.0.0.1", time.Now().Add(time.Hour))
	r := hostiletest.StartHTTP2(t, cert, hostiletest.AnswersOnceAndGoesAway)
	c := client(t, ClientOptions{CAFile: file})
	for n := range 3 {
		if out := c.Post(t.Context(), request(r.URL)); !out.Delivered {
			t.Errorf("delivery %d: %+v", n, out.Attempt)
		}
	}
	// Go's transport may dial once more for a request than it then needs.
	const most = 1 + 2*maxDials
	if r.Posts() != 5 || r.Connections() < 3 || r.Connections() > most {
		t.Errorf("%d POSTs over %d connections, want 5 over 3 to %d", r.Posts(), r.Connections(), most)
	}
}

// brittle takes no byte of a second request and hides that it is closed.
type brittle struct {
	net.Conn
	used bool
}

func (b *brittle) Write(p []byte) (int, error) {
	if b.used {
		return 0, syscall.EPIPE
	}
	b.used = true
	return b.Conn.Write(p)
}

func TestWhatNeverLeftOverAKeptConnectionGoesOverANewOne(t *testing.T) {
	r := hostiletest.Start(t, hostiletest.Answers(200))
	c := client(t, ClientOptions{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		return &brittle{Conn: conn}, err
	}})
	for n := range 3 {
		if out := c.Post(t.Context(), request(r.URL)); !out.Delivered {
			t.Errorf("delivery %d: %+v", n, out.Attempt)
		}
	}
	if r.Connections() != 3 {
		t.Errorf("%d connections, want 3", r.Connections())
	}
}
