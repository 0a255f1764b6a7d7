package store

import (
	"strconv"
	"strings"

	"typus"
)

// manyIDs is how many ids one statement is asked about at once.
const manyIDs = 100

// idPlaces are the parameters of a statement that is asked about many ids, behind
// the account's $1. There is room for the most ids there may be, so that there is
// one statement for any number of them.
var idPlaces = params(2, manyIDs)

// param is the nth parameter of a statement, params are n of them from one on.
func param(n int) string { return "$" + strconv.Itoa(n) }

func params(from, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = param(from + i)
	}
	return strings.Join(list, ", ")
}

// idArgs are the arguments for $1 and idPlaces; those left over are 0, which is
// nobody's id. Invalid: more than manyIDs.
func idArgs(accountID int64, ids []int64) ([]any, error) {
	if len(ids) > manyIDs {
		return nil, typus.Errorf(typus.Invalid, "at most %d candidates at once", manyIDs)
	}
	return append([]any{accountID}, padded(ids, manyIDs, 0)...), nil
}

// padded are the arguments for n places; those left over are nobody, who names no row.
func padded[T any](list []T, n int, nobody T) []any {
	args := make([]any, n)
	for i := range args {
		args[i] = nobody
		if i < len(list) {
			args[i] = list[i]
		}
	}
	return args
}
