package typus

import "time"

// LetterKind names the text of a letter.
type LetterKind string

// The letters that are written today.
const (
	LetterInvitation     LetterKind = "invitation"      // to the candidate
	LetterCreditsLow     LetterKind = "credits_low"     // to the owners: a fifth of the last grant is left
	LetterCreditsEmpty   LetterKind = "credits_empty"   // to the owners: the balance reached 0
	LetterCreditsRefused LetterKind = "credits_refused" // to the owners: an invitation was refused for want of credits
)

// LetterState says where a letter stands in the outbox.
type LetterState string

// The states of a letter.
const (
	LetterQueued  LetterState = "queued"
	LetterSending LetterState = "sending"
	LetterSent    LetterState = "sent"
	LetterFailed  LetterState = "failed" // refused for good: a 5xx or an address that cannot be written to
	LetterHeld    LetterState = "held"   // waits for a person
)

// Letter is one e-mail in the outbox. Its text is made when it is sent, from
// the nouns it points to, so that a corrected name or address counts at once and
// no link lies in the outbox in the clear.
type Letter struct {
	ID            int64
	AccountID     int64
	CandidateID   int64 // 0 for letters to owners
	Kind          LetterKind
	Language      string
	To            string // address; for letters to candidates the candidate's at sending time
	State         LetterState
	Attempts      int
	NextAttemptAt time.Time
	LastCode      int // last SMTP reply code, 0 for none
	LastError     string
	CreatedAt     time.Time
	SentAt        time.Time
}
