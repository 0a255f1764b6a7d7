package api

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"typus"
)

// form reads known fields from the members of a body and collects every fault.
type form struct {
	members []member
	faults  []typus.Field
	faulty  map[string]bool // known fields that have a fault already
}

func newForm(members []member, faults []typus.Field) *form {
	f := &form{members: members, faults: faults, faulty: map[string]bool{}}
	for _, fault := range faults {
		f.faulty[fault.Name] = true
	}
	return f
}

func (f *form) fault(field, msg string) {
	f.faulty[field] = true
	f.faults = append(f.faults, typus.Field{Name: field, Code: typus.CodeInvalid, Msg: msg})
}

// add appends the faults of fields that had none so far.
func (f *form) add(faults []typus.Field) {
	for _, fault := range faults {
		if !f.faulty[fault.Name] {
			f.faults = append(f.faults, fault)
		}
	}
}

// value returns the value of a field; absent and null are the same.
func (f *form) value(field string) (jsontext.Value, bool) {
	for _, m := range f.members {
		if m.name == field {
			return m.value, m.value.Kind() != 'n'
		}
	}
	return nil, false
}

// text reads a string, "" if there is none.
func (f *form) text(field string) string {
	v, ok := f.value(field)
	if !ok {
		return ""
	}
	if v.Kind() != '"' {
		f.fault(field, "must be a string")
		return ""
	}
	return unquote(v)
}

// required reads a string that must be there.
func (f *form) required(field string) string {
	if _, ok := f.value(field); !ok && !f.faulty[field] {
		f.faulty[field] = true
		f.faults = append(f.faults, typus.Field{Name: field, Code: typus.CodeRequired, Msg: "is required"})
	}
	return f.text(field)
}

// number reads an integer that must be there.
func (f *form) number(field string) int64 {
	v, ok := f.value(field)
	n, err := strconv.ParseInt(string(v), 10, 64)
	switch {
	case !ok:
		f.required(field)
	case err != nil || !integer.Match(v):
		f.fault(field, "must be a whole number without quotes")
	}
	return n
}

// integer is a JSON number without fraction and exponent.
var integer = regexp.MustCompile(`^-?[0-9]+$`)

// identifier reads a string, or an integer with exactly its digits: a float
// would change the long ids of CRMs (our choice).
func (f *form) identifier(field string) string {
	v, ok := f.value(field)
	switch {
	case !ok:
		return ""
	case v.Kind() == '"':
		return unquote(v)
	case integer.Match(v):
		return string(v)
	}
	f.fault(field, "must be a string or an integer")
	return ""
}

// flag reads a boolean, which is otherwise if there is none.
func (f *form) flag(field string, otherwise bool) bool {
	v, ok := f.value(field)
	if !ok {
		return otherwise
	}
	if v.Kind() != 't' && v.Kind() != 'f' {
		f.fault(field, "must be true or false without quotes")
	}
	return v.Kind() == 't'
}

// nearMisses reports each unknown name that was probably meant to be a known one that
// is absent. Other unknown names are ignored. If a slip were ignored as well, the
// service could mail a candidate whom the client meant to write to itself (our choice).
func (f *form) nearMisses(known ...string) {
	for _, m := range f.members {
		field, near := f.meant(m, known)
		if !near || len(f.faults) >= maxFaults {
			continue
		}
		f.faulty[field] = true
		f.faults = append(f.faults, unknownField(m.name, field))
	}
}

// meant returns the absent field that a member was probably meant to be. If the name is
// one edit away and the value is a list or an object, it is no slip: the "languages" of
// a CRM are those that a person speaks, not a misspelt "language".
func (f *form) meant(m member, known []string) (string, bool) {
	if slices.Contains(known, m.name) {
		return "", false
	}
	field, near := misspelt(m.name, known)
	if _, there := f.value(field); !near || there {
		return "", false
	}
	kind := m.value.Kind()
	return field, kind != '[' && kind != '{' || bareName(m.name) == bareName(field)
}

func unknownField(typed, meant string) typus.Field {
	return typus.Field{Name: printable(typed), Code: typus.CodeUnknownField, Msg: fmt.Sprintf("is not known; did you mean %q?", meant)}
}

// unquote decodes a string that inspect has found valid.
func unquote(v jsontext.Value) string {
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(text)
}
