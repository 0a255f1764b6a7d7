package store

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"typus"
)

// Scores are stored as one text of fields with a separator between them: the version,
// the overall score, fit, archetype, the number of dimensions, three fields for each of
// them and three for each warning. A list of candidates reads fifty of these, and
// parsing JSON took more than half of its time. Here all texts are parts of one string.
const (
	scoresVersion   = "1"
	scoresSeparator = "\x1f" // the unit separator of ASCII, which no text for people contains
)

func encodeScores(s typus.Scores) (string, error) {
	fields := []string{scoresVersion, strconv.Itoa(s.Overall), s.Fit.Key, s.Fit.Label,
		s.Persona.Key, s.Persona.Name, s.Persona.Subtitle, strconv.Itoa(len(s.Dimensions))}
	for _, d := range s.Dimensions {
		fields = append(fields, d.Key, d.Name, strconv.Itoa(d.Score))
	}
	for _, w := range s.Warnings {
		fields = append(fields, w.Key, string(w.Severity), w.Message)
	}
	text := strings.Join(fields, scoresSeparator)
	if strings.Count(text, scoresSeparator) != len(fields)-1 {
		return "", typus.Errorf(typus.Internal, "the scores contain a control character and cannot be stored")
	}
	return text, nil
}

func decodeScores(text string) (*typus.Scores, error) {
	f := fields{rest: text, more: true}
	version := f.text()
	s := &typus.Scores{Overall: f.number(),
		Fit:      typus.Fit{Key: f.text(), Label: f.text()},
		Persona:  typus.Persona{Key: f.text(), Name: f.text(), Subtitle: f.text()},
		Warnings: []typus.Warning{}}
	n := f.number()
	s.Dimensions = slices.Grow(s.Dimensions, min(max(n, 0), 9)) // an instrument has nine
	for ; n > 0 && f.err == nil; n-- {
		s.Dimensions = append(s.Dimensions, typus.DimensionScore{Key: f.text(), Name: f.text(), Score: f.number()})
	}
	for f.more && f.err == nil {
		s.Warnings = append(s.Warnings, typus.Warning{Key: f.text(), Severity: typus.Severity(f.text()), Message: f.text()})
	}
	if version != scoresVersion || f.err != nil {
		return nil, typus.Errorf(typus.Internal, "stored scores cannot be read").WithCause(f.err)
	}
	return s, nil
}

// fields reads the fields of a text one after the other.
type fields struct {
	rest string
	more bool
	err  error
}

func (f *fields) text() string {
	if !f.more {
		f.err = errors.New("store: the scores end too early")
		return ""
	}
	var field string
	field, f.rest, f.more = strings.Cut(f.rest, scoresSeparator)
	return field
}

func (f *fields) number() int {
	n, err := strconv.Atoi(f.text())
	if err != nil && f.err == nil {
		f.err = err
	}
	return n
}
