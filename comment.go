package typus

import "time"

// Confirmation is how it is known that a comment is the candidate's own. The words are
// stored, so they must not change.
type Confirmation string

// Confirmations are all confirmations, in the order in which they are shown: by letter or
// by e-mail the candidate has sent the team the words that a user then entered.
func Confirmations() []Confirmation { return []Confirmation{"letter", "email"} }

// How the candidate themself has written a comment on their page: known by the device that
// handed in, or by a code to the candidate's address.
const (
	ConfirmedByDevice Confirmation = "device"
	ConfirmedByCode   Confirmation = "code"
)

// Own reports whether the candidate has written it themself.
func (c Confirmation) Own() bool { return c == ConfirmedByDevice || c == ConfirmedByCode }

// Comment is a version of what a candidate says about their result. None is ever changed:
// what the candidate says instead is another version.
type Comment struct {
	ID          int64
	CandidateID int64
	UserID      int64  // who entered it, who may be gone; 0 for the candidate
	Author      string // the user's e-mail at that time, ActorCandidate for the candidate
	Text        string // lines of text
	Confirmed   Confirmation
	CreatedAt   time.Time     // when it was entered
	Reads       []CommentRead // by others than who entered it, earliest first
}

// CommentRead is the first time that a user was shown a comment.
type CommentRead struct {
	UserID int64  // who may be gone
	Reader string // the user's e-mail when they were first shown it
	At     time.Time
}
