package typus

import "time"

// CreditReason says why a ledger entry was booked.
type CreditReason string

// The reasons of the ledger. A completion, and taking over, is booked at most once per
// candidate.
const (
	ReasonGrant      CreditReason = "grant"      // credits given by the operator or at the account's creation
	ReasonCompletion CreditReason = "completion" // −1, a test was finished (API description 1)
	ReasonTakenOver  CreditReason = "taken_over" // 0, earlier answers were taken over: no test was completed
)

// MaxGrant bounds one grant: a slip of the finger, not a purchase.
const MaxGrant = 1_000_000_000

// CreditEntry is one line of the append-only ledger of an account.
type CreditEntry struct {
	ID           int64
	AccountID    int64
	Delta        int64
	Reason       CreditReason
	CandidateID  int64 // 0 for a grant
	Note         string
	Reference    string // the operator's name of a grant, once in an account; "" for none
	Actor        string // "operator", "candidate" or a user's e-mail; of a completion: who gave the answers
	BalanceAfter int64
	CreatedAt    time.Time
}
