package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// NewServer makes a server with limits that hold against slow and oversized
// requests: 5 s for the header, 10 s for the whole request, 60 s for the answer,
// 32 KiB of header, 90 s idle. The requests' contexts descend from base; what
// net/http itself complains of goes to log as warnings.
//
// A request with a chunked body is answered and the connection closed: net/http
// has by then dropped a Content-Length beside it unseen, and RFC 9112 6.1 wants
// such a connection closed, since a proxy in front may have cut it elsewhere.
func NewServer(base context.Context, log *slog.Logger, h http.Handler) *http.Server {
	return &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
				w.Header().Set("Connection", "close")
			}
			h.ServeHTTP(w, r)
		}),
		BaseContext:       func(net.Listener) context.Context { return base },
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       90 * time.Second,
		MaxHeaderBytes:    32 << 10,
	}
}
