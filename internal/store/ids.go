package store

import (
	"typus"
	"typus/internal/db"
)

// manyIDs is how many ids one statement is asked about at once.
const manyIDs = 100

// idPlaces are the parameters of a statement that is asked about many ids, behind
// the account's $1. There is room for the most ids there may be, so that there is
// one statement for any number of them.
var idPlaces = db.Params(2, manyIDs)

// idArgs are the arguments for $1 and idPlaces; those left over are 0, which is
// nobody's id. Invalid: more than manyIDs.
func idArgs(accountID int64, ids []int64) ([]any, error) {
	if len(ids) > manyIDs {
		return nil, typus.Errorf(typus.Invalid, "at most %d candidates at once", manyIDs)
	}
	return append([]any{accountID}, db.Padded(ids, manyIDs, 0)...), nil
}
