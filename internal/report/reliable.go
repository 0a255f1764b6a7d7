package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"typus/internal/instrument"
)

// Reliable is from how many points on a difference is reliable (90 % certainty). It
// follows from the reliability that the norm measures or assumes.
type Reliable struct {
	Two      int // two scores of a person that were chosen beforehand
	Extremes int // the highest and the lowest of a person's nine scores
	People   int // the overall scores of two people, 0 without one
	Below    int // a score and the zone above it, so that the guide asks about it: more than one standard error

	rel float64 // of the dimension that is measured worst
}

// reliableIn is what is reliable in a result of an instrument.
func reliableIn(in *instrument.Instrument, r instrument.Result) Reliable {
	return Reliable{
		Two: in.TwoChosen(), Extremes: in.HighestLowest(), People: instrument.ReliableDifference(r.OverallSEM),
		Below: int(math.Floor(in.StandardError()+1e-9)) + 1, rel: in.Reliability(),
	}
}

// reliability is the figure as a language writes it, with two places.
func (r Reliable) reliability(lang string) string {
	figure := strconv.FormatFloat(r.rel, 'f', 2, 64)
	if lang == "en" {
		return strings.TrimPrefix(figure, "0")
	}
	return strings.Replace(figure, ".", ",", 1)
}

// stands says how the person describes themselves, if the score differs reliably from
// the mean.
func (w writer) stands(d Dimension) string {
	said, mean := w.said.Dimensions[d.Key], round(w.in.Middle())
	switch {
	case d.Score-mean >= w.reliable.Two:
		return said.High
	case mean-d.Score >= w.reliable.Two:
		return said.Low
	}
	return ""
}

// misses says that a band does not touch the zone of the role. No words are made of
// integrity.
func (w writer) misses(d Dimension) string {
	said := ""
	switch {
	case d.Zone == nil, d.Key == unasked:
	case d.High < d.Zone.Low:
		said = w.said.Draft.Below
	case d.Low > d.Zone.High:
		said = w.said.Draft.Above
	}
	if said == "" {
		return ""
	}
	return filled(said, "Score", strconv.Itoa(d.Score), "From", strconv.Itoa(d.Low), "To", strconv.Itoa(d.High),
		"Low", strconv.Itoa(d.Zone.Low), "High", strconv.Itoa(d.Zone.High))
}

// extremes says that the highest and the lowest score differ reliably. Dimensions with
// the same score are named together. If one of them is integrity, nothing is said.
func (w writer) extremes(dims []Dimension) string {
	scored := slices.DeleteFunc(slices.Clone(dims), func(d Dimension) bool { return !d.Scored })
	if len(scored) < 2 {
		return ""
	}
	byScore := func(a, b Dimension) int { return a.Score - b.Score }
	top, bottom := slices.MaxFunc(scored, byScore).Score, slices.MinFunc(scored, byScore).Score
	if top-bottom < w.reliable.Extremes {
		return ""
	}
	if slices.ContainsFunc(scored, func(d Dimension) bool { return d.Key == unasked && (d.Score == top || d.Score == bottom) }) {
		return ""
	}
	return filled(w.said.Draft.Extremes, "Highest", named(scored, top), "Top", strconv.Itoa(top),
		"Lowest", named(scored, bottom), "Bottom", strconv.Itoa(bottom))
}

// named are the names of the dimensions that have a score.
func named(dims []Dimension, score int) string {
	var names []string
	for _, d := range dims {
		if d.Score == score {
			names = append(names, d.Name)
		}
	}
	return strings.Join(names, ", ")
}
