package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"sync/atomic"
	"time"
)

// answer is what the reference answers, whatever it is asked: what the server has
// answered to a sample, its head included, but for the date, which net/http writes.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// hello is the reference: a handler that does nothing but answer. PUT sets the
// answer.
func hello(ctx context.Context) error {
	ln, err := listen()
	if err != nil {
		return err
	}
	var current atomic.Pointer[answer]
	current.Store(&answer{Status: http.StatusOK})
	s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			var a answer
			if err := json.NewDecoder(r.Body).Decode(&a); err == nil {
				current.Store(&a)
			}
			return
		}
		a := current.Load()
		maps.Copy(w.Header(), a.Header)
		w.WriteHeader(a.Status)
		_, _ = w.Write(a.Body)
	})}
	return serveUntil(ctx, func() error { announce(ln); return s.Serve(ln) }, s.Close)
}

// prime sends the sample to the server at addr and its answer to the reference.
func (b *bench) prime(ctx context.Context, addr string, sample []byte) error {
	a, err := ask(addr, sample)
	if err != nil {
		return err
	}
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://"+b.hello.addr, bytes.NewReader(text))
	if err != nil {
		return err
	}
	resp, err := (&http.Client{}).Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// ask sends a request and reads the whole answer.
func ask(addr string, request []byte) (answer, error) {
	c, err := dial(addr)
	if err != nil {
		return answer{}, err
	}
	defer c.Close()
	if _, err := c.Write(request); err != nil {
		return answer{}, err
	}
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	resp.Header.Del("Date")
	return answer{Status: resp.StatusCode, Header: resp.Header, Body: body}, err
}

// serveUntil serves until ctx ends.
func serveUntil(ctx context.Context, run, end func() error) error {
	served := make(chan error, 1)
	go func() { served <- run() }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	err := end()
	if after := <-served; !errors.Is(after, http.ErrServerClosed) && !errors.Is(after, io.EOF) {
		err = errors.Join(err, after)
	}
	return err
}
