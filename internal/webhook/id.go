package webhook

import (
	"crypto/rand"
	"time"

	"github.com/oklog/ulid/v2"
)

// NewEventID makes the id of an event of that time, "evt_" and a ULID. It is the
// webhook-id by which receivers recognise a repeated delivery.
func NewEventID(at time.Time) string { return "evt_" + newULID(at) }

// NewDeliveryID makes the id of a delivery that is made at that time, "dlv_" and a ULID.
// Ids of different milliseconds are in the order of their times, which is the order of
// the delivery log.
func NewDeliveryID(at time.Time) string { return "dlv_" + newULID(at) }

func newULID(at time.Time) string {
	return ulid.MustNew(uint64(max(at.UnixMilli(), 0)), rand.Reader).String()
}
