package typus

import "time"

// RequestKind is what a candidate asks the team for. The words are stored, so they must
// not change.
type RequestKind string

// What can be asked for on the page of the own result. Nothing of it happens by itself.
const (
	RequestResult     RequestKind = "result"     // to see the result, which is not shown yet
	RequestCorrection RequestKind = "correction" // of what is stored
	RequestAccess     RequestKind = "access"     // to everything that is stored, what the team wrote included
	RequestErasure    RequestKind = "erasure"
	RequestRetest     RequestKind = "retest" // another test, no earlier than RetestAfter
)

// RequestKinds are all kinds, in the order in which they are offered.
func RequestKinds() []RequestKind {
	return []RequestKind{RequestResult, RequestCorrection, RequestAccess, RequestRetest, RequestErasure}
}

// Once reports whether a candidate may ask for it one time only: a test that is repeated
// again and again measures practice.
func (k RequestKind) Once() bool { return k == RequestRetest }

// AnswerWithin is how long the team has to answer a request (GDPR Art. 12(3): a month).
const AnswerWithin = 30 * 24 * time.Hour

// RetestAfter is how long after a test another one makes sense at the earliest.
const RetestAfter = 24 * time.Hour

// RetestMonths is how long after a test we recommend another one.
const RetestMonths = 3

// Request is something that a candidate has asked the team for. It is answered once.
type Request struct {
	ID          int64
	AccountID   int64
	CandidateID int64
	Kind        RequestKind
	Text        string // in the candidate's words, lines of text; may be empty but for a correction
	CreatedAt   time.Time
	Answer      string    // to the candidate, lines of text
	AnsweredAt  time.Time // zero while it is open
	AnsweredBy  string    // the user's e-mail at that time
}

// Open reports whether the request waits for an answer.
func (r Request) Open() bool { return r.AnsweredAt.IsZero() }

// Due is when it must be answered.
func (r Request) Due() time.Time { return r.CreatedAt.Add(AnswerWithin) }
