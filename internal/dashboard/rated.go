package dashboard

import (
	"slices"
	"strconv"

	"typus"
	"typus/internal/report"
	"typus/internal/store"
)

// heardOf is a rating that is marked.
func heardOf(r store.Rating) report.Heard {
	return report.Heard{Author: r.Author, Mark: *r.Mark, Note: r.Note, Informed: r.Informed}
}

// addRatings adds what the team has saved of its interviews. Drafts are left out, also the
// visitor's own.
func (f *face) addRatings(v *visit, c typus.Candidate, about store.Dossier, view *reportView) {
	in := f.test(c.Instrument)
	for _, r := range about.Ratings {
		topic, known := report.Asked(in, r.Question, v.lang, about.Questions...)
		if r.Final && r.Mark != nil && known {
			view.rate(topic, r)
		}
	}
}

// rate puts a rating beside the others of the same question.
func (v *reportView) rate(t report.Topic, r store.Rating) {
	q := t.Questions[0]
	i := slices.IndexFunc(v.Answers, func(a report.Rated) bool { return a.Key == q.Key })
	if i < 0 {
		i = len(v.Answers)
		v.Answers = append(v.Answers, report.Rated{Question: q, Dimension: t.Name})
		for _, d := range v.Dimensions {
			if d.Key == t.Key && d.Scored && !v.Closed {
				v.Answers[i].Dimension, v.Answers[i].Score = d.Name, strconv.Itoa(d.Score)
			}
		}
	}
	v.Answers[i].Ratings = append(v.Answers[i].Ratings, heardOf(r))
}
