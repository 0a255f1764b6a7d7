package db

import (
	"strconv"
	"strings"
)

// Question puts a statement together from constants, and its parameters in the
// order of their first use.
type Question struct {
	text strings.Builder
	args []any
}

// String is the statement.
func (q *Question) String() string { return q.text.String() }

// Parameters are what stands for $1, $2 and so on.
func (q *Question) Parameters() []any { return q.args }

// Add appends a piece of a statement; each ? becomes the next parameter.
func (q *Question) Add(piece string, values ...any) {
	for i, part := range strings.Split(piece, "?") {
		if i > 0 {
			q.args = append(q.args, values[i-1])
			q.text.WriteString("$" + strconv.Itoa(len(q.args)))
		}
		q.text.WriteString(part)
	}
}
