package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Server is an http.Server that puts net/http's own error answers into our words.
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
// After a request with a chunked body the connection is closed. Beside such a body
// there may have been a Content-Length, which net/http drops without telling us. RFC
// 9112, 6.1 wants the connection closed then, because a proxy in front may have cut the
// request at another place (request smuggling).
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
