package typus

import "time"

// EventCandidateCompleted is the one event of v1 (seed 6).
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
	MaxInFlight         int
	ConsecutiveFailures int
	CreatedAt           time.Time
}

// SecretRole orders the secrets of an endpoint; outside a rotation there is
// only the current one.
type SecretRole string

// The roles of a secret.
const (
	SecretCurrent  SecretRole = "current"
	SecretPrevious SecretRole = "previous"
	SecretNext     SecretRole = "next"
)

// WebhookSecret signs the deliveries of one endpoint.
type WebhookSecret struct {
	ID         int64
	EndpointID int64
	Role       SecretRole
	Sealed     []byte
	ValidUntil time.Time // zero: no end set
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
// steps of the ladder.
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

// Delivery is the task to bring one event to one endpoint.
type Delivery struct {
	ID            string // "dlv_" and a ULID
	AccountID     int64
	EventID       string
	EndpointID    int64
	Kind          string // "auto"; later "replay" and "test"
	State         DeliveryState
	Attempt       int // attempts begun; only counts up
	Failures      int // failed attempts, 0 to DeliveryAttempts: the step of the ladder
	Interruptions int // attempts in a row that ended without an outcome
	NextAttemptAt time.Time
	LastStatus    int
	LastError     string
	FinishedAt    time.Time
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
	ErrorCode      string // "" on success; else dns, blocked_address, connect, tls, …
	ResponseHead   string
	ResponseBody   []byte
	Outcome        string // "started", "delivered", "failed", "interrupted", "late"
}
