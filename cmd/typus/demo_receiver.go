package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"
)

// receiver is the customer's side of the demo: a real HTTP server on this
// machine that takes webhooks and hands them on.
type receiver struct {
	url      string
	arrivals chan arrival
	server   *http.Server
}

// arrival is one webhook as it came in.
type arrival struct {
	header http.Header
	body   []byte
	at     time.Time
}

func startReceiver() (*receiver, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{url: "http://" + ln.Addr().String() + "/typus", arrivals: make(chan arrival, 16)}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 5 * time.Second}
	go r.server.Serve(ln) // ends with close
	return r, nil
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(io.LimitReader(req.Body, 64<<10))
	if err != nil {
		http.Error(w, "body not read", http.StatusBadRequest)
		return
	}
	select {
	case r.arrivals <- arrival{req.Header, body, time.Now()}:
		w.WriteHeader(http.StatusNoContent)
	default: // nobody looks at them any more: the sender may try again
		http.Error(w, "full", http.StatusServiceUnavailable)
	}
}

// next waits for a webhook.
func (r *receiver) next(ctx context.Context) (arrival, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	select {
	case a := <-r.arrivals:
		return a, nil
	case <-ctx.Done():
		return arrival{}, ctx.Err()
	}
}

func (r *receiver) close() error { return r.server.Close() }
