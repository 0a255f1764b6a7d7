package web

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// rejection is an error answer of net/http that no handler has seen.
type rejection struct {
	status int
	reason string // in net/http's words, "" if it gave none
}

// readRejection reads what net/http has written. False means that it is no error answer.
func readRejection(said []byte) (rejection, bool) {
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(said)), nil)
	if err != nil || resp.StatusCode < http.StatusBadRequest {
		return rejection{}, false
	}
	defer resp.Body.Close()
	_, reason, _ := strings.Cut(resp.Status, ": ")
	return rejection{resp.StatusCode, reason}, true
}

// err says what is wrong with the request and its target, with the remedy.
func (f rejection) err(target string) error {
	msg := "the request is not well-formed HTTP; check its first line, its header fields and its lengths"
	switch f.status {
	case http.StatusExpectationFailed:
		msg = "the header Expect may say 100-continue only"
	case http.StatusRequestHeaderFieldsTooLarge:
		msg = "the header of a request may hold at most 32768 bytes"
	case http.StatusNotImplemented:
		msg = "the header Transfer-Encoding may say chunked only"
	case http.StatusHTTPVersionNotSupported:
		msg = "send HTTP/1.1"
	default:
		if f.reason != "" {
			msg = f.reason
		} else if _, err := url.ParseRequestURI(target); err != nil && target != "" {
			msg = "the address is not well-formed; percent-encode it (% itself is %25)"
		}
	}
	return &StatusError{f.status, msg}
}

type refusedKey struct{}

// Refused returns the handler of requests that net/http has refused; fail answers them.
// Only the method and the path of such a request are known. They are still escaped and
// may be empty, and nothing may be done because of them.
func Refused(fail Fail) http.Handler {
	return Answer(fail, func(_ http.ResponseWriter, r *http.Request) error {
		err, _ := r.Context().Value(refusedKey{}).(error)
		return err
	})
}

// requestLine is the beginning of a request: a method, and a path as it was sent.
var (
	requestLine = regexp.MustCompile(`^[\r\n]*([^ \r\n]*) ((?:(?i:https?)://[^/ \r\n]*)?(/[^? \r\n]*)?[^ \r\n]*)`)
	methodForm  = regexp.MustCompile(`^[A-Z]{1,16}$`)
)

// reword returns what h answers to the request that begins with head, in place of said,
// which is net/http's rejection.
func reword(ctx context.Context, h http.Handler, said, head []byte) []byte {
	f, ok := readRejection(said)
	if !ok {
		return said
	}
	r := &http.Request{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, URL: &url.URL{}, Header: http.Header{}, Body: http.NoBody}
	var target string
	if line := requestLine.FindSubmatch(head); line != nil {
		target, r.URL.Path = string(line[2]), string(line[3])
		if methodForm.Match(line[1]) {
			r.Method = string(line[1])
		}
	}
	w := &draft{header: http.Header{}}
	h.ServeHTTP(w, r.WithContext(context.WithValue(ctx, refusedKey{}, f.err(target))))
	return w.sent(r)
}

// draft is an answer that is not sent yet.
type draft struct {
	status int
	header http.Header
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (d *draft) Header() http.Header { return d.header }

// WriteHeader implements http.ResponseWriter.
func (d *draft) WriteHeader(status int) { d.status = status }

// Write implements http.ResponseWriter.
func (d *draft) Write(p []byte) (int, error) { return d.body.Write(p) }

// sent is the answer as it goes over the wire, the last one of its connection.
func (d *draft) sent(r *http.Request) []byte {
	d.header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	resp := http.Response{
		StatusCode: d.status, ProtoMajor: 1, ProtoMinor: 1, Request: r, Header: d.header,
		Body: io.NopCloser(&d.body), ContentLength: int64(d.body.Len()), Close: true,
	}
	var wire bytes.Buffer
	_ = resp.Write(&wire) // a buffer takes everything
	return wire.Bytes()
}
