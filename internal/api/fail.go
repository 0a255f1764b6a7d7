package api

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"typus"
	"typus/internal/web"
)

// problem is the one body of every answer that is not 2xx: RFC 9457 with our
// members code, errors, request_id and the API description's ok.
type problem struct {
	Type      string         `json:"type"`
	Title     string         `json:"title"`
	Status    int            `json:"status"`
	Detail    string         `json:"detail"`
	OK        bool           `json:"ok"`
	Code      string         `json:"code"`
	Errors    []problemField `json:"errors"`
	RequestID string         `json:"request_id"`
}

type problemField struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// code is the stable code of an error, and its title (our choice: the API description
// shows no error body). Programs read the code, people the title.
func code(err error) (string, string) {
	if typus.Is(err, typus.OutcomeUnknown) {
		return "outcome_unknown", "Outcome unknown"
	}
	if typus.Is(err, typus.Suspended) {
		return "account_suspended", "The account is suspended"
	}
	switch web.Status(err) {
	case http.StatusBadRequest, http.StatusExpectationFailed, http.StatusNotImplemented, http.StatusHTTPVersionNotSupported: // the last three of net/http
		return "invalid_input", "Invalid input"
	case http.StatusUnauthorized:
		return "invalid_key", "Invalid or missing API key"
	case http.StatusPaymentRequired:
		return "no_credits", "No credits left"
	case http.StatusForbidden: // our addition, for keys that may not do everything
		return "insufficient_scope", "The key may not do this"
	case http.StatusNotFound:
		return "not_found", "Not found"
	case http.StatusMethodNotAllowed:
		return "method_not_allowed", "Method not allowed"
	case http.StatusConflict:
		return "conflict", "Conflict"
	case http.StatusRequestEntityTooLarge, http.StatusRequestHeaderFieldsTooLarge:
		return "too_large", "Request too large"
	case http.StatusUnsupportedMediaType:
		return "unsupported_media_type", "Unsupported media type"
	case http.StatusTooManyRequests:
		return "rate_limited", "Rate limit reached"
	case http.StatusServiceUnavailable:
		return "unavailable", "Temporarily unavailable"
	}
	return "internal", "Server error"
}

// fail answers err. The text of an internal error stays in the log; the answer shows
// the request id, by which the operator finds it.
func (a *api) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := web.Status(err)
	code, title := code(err)
	p := problem{
		Type: a.links.ErrorHelp(code), Title: title, Status: status, Detail: err.Error(),
		Code: code, RequestID: web.RequestID(r.Context()),
	}
	if e, ok := errors.AsType[*typus.Error](err); ok {
		p.Detail = e.Msg
		for _, f := range e.Fields {
			p.Errors = append(p.Errors, problemField{f.Name, f.Code, f.Msg})
		}
	}
	if status == http.StatusInternalServerError {
		p.Detail = "the server could not finish the request; give its request_id to whoever runs the server"
	}
	hints(w.Header(), r, status, err)
	body, err := json.Marshal(p, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // strings and numbers can always be written
	}
	write(w, contentType(r), status, body)
}

// hints sets the headers that tell a client how to go on. If it is unknown whether a
// request was done, only a request that can safely be repeated gets Retry-After.
func hints(h http.Header, r *http.Request, status int, err error) {
	switch status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
		for _, name := range []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"} {
			h.Del(name) // of a key that was good when it was looked up
		}
	case http.StatusRequestEntityTooLarge:
		h.Set("Connection", "close") // spares reading the rest
	case http.StatusServiceUnavailable:
		if !typus.Is(err, typus.OutcomeUnknown) || r.Header.Get("Idempotency-Key") != "" {
			h.Set("Retry-After", "1")
		}
	case http.StatusConflict:
		if e, ok := errors.AsType[*typus.Error](err); ok && len(e.Fields) > 0 && e.Fields[0].Code == typus.CodeBusy {
			h.Set("Retry-After", "1")
		}
	}
}

const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
)

// contentType is application/json unless the client asks for the type of RFC 9457,
// because automation tools parse only the plain type (our choice).
func contentType(r *http.Request) string {
	if strings.Contains(strings.ToLower(strings.Join(r.Header.Values("Accept"), ",")), problemType) {
		return problemType
	}
	return jsonType
}

// invalid makes one error of all faults of a request, nil if there are none.
func invalid(faults []typus.Field) error {
	if len(faults) == 0 {
		return nil
	}
	msg := faults[0].Name + " " + faults[0].Msg
	if more := len(faults) - 1; more > 0 {
		msg = fmt.Sprintf("%s (and %d more in errors)", msg, more)
	}
	return &typus.Error{Kind: typus.Invalid, Msg: msg, Fields: faults}
}

// answer writes v as JSON in the order of its members.
func answer(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("api: write an answer: %w", err)
	}
	write(w, jsonType, status, body)
	return nil
}

func write(w http.ResponseWriter, contentType string, status int, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that went away has no use for an error
}
