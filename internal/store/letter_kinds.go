package store

import (
	"strings"

	"typus"
)

// The kinds of letters that a statement is about, for "kind in (…)".
var (
	candidateKinds = kindList(typus.LetterKind.ToCandidate)
	countedKinds   = kindList(typus.LetterKind.Counted)
)

// isInvitation is true of the letters that invite a candidate.
const isInvitation = `kind = '` + string(typus.LetterInvitation) + `'`

func kindList(keep func(typus.LetterKind) bool) string {
	var list []string
	for _, k := range typus.LetterKinds(keep) {
		list = append(list, "'"+string(k)+"'")
	}
	return strings.Join(list, ", ")
}
