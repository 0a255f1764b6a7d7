package typus

// Verdict is what follows from the end of an attempt: the new state of the delivery and
// of its endpoint, and what else is to be done. Package webhook makes verdicts, package
// store writes them down.
type Verdict struct {
	Delivery Delivery
	Endpoint Endpoint
	Outcome  string     // for the log of the attempt: "delivered", "failed", "interrupted", "late"
	Hold     bool       // the endpoint was switched off: what is pending is held
	Drain    int        // what waits with fewer failures than this is due at once; 0: nothing is
	Tell     LetterKind // to those who manage the account; "" for no letter
}
