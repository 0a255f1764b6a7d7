package typus

import "time"

// Stage is where a candidate stands with the team. The words are stored, so they must not
// change.
type Stage string

// The stages, the same everywhere.
const (
	StageNew       Stage = "new" // also of whom nothing was decided yet
	StageInterview Stage = "interview"
	StageOffer     Stage = "offer"
	StageRejection Stage = "rejection"
	StageOnHold    Stage = "on_hold"
	StageWithdrew  Stage = "withdrew"
)

// Stages are all stages, in the order in which they are shown.
func Stages() []Stage {
	return []Stage{StageNew, StageInterview, StageOffer, StageRejection, StageOnHold, StageWithdrew}
}

// Ends reports whether the stage ends an application: the retention counts from it.
func (s Stage) Ends() bool { return s == StageOffer || s == StageRejection || s == StageWithdrew }

// Reason is why a candidate is rejected, as it is stored. Each has to do with the job.
type Reason string

// Reasons are all reasons, in the order in which they are shown.
func Reasons() []Reason {
	return []Reason{"experience", "requirement", "work_sample", "interview", "terms", "filled"}
}

// Source is what a rejection rests on, as it is stored.
type Source string

// The sources.
const (
	SourceInterview   Source = "interview"
	SourceDocuments   Source = "documents"
	SourceWorkSample  Source = "work_sample"
	SourceReference   Source = "reference"
	SourceTest        Source = "test"
	SourceTestNotUsed Source = "test_not_used" // rules SourceTest out
)

// Sources are all sources, in the order in which they are shown.
func Sources() []Source {
	return []Source{SourceInterview, SourceDocuments, SourceWorkSample, SourceReference, SourceTest, SourceTestNotUsed}
}

// Decision is one entry of what the team decided about a candidate. None is ever changed:
// a correction is another entry, and the newest counts.
type Decision struct {
	ID          int64
	CandidateID int64
	UserID      int64  // who may be gone
	Author      string // the user's e-mail when it was written
	Stage       Stage
	Reasons     []Reason // of a rejection, at least one; none of any other stage
	Sources     []Source // of a rejection, at least one; none of any other stage
	Text        string   // lines of text, may be empty
	CreatedAt   time.Time
}
