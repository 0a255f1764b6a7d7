package webhook

import "strings"

// The error codes of an attempt. They are stable: the documentation lists them, and
// scripts may read them. The courier writes CodeInterrupted as well, for an attempt
// whose end nobody saw.
const (
	CodeDNS            = "dns"
	CodeBlocked        = "blocked_address"   // refused by the guard; tells neither the address nor the time it took
	CodeProxy          = "proxy"             // the operator's proxy makes no connection
	CodeConnect        = "connect"           // no connection in time, or no way to the address
	CodeRefused        = "refused"           // nobody listens on the port
	CodeTLS            = "tls"               // broken off by the receiver, or another fault of its certificate; about: what TLS says
	CodeTLSTimeout     = "tls_timeout"       // no TLS handshake in time
	CodeTLSMissing     = "tls_missing"       // what listens on the port does not speak TLS
	CodeTLSVersion     = "tls_version"       // only versions before 1.2
	CodeTLSAuthority   = "tls_authority"     // certificate of an authority that is not trusted
	CodeTLSHost        = "tls_host"          // certificate for another host; about: for which
	CodeTLSExpired     = "tls_expired"       // about: since when, RFC 3339
	CodeTLSNotYet      = "tls_not_yet_valid" // about: from when on, RFC 3339
	CodeTimeoutHeaders = "timeout_headers"   // no complete head of an answer in time
	CodeTimeoutBody    = "timeout_body"      // our body was not taken in time
	CodeClosed         = "closed"            // the connection was closed before a complete head of an answer
	CodeReset          = "reset"             // the connection was reset (TCP RST)
	CodeMalformed      = "malformed"         // the answer was not HTTP
	CodeHeadTooLarge   = "head_too_large"    // the answer's head was longer than maxHead, or what came before it than maxRead
	CodeHTTP2Refused   = "http2_refused"     // turned away unprocessed, the repeat too, by GOAWAY or REFUSED_STREAM
	CodeHTTP2Reset     = "http2_reset"       // stream or connection ended by HTTP/2's error; about: which, such as INTERNAL_ERROR
	Code3xx            = "http_3xx"          // redirects are not followed
	Code4xx            = "http_4xx"
	Code5xx            = "http_5xx"
	Code429            = "http_429"
	CodeGone           = "gone"             // 410
	CodeOther          = "http_other"       // 1xx, or a number HTTP does not know
	CodeInterrupted    = "interrupted"      // ended from our side
	CodeNeedsSecret    = "needs_new_secret" // the stored secret cannot sign
	CodeNeedsHeader    = "needs_new_header" // the stored header of the customer's own cannot be opened
)

// maxAbout bounds what a code is about, in bytes.
const maxAbout = 200

// join writes a code and what it is about in the form of the log. Text that comes from
// the receiver, a stranger, is reduced to printable ASCII.
func join(code, about string) string {
	about = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, about)
	return strings.TrimSpace(code + " " + about[:min(len(about), maxAbout)])
}

// SplitCode splits what is stored as the error of an attempt or a delivery into the
// code and what it is about. For most codes about is ""; the list of codes says which
// have one.
func SplitCode(errorCode string) (code, about string) {
	code, about, _ = strings.Cut(errorCode, " ")
	return code, about
}
