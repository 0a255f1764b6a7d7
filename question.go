package typus

import (
	"slices"
	"strconv"
	"strings"
)

// How many questions everybody of a position is asked first (our choice): with fewer there
// is little to compare, with more no time for what the rest of the guide asks.
const (
	MinCore = 3
	MaxCore = 8
)

// CoreQuestion is one that everybody of a position is asked, in the same order. An own
// one is never changed, and stays once it is no longer asked: ratings are about it, or
// may still come.
type CoreQuestion struct {
	Key        string // of a question of the bank; of an own one OwnQuestionKey, "" before it is stored
	PositionID int64
	Standard   bool // the position is the account's default one
	Place      int  // from 1 on, 0: no longer asked

	Ask, High, Low OwnWords // of an own one: the question, and what points to a high and to a low score; these may be empty
}

// Own reports whether the team wrote the question.
func (q CoreQuestion) Own() bool { return q.Ask.Any() || q.High.Any() || q.Low.Any() }

// Same reports whether two questions are the same one of the bank, or say the same.
func (q CoreQuestion) Same(other CoreQuestion) bool {
	if !q.Own() {
		return !other.Own() && q.Key == other.Key
	}
	return q.Ask == other.Ask && q.High == other.High && q.Low == other.Low
}

// OwnQuestionKey is what an own question is called in a rating, by its id.
func OwnQuestionKey(id int64) string { return ownQuestion + strconv.FormatInt(id, 10) }

const ownQuestion = "own"

// OwnQuestionID is the id of an own question from its key; false for any other key.
func OwnQuestionID(key string) (int64, bool) {
	digits, own := strings.CutPrefix(key, ownQuestion)
	id, err := strconv.ParseInt(digits, 10, 64)
	return id, own && err == nil && id > 0 && OwnQuestionKey(id) == key
}

// OfPosition are those of an account's questions that are a position's (0: the default one's),
// asked or not.
func OfPosition(all []CoreQuestion, positionID int64) []CoreQuestion {
	var list []CoreQuestion
	for _, q := range all {
		if q.PositionID == positionID || positionID == 0 && q.Standard {
			list = append(list, q)
		}
	}
	return list
}

// CoreOf are those of an account's questions that everybody of a position is asked (0: of
// the default one), in their order; none while nobody has chosen any.
func CoreOf(all []CoreQuestion, positionID int64) []CoreQuestion {
	return slices.DeleteFunc(OfPosition(all, positionID), func(q CoreQuestion) bool { return q.Place == 0 })
}
