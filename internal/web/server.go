package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Server is a server that answers in our words what net/http refuses by itself.
type Server struct {
	*http.Server
	refuse func(said, head []byte) []byte
}

// NewServer makes a server with limits that hold against slow and oversized
// requests: 5 s for the header, 10 s for the whole request, 60 s for the answer,
// 32 KiB of header, 90 s idle. The requests' contexts descend from base; what
// net/http itself complains of goes to log as warnings. What net/http refuses before
// h sees it is answered by refused, a handler made of Refused.
//
// A request with a chunked body is answered and the connection closed: net/http
// has by then dropped a Content-Length beside it unseen, and RFC 9112 6.1 wants
// such a connection closed, since a proxy in front may have cut it elsewhere.
func NewServer(base context.Context, log *slog.Logger, h, refused http.Handler) *Server {
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if c, ok := r.Context().Value(connKey{}).(*conn); ok {
				c.begin(r)
			}
			if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
				w.Header().Set("Connection", "close")
			}
			h.ServeHTTP(w, r)
		}),
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ConnState:         noteIdle,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       90 * time.Second,
		MaxHeaderBytes:    32 << 10,

		DisableGeneralOptionsHandler: true, // what net/http accepts, h answers
	}
	return &Server{server, func(said, head []byte) []byte { return reword(base, refused, said, head) }}
}

type connKey struct{}

func noteIdle(c net.Conn, state http.ConnState) {
	if c, ok := c.(*conn); ok && state == http.StateIdle {
		c.idle()
	}
}

// Serve answers on ln until the server is shut down; http.ErrServerClosed then.
func (s *Server) Serve(ln net.Listener) error { return s.Server.Serve(listener{ln, s.refuse}) }
