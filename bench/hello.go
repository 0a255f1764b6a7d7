package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// answer is what the reference answers, whatever it is asked.
type answer struct {
	Status   int
	Type     string
	Location string
	Body     []byte
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
		h := w.Header()
		h.Set("Content-Type", a.Type)
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
		if a.Location != "" {
			h.Set("Location", a.Location)
		}
		w.WriteHeader(a.Status)
		_, _ = w.Write(a.Body)
	})}
	return serveUntil(ctx, func() error { announce(ln); return s.Serve(ln) }, s.Close)
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
