package report

import (
	"strconv"
	"strings"

	"typus/internal/instrument"
)

// Comparison sets the results of several people side by side, in the order in which they
// are given: it ranks nobody. All of them are of one version of the instrument and one
// role profile, which the caller sees to. A sentence about a difference is there if and
// only if the difference is reliable among so many people.
type Comparison struct {
	Language   string
	Head       Head // of the first one, without saying that answers are made up
	Role       Role
	Least      Least
	People     []Compared
	Dimensions []ComparedDimension
	Overall    Compare
}

// Least is from how many points on two of the people differ reliably (90 % certainty),
// whichever two are picked out: among more than two people it is more. 0 where fewer than
// two have figures.
type Least struct {
	Score   int // in a dimension
	Overall int // in the overall score
}

// Compared is one of the people who are compared. Overall and Fit are nil where there is no
// overall score, or no figure is shown.
type Compared struct {
	Name    string
	MadeUp  bool   // nobody gave the answers
	Doubt   string // why no figures are shown, "" where they are
	Legible string // how well the answers can be read, "" where nobody gave them
	Overall *Overall
	Fit     *Fit
}

// ComparedDimension is one of the nine dimensions; Zone is what the role asks for, nil
// for nothing.
type ComparedDimension struct {
	Key, Name, About string
	Zone             *Zone
	Compare
}

// Compare are the scores of the people, in their order, and what is to be said of them.
type Compare struct {
	Scores      []Dimension  // named after the people, not scored where there is none to show
	Differences []Difference // all pairs that differ reliably, at most one for each person
	None        string       // what is said in place of differences, "" where there are some
}

// Difference says that one of the people, by their place, differs reliably from others,
// whose scores are lower.
type Difference struct {
	Higher   int
	Lower    []int
	Sentence string
}

// Person is one of those to be compared.
type Person struct {
	Name string
	Stored
}

// ComparisonOf compares people in a language, or in German if we do not have that language. A
// result about which Doubt says something has no figures, whoever asks for them. The same
// arguments always give the same comparison.
func ComparisonOf(in *instrument.Instrument, people []Person, lang string) Comparison {
	reports := make([]Report, len(people))
	c := Comparison{Language: languageOf(lang)}
	said := words()[c.Language].Draft
	shown := 0
	for i, p := range people {
		read := p.Stored
		read.MadeUp = false // it is said of each person, and the head is about all of them
		reports[i] = Of(in, read, lang)
		c.People = append(c.People, compared(p, reports[i]))
		if c.People[i].Doubt == "" {
			shown++
		}
	}
	if len(reports) == 0 {
		return c
	}
	c.Head, c.Role = reports[0].Head, reports[0].Role
	if shown > 1 {
		c.Least = Least{Score: in.Among(shown), Overall: instrument.ReliableAmong(shown, people[0].Result.OverallSEM)}
	}
	for d, of := range reports[0].Dimensions {
		c.Dimensions = append(c.Dimensions, c.dimension(said, of, reports, d))
	}
	for i, p := range c.People {
		score := Dimension{Name: c.People[i].Name}
		if o := p.Overall; o != nil {
			score.Scored, score.Score, score.Low, score.High = true, o.Score, o.Low, o.High
		}
		c.Overall.Scores = append(c.Overall.Scores, score)
	}
	c.Overall.say(said, c.Least.Overall)
	return c
}

func compared(p Person, r Report) Compared {
	c := Compared{Name: p.Name, MadeUp: p.MadeUp, Doubt: unshown(p.MadeUp, r.Doubtful(), r.Language)}
	if !p.MadeUp {
		c.Legible = r.Quality.Heading
	}
	if c.Doubt == "" {
		c.Overall, c.Fit = r.Overall, r.Fit
	}
	return c
}

// dimension compares dimension d of the reports.
func (c Comparison) dimension(said draftWords, of Dimension, reports []Report, d int) ComparedDimension {
	out := ComparedDimension{Key: of.Key, Name: of.Name, About: of.About, Zone: of.Zone}
	for i, r := range reports {
		score := Dimension{Name: c.People[i].Name, Zone: of.Zone}
		if from := r.Dimensions[d]; from.Scored && c.People[i].Doubt == "" {
			score.Scored, score.Score, score.Low, score.High = true, from.Score, from.Low, from.High
		}
		out.Scores = append(out.Scores, score)
	}
	if of.Key == unasked {
		out.None = said.Unworded // no words are made of integrity, whatever the scores
		return out
	}
	out.say(said, c.Least.Score)
	return out
}

// say finds the pairs that are so many points apart, or more.
func (c *Compare) say(said draftWords, least int) {
	scored := 0
	for i, a := range c.Scores {
		if !a.Scored {
			continue
		}
		scored++
		d := Difference{Higher: i}
		for j, b := range c.Scores {
			if b.Scored && least > 0 && a.Score-b.Score >= least {
				d.Lower = append(d.Lower, j)
			}
		}
		if len(d.Lower) > 0 {
			d.Sentence = c.sentence(said, d)
			c.Differences = append(c.Differences, d)
		}
	}
	switch {
	case len(c.Differences) > 0:
	case scored < 2 || least <= 0:
		c.None = said.Uncompared
	default:
		c.None = said.Alike
	}
}

func (c *Compare) sentence(said draftWords, d Difference) string {
	var lower []string
	for _, j := range d.Lower {
		lower = append(lower, c.Scores[j].figured())
	}
	return filled(said.Differ, "Higher", c.Scores[d.Higher].figured(), "Lower", strings.Join(lower, ", "))
}

// figured is a score with its name.
func (d Dimension) figured() string { return d.Name + " (" + strconv.Itoa(d.Score) + ")" }
