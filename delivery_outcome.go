package typus

// The outcomes of a delivery's last attempt, in classes that people filter a log by.
// webhook.OutcomeOf says which error code belongs to which.
const (
	DeliveryArrived     = "arrived"      // the receiver answered with 2xx
	DeliveryUnreachable = "unreachable"  // no connection: name, network, port or proxy
	DeliveryBlocked     = "blocked"      // the guard refuses the address
	DeliveryTLS         = "tls"          // no encrypted connection: certificate, version, time
	DeliveryTimeout     = "timeout"      // no answer in time
	DeliveryBroken      = "broken"       // the connection broke, or the answer was not HTTP
	DeliveryRedirected  = "redirected"   // 3xx
	DeliveryRejected    = "rejected"     // 4xx, but for 410 and 429
	DeliveryServerError = "server_error" // 5xx, but for 503
	DeliveryAskedToWait = "busy"         // 429 or 503
	DeliveryGone        = "gone"         // 410
	DeliveryInterrupted = "interrupted"  // ended from our side
	DeliveryNoSecret    = "no_secret"    // the stored secret cannot sign
)

// DeliveryOutcomes are all outcomes, in the order in which people choose from them. A
// delivery that no attempt has ended for has the outcome "".
func DeliveryOutcomes() []string {
	return []string{
		DeliveryArrived, DeliveryUnreachable, DeliveryTLS, DeliveryTimeout, DeliveryBroken, DeliveryBlocked, DeliveryRedirected,
		DeliveryRejected, DeliveryGone, DeliveryAskedToWait, DeliveryServerError, DeliveryInterrupted, DeliveryNoSecret,
	}
}
