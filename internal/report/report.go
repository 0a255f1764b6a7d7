// Package report says in words what a result means (score interpretation).
package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/instrument"
)

// Report says what a result means to the employer: figures as numbers, sentences in the
// report's language. All scores, bands and zones are whole points from 0 to 100, and a
// score always lies within its band.
//
// It describes how a person described themselves. A sentence about a difference is there
// if and only if the difference is reliable. The parts stand in the order in which they
// are to be read. A result that should not be interpreted has its figures and nothing that
// interprets them: no sentence about a score, no class, no costs, no pattern.
type Report struct {
	Language   string
	Head       Head
	Quality    Quality
	Reliable   Reliable
	Dimensions []Dimension
	Extremes   string // that the highest and the lowest score differ reliably, "" if they do not
	Role       Role
	Overall    *Overall // nil while a dimension has too few answers
	Fit        *Fit     // nil with Overall, and where the result should not be interpreted
	Costs      []Cost   // of Overall, the greatest first; nil with Fit, and where they do not explain it to the point
	Persona    *Persona // nil with Fit
}

// Head is what stands above every report, whatever its form, and cannot be left out.
type Head struct {
	MadeUp     *Notice // nil unless nobody gave the answers; it comes first, as what follows reads as if somebody had
	Statement  string  // what a result is, and what it must not decide
	Norm       string  // with whom the person is compared
	NormNote   string  // how far that can be trusted, "" for a norm that this version does not know
	Instrument string  // name and version of the test
	Setting    string  // under which conditions it was taken
	Band       string  // how exact the figures are
}

// Notice is a sentence that must be read first, and what stands behind it.
type Notice struct{ Heading, Advice string }

// Role is the role profile that a result was compared with.
type Role struct {
	Name string
	Note string // who confirmed it
}

// Overall is the match with the role profile, with its 90 % band.
type Overall struct {
	Score, Low, High int
	Even             int // what a profile with the mean in every dimension reaches, 0 for an unknown role
}

// Fit is the class of the overall score.
type Fit struct {
	Key   string
	Label string
	Near  []string // all classes within reach, the own one among them, from A on; empty unless it is borderline
}

// Between names the classes of a borderline result, such as "B/C"; else "".
func (f Fit) Between() string { return strings.Join(f.Near, "/") }

// Persona is the pattern whose shape is nearest to the profile's.
type Persona struct {
	Type
	Second    Type
	Stability int     // in how many of 100 repeated tests the simulation gives the same pattern
	Others    *Others // nil for a result of before 2.0.0, which counts nothing but the first
	Equal     bool    // both patterns are to be named with equal rank
	Level     string  // how stable it is in a word; an ambiguous one is called so, whatever its stability
	Note      string  // how far the assignment can be trusted, "" for a norm that this version does not know
	Ambiguous string  // what to do where the profile lies between several patterns, else ""
}

// Named are the patterns to be described: both where they have equal rank.
func (p Persona) Named() []Type {
	if p.Equal {
		return []Type{p.Type, p.Second}
	}
	return []Type{p.Type}
}

// Others are in how many of 100 repeated tests the simulation gives the second pattern,
// and neither of the two.
type Others struct{ Second, Neither int }

// Type is one of the twelve patterns, described in relation to the person's own scores.
// The sentences are "" for one that this version does not know.
type Type struct {
	Key, Name, Subtitle string

	Introduction string
	Strengths    string
	Overdone     string
	Coaching     string
	Focus        string // of the interview
}

// Dimension is one of the nine.
type Dimension struct {
	Key    string
	Name   string
	About  string // what it is, "" for a dimension that this version does not know
	Scored bool   // false: too few answers, and the three figures are 0
	Score  int
	Low    int
	High   int
	Zone   *Zone  // what the role asks for, nil for nothing
	Weight int    // percent of the overall score
	Stands string // how the person describes themselves, where that differs reliably from the mean; else ""
	Misses string // that the whole band lies below or above the zone, "" where it touches it
}

// Zone is where a role wants a score to lie.
type Zone struct{ Low, High int }

// Standing are the dimensions that stand out, in their order.
func (r Report) Standing() []Dimension {
	return slices.DeleteFunc(slices.Clone(r.Dimensions), func(d Dimension) bool { return d.Stands == "" })
}

// Missing are the dimensions whose band does not touch the zone of the role, in their
// order.
func (r Report) Missing() []Dimension {
	return slices.DeleteFunc(slices.Clone(r.Dimensions), func(d Dimension) bool { return d.Misses == "" })
}

// Doubtful reports whether the result should not be interpreted.
func (r Report) Doubtful() bool { return r.Quality.Grade == GradeDoubtful }

// Stored is a result as it was kept, with the role profile of that day.
type Stored struct {
	Result instrument.Result
	Role   instrument.Role
	MadeUp bool // nobody gave the answers, which the caller of Read knows
}

// Read parses a stored result and the snapshot of its role profile, from any version of
// the instrument. Internal: they are damaged.
func Read(result, role []byte) (Stored, error) {
	var s Stored
	for _, part := range []struct {
		from []byte
		to   any
	}{{result, &s.Result}, {role, &s.Role}} {
		if err := json.Unmarshal(part.from, part.to); err != nil {
			return Stored{}, typus.Errorf(typus.Internal, "a stored result cannot be read").WithCause(err)
		}
	}
	return s, nil
}

// Of writes the report of a result in a language, or in German if we do not have that
// language. Names come from the instrument; what it no longer knows keeps the name that
// was stored. The same arguments always give the same report.
func Of(in *instrument.Instrument, s Stored, lang string) Report {
	w := newWriter(in, s.Result, lang)
	r := Report{
		Language: w.lang, Head: w.head(s.MadeUp), Role: w.role(s.Role), Quality: w.quality(s.Result),
		Reliable: w.reliable, Dimensions: w.dimensions(s),
	}
	if s.Result.Overall != nil && s.Result.OverallSEM > 0 { // no overall score without its band
		r.Overall = overall(in, s)
	}
	if r.Doubtful() {
		return r
	}
	w.interpret(r.Dimensions)
	r.Extremes = w.extremes(r.Dimensions)
	if r.Overall != nil {
		r.Fit = w.fit(s.Result.Fit)
		r.Costs = costs(in, s, r.Dimensions)
		r.Persona = w.persona(s.Result)
	}
	return r
}

// writer names things in one language.
type writer struct {
	in   *instrument.Instrument
	lang string
	said vocabulary
	meta instrument.Meta

	reliable Reliable
}

func newWriter(in *instrument.Instrument, r instrument.Result, lang string) writer {
	lang = languageOf(lang)
	return writer{in: in, lang: lang, said: words()[lang], meta: r.Meta, reliable: reliableIn(in, r)}
}

// name prefers the stored words if they are in the reader's language, because they
// belong to the version that the result was made with.
func (w writer) name(stored, current, key string) string {
	if w.lang == w.meta.Language {
		return cmp.Or(stored, current, key)
	}
	return cmp.Or(current, stored, key)
}

func (w writer) head(madeUp bool) Head {
	h := Head{
		Statement:  w.said.Statement,
		Norm:       w.said.Norm[w.meta.NormKind],
		NormNote:   w.said.NormNote[w.meta.NormKind],
		Instrument: strings.TrimSpace(w.meta.Instrument + " " + w.meta.InstrumentVersion),
		Setting:    w.said.Setting,
	}
	people := 0
	if madeUp {
		h.MadeUp, h.Setting = &Notice{Heading: w.said.MadeUp.Heading, Advice: w.said.MadeUp.Advice}, w.said.ByNobody
	}
	if w.meta.Norm == w.in.NormID() {
		h.Norm, people = cmp.Or(w.in.NormStatement(w.lang), h.Norm), w.in.NormPeople()
	}
	h.Norm, h.Band = cmp.Or(h.Norm, w.meta.Norm), w.band(people)
	if name, _, _ := strings.Cut(w.in.Ref(), "@"); name == w.meta.Instrument {
		h.Instrument = w.in.Title(w.lang) + " " + w.meta.InstrumentVersion
	}
	return h
}

// band says what the bands rest on: a plan, or the results of so many people. Of data whose
// number of people is not known nothing is said.
func (w writer) band(people int) string {
	if w.meta.NormKind == normFromData && people == 0 {
		return ""
	}
	said := cmp.Or(w.said.Band[w.meta.NormKind], w.said.Band["theoretical"])
	return filled(said, "Rel", w.reliable.reliability(w.lang), "N", strconv.Itoa(people))
}

// normFromData is the kind of a norm that was made from the results of people.
const normFromData = "empirical"

func (w writer) role(r instrument.Role) Role {
	role := Role{Name: w.in.Called(w.lang, r), Note: w.said.RoleNote}
	if r.Confirmed.By != "" {
		role.Note = w.confirmed(r)
	}
	return role
}

// confirmed says who has confirmed an own role profile, and when.
func (w writer) confirmed(r instrument.Role) string {
	on := r.Confirmed.On
	if day, err := time.Parse(time.DateOnly, on); err == nil {
		on = day.Format(w.said.Draft.Day)
	}
	said := w.said.Draft.ByPerson
	if r.Confirmed.By == string(typus.RoleByExperts) {
		said = w.said.Draft.ByExperts
	}
	return filled(said, "Version", strconv.Itoa(r.Version), "On", on, "Raters", strconv.Itoa(r.Confirmed.Raters))
}

// round is half up, as the scores are rounded.
func round(x float64) int { return int(math.Floor(x + 0.5 + 1e-9)) }

func within(x int) int { return min(100, max(0, x)) }

// overall puts the band around the exact score, as the dimensions have theirs.
func overall(in *instrument.Instrument, s Stored) *Overall {
	score := within(*s.Result.Overall)
	band := bandOf(score, s.Result.OverallExact, s.Result.OverallSEM)
	return &Overall{Score: score, Low: band.Low, High: band.High, Even: even(in, s.Role)}
}

func bandOf(score int, exact, sem float64) Zone {
	margin := instrument.Margin(sem)
	return Zone{Low: min(score, round(max(0, exact-margin))), High: max(score, round(min(100, exact+margin)))}
}

func (w writer) fit(f *instrument.Fit) *Fit {
	if f == nil {
		return nil
	}
	return &Fit{Key: f.Key, Label: w.name(f.Label, w.in.FitLabel(w.lang, f.Key), f.Key), Near: near(f.Key, f.Borderline)}
}

func (w writer) persona(r instrument.Result) *Persona {
	a := r.Persona
	if a == nil {
		return nil
	}
	p := &Persona{
		Type: w.named(a.Key, a.Name, a.Subtitle), Second: w.named(a.Secondary.Key, a.Secondary.Name, ""),
		Stability: within(a.Stability), Equal: a.Level == instrument.LevelMixed, Level: w.said.Levels[a.Level], Note: w.said.TypeNote[w.meta.NormKind],
	}
	if a.Shared() {
		p.Others = &Others{Second: within(a.SecondShare), Neither: within(a.NeitherShare)}
	}
	for _, x := range r.Warnings {
		if x.Key == instrument.WarnAmbiguous {
			p.Ambiguous, p.Level = w.warning(x), w.said.Levels["ambiguous"]
		}
	}
	return p
}

func (w writer) named(key, name, subtitle string) Type {
	said := w.said.Patterns[key]
	return Type{
		Key: key, Name: w.name(name, w.in.PersonaName(w.lang, key), key), Subtitle: w.name(subtitle, w.in.PersonaSubtitle(w.lang, key), ""),
		Introduction: said.Introduction, Strengths: said.Strengths, Overdone: said.Overdone, Coaching: said.Coaching, Focus: said.Focus,
	}
}

func (w writer) dimensions(s Stored) []Dimension {
	dims := make([]Dimension, 0, len(s.Result.Dimensions))
	for _, d := range s.Result.Dimensions {
		dim := Dimension{Key: d.Key, Name: w.name(d.Name, w.in.DimensionName(w.lang, d.Key), d.Key), About: w.said.Dimensions[d.Key].About}
		for _, z := range s.Role.Zones {
			if z.Dimension == d.Key {
				dim.Zone, dim.Weight = zone(z), within(round(100*z.Weight))
			}
		}
		if d.Standing != nil {
			dim.place(*d.Standing)
		}
		dims = append(dims, dim)
	}
	return dims
}

// interpret puts into words what the figures of the dimensions carry.
func (w writer) interpret(dims []Dimension) {
	for i, d := range dims {
		if d.Scored {
			dims[i].Stands, dims[i].Misses = w.stands(d), w.misses(d)
		}
	}
}

func zone(z instrument.Zone) *Zone {
	low, high := within(round(z.Low)), within(round(z.High))
	return &Zone{Low: min(low, high), High: max(low, high)}
}

// place sets the figures.
func (d *Dimension) place(s instrument.Standing) {
	d.Scored = true
	d.Score = within(s.Score)
	d.Low, d.High = min(d.Score, within(s.Band[0])), max(d.Score, within(s.Band[1]))
}
