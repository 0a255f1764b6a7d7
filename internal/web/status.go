package web

import (
	"errors"
	"net/http"

	"typus"
)

// StatusError is a fault of the HTTP request itself, for which the nouns have
// no kind: a method, a media type or a size that is not accepted.
type StatusError struct {
	Status int    // 405, 413 or 415; of Refused any that net/http gives
	Msg    string // for a person, with the remedy
}

// Error returns the message.
func (e *StatusError) Error() string { return e.Msg }

// Status is the one table that maps an error to an HTTP status: the status of a
// StatusError, else the one of the error's kind. An error without a kind is our fault:
// 500.
func Status(err error) int {
	if e, ok := errors.AsType[*StatusError](err); ok {
		return e.Status
	}
	switch typus.KindOf(err) {
	case typus.Invalid:
		return http.StatusBadRequest
	case typus.Unauthorized:
		return http.StatusUnauthorized
	case typus.NoCredit:
		return http.StatusPaymentRequired
	case typus.Forbidden, typus.Suspended:
		return http.StatusForbidden
	case typus.NotFound:
		return http.StatusNotFound
	case typus.Conflict:
		return http.StatusConflict
	case typus.Gone:
		return http.StatusGone
	case typus.TooMany:
		return http.StatusTooManyRequests
	case typus.Unavailable, typus.OutcomeUnknown:
		return http.StatusServiceUnavailable
	case typus.Internal:
		return http.StatusInternalServerError
	}
	return http.StatusInternalServerError
}
