package web

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"time"
)

// exchange is what is known of one request and its answer: for the error
// answer, which shows the id, and for the access log.
type exchange struct {
	id     string
	route  string // the matched pattern, never the path: a path may hold a token
	status int    // 0 until the answer has begun
	bytes  int64
	err    error
}

type exchangeKey struct{}

// exchangeOf returns the exchange of a request; outside WithRequestID one that
// nobody reads.
func exchangeOf(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return new(exchange)
}

// RequestID is the id of the request, "" outside WithRequestID.
func RequestID(ctx context.Context) string { return exchangeOf(ctx).id }

// our choice: what an incoming X-Request-Id must look like to be kept.
var requestIDForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// WithRequestID gives each request an id, keeping an incoming X-Request-Id of up to 64
// letters, digits, dots, underscores and hyphens, and answers with it. Each request
// becomes one log line: method if it is a usual one, route pattern, status, bytes,
// duration, and the error if the fault was ours or our settings'. No path, query, header
// or body is logged, because they may hold tokens, keys and names. A panic that no handler
// has caught becomes a bare 500.
func WithRequestID(log *slog.Logger, next http.Handler) http.Handler {
	guarded := Answer(Bare, func(w http.ResponseWriter, r *http.Request) error {
		next.ServeHTTP(w, r)
		return nil
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		x := &exchange{id: r.Header.Get("X-Request-Id")}
		if !requestIDForm.MatchString(x.id) {
			x.id = rand.Text()
		}
		w.Header().Set("X-Request-Id", x.id)
		ctx := context.WithValue(r.Context(), exchangeKey{}, x)
		defer func() { x.log(ctx, log, r.Method, time.Since(began)) }()
		guarded.ServeHTTP(&recorder{ResponseWriter: w, x: x}, r.WithContext(ctx))
	})
}

// Bare answers err in a line of plain text with the id of the request.
func Bare(w http.ResponseWriter, r *http.Request, err error) {
	status := Status(err)
	http.Error(w, http.StatusText(status)+"\nrequest "+RequestID(r.Context()), status)
}

// log writes the line. A client that went away is no fault of ours.
func (x *exchange) log(ctx context.Context, log *slog.Logger, method string, took time.Duration) {
	if x.status == 0 && x.err == nil {
		x.status = http.StatusOK // what net/http sends for a handler that writes nothing
	}
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("request_id", x.id), slog.String("method", known(method)), slog.String("route", x.route),
		slog.Int("status", x.status), slog.Int64("bytes", x.bytes), slog.Duration("took", took),
	}
	if x.err != nil && Status(x.err) >= http.StatusInternalServerError {
		attrs = append(attrs, slog.String("error", x.err.Error()))
		if ctx.Err() == nil {
			level = slog.LevelError
		}
	}
	if foreign, ok := errors.AsType[*foreignError](x.err); ok {
		level, attrs = slog.LevelWarn, append(attrs, slog.String("error", foreign.Error()))
	}
	log.LogAttrs(ctx, level, "request", attrs...)
}

// known is a method of ours. Any other is the client's own word, up to the limit of a
// header, and may be anything.
func known(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// recorder notes status and size of the answer.
type recorder struct {
	http.ResponseWriter
	x *exchange
}

// Unwrap lets http.ResponseController find the writer below.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader notes the status; informational ones do not begin the answer.
func (w *recorder) WriteHeader(status int) {
	if w.x.status == 0 && status >= http.StatusOK {
		w.x.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write notes the size.
func (w *recorder) Write(p []byte) (int, error) {
	if w.x.status == 0 {
		w.x.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.x.bytes += int64(n)
	return n, err
}
