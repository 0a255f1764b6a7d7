package webhook

import (
	"maps"
	"net/http"
	"slices"

	"typus"
)

// OutcomeOf is the class of an attempt's end, by its error code ("" for success) and the
// status of the answer, 0 for none. It is the one place that says which code belongs to
// which class; migration 0043 said the same of what was stored before.
func OutcomeOf(errorCode string, status int) string {
	code, _ := SplitCode(errorCode)
	if status == http.StatusServiceUnavailable && code == Code5xx {
		return typus.DeliveryAskedToWait
	}
	return outcomes[code]
}

var outcomes = map[string]string{
	"":                 typus.DeliveryArrived,
	CodeDNS:            typus.DeliveryUnreachable,
	CodeBlocked:        typus.DeliveryBlocked,
	CodeProxy:          typus.DeliveryUnreachable,
	CodeConnect:        typus.DeliveryUnreachable,
	CodeRefused:        typus.DeliveryUnreachable,
	CodeTLS:            typus.DeliveryTLS,
	CodeTLSTimeout:     typus.DeliveryTLS,
	CodeTLSMissing:     typus.DeliveryTLS,
	CodeTLSVersion:     typus.DeliveryTLS,
	CodeTLSAuthority:   typus.DeliveryTLS,
	CodeTLSHost:        typus.DeliveryTLS,
	CodeTLSExpired:     typus.DeliveryTLS,
	CodeTLSNotYet:      typus.DeliveryTLS,
	CodeTimeoutHeaders: typus.DeliveryTimeout,
	CodeTimeoutBody:    typus.DeliveryTimeout,
	CodeClosed:         typus.DeliveryBroken,
	CodeReset:          typus.DeliveryBroken,
	CodeMalformed:      typus.DeliveryBroken,
	CodeHeadTooLarge:   typus.DeliveryBroken,
	CodeHTTP2Refused:   typus.DeliveryBroken,
	CodeHTTP2Reset:     typus.DeliveryBroken,
	Code3xx:            typus.DeliveryRedirected,
	Code4xx:            typus.DeliveryRejected,
	Code5xx:            typus.DeliveryServerError,
	Code429:            typus.DeliveryAskedToWait,
	CodeGone:           typus.DeliveryGone,
	CodeOther:          typus.DeliveryBroken,
	CodeInterrupted:    typus.DeliveryInterrupted,
	CodeNeedsSecret:    typus.DeliveryNoSecret,
}

// Codes are all error codes of an attempt, in the order of the alphabet.
func Codes() []string {
	return slices.Sorted(maps.Keys(outcomes))[1:] // the first is that of success
}
