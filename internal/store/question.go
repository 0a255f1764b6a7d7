package store

import (
	"strconv"
	"strings"
)

// question puts a statement together from constants, and its parameters in the
// order of their first use.
type question struct {
	text strings.Builder
	args []any
}

// String is the statement.
func (q *question) String() string { return q.text.String() }

// parameters are what stands for $1, $2 and so on.
func (q *question) parameters() []any { return q.args }

// add appends a piece of a statement; each ? becomes the next parameter.
func (q *question) add(piece string, values ...any) {
	for i, part := range strings.Split(piece, "?") {
		if i > 0 {
			q.args = append(q.args, values[i-1])
			q.text.WriteString("$" + strconv.Itoa(len(q.args)))
		}
		q.text.WriteString(part)
	}
}
