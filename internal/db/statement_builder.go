package db

import (
	"fmt"
	"strconv"
	"strings"
)

// StatementBuilder is a statement that is put together from constants. Its parameters have
// names, :account, so that it can be read, and be tried at the prompt as it is: psql
// sets them with \set, sqlite3 with .parameter set.
type StatementBuilder struct {
	text   strings.Builder
	values map[string]any
}

// Add appends a piece of the statement.
func (q *StatementBuilder) Add(piece string) { q.text.WriteString(piece) }

// Set gives a parameter its value.
func (q *StatementBuilder) Set(name string, value any) {
	if q.values == nil {
		q.values = map[string]any{}
	}
	q.values[name] = value
}

// String is the statement with the names.
func (q *StatementBuilder) String() string { return q.text.String() }

// Numbered is the statement with a number for each name, $1 for the first that is used,
// and their values in this order. A name without a value is a mistake: it panics.
func (q *StatementBuilder) Numbered() (string, []any) {
	var (
		text    strings.Builder
		args    []any
		numbers = map[string]int{}
		rest    = q.text.String()
	)
	text.Grow(len(rest))
	for {
		before, after, found := strings.Cut(rest, ":")
		text.WriteString(before)
		if !found {
			return text.String(), args
		}
		name := after[:nameLength(after)]
		if numbers[name] == 0 {
			value, set := q.values[name]
			if !set {
				panic(fmt.Sprintf("db: the parameter %q has no value", name))
			}
			args = append(args, value)
			numbers[name] = len(args)
		}
		text.WriteByte('$')
		text.WriteString(strconv.Itoa(numbers[name]))
		rest = after[len(name):]
	}
}

// nameLength is how many letters and digits a text begins with.
func nameLength(text string) int {
	for i, c := range text {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return i
		}
	}
	return len(text)
}
