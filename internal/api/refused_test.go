package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// raw sends bytes on one connection of a server of its own and returns the last of the
// answers that are expected.
func (w *world) raw(sent string, answers int) (*http.Response, reply) {
	w.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	go w.server.Serve(ln)
	w.Cleanup(func() { ln.Close() })
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		w.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(c, sent); err != nil {
		w.Fatal(err)
	}
	back := bufio.NewReader(c)
	for ; ; answers-- {
		resp, err := http.ReadResponse(back, nil)
		if err != nil {
			w.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			w.Fatal(err)
		}
		if answers == 1 {
			resp.Request = &http.Request{Method: "GET"}
			return resp, reply{resp.StatusCode, resp.Header, string(body)}
		}
	}
}

func TestWhatNetHTTPRefusesIsAnErrorOfTheAPI(t *testing.T) {
	w := newWorld(t)
	const host, list = "\r\nHost: x\r\n", "/api/v1/candidates"
	for name, c := range map[string]struct {
		sent   string
		status int
		code   string
	}{
		"a bad escape":      {"GET " + list + "/50% HTTP/1.1" + host + "\r\n", 400, "invalid_input"},
		"with the origin":   {"GET https://typus.example.com" + list + "/%zz HTTP/1.1" + host + "\r\n", 400, "invalid_input"},
		"no host":           {"GET " + list + " HTTP/1.1\r\n\r\n", 400, "invalid_input"},
		"two lengths":       {"POST /api/v1/invites HTTP/1.1" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400, "invalid_input"},
		"a bad length":      {"POST /api/v1/invites HTTP/1.1" + host + "Content-Length: x\r\n\r\n", 400, "invalid_input"},
		"an unknown coding": {"POST /api/v1/invites HTTP/1.1" + host + "Transfer-Encoding: gzip\r\n\r\n", 501, "invalid_input"},
		"an expectation":    {"POST /api/v1/invites HTTP/1.1" + host + "Expect: wonders\r\n\r\n", 417, "invalid_input"},
		"a large header":    {"GET " + list + " HTTP/1.1" + host + "Cookie: " + strings.Repeat("a", 40<<10) + "\r\n\r\n", 431, "too_large"},
		"a long query":      {"GET " + list + "?" + strings.Repeat("a", 40<<10) + " HTTP/1.1" + host + "\r\n", 431, "too_large"},
		"a bad method":      {"G@T " + list + " HTTP/1.1" + host + "\r\n", 400, "invalid_input"},
		"HTTP/0.9":          {"GET " + list + "\r\n\r\n", 400, "invalid_input"},
		"HTTP/2.0":          {"GET " + list + " HTTP/2.0" + host + "\r\n", 505, "invalid_input"},
	} {
		t.Run(name, func(t *testing.T) {
			w.T = t
			good := "GET " + list + " HTTP/1.1" + host + "Authorization: Bearer " + w.key + "\r\n\r\n"
			body := `{` + person + `}`
			good += fmt.Sprintf("POST /api/v1/invites HTTP/1.1%sAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", host, w.key, len(body), body)
			for before, answers := range map[string]int{"": 1, good: 3} {
				resp, r := w.raw(before+c.sent, answers)
				newChecker(t, nil).checkProblem(resp, []byte(r.body))
				if p := parse[problem](t, r); r.status != c.status || p.Code != c.code || r.header.Get("Content-Type") != "application/json" || !resp.Close {
					t.Errorf("got %d %v %s", r.status, r.header, r.body)
				}
				for _, header := range []string{"Cache-Control", "Content-Security-Policy", "X-Content-Type-Options", "Date"} {
					if r.header.Get(header) == "" {
						t.Errorf("no %s", header)
					}
				}
			}
		})
	}
}
