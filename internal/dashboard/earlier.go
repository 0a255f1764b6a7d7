package dashboard

import (
	"strings"
	"time"

	"typus"
	"typus/internal/store"
)

// earlierView are the tests that somebody with a candidate's address finished before, of those
// that the visitor reads. It holds no figures: there is nothing to take the mean of, and who
// looks at a result is noted on its page.
type earlierView struct {
	Before bool // the candidate has not finished: they have taken part before
	Rows   []earlierRow
}

// earlierRow is one of them.
type earlierRow struct {
	Path      string
	Completed time.Time
	Answered  time.Time // where answers were taken over, else zero
	Position  string    // in words
	Version   string    // of the instrument
}

// earlierOf shows what was read; nil for nothing, and to whom such a page is not for.
func (f *face) earlierOf(v *visit, finished bool, found []store.Earlier) *earlierView {
	if len(found) == 0 || !v.may(viewer) {
		return nil
	}
	view := &earlierView{Before: !finished}
	for _, e := range found {
		_, version, _ := strings.Cut(e.Instrument, "@")
		view.Rows = append(view.Rows, earlierRow{
			Path: candidatePath(e.CandidateID), Completed: e.CompletedAt, Answered: e.AnsweredAt,
			Position: inWords(e.Position, f.say(v, "positions.standard")), Version: version,
		})
	}
	return view
}

// takenOver says of a candidate that their answers are of an earlier test, "" if they are not.
func (f *face) takenOver(v *visit, c typus.Candidate) string {
	if !c.TakenOver() {
		return ""
	}
	day := func(at time.Time) string { return f.dayOf(v, at) }
	return f.say(v, "report.takenOver", "Answered", day(c.AnsweredAt), "Taken", day(c.CompletedAt))
}
