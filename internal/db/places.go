package db

import (
	"strconv"
	"strings"
)

// Param is the nth parameter of a statement: $n.
func Param(n int) string { return "$" + strconv.Itoa(n) }

// Params are n parameters of a statement from one on: $2, $3, $4.
func Params(from, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = Param(from + i)
	}
	return strings.Join(list, ", ")
}

// RowPlaces are the parameters of so many rows: ($1, $2), ($3, $4).
func RowPlaces(rows, columns int) string {
	var b strings.Builder
	for i := range rows * columns {
		switch {
		case i == 0:
			b.WriteString("(")
		case i%columns == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		b.WriteString("$" + strconv.Itoa(i+1))
	}
	b.WriteString(")")
	return b.String()
}

// Padded are the arguments for n places; those left over are nobody, who names no row.
func Padded[T any](list []T, n int, nobody T) []any {
	args := make([]any, n)
	for i := range args {
		args[i] = nobody
		if i < len(list) {
			args[i] = list[i]
		}
	}
	return args
}
