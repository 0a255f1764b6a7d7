package store

import (
	"time"

	"typus"
)

// DeliveryFilter selects deliveries of one account. Zero fields do not filter.
type DeliveryFilter struct {
	EndpointID  int64
	State       typus.DeliveryState
	Outcome     string    // of the last attempt, one of typus.DeliveryOutcomes
	CandidateID int64     // whom the event is about
	From, Until time.Time // made at or after, and before
}
