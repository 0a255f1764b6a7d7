package typus

import "time"

// Status says where a candidate's test stands. The three values are the wire values of
// API description 3 and are frozen: expiry and cancellation are fields of their own,
// never a fourth status.
type Status string

// The three statuses (API description 3).
const (
	StatusOpen     Status = "offen"
	StatusStarted  Status = "begonnen"
	StatusFinished Status = "abgeschlossen"
)

// Valid reports whether s is one of the three statuses.
func (s Status) Valid() bool { return s == StatusOpen || s == StatusStarted || s == StatusFinished }

// Candidate is one person's one test: the invitation, its progress, its result.
type Candidate struct {
	ID            int64 // counts up from 100000000000001
	AccountID     int64
	PositionID    int64  // what they are a candidate for, 0 for the account's default position
	ExternalID    string // the customer's own identifier, "" for none; exact, case-sensitive
	Name          string
	Email         string // as typed; compared by MailboxKey
	Status        Status
	Language      string // "de" or "en": of the invitation letter and the test
	ChoseLanguage bool   // the invitation or the candidate named the language; otherwise it is the account's
	RoleProfile   string // key of the role profile the result is matched with
	Instrument    string // id@version the test was begun with, "" before
	InvitedBy     int64  // the user who invited, 0 for the API and the operator
	CreatedAt     time.Time
	StartedAt     time.Time // zero while open
	CompletedAt   time.Time // zero until finished
	AnsweredAt    time.Time // when answers were given that were taken over from an earlier test, zero for answers of this one
	ExpiresAt     time.Time
	CancelledAt   time.Time // zero unless the account withdrew the invitation
	DeclinedAt    time.Time // zero unless the candidate said "Ich möchte nicht teilnehmen"
	TokenHash     string    // hex SHA-256 of the link's token: what a link is looked up by
	SealedToken   []byte    // the token under the server's key, with TokenAAD as associated data
	Scores        *Scores   // nil until finished, and where it is withheld from the user who reads
	Blind         bool      // read for a user who is to rate before they see a result, or what others made of it
}

// Withheld reports whether there is a result that was kept from the user for whom the
// candidate was read.
func (c Candidate) Withheld() bool { return c.Status == StatusFinished && c.Blind }

// TokenAAD is the associated data of the sealed token: it ties the token to its row.
// Its form must never change, or stored tokens could no longer be opened.
func (c Candidate) TokenAAD() string { return "candidate_token|" + c.TokenHash }

// OwnCodePlace is the place of the codes to the candidate's own result.
func (c Candidate) OwnCodePlace() string { return "own_code|" + c.TokenHash }

// Stand says what can be done with a candidate's test. Of all that is true of it the
// first in the order of the constants counts. What comes behind it stays true, and
// counts again once it has ended: who has declined and then run out of time has still
// declined when the time is extended.
type Stand string

// Where a test can stand.
const (
	StandFinished  Stand = "finished"  // for good
	StandWithdrawn Stand = "withdrawn" // by the account, for good
	StandExpired   Stand = "expired"   // until the account extends the invitation
	StandDeclined  Stand = "declined"  // until the candidate takes it back
	StandBegun     Stand = "begun"
	StandOpen      Stand = "open"
)

// Stand is where the test stands at a time, which only an end date depends on: at it
// the invitation has run out.
func (c Candidate) Stand(at time.Time) Stand {
	switch {
	case c.Status == StatusFinished:
		return StandFinished
	case !c.CancelledAt.IsZero():
		return StandWithdrawn
	case !at.Before(c.ExpiresAt):
		return StandExpired
	case !c.DeclinedAt.IsZero():
		return StandDeclined
	case c.Status == StatusStarted:
		return StandBegun
	}
	return StandOpen
}

// Begun reports whether the candidate has begun the test and not finished it, also
// where it cannot be gone on with.
func (c Candidate) Begun() bool { return c.Status == StatusStarted }

// TakenOver reports whether the answers are those of an earlier test.
func (c Candidate) TakenOver() bool { return !c.AnsweredAt.IsZero() }

// Answered is when the answers of a finished test were given.
func (c Candidate) Answered() time.Time {
	if c.TakenOver() {
		return c.AnsweredAt
	}
	return c.CompletedAt
}

// TakeOverMonths is how old answers may be that somebody takes over.
const TakeOverMonths = 12

// Notice is the acknowledgement given before the first item: which text,
// in which language, when (GDPR Art. 13).
type Notice struct {
	Version  string // names the text; a changed text has another version
	Language string
	At       time.Time
}
