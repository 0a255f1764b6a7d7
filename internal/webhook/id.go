package webhook

import (
	"crypto/rand"

	"github.com/oklog/ulid/v2"
)

// NewEventID makes the id of an event, "evt_" and a ULID. It is the webhook-id
// by which receivers recognise a repeated delivery.
func NewEventID() string { return "evt_" + newULID() }

// NewDeliveryID makes the id of a delivery, "dlv_" and a ULID.
func NewDeliveryID() string { return "dlv_" + newULID() }

func newULID() string { return ulid.MustNew(ulid.Now(), rand.Reader).String() }
