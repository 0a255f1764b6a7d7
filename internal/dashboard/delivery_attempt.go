package dashboard

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"typus"
	"typus/internal/webhook"
)

// attemptView is one attempt in words.
type attemptView struct {
	typus.Attempt
	Outcome   string // text key
	Badge     string
	Fault     endpointFault
	Blocked   bool   // the guard refused the address: neither where it leads nor how long that took is told
	Request   string // its line and headers, as sent but for the masked
	Head      string // of the answer
	Answer    string // its first 4 KiB
	Binary    bool   // Answer is base64: it is no text
	Cut       bool   // there was more, or may have been
	Forgotten bool   // there was an answer, which is kept no longer
	Closed    bool   // Answer is not shown because the body is not
}

func newAttemptView(a typus.Attempt, body sentBodyView) attemptView {
	view := attemptView{Attempt: a, Fault: newEndpointFault(a.ErrorCode), Head: plainly(a.ResponseHead), Request: "POST " + a.URL + "\n" + plainly(a.RequestHeaders)}
	view.Outcome, view.Badge = attemptOutcome(a)
	code, _ := webhook.SplitCode(a.ErrorCode)
	view.Blocked = code == webhook.CodeBlocked
	view.Forgotten = a.HTTPStatus != 0 && a.ResponseHead == ""
	view.Cut = len(a.ResponseBody) >= webhook.MaxBody
	if view.Closed = body.closed() && len(a.ResponseBody) > 0; !view.Closed {
		view.Answer, view.Binary = asText(a.ResponseBody, webhook.MaxBody)
	}
	return view
}

// attemptOutcome is what an attempt brought, by text key, and the class of its badge.
func attemptOutcome(a typus.Attempt) (string, string) {
	switch a.Outcome {
	case "started":
		return "deliveries.attempt.started", "soft"
	case webhook.OutcomeInterrupted:
		return "deliveries.outcome.interrupted", "soft"
	case webhook.OutcomeDelivered:
		return "deliveries.outcome.arrived", "good"
	case webhook.OutcomeLate:
		return "deliveries.attempt.late", "soft"
	}
	return deliveryOutcomeNames[webhook.OutcomeOf(a.ErrorCode, a.HTTPStatus)], "bad"
}

// Shown reports whether it is told how long an attempt took and where it led: that is not to
// be guessed at by a refused address, and nobody knows it of a request that is not known.
func (a attemptView) Shown() bool { return !a.Blocked && a.RequestHeaders != "" }

// asText is the beginning of an answer, up to most bytes, as text that changes nothing around
// it, or as base64 if it is none. A character that the end cuts apart is left out.
func asText(body []byte, most int) (string, bool) {
	cut := body[:min(len(body), most)]
	whole := cut
	for range utf8.UTFMax - 1 {
		if len(cut) == most && !utf8.Valid(whole) {
			whole = whole[:len(whole)-1]
		}
	}
	if !utf8.Valid(whole) || strings.ContainsRune(string(whole), 0) {
		return base64.StdEncoding.EncodeToString(cut), true
	}
	return plainly(string(whole)), false
}

// plainly is a stranger's text in which every character that is not seen is written out as
// \u{…}, such as one that turns the direction of what follows.
func plainly(text string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		switch {
		case r == '\n' || r == '\t' || r == ' ':
			b.WriteRune(r)
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, `\u{%04x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
