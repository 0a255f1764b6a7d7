package dashboard

import (
	"time"

	"typus/internal/webhook"
)

// endpointFault says how an attempt failed, in the reader's language.
type endpointFault struct {
	Said  string    // text key, "" for nothing
	More  string    // text key that introduces About or At, "" without them
	About string    // a host, or what a protocol says in its own words
	At    time.Time // zero for none
}

// newEndpointFault reads the error code of a delivery.
func newEndpointFault(errorCode string) endpointFault {
	code, about := webhook.SplitCode(errorCode)
	f := endpointFault{Said: errorKeys[code]}
	if about == "" {
		return f
	}
	f.More, f.About = aboutKeys[code], about
	if at, err := time.Parse(time.RFC3339, about); err == nil {
		f.At, f.About = at, ""
	}
	return f
}

var errorKeys = map[string]string{
	webhook.CodeDNS:            "webhooks.error.dns",
	webhook.CodeBlocked:        "webhooks.error.blocked",
	webhook.CodeProxy:          "webhooks.error.proxy",
	webhook.CodeConnect:        "webhooks.error.connect",
	webhook.CodeRefused:        "webhooks.error.refused",
	webhook.CodeTLS:            "webhooks.error.tls",
	webhook.CodeTLSTimeout:     "webhooks.error.tlsTimeout",
	webhook.CodeTLSMissing:     "webhooks.error.tlsMissing",
	webhook.CodeTLSVersion:     "webhooks.error.tlsVersion",
	webhook.CodeTLSAuthority:   "webhooks.error.tlsAuthority",
	webhook.CodeTLSHost:        "webhooks.error.tlsHost",
	webhook.CodeTLSExpired:     "webhooks.error.tlsExpired",
	webhook.CodeTLSNotYet:      "webhooks.error.tlsNotYet",
	webhook.CodeTimeoutHeaders: "webhooks.error.timeout",
	webhook.CodeTimeoutBody:    "webhooks.error.timeoutBody",
	webhook.CodeClosed:         "webhooks.error.closed",
	webhook.CodeReset:          "webhooks.error.reset",
	webhook.CodeMalformed:      "webhooks.error.malformed",
	webhook.CodeHeadTooLarge:   "webhooks.error.headTooLarge",
	webhook.CodeHTTP2Refused:   "webhooks.error.http2Refused",
	webhook.CodeHTTP2Reset:     "webhooks.error.http2Reset",
	webhook.Code3xx:            "webhooks.error.3xx",
	webhook.Code4xx:            "webhooks.error.4xx",
	webhook.Code5xx:            "webhooks.error.5xx",
	webhook.Code429:            "webhooks.error.429",
	webhook.CodeGone:           "webhooks.error.gone",
	webhook.CodeOther:          "webhooks.error.other",
	webhook.CodeInterrupted:    "webhooks.error.interrupted",
	webhook.CodeNeedsSecret:    "webhooks.error.secret",
	webhook.CodeNeedsHeader:    "webhooks.error.header",
}

// aboutKeys introduce what an error code is about.
var aboutKeys = map[string]string{
	webhook.CodeTLS:        "webhooks.error.tls.more",
	webhook.CodeTLSHost:    "webhooks.error.tlsHost.more",
	webhook.CodeTLSExpired: "webhooks.error.tlsExpired.more",
	webhook.CodeTLSNotYet:  "webhooks.error.tlsNotYet.more",
	webhook.CodeHTTP2Reset: "webhooks.error.http2Reset.more",
}
