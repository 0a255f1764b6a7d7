package typus

import "time"

// ImportState says where the import of a list of people stands.
type ImportState string

// The states of an import.
const (
	ImportMapping   ImportState = "mapping"   // somebody must say which column is what
	ImportPreview   ImportState = "preview"   // read and checked; nobody is invited yet
	ImportRunning   ImportState = "running"   // people are being invited
	ImportDone      ImportState = "done"      // every row has its outcome
	ImportCancelled ImportState = "cancelled" // ended by a person; what is invited stays invited
)

// Ended reports whether nothing more will happen to the import.
func (s ImportState) Ended() bool { return s == ImportDone || s == ImportCancelled }

// Import is a list of people that a user wants to invite at once.
type Import struct {
	ID          int64
	AccountID   int64
	PositionID  int64 // to which it invites, 0 for the account's default one
	UserID      int64
	Actor       string // the user's e-mail
	FileName    string
	Language    string // of people whose row names none, "" for the account's
	RoleProfile string // key, "" for the account's
	SendEmail   bool
	State       ImportState
	Total       int      // rows of the file, without the heading and blank lines
	Blank       int      // lines without any text, which are no rows
	Valid       int      // rows to be invited
	Done        int      // of them those with an outcome
	Failed      int      // of those with an outcome the ones that were not invited
	LeftOut     []string // headings of the columns of the file that were not read, until it is confirmed
	Reading     string   // how the file was read, to be read the same way again; "" before it was
	CreatedAt   time.Time
	StartedAt   time.Time // zero before somebody confirmed
	FinishedAt  time.Time // zero until ended
	DropAt      time.Time // when the rows and the file are removed; zero once they are
}

// Invited is how many people were invited so far.
func (i Import) Invited() int { return i.Done - i.Failed }

// RowState says what becomes, or became, of a row of an import.
type RowState string

// The states of a row. Only ready rows are invited.
const (
	RowReady     RowState = "ready"
	RowFaulty    RowState = "faulty"    // cannot be invited as it stands
	RowDuplicate RowState = "duplicate" // the same person stands in an earlier row or has an open invitation
	RowInvited   RowState = "invited"
	RowKnown     RowState = "known"  // had an open invitation by the time its turn came
	RowFailed    RowState = "failed" // could not be invited when its turn came
)

// Valid reports whether s is one of the states.
func (s RowState) Valid() bool {
	switch s {
	case RowReady, RowFaulty, RowDuplicate, RowInvited, RowKnown, RowFailed:
		return true
	}
	return false
}

// ImportRow is one person of an import.
type ImportRow struct {
	N          int // line of the file where the row begins, the first line is 1
	Name       string
	Email      string
	ExternalID string
	Language   string // "" for the import's
	State      RowState
	// Reasons say why, as codes such as "email_invalid" or "row 12". Of a row that can be or
	// was invited they are remarks: "external_id_row 12".
	Reasons     []string
	Mended      bool  // somebody has typed what stands in it
	CandidateID int64 // who was invited, or is known already; 0 for nobody
}

// Mendable reports whether a row of a preview can be typed anew: it is faulty, or was
// mended before.
func (r ImportRow) Mendable() bool { return r.State == RowFaulty || r.Mended }
