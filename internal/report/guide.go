package report

import (
	"cmp"
	"slices"

	"typus/internal/instrument"
)

// Guide is what to ask in an interview, and what to listen for. It is the same for
// everybody whom a role profile is meant for, so that it says nothing about a person.
type Guide struct {
	Core []Question // asked first, of everybody
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
// and a rather low score; neither is a mark.
type Question struct {
	Key  string `json:"key"`
	Ask  string `json:"ask"`
	High string `json:"high"`
	Low  string `json:"low"`
}

// unasked is the dimension whose questions are asked of everybody or of nobody: no score
// gives a reason to doubt that somebody keeps promises.
const unasked = "integrity"

// eachTopic is how many questions a dimension is given.
const eachTopic = 2

// coreKeys are the questions that everybody is asked unless a team has chosen others: one
// about each of the four things that every role has to do with (our choice).
func coreKeys() []string { return []string{"co2", "so1", "lo2", "in2"} }

// GuideOf is the guide for a role in a language, or in German if we do not have that
// language. The same arguments always give the same guide.
func GuideOf(in *instrument.Instrument, role instrument.Role, lang string) Guide {
	w := newWriter(in, instrument.Result{}, lang)
	g := Guide{}
	for _, key := range coreKeys() {
		for _, list := range w.said.Questions {
			if i := slices.IndexFunc(list, func(q Question) bool { return q.Key == key }); i >= 0 {
				g.Core = append(g.Core, list[i])
			}
		}
	}
	asked := g.asked()
	for _, z := range heaviest(role) {
		t := w.topic(z.Dimension, asked)
		t.Zone = zone(z)
		g.Role = append(g.Role, t)
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
func FollowUps(in *instrument.Instrument, s Stored, lang string) []Topic {
	w := newWriter(in, s.Result, lang)
	if w.quality(s.Result).Grade == GradeDoubtful {
		return nil
	}
	asked := GuideOf(in, s.Role, lang).asked()
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

// Asked is the question of a key with the dimension that it is about, in a language. It
// reports false for a key that this version does not know.
func Asked(in *instrument.Instrument, key, lang string) (Topic, bool) {
	w := newWriter(in, instrument.Result{}, lang)
	for dimension, list := range w.said.Questions {
		if i := slices.IndexFunc(list, func(q Question) bool { return q.Key == key }); i >= 0 {
			t := w.topic(dimension, nil)
			t.Questions = list[i : i+1]
			return t, true
		}
	}
	return Topic{}, false
}
