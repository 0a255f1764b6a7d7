package typus

import "time"

// Note is what a user wrote about a candidate, for the team to read.
type Note struct {
	ID          int64
	AccountID   int64
	CandidateID int64
	UserID      int64
	Author      string // the user's e-mail when it was written
	Body        string // lines of text
	CreatedAt   time.Time
}
