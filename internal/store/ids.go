package store

import (
	"typus"
	"typus/internal/db"
)

// manyIDs is how many ids one statement can take.
const manyIDs = 100

// idPlaces are the parameters of a statement that takes many ids, after $1 for the
// account. There are as many as manyIDs, so that there is one statement for any number
// of ids.
var idPlaces = db.Params(2, manyIDs)

// idArgs are the arguments for $1 and idPlaces. Unused places are 0, which is nobody's
// id. Invalid: more than manyIDs.
func idArgs(accountID int64, ids []int64) ([]any, error) {
	if len(ids) > manyIDs {
		return nil, typus.Errorf(typus.Invalid, "at most %d candidates at once", manyIDs)
	}
	return append([]any{accountID}, db.Padded(ids, manyIDs, 0)...), nil
}
