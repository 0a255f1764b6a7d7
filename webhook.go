package typus

import (
	"fmt"
	"net/url"
	"time"
)

// EventCandidateCompleted is the one event of v1 (API description 6).
const EventCandidateCompleted = "candidate.completed"

// EndpointStatus says whether deliveries to an endpoint are attempted.
type EndpointStatus string

// The states of an endpoint. Deliveries are attempted while it is active or
// failing and held while it is anything else.
const (
	EndpointActive   EndpointStatus = "active"
	EndpointFailing  EndpointStatus = "failing"
	EndpointDisabled EndpointStatus = "disabled_auto"
	EndpointGone     EndpointStatus = "gone"
	EndpointPaused   EndpointStatus = "paused"
	EndpointDeleted  EndpointStatus = "deleted"
)

// Endpoint is an address of a customer that receives events.
type Endpoint struct {
	ID                  int64
	AccountID           int64
	URL                 string
	Description         string
	Status              EndpointStatus
	MaxInFlight         int // while it answers quickly; see AtOnce
	Rate                Rate
	ConsecutiveFailures int
	FirstFailureAt      time.Time // of the failures in a row, tests aside; zero without any
	LastFailureAt       time.Time // zero: never
	LastSuccessAt       time.Time // zero: never; kept to the minute while all is well
	StatusChangedAt     time.Time
	DisabledReason      string        // why it was switched off, "" while it is on
	FailingToldAt       time.Time     // when a letter said that it has been failing for long, zero: not since it last received something
	GivenUpToldAt       time.Time     // when a letter last said that a delivery has ended without arriving, zero: never
	ProbeAfter          time.Time     // the receiver has asked for nothing before (Retry-After), zero: never
	LastDuration        time.Duration // of the attempt that put it into its lane, NoAnswer without an answer; zero: none was made at this address
	BucketFullAt        time.Time     // see Rate
	DueAt               time.Time     // when the next attempt can be made, zero: nothing waits, or it is off
	StaticHeader        string        // sealed bytes: a header that each request carries, "" for none
	CreatedAt           time.Time
}

// Host is the host and, if named, the port of the webhook. Paths and queries of
// webhook addresses often hold a secret.
func (e Endpoint) Host() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// Origin is the scheme, host and port of the webhook: whom its secrets are told.
func (e Endpoint) Origin() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Trace names the endpoint for the audit log, which is never erased.
func (e Endpoint) Trace() string { return fmt.Sprintf("%d %s", e.ID, e.Host()) }

// On reports whether deliveries are attempted.
func (e Endpoint) On() bool { return e.Status == EndpointActive || e.Status == EndpointFailing }

// Waits is the state that a delivery to the endpoint has while it waits: pending while
// the endpoint is on, held while it is off, cancelled once it is deleted.
func (e Endpoint) Waits() DeliveryState {
	switch {
	case e.On():
		return DeliveryPending
	case e.Status == EndpointDeleted:
		return DeliveryCancelled
	default:
		return DeliveryHeld
	}
}

// Probing reports whether the endpoint was switched on again and nothing has been tried
// since. Until one delivery arrives, only one at a time goes out.
func (e Endpoint) Probing() bool { return e.Status == EndpointFailing && e.ConsecutiveFailures == 0 }

// EndpointRates is how an endpoint has done lately and what still waits for it.
// Test deliveries are not counted.
type EndpointRates struct {
	EndpointID           int64
	DayArrived, DayAll   int // deliveries that ended in the last 24 hours, or are failing now
	WeekArrived, WeekAll int // the same in the last 7 days
	Waiting              int // to be attempted
	Held                 int // until the endpoint is switched on
}

// SecretRole tells the secrets of an endpoint apart. Outside a rotation there is only
// the current one.
type SecretRole string

// The roles of a secret.
const (
	SecretCurrent  SecretRole = "current"
	SecretPrevious SecretRole = "previous"
	SecretNext     SecretRole = "next"
)

// SecretOverlap is how long the two secrets of a rotation sign side by side
// after each of its steps.
const SecretOverlap = 24 * time.Hour

// WebhookSecret signs the deliveries of one endpoint.
type WebhookSecret struct {
	ID         int64
	EndpointID int64
	Role       SecretRole
	Sealed     []byte
	ValidUntil time.Time // of a previous one: it signs no longer; of a next one: it becomes the current one; zero: no end set
	CreatedAt  time.Time
}

// LiveSecrets returns the secrets of an endpoint that sign at a time, by the role that
// each has then. A rotation goes on by time alone: when the next secret is due, it
// becomes the current one, and the one before it goes on signing beside it for
// SecretOverlap.
func LiveSecrets(stored []WebhookSecret, at time.Time) map[SecretRole]WebhookSecret {
	live := map[SecretRole]WebhookSecret{}
	for _, s := range stored {
		live[s.Role] = s
	}
	if next, found := live[SecretNext]; found && !next.ValidUntil.IsZero() && !at.Before(next.ValidUntil) {
		previous := live[SecretCurrent]
		previous.Role, previous.ValidUntil = SecretPrevious, next.ValidUntil.Add(SecretOverlap)
		next.Role, next.ValidUntil = SecretCurrent, time.Time{}
		live = map[SecretRole]WebhookSecret{SecretCurrent: next, SecretPrevious: previous}
	}
	if previous := live[SecretPrevious]; !previous.ValidUntil.IsZero() && !at.Before(previous.ValidUntil) {
		delete(live, SecretPrevious)
	}
	return live
}

// Event is something that happened, with the exact bytes that report it.
type Event struct {
	ID          string // "evt_" and a ULID
	AccountID   int64
	Type        string
	CandidateID int64
	OccurredAt  time.Time
	Payload     []byte // frozen: sent and signed as it stands
}

// DeliveryAttempts is how many failed attempts end a delivery: the number of
// rungs of the ladder.
const DeliveryAttempts = 12

// DeliveryState says where the delivery of one event to one endpoint stands.
type DeliveryState string

// The states of a delivery.
const (
	DeliveryPending   DeliveryState = "pending"
	DeliverySending   DeliveryState = "sending"
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryExhausted DeliveryState = "exhausted"
	DeliveryHeld      DeliveryState = "held"
	DeliveryCancelled DeliveryState = "cancelled"
)

// DeliveryStates are all states, in the order in which people choose from them.
func DeliveryStates() []DeliveryState {
	return []DeliveryState{DeliveryPending, DeliverySending, DeliveryHeld, DeliveryDelivered, DeliveryExhausted, DeliveryCancelled}
}

// Ended reports whether nothing more happens to the delivery by itself.
func (s DeliveryState) Ended() bool {
	return s == DeliveryDelivered || s == DeliveryExhausted || s == DeliveryCancelled
}

// ReplayState says where a run that sends many deliveries again stands.
type ReplayState string

// The states of a run.
const (
	ReplayRunning   ReplayState = "running"
	ReplayDone      ReplayState = "done"
	ReplayCancelled ReplayState = "cancelled" // by a person, or with its endpoint; what it has sent off goes on
)

// The kinds of a delivery that a person asked for. One that an event caused is of the kind
// "auto".
const (
	DeliveryTest   = "test"   // of a test event: one attempt and no repetition
	DeliveryReplay = "replay" // of an event that was delivered before, or was given up; repeated and counted like "auto"
)

// Delivery is the task to bring one event to one endpoint.
type Delivery struct {
	ID            string // "dlv_" and a ULID
	AccountID     int64
	EventID       string
	EndpointID    int64
	Kind          string // "auto", DeliveryTest or DeliveryReplay
	State         DeliveryState
	Attempt       int // attempts begun; only counts up
	Failures      int // failed attempts, 0 to DeliveryAttempts: the rung of the ladder
	Interruptions int // attempts in a row that ended without an outcome
	NextAttemptAt time.Time
	LastStatus    int
	LastError     string
	Outcome       string // of the last attempt: one of DeliveryOutcomes, "" before one has ended
	FinishedAt    time.Time
}

// Finished reports whether no further attempt will be made.
func (d Delivery) Finished() bool {
	return d.State == DeliveryDelivered || d.State == DeliveryExhausted || d.State == DeliveryCancelled
}

// Attempt is one try of a delivery as the log keeps it. Bodies are cut at 4 KiB.
type Attempt struct {
	DeliveryID     string
	N              int
	StartedAt      time.Time
	Duration       time.Duration
	URL            string
	RemoteIP       string
	RequestHeaders string // one "Name: value" a line, signatures masked
	HTTPStatus     int    // 0: no answer
	ErrorCode      string // "" on success; else dns, blocked_address, …, some with what they are about after a space
	ResponseHead   string
	ResponseBody   []byte
	Outcome        string // "started", "delivered", "failed", "interrupted", "late"
}
