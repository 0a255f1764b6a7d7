package report

import (
	"cmp"
	"slices"

	"typus"
	"typus/internal/instrument"
)

// Quality says how well the answers can be read. It is about the answers, never
// about the person, and changes no figure.
type Quality struct {
	Grade   Grade
	Heading string
	Advice  string
	Checks  []Check
}

// Grade is the gravest of what was found.
type Grade string

// The grades, from nothing found to a result that should not be interpreted.
const (
	GradeClear    Grade = "clear"
	GradeInfo     Grade = "info"
	GradeNotice   Grade = "notice"
	GradeCaution  Grade = "caution"
	GradeDoubtful Grade = "doubtful"
)

// Findings are the checks that found something.
func (q Quality) Findings() []Check {
	return slices.DeleteFunc(slices.Clone(q.Checks), func(c Check) bool { return c.Severity == "" })
}

// Passed are the checks that were made and found nothing.
func (q Quality) Passed() []Check {
	return slices.DeleteFunc(slices.Clone(q.Checks), func(c Check) bool { return c.Severity != "" || c.Unknown })
}

// Unmade are the checks that could not be made.
func (q Quality) Unmade() []Check {
	return slices.DeleteFunc(slices.Clone(q.Checks), func(c Check) bool { return !c.Unknown })
}

// Check is one way in which the answers were looked at.
type Check struct {
	Name     string
	Severity typus.Severity // "" for nothing found
	Found    string         // the severity in words, that there is nothing, or why it could not be made
	Unknown  bool           // it could not be made
	Messages []string
}

// Doubt says in a few words of the report why a place where results stand beside each other
// shows no figures of this one: nobody gave the answers, so that it would say something of
// the others, or it should not be interpreted. "" where the figures are shown.
func Doubt(s typus.Scores, madeUp bool, lang string) string {
	return unshown(madeUp, s.Doubtful(), lang)
}

func unshown(madeUp, doubtful bool, lang string) string {
	switch {
	case madeUp:
		return words()[languageOf(lang)].Draft.MadeUp
	case doubtful:
		return Unreadable(lang)
	}
	return ""
}

// Unreadable says in the words of Doubt that a stored result is damaged.
func Unreadable(lang string) string { return words()[languageOf(lang)].Quality[GradeDoubtful].Heading }

// look is a check by the key of its name, whether the answers were enough to make it, and
// the warnings that it can give.
type look struct {
	key      string
	made     bool
	warnings []string
}

func looks(r instrument.Result) []look {
	ix := r.Indices
	level := !slices.ContainsFunc(r.Dimensions, func(d instrument.Dimension) bool { return d.Standing == nil })
	return []look{
		{"consistency", ix.Inconsistency.Defined, []string{instrument.WarnInconsistent}},
		{"variety", ix.IRV.Defined, []string{instrument.WarnLongString, instrument.WarnLowVariation}},
		{"pace", ix.FastShare.Defined, []string{instrument.WarnTooFast}},
		{"attention", ix.Attention != 0, []string{instrument.WarnAttention}},
		{"presentation", level && len(r.Dimensions) > 0, []string{instrument.WarnElevated}},
		{"course", true, []string{instrument.WarnMissing}},
	}
}

// quality sorts the warnings into the checks. The warning that a persona is ambiguous
// is left to the persona, because it says nothing about the answers.
func (w writer) quality(r instrument.Result) Quality {
	q := Quality{Grade: GradeClear}
	var rest []instrument.Warning
	doubt := ""
	for _, x := range r.Warnings {
		if x.Key == instrument.WarnAmbiguous {
			continue
		}
		q.Grade = graver(q.Grade, gradeOf(x))
		if x.Key == instrument.WarnDoubtful {
			doubt = w.warning(x)
			continue
		}
		rest = append(rest, x)
	}
	said := w.said.Quality[q.Grade]
	q.Heading, q.Advice = said.Heading, cmp.Or(doubt, said.Advice)
	for _, l := range looks(r) {
		c := Check{Name: w.said.Checks[l.key], Found: w.said.Fine}
		if !l.made {
			c.Found, c.Unknown = w.said.Unmade[l.key], true
		}
		rest = w.take(&c, rest, func(x instrument.Warning) bool { return slices.Contains(l.warnings, x.Key) })
		q.Checks = append(q.Checks, c)
	}
	if len(rest) > 0 { // of another version of the instrument
		c := Check{Name: w.said.Checks["other"]}
		w.take(&c, rest, func(instrument.Warning) bool { return true })
		q.Checks = append(q.Checks, c)
	}
	return q
}

// take moves the warnings that belong to a check into it and returns the others.
func (w writer) take(c *Check, from []instrument.Warning, belongs func(instrument.Warning) bool) []instrument.Warning {
	return slices.DeleteFunc(from, func(x instrument.Warning) bool {
		if belongs(x) {
			w.found(c, x)
		}
		return belongs(x)
	})
}

func (w writer) found(c *Check, x instrument.Warning) {
	if rank(gradeOf(x)) > rank(Grade(c.Severity)) {
		c.Severity = typus.Severity(gradeOf(x))
	}
	c.Found, c.Unknown = w.said.Found[c.Severity], false
	c.Messages = append(c.Messages, w.warning(x))
}

func (w writer) warning(x instrument.Warning) string {
	return w.name(x.Message, w.in.WarningMessage(w.lang, x.Key), x.Key)
}

// gradeOf takes a severity that this version does not know for a notice.
func gradeOf(x instrument.Warning) Grade {
	switch {
	case x.Key == instrument.WarnDoubtful:
		return GradeDoubtful
	case x.Severity == typus.SeverityInfo:
		return GradeInfo
	case x.Severity == typus.SeverityCaution:
		return GradeCaution
	}
	return GradeNotice
}

func rank(g Grade) int {
	return slices.Index([]Grade{GradeClear, GradeInfo, GradeNotice, GradeCaution, GradeDoubtful}, g)
}

func graver(a, b Grade) Grade {
	if rank(b) > rank(a) {
		return b
	}
	return a
}
