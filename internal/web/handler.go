// Package web turns handlers that return an error into answers, and puts walls
// (middleware) before them, one of them against forged forms (CSRF).
package web

import (
	"fmt"
	"net/http"
	"runtime/debug"

	"typus"
)

// HandlerFunc is a handler that returns its error instead of answering it. A handler
// that has begun its answer must not return an error.
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error

// Fail answers a request that ended in err, once and completely. Status names
// the status of err.
type Fail func(w http.ResponseWriter, r *http.Request, err error)

// Answer turns h into an http.Handler. An error of h is noted for the access log and
// answered by fail. A panic is treated in the same way, as an error of kind Internal.
// If the answer has already begun, the connection is cut, because half an answer must
// not look like a whole one.
func Answer(fail Fail, h HandlerFunc) http.Handler {
	end := func(w http.ResponseWriter, r *http.Request, err error) {
		x := exchangeOf(r.Context())
		x.err = err
		if x.status != 0 {
			panic(http.ErrAbortHandler)
		}
		fail(w, r, err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v == http.ErrAbortHandler {
				panic(v)
			} else if v != nil {
				end(w, r, panicked(v))
			}
		}()
		if err := h(w, r); err != nil {
			end(w, r, err)
		}
	})
}

func panicked(v any) error {
	cause := fmt.Errorf("panic: %v\n%s", v, debug.Stack())
	return typus.Errorf(typus.Internal, "the request could not be finished").WithCause(cause)
}
