package typus

import "time"

// MaxEnrolled is how many people a public link lets in at most (our choice).
const MaxEnrolled = 10_000

// EnrolmentLife is how long somebody has to confirm the address that was typed at a public
// link; after that it is erased (our choice).
const EnrolmentLife = 7 * 24 * time.Hour

// PublicLink is the link of a position by which people ask for a test by themselves. A position
// has one that works at most.
type PublicLink struct {
	ID          int64 // 0: there is none
	AccountID   int64
	PositionID  int64
	TokenHash   string
	SealedToken []byte
	Most        int       // people who may confirm their address, 1 to MaxEnrolled
	Confirmed   int       // people who have, whatever became of their tests
	EndsAt      time.Time // zero: no end
	CreatedAt   time.Time
	RevokedAt   time.Time // zero: it was not revoked
}

// TokenAAD is the place that the sealed token is bound to.
func (l PublicLink) TokenAAD() string { return "public_link|" + l.TokenHash }

// PublicStand says what somebody finds behind a public link.
type PublicStand string

// How public links stand. In the order in which they are found: the first that is true counts.
const (
	PublicRevoked PublicStand = "revoked"
	PublicClosed  PublicStand = "closed" // its position is
	PublicOver    PublicStand = "over"   // its end has come
	PublicFull    PublicStand = "full"   // as many as may have confirmed their address
	// Whoever runs the server has suspended the account.
	PublicSuspended PublicStand = "suspended"
	PublicUnpaid    PublicStand = "unpaid" // the account has no credits, which a stranger need not know
	// The account stores as many people as it may, which a stranger need not know. It is for
	// whoever can count them to say: Stand never does.
	PublicCrowded PublicStand = "crowded"
	PublicOpen    PublicStand = "open"
)

// Stand says how the link of a position of an account stands at a time.
func (l PublicLink) Stand(a Account, p Position, at time.Time) PublicStand {
	switch {
	case !l.RevokedAt.IsZero():
		return PublicRevoked
	case p.State != PositionOpen:
		return PublicClosed
	case !l.EndsAt.IsZero() && !at.Before(l.EndsAt):
		return PublicOver
	case l.Confirmed >= l.Most:
		return PublicFull
	case a.Suspended():
		return PublicSuspended
	case a.OutOfCredits():
		return PublicUnpaid
	}
	return PublicOpen
}

// Enrolment is what somebody typed at a public link. They are a candidate once they confirm
// their address.
type Enrolment struct {
	Hash        string // hex SHA-256 of the one-time token
	Name        string // "" once it is confirmed, as is Email: the candidate has them
	Email       string
	Language    string
	LetterID    int64 // the letter that brings the token
	CandidateID int64 // 0 until it is confirmed
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

// Usable reports whether the address can be confirmed at a time, with the rule of
// UserLink.Usable.
func (e Enrolment) Usable(at time.Time) bool { return Ahead(e.ExpiresAt, at, EnrolmentLife+Skew) > 0 }
