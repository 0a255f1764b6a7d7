// Package web turns handlers that return an error into answers.
package web

import (
	"context"
	"log/slog"
	"net/http"
)

// HandlerFunc is a handler that returns its error instead of answering it.
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error

// RequestID is the id of the request, set by WithRequestID.
func RequestID(ctx context.Context) string { panic("unwritten") }

// WithRequestID gives each request an id (an incoming X-Request-Id of [A-Za-z0-9._-]{1,64} is kept) and answers with it;
// it recovers panics of what lies below with fail, and logs each request (template, status, duration; no query, no token).
func WithRequestID(log *slog.Logger, next http.Handler) http.Handler { panic("unwritten") }

// Status is the one table from a typus.Kind to an HTTP status.
func Status(err error) int { panic("unwritten") }

// Routes is a method table: one column of routes, checked path first (404), then method (405 with Allow).
type Routes struct{}

// Route is one line of the table.
type Route struct {
	Method  string // "GET" also answers HEAD
	Pattern string // "/api/v1/candidates/{id}", segments are matched still escaped and handed out decoded
	Handle  HandlerFunc
}

// NewRoutes builds the table. fail answers every error, 404 and 405 included.
func NewRoutes(fail func(w http.ResponseWriter, r *http.Request, err error), routes ...Route) *Routes {
	panic("unwritten")
}

// List returns the lines of the table (tests that must hold for every route walk it).
func (t *Routes) List() []Route                                    { panic("unwritten") }
func (t *Routes) ServeHTTP(w http.ResponseWriter, r *http.Request) { panic("unwritten") }

// PathValue is the decoded value of a segment of the matched pattern.
func PathValue(r *http.Request, name string) string { panic("unwritten") }

// SecurityHeaders sets the headers of the design's E23 on every answer; https adds HSTS.
func SecurityHeaders(https bool, next http.Handler) http.Handler { panic("unwritten") }
