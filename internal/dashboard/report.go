package dashboard

import (
	"time"

	"typus"
	"typus/internal/instrument"
	"typus/internal/report"
	"typus/internal/store"
)

// reportView is what the part "report" shows: a report and its drawings.
type reportView struct {
	report.Report
	Match      report.Chart // the overall score
	Chart      report.Chart // the nine dimensions
	FollowUps  []report.Topic
	Answers    []report.Rated // what the team has rated
	Fall       []fallen       // from 100 down to the overall score
	Start, End step
	Glance     *glance         // what the head says of it, nil for none
	First      bool            // whoever looks has not seen it before
	Closed     bool            // it should not be interpreted, and nobody has asked for the figures all the same
	Aged       int             // after so many months it is too old, 0 if it is not
	TakenOver  string          // that the answers are of an earlier test, "" if they are not
	Base       string          // address of the candidate's page
	Asked      instrument.Role // the profile that it was compared with
	RolePage   string          // where the role profile stands, and who may confirms it; "" for who may not look
	Confirms   bool            // whoever looks may
}

// fallen is what a dimension takes from the overall score, as it is drawn.
type fallen struct {
	report.Cost
	Step step
}

// step is a piece of the way from 100 to the overall score, in percent of the width.
type step struct{ X, Width int }

// The drawings are as wide as the page allows, so X is in percent. Y is in em, so that
// the bars grow with the reader's font size.
var (
	matchArea = report.Area{Width: 100, Row: 2}
	chartArea = report.Area{Width: 100, Row: 4, Label: 1.75}
)

// newReport reads a stored result for a page; madeUp says that nobody gave its
// answers, and chosen what everybody is asked (see report.GuideOf). Internal: it is damaged.
func newReport(in *instrument.Instrument, kept store.Result, madeUp bool, lang string, chosen ...typus.CoreQuestion) (*reportView, error) {
	read, err := report.Read(kept.Scores, kept.RoleSnapshot)
	if err != nil {
		return nil, err
	}
	read.MadeUp = madeUp
	v := drawn(report.Of(in, read, lang))
	v.Asked = read.Role
	v.FollowUps = report.FollowUps(in, read, lang, chosen...)
	return v, nil
}

func drawn(r report.Report) *reportView {
	v := &reportView{Report: r, Chart: report.Bars(r.Dimensions, chartArea)}
	o := r.Overall
	if o == nil {
		return v
	}
	v.Match = report.Bars([]report.Dimension{{Scored: true, Score: o.Score, Low: o.Low, High: o.High}}, matchArea)
	v.Start, v.End = step{Width: 100}, step{Width: o.Score}
	for _, c := range r.Costs {
		v.Fall = append(v.Fall, fallen{c, step{c.After, c.Points}})
	}
	return v
}

// aged is the number of months after which the account calls a result with answers of that
// day too old, 0 if it is not: what people do and how they see themselves changes.
func (v visitor) aged(answered, now time.Time) int {
	if months := v.Account.ShelfMonths; !answered.IsZero() && !now.Before(answered.AddDate(0, months, 0)) {
		return months
	}
	return 0
}
