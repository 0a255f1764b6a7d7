package report

import (
	"cmp"
	"slices"

	"typus"
	"typus/internal/instrument"
)

// Guide is what to ask in an interview, and what to listen for. It is the same for
// everybody of a position whom a role profile is meant for, so that it says nothing about
// a person.
type Guide struct {
	Core []Question // asked first, of everybody of the position
	Role []Topic    // the two dimensions that weigh most in the role
}

// Topic are the questions about one dimension.
type Topic struct {
	Key       string
	Name      string
	About     string
	Zone      *Zone // what the role asks for, nil for a question by itself
	Questions []Question
}

// Question asks for what a person did. High and Low say what points to a rather high
// and a rather low score; neither is a mark, and a team's own question need not have them.
type Question struct {
	Key  string `json:"key"`
	Ask  string `json:"ask"`
	High string `json:"high"`
	Low  string `json:"low"`
	Own  bool   `json:"-"` // the team's, about no dimension that we know
	Lang string `json:"-"` // of an own question that is not in the reader's language; else ""
}

// unasked is the dimension whose questions are asked of everybody or of nobody: no score
// gives a reason to doubt that somebody keeps promises.
const unasked = "integrity"

// eachTopic is how many questions a dimension is given.
const eachTopic = 2

// proposed are the questions of the bank that everybody is asked unless a team has chosen
// others: one about each of the four things that every role has to do with (our choice).
func proposed() []typus.CoreQuestion {
	return []typus.CoreQuestion{{Key: "co2"}, {Key: "so1"}, {Key: "lo2"}, {Key: "in2"}}
}

// Proposed reports whether these are the questions that everybody is asked unless a team
// has chosen others.
func Proposed(list []typus.CoreQuestion) bool {
	return slices.EqualFunc(list, proposed(), typus.CoreQuestion.Same)
}

// CoreOr are the questions that a team has chosen, or those proposed while it has none.
func CoreOr(chosen []typus.CoreQuestion) []typus.CoreQuestion {
	if len(chosen) == 0 {
		return proposed()
	}
	return chosen
}

// GuideOf is the guide for a role in a language, or in German if we do not have that
// language, with the core questions that a team has chosen, in their order; without any it
// has those proposed. The same arguments always give the same guide.
func GuideOf(in *instrument.Instrument, role instrument.Role, lang string, chosen ...typus.CoreQuestion) Guide {
	w := newWriter(in, instrument.Result{}, lang)
	g := Guide{}
	for _, c := range CoreOr(chosen) {
		if t, known := Asked(in, c.Key, lang, c); known {
			g.Core = append(g.Core, t.Questions...)
		}
	}
	asked := g.asked()
	for _, z := range heaviest(role) {
		t := w.topic(z.Dimension, asked)
		t.Zone = zone(z)
		if len(t.Questions) > 0 { // the core may have asked them all
			g.Role = append(g.Role, t)
		}
	}
	return g
}

// heaviest are the two zones of a role that weigh most; of two that weigh the same, the
// one that comes first.
func heaviest(role instrument.Role) []instrument.Zone {
	zones := slices.DeleteFunc(slices.Clone(role.Zones), func(z instrument.Zone) bool { return z.Dimension == unasked })
	slices.SortStableFunc(zones, func(a, b instrument.Zone) int { return cmp.Compare(b.Weight, a.Weight) })
	return zones[:min(2, len(zones))]
}

// FollowUps are the questions that a result adds to the guide of its role: two about each
// dimension that lies more than one standard error below the zone of the role, in the
// order of the dimensions. A doubtful result adds none.
func FollowUps(in *instrument.Instrument, s Stored, lang string, chosen ...typus.CoreQuestion) []Topic {
	w := newWriter(in, s.Result, lang)
	if w.quality(s.Result).Grade == GradeDoubtful {
		return nil
	}
	asked := GuideOf(in, s.Role, lang, chosen...).asked()
	var topics []Topic
	for _, d := range w.dimensions(s) {
		if d.Key == unasked || !d.Scored || d.Zone == nil || d.Zone.Low-d.Score < w.reliable.Below {
			continue
		}
		if t := w.topic(d.Key, asked); len(t.Questions) > 0 {
			t.Zone = d.Zone
			topics = append(topics, t)
		}
	}
	return topics
}

// topic takes the first questions about a dimension that are not asked yet.
func (w writer) topic(dimension string, asked map[string]bool) Topic {
	t := Topic{Key: dimension, Name: cmp.Or(w.in.DimensionName(w.lang, dimension), dimension), About: w.said.Dimensions[dimension].About}
	for _, q := range w.said.Questions[dimension] {
		if !asked[q.Key] && len(t.Questions) < eachTopic {
			t.Questions = append(t.Questions, q)
		}
	}
	return t
}

// Questions are all questions of the guide, in their order.
func (g Guide) Questions() []Question {
	list := slices.Clone(g.Core)
	for _, t := range g.Role {
		list = append(list, t.Questions...)
	}
	return list
}

func (g Guide) asked() map[string]bool {
	keys := map[string]bool{}
	for _, q := range g.Questions() {
		keys[q.Key] = true
	}
	return keys
}

// Asked is the question of a key with the dimension that it is about, in a language: one of
// the bank, or one of a team's own, which is about none that we know. It reports false for
// a key that neither has.
func Asked(in *instrument.Instrument, key, lang string, own ...typus.CoreQuestion) (Topic, bool) {
	w := newWriter(in, instrument.Result{}, lang)
	for dimension, list := range w.said.Questions {
		if i := slices.IndexFunc(list, func(q Question) bool { return q.Key == key }); i >= 0 {
			t := w.topic(dimension, nil)
			t.Questions = list[i : i+1]
			return t, true
		}
	}
	for _, c := range own {
		if c.Key == key && c.Own() {
			return Topic{Questions: []Question{ownQuestion(c, w.lang)}}, true
		}
	}
	return Topic{}, false
}

// Known are the questions that Asked knows, by their keys.
func Known(in *instrument.Instrument, lang string, own ...typus.CoreQuestion) map[string]Question {
	w := newWriter(in, instrument.Result{}, lang)
	all := map[string]Question{}
	for _, c := range own {
		if c.Own() {
			all[c.Key] = ownQuestion(c, w.lang)
		}
	}
	for _, list := range w.said.Questions {
		for _, q := range list {
			all[q.Key] = q
		}
	}
	return all
}

// ownQuestion says an own question in a language, or in the one that it was written in.
func ownQuestion(c typus.CoreQuestion, lang string) Question {
	ask, in := c.Ask.In(lang)
	q := Question{Key: c.Key, Own: true, Ask: ask, High: c.High.DE, Low: c.Low.DE}
	if in == "en" {
		q.High, q.Low = c.High.EN, c.Low.EN
	}
	if in != lang {
		q.Lang = in
	}
	return q
}

// Bank are all questions that we have, by dimension, in the order of the test.
func Bank(in *instrument.Instrument, lang string) []Topic {
	w := newWriter(in, instrument.Result{}, lang)
	var topics []Topic
	for _, dimension := range in.Dimensions() {
		t := w.topic(dimension, nil)
		t.Questions = w.said.Questions[dimension]
		topics = append(topics, t)
	}
	return topics
}
