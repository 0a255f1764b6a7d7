package auth

import (
	_ "embed"
	"strings"
	"unicode"
)

// One password a line, lower case; the licence stands at its head.
//
//go:embed common_passwords.txt
var commonPasswords string

// fewestCharacters is how many different characters a password has at least;
// below it stand "aaaaaaaaaaaa" and "121212121212".
const fewestCharacters = 5

// isCommon reports whether a password is among the first that are guessed: one
// of the list, or one of the list dressed up with digits and signs around it
// ("Password1234!"), or hardly more than a repetition.
func isCommon(password string) bool {
	password = strings.ToLower(password)
	return isListed(password) || isListed(strings.TrimFunc(password, notLetter)) || differentCharacters(password) < fewestCharacters
}

// A search through 80 KB takes microseconds and needs no index in memory.
func isListed(word string) bool {
	return word != "" && strings.Contains(commonPasswords, "\n"+word+"\n")
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

func differentCharacters(s string) int {
	seen := make(map[rune]bool)
	for _, r := range s {
		seen[r] = true
	}
	return len(seen)
}
