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
	args := make([]any, 1+manyIDs)
	args[0] = accountID
	for i := range manyIDs {
		args[i+1] = int64(0)
		if i < len(ids) {
			args[i+1] = ids[i]
		}
	}
	return args, nil
}
