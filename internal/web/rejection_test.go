package web_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"typus/internal/web"
	"typus/internal/web/logtest"
)

// start runs NewServer with h on loopback; refusals say their path in brackets.
func start(t *testing.T, h http.Handler, change func(*web.Server)) (string, *logtest.Log) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := new(logtest.Log)
	logger := slog.New(slog.NewJSONHandler(log, nil))
	refused := web.Refused(func(w http.ResponseWriter, r *http.Request, err error) {
		w.WriteHeader(web.Status(err))
		fmt.Fprintf(w, "[%s %s] %s", r.Method, r.URL.Path, err)
	})
	s := web.NewServer(t.Context(), logger, h, web.WithRequestID(logger, refused))
	if change != nil {
		change(s)
	}
	go s.Serve(ln)
	t.Cleanup(func() { s.Close() })
	return ln.Addr().String(), log
}

// echoBody answers with what it was sent.
func echoBody(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %s %q", r.Method, r.URL.Path, body)
}

// canned is what net/http writes when it refuses a request.
const canned = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"

func TestWhatNetHTTPRefusesIsPutIntoOurWords(t *testing.T) {
	addr, log := start(t, http.HandlerFunc(echoBody), nil)
	const host = "\r\nHost: x\r\n"
	for name, c := range map[string]struct{ raw, status, body string }{
		"a bad escape":          {"GET /a/50% HTTP/1.1" + host + "\r\n", "400", "[GET /a/50%] the address is not well-formed"},
		"another bad escape":    {"DELETE /a/%zz?q HTTP/1.1" + host + "\r\n", "400", "[DELETE /a/%zz] the address"},
		"with the origin":       {"GET http://x:1/a/%zz HTTP/1.1" + host + "\r\n", "400", "[GET /a/%zz] the address"},
		"a blank in the path":   {"GET /a b HTTP/1.1" + host + "\r\n", "400", "[GET /a] the request"},
		"no host":               {"GET /a HTTP/1.1\r\n\r\n", "400", "[GET /a] missing required Host header"},
		"two hosts":             {"GET /a HTTP/1.1" + host + "Host: y\r\n\r\n", "400", "[GET /a] the request"},
		"a host with a slash":   {"GET /a HTTP/1.1\r\nHost: x/y\r\n\r\n", "400", "[GET /a] malformed Host header"},
		"two lengths":           {"POST /a HTTP/1.1" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", "400", "[POST /a] the request"},
		"a length in words":     {"POST /a HTTP/1.1" + host + "Content-Length: one\r\n\r\na", "400", "[POST /a] the request"},
		"a negative length":     {"POST /a HTTP/1.1" + host + "Content-Length: -1\r\n\r\n", "400", "[POST /a] the request"},
		"an unknown coding":     {"POST /a HTTP/1.1" + host + "Transfer-Encoding: gzip\r\n\r\n", "501", "[POST /a] the header Transfer-Encoding"},
		"a strange expectation": {"POST /a HTTP/1.1" + host + "Expect: wonders\r\n\r\n", "417", "[POST /a] the header Expect"},
		"a large header":        {"GET /a HTTP/1.1" + host + "X: " + strings.Repeat("a", 40<<10) + "\r\n\r\n", "431", "[GET /a] the header of a request"},
		"a long address":        {"GET /a?" + strings.Repeat("a", 40<<10) + " HTTP/1.1" + host + "\r\n", "431", "[GET /a] the header of a request"},
		"a long path":           {"GET /a" + strings.Repeat("a", 40<<10) + " HTTP/1.1" + host + "\r\n", "431", "[GET /a"},
		"a bad method":          {"G@T /a HTTP/1.1" + host + "\r\n", "400", "[ /a] the request"},
		"no method":             {" /a HTTP/1.1" + host + "\r\n", "400", "[ /a] the request"},
		"a control in a method": {"G\x00T /a HTTP/1.1" + host + "\r\n", "400", "[ /a] the request"},
		"HTTP/0.9":              {"GET /a\r\n\r\n", "400", "[GET /a] the request"},
		"HTTP/2.0":              {"GET /a HTTP/2.0" + host + "\r\n", "505", "[GET /a] send HTTP/1.1"},
		"HTTP/9":                {"GET /a HTTP/9" + host + "\r\n", "400", "[GET /a] the request"},
		"a space at a name":     {"GET /a HTTP/1.1" + host + "X : y\r\n\r\n", "400", "[GET /a] invalid header name"},
		"no colon":              {"GET /a HTTP/1.1" + host + "X\r\n\r\n", "400", "[GET /a] the request"},
		"a bad header name":     {"GET /a HTTP/1.1" + host + "X@Y: z\r\n\r\n", "400", "[GET /a] the request"},
		"a control in a value":  {"GET /a HTTP/1.1" + host + "X: \x01\r\n\r\n", "400", "[GET /a] the request"},
		"a begin with a blank":  {"GET /a HTTP/1.1\r\n X: y\r\nHost: x\r\n\r\n", "400", "[GET /a] the request"},
		"bytes of TLS":          {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "400", "[ ] the request"},
	} {
		t.Run(name, func(t *testing.T) {
			back := converse(t, addr, c.raw+"GET /smuggled HTTP/1.1"+host+"\r\n")
			head, body, _ := strings.Cut(back, "\r\n\r\n")
			if !strings.HasPrefix(back, "HTTP/1.1 "+c.status+" ") || !strings.HasPrefix(body, c.body) {
				t.Fatalf("got %q, want %s and %q", back, c.status, c.body)
			}
			for _, header := range []string{"\r\nX-Request-Id: ", "\r\nDate: ", "\r\nConnection: close", fmt.Sprintf("\r\nContent-Length: %d", len(body))} {
				if !strings.Contains(head, header) {
					t.Errorf("no %q in %q", header, head)
				}
			}
			if strings.Contains(back, "smuggled") || strings.Count(back, "HTTP/1.1 ") > 1 {
				t.Errorf("something came after the refusal: %q", back)
			}
		})
	}
	if strings.Contains(log.String(), "/a") {
		t.Error("a path was logged")
	}
}

func TestARefusedHEADHasNoBody(t *testing.T) {
	addr, _ := start(t, http.HandlerFunc(echoBody), nil)
	back := converse(t, addr, "HEAD /a/%zz HTTP/1.1\r\nHost: x\r\n\r\n")
	if head, body, _ := strings.Cut(back, "\r\n\r\n"); !strings.HasPrefix(head, "HTTP/1.1 400 ") || !strings.Contains(head, "X-Request-Id") || body != "" {
		t.Errorf("got %q", back)
	}
}

func TestARefusalIsToldFromTheAnswersBeforeItOnTheSameConnection(t *testing.T) {
	addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/unread" {
			fmt.Fprint(w, "unread")
			return
		}
		echoBody(w, r)
	}), nil)
	const bad = "GET /bad/%zz HTTP/1.1\r\nHost: x\r\n\r\n"
	long := strings.Repeat("GET /inside HTTP/1.1\r\n\r\n", 2000)
	for name, before := range map[string]string{
		"nothing":                     "",
		"one":                         "GET /good HTTP/1.1\r\nHost: x\r\n\r\n",
		"a folded header":             "GET /good HTTP/1.1\r\nHost: x\r\nX: a\r\n \r\n\r\n",
		"bare line ends":              "GET /good HTTP/1.1\nHost: x\n\n",
		"a body that looks like one":  "POST /good HTTP/1.1\r\nHost: x\r\nContent-Length: 26\r\n\r\nGET /inside HTTP/1.1\r\n\r\n\r\n",
		"a body and line ends":        "POST /good HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab\r\n",
		"a long body":                 fmt.Sprintf("POST /good HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(long), long),
		"a body that nobody reads":    fmt.Sprintf("POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(long), long),
		"a body that is waited for":   "POST /good HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab",
		"one with a large header":     "GET /good HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("a", 30<<10) + "\r\n\r\n",
		"the server as a whole":       "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
		"a HEAD":                      "HEAD /good HTTP/1.1\r\nHost: x\r\n\r\n",
		"several":                     strings.Repeat("GET /good HTTP/1.1\r\nHost: x\r\n\r\nPOST /good HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 50),
		"a length and no body at all": "POST /good HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			back := converse(t, addr, before+bad)
			if i := strings.LastIndex(back, "HTTP/1.1 "); i < 0 || !strings.HasPrefix(back[i:], "HTTP/1.1 400 ") || !strings.HasSuffix(back, "[GET /bad/%zz] the address is not well-formed; percent-encode it (% itself is %25)") {
				t.Errorf("got …%q", back[max(0, len(back)-400):])
			}
			if n := strings.Count(before, "HTTP/1.1\r\nHost") + strings.Count(before, "HTTP/1.1\nHost") + 1; strings.Count(back, "\nDate: ") != n {
				t.Errorf("want %d answers, got %q", n, back)
			}
		})
	}
}

func TestARefusalIsTheSameHoweverTheRequestArrives(t *testing.T) {
	addr, _ := start(t, http.HandlerFunc(echoBody), nil)
	c := dial(t, addr)
	back := bufio.NewReader(c)
	for _, raw := range []string{"GET /good HTTP/1.1\r\nHost: x\r\n\r\n", "POST /good HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab", "GET /bad/%zz HTTP/1.1\r\n"} {
		for i := range raw { // a byte a packet; a bad line is refused before the header has come
			if _, err := io.WriteString(c, raw[i:i+1]); err != nil {
				t.Fatal(err)
			}
		}
		resp, err := http.ReadResponse(back, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if bad := strings.Contains(raw, "bad"); bad != (resp.StatusCode == 400) || bad != strings.HasPrefix(string(body), "[GET /bad/%zz]") {
			t.Errorf("%q: got %d %q", raw, resp.StatusCode, body)
		}
	}
}

func TestAHeaderThatDoesNotArriveEndsTheConnectionWithoutAnAnswer(t *testing.T) {
	addr, _ := start(t, http.HandlerFunc(echoBody), func(s *web.Server) { s.ReadHeaderTimeout = 100 * time.Millisecond })
	c := dial(t, addr)
	fmt.Fprint(c, "GET /a HTTP/1.1\r\nHost:")
	if back, err := io.ReadAll(c); err != nil || len(back) > 0 {
		t.Errorf("got %q, %v", back, err)
	}
}

// TestWhatAHandlerSaysIsNeverTakenForARefusal lets handlers write, in pieces that each
// reach the connection as a write of its own, what net/http writes when it refuses.
func TestWhatAHandlerSaysIsNeverTakenForARefusal(t *testing.T) {
	big := strings.Repeat(canned, 200)
	addr, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		flush := func() { http.NewResponseController(w).Flush() }
		switch r.URL.Path {
		case "/whole":
			w.Header().Set("Content-Length", fmt.Sprint(len(canned)))
			flush()
			io.WriteString(w, canned)
			flush()
		case "/streamed":
			for range 3 {
				io.WriteString(w, canned)
				flush()
			}
		case "/big":
			w.Header().Set("Content-Length", fmt.Sprint(len(big)))
			io.WriteString(w, big)
		case "/error":
			http.Error(w, "400 Bad Request", 400)
		case "/half":
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, canned)
			flush()
			panic(http.ErrAbortHandler)
		}
	}), nil)
	for path, want := range map[string]string{"/whole": canned, "/streamed": strings.Repeat(canned, 3), "/big": big, "/error": "400 Bad Request\n", "/half": canned} {
		for _, earlier := range []int{0, 3} {
			c := dial(t, addr)
			back := bufio.NewReader(c)
			fmt.Fprint(c, strings.Repeat("GET /error HTTP/1.1\r\nHost: x\r\n\r\n", earlier)+"GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
			var body []byte
			for range earlier + 1 {
				resp, err := http.ReadResponse(back, nil)
				if err != nil {
					t.Fatal(err)
				}
				body, _ = io.ReadAll(resp.Body)
			}
			if string(body) != want {
				t.Errorf("%s after %d others: got %d bytes, want %d: %.200q", path, earlier, len(body), len(want), body)
			}
			c.Close()
		}
	}
}

func TestAClientThatStillSendsReadsTheRefusal(t *testing.T) {
	addr, _ := start(t, http.HandlerFunc(echoBody), nil)
	c := dial(t, addr)
	fmt.Fprint(c, "GET /a HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("a", 100<<10))
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 431 || !strings.HasPrefix(string(body), "[GET /a]") {
		t.Errorf("got %d %q, %v", resp.StatusCode, body, err)
	}
}
