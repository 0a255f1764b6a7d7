package dashboard

import (
	"typus/internal/instrument"
	"typus/internal/report"
	"typus/internal/store"
)

// reportView is what the part "report" shows: a report and its drawings.
type reportView struct {
	report.Report
	Match report.Chart // the overall score
	Chart report.Chart // the nine dimensions
}

// The drawings are as wide as the page allows, so X is in percent. Y is in em, so that
// the bars grow with the reader's font size.
var (
	matchArea = report.Area{Width: 100, Row: 2}
	chartArea = report.Area{Width: 100, Row: 4, Label: 1.75}
)

// newReport reads a stored result for a page; madeUp says that nobody gave its
// answers. Internal: it is damaged.
func newReport(in *instrument.Instrument, kept store.Result, madeUp bool, lang string) (*reportView, error) {
	read, err := report.Read(kept.Scores, kept.RoleSnapshot)
	if err != nil {
		return nil, err
	}
	read.MadeUp = madeUp
	return drawn(report.Of(in, read, lang)), nil
}

func drawn(r report.Report) *reportView {
	v := &reportView{Report: r, Chart: report.Bars(r.Dimensions, chartArea)}
	if o := r.Overall; o != nil {
		v.Match = report.Bars([]report.Dimension{{Scored: true, Score: o.Score, Low: o.Low, High: o.High}}, matchArea)
	}
	return v
}

// Points is from how many points on two scores differ reliably.
func (*reportView) Points() int { return report.Reliable }
