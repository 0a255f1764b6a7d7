package page

import (
	"net/http"

	"typus"
)

// errorView is the page of an answer that could not be given.
type errorView struct {
	Frame
	Heading   string // text keys
	Advice    string
	RequestID string // shown where writing to somebody helps
}

// Template names the page.
func (errorView) Template() string { return "error" }

// Error answers with the error page of an error that has a status, in the language
// of the request. It shows nothing but the status's own words and, for faults of ours,
// the request id to quote. It never fails: without a page the answer is plain.
func (s *Site) Error(w http.ResponseWriter, r *http.Request, err error, status int, requestID string) {
	v := errorView{Heading: "error.request.heading", Advice: "error.request.advice"}
	switch {
	case typus.Is(err, typus.OutcomeUnknown):
		v.Heading, v.Advice = "error.unknown.heading", "error.unknown.advice"
	case status == http.StatusForbidden:
		v.Heading, v.Advice = "error.forbidden.heading", "error.forbidden.advice"
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		v.Heading, v.Advice = "error.missing.heading", "error.missing.advice"
	case status == http.StatusGone:
		v.Heading, v.Advice = "error.gone.heading", "error.gone.advice"
	case status == http.StatusServiceUnavailable, status == http.StatusTooManyRequests:
		v.Heading, v.Advice = "error.busy.heading", "error.busy.advice"
	case status >= http.StatusInternalServerError:
		v.Heading, v.Advice, v.RequestID = "error.ours.heading", "error.ours.advice", requestID
	}
	v.Switch.None = r.Method != http.MethodGet && r.Method != http.MethodHead
	w.Header().Set("Cache-Control", "no-store")
	if err := s.errors.Render(w, status, Language(r, "", ""), v); err != nil {
		http.Error(w, http.StatusText(status)+"\nrequest "+requestID, status)
	}
}
