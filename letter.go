package typus

import (
	"fmt"
	"time"
)

// LetterState says where a letter stands in the outbox.
type LetterState string

// The states of a letter.
const (
	LetterQueued  LetterState = "queued"
	LetterSending LetterState = "sending"
	LetterSent    LetterState = "sent"
	// LetterUncertain: the letter was handed over LetterCopies times, and no mail
	// server said what became of it. It may have arrived. It goes again only if a
	// person says so.
	LetterUncertain LetterState = "uncertain"
	LetterFailed    LetterState = "failed" // refused for good: a 5xx or an address that cannot be written to
	LetterHeld      LetterState = "held"   // waits for a person or, with HeldUntil, for its time
)

// MayComeBack reports whether a mail server may have taken the letter and return it.
func (s LetterState) MayComeBack() bool {
	return s == LetterSending || s == LetterSent || s == LetterUncertain
}

// LetterCopies is how many times a letter is handed over while no mail server says what
// became of it. That many copies may arrive; after that a person decides.
const LetterCopies = 2

// Unknown is the LastError of a letter that was handed over when this server
// stopped, or lost its database, before it had noted what became of it.
const Unknown = "this server stopped before it had noted the mail server's answer"

// NotSent begins the LastError of a letter that was held for a reason of ours.
const NotSent = "not sent: "

// Why a letter is held although it could go out: what it says is no longer true or
// wanted. These sentences are stored, so they must not change. Pages translate them.
const (
	NotSentFinished       = NotSent + "the test is finished"
	NotSentCancelled      = NotSent + "the invitation was cancelled"
	NotSentDeclined       = NotSent + "the candidate does not want to take part"
	NotSentExpired        = NotSent + "the invitation has expired"
	NotSentUnwanted       = NotSent + "the candidate wants no reminders"
	NotSentLinkWorks      = NotSent + "the link works again"
	NotSentNobody         = NotSent + "nobody is left to report"
	NotSentWebhooksOn     = NotSent + "every webhook is on again"
	NotSentWebhooksWork   = NotSent + "every webhook works again or is off"
	NotSentWebhookDeleted = NotSent + "the webhook is deleted"
	NotSentLinkOver       = NotSent + "its link was used, replaced or has run out"
	NotSentAccepted       = NotSent + "this person has accepted already"
	NotSentUserGone       = NotSent + "this person is no longer in the team"
	NotSentOutOfReach     = NotSent + "whom it is to may not see this candidate any more"
	NotSentCreditsEmpty   = NotSent + "the credits are used up, which another letter says"
	NotSentCreditsAgain   = NotSent + "the account has credits again"
	NotSentCodeOver       = NotSent + "its code was used, replaced or has run out"
)

// Why a letter could not be sent. What the mail server said may follow, behind ": ".
// These sentences are stored, so they must not change. Pages translate them.
const (
	FailedAddress      = "the recipient's address cannot be written to"
	FailedUnreachable  = "the mail server cannot be reached"
	FailedTurnedAway   = "the mail server turned the connection away"
	FailedNoEncryption = "the mail server refused an encrypted connection"
	FailedLoginRefused = "the mail server refused the login"
	FailedSender       = "the mail server refused the sender"
	FailedRecipient    = "the mail server refused the recipient"
	FailedLetter       = "the mail server refused the letter"
	FailedSilent       = "the mail server did not answer in time"
	FailedUnencrypted  = "there is no encrypted connection to the mail server"
	FailedLogin        = "the login at the mail server failed"
	FailedBrokenOff    = "the mail server broke the connection off"
	FailedNoAnswer     = "the mail server gave no answer that can be understood"
	FailedReturned     = "the letter was returned after the mail server had taken it"
	FailedOurs         = "this server could not write or send the letter; its log says why"
)

// NotSent is why nobody is invited to a test, or reminded of it, that stands so; "" where
// somebody may be.
func (s Stand) NotSent() string {
	switch s {
	case StandFinished:
		return NotSentFinished
	case StandWithdrawn:
		return NotSentCancelled
	case StandExpired:
		return NotSentExpired
	case StandDeclined:
		return NotSentDeclined
	}
	return ""
}

// Letter is one e-mail in the outbox. Its text is made when it is sent, from
// the nouns it points to, so that a corrected name or address counts at once and
// no link lies in the outbox in the clear.
type Letter struct {
	ID            int64
	AccountID     int64
	CandidateID   int64 // 0 for letters to users
	UserID        int64 // the user the letter is to, 0 for candidates and owners at large
	Kind          LetterKind
	Language      string
	To            string // address; for letters to candidates the candidate's at sending time
	State         LetterState
	Attempts      int
	Unclear       int  // attempts that handed it over and of which nobody knows what came
	Urgent        bool // a person waits for it: it goes before the others
	NextAttemptAt time.Time
	HeldUntil     time.Time // of a held letter above the account's daily number: when it is tried again; zero otherwise
	LastCode      int       // last SMTP reply code, 0 for none
	LastError     string
	CreatedAt     time.Time
	SentAt        time.Time // when it was sent, or was handed over for the last time and is uncertain
	Detail        []byte    // a one-time token that the letter brings, sealed with DetailAAD; nil for none
}

// Posting is one sending of a letter, of which reports may come back.
type Posting struct {
	AccountID int64
	LetterID  int64
	Attempt   int // the Attempts of the letter when it was sent
}

// DetailAAD ties the sealed detail of a letter to its kind and to whom it is for.
func (l Letter) DetailAAD() string {
	if l.Kind.ToCandidate() {
		return fmt.Sprintf("letter|%s|candidate %d", l.Kind, l.CandidateID)
	}
	return fmt.Sprintf("letter|%s|%d", l.Kind, l.UserID)
}
