// Package words takes texts apart into the words that a candidate is found by (search
// index).
package words

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of the index of words. A word is looked up by its first wordBytes; the rest is
// compared with candidates.words.
const (
	wordBytes     = 64
	wordsEach     = 48  // of one candidate
	wordsAsked    = 5   // of one search, and parts of words that are looked up for it; more would only ask for the same people again
	partsAsked    = 8   // of one word, from among which those are chosen
	endingLetters = 3   // of a domain's ending that is not indexed
	wordBetween   = " " // no word holds white space
)

// Of are the words that a candidate is found by, each once: those of
// the name, with marks and without, of the e-mail address, its domain and the domains
// above that, and of the external_id, whole and in parts. What ends a domain is not
// among them: half of all people would be found by it.
func Of(name, email, externalID string) []string {
	var words []string
	add := func(list ...string) {
		for _, w := range list {
			w = strings.TrimFunc(w, parts)
			if w != "" && len(words) < wordsEach && !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	name, email, externalID = Plain(name), Plain(email), Plain(externalID)
	for _, text := range []string{name, email, externalID} {
		add(strings.Fields(text)...)
	}
	add(domains(email)...)
	for _, text := range []string{name, withoutEnding(email), externalID} {
		add(strings.FieldsFunc(text, parts)...)
	}
	add(strings.Fields(unmarked(name))...)
	add(strings.FieldsFunc(unmarked(name), parts)...)
	return words
}

// domains are the domain of an address and those above it that are not mere endings.
func domains(email string) []string {
	var list []string
	_, domain, _ := strings.Cut(email, "@")
	for strings.Contains(domain, ".") {
		list = append(list, domain)
		_, domain, _ = strings.Cut(domain, ".")
	}
	return list
}

// withoutEnding leaves out what may be the ending of a domain, or the beginning of one.
func withoutEnding(text string) string {
	if at := strings.LastIndexByte(text, '.'); at > 0 && utf8.RuneCountInString(text[at+1:]) <= endingLetters {
		return text[:at]
	}
	return text
}

// Plain is how a text is compared: NFC, without case.
func Plain(text string) string {
	return norm.NFC.String(strings.ToLower(norm.NFC.String(strings.ToValidUTF8(text, ""))))
}

// unmarked removes the diacritical marks of letters.
func unmarked(text string) string {
	letters := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
	return norm.NFC.String(strings.ReplaceAll(letters, "ß", "ss"))
}

// parts reports whether a text is split at r.
func parts(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }

// SortKey is what candidates are sorted by name with, in both databases alike.
func SortKey(name string) []byte { return []byte(unmarked(Plain(name))) }

// stem is the part of a word that the index holds.
func stem(word string) []byte {
	if len(word) <= wordBytes {
		return []byte(word)
	}
	end := wordBytes
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return []byte(word[:end])
}

// After is the first value behind all that begin with prefix. UTF-8 has no byte
// 0xff, so the last byte can always grow.
func After(prefix []byte) []byte {
	end := slices.Clone(prefix)
	end[len(end)-1]++
	return end
}

// Joined is how candidates.words holds them: a space before each.
func Joined(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return wordBetween + strings.Join(words, wordBetween)
}

// Keys are the rows of candidate_words that belong to candidates.words: those words that
// cannot be taken apart. The others are found by their parts.
func Keys(joined string) [][]byte {
	return stems(slices.DeleteFunc(strings.Fields(joined), func(w string) bool { return strings.ContainsFunc(w, parts) }))
}

// Stems are all words of candidates.words as rows of candidate_words would hold them.
func Stems(joined string) [][]byte { return stems(strings.Fields(joined)) }

// stems are the words as rows of candidate_words hold them, each once.
func stems(words []string) [][]byte {
	var list [][]byte
	for _, w := range words {
		if s := stem(w); !holds(list, s) {
			list = append(list, s)
		}
	}
	return list
}

func holds(list [][]byte, word []byte) bool {
	return slices.ContainsFunc(list, func(have []byte) bool { return string(have) == string(word) })
}

// Search is what somebody looks for, ready for the statements.
type Search struct {
	Keys     [][]byte           // up to wordsAsked, as the index holds them
	More     bool               // the words ask for more than that
	Patterns [wordsAsked]string // the whole words, for like; '%' where there are fewer
}

// Ask reads a search. It reports false when nothing can be found: the text has no letter
// and no number.
func Ask(text string) (Search, bool) {
	var words, lookups []string
	for _, w := range strings.Fields(Plain(text)) {
		if w = strings.TrimFunc(w, parts); w != "" {
			words = append(words, w)
		}
	}
	words = longest(words)
	var s Search
	escape := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
	for i := range s.Patterns {
		s.Patterns[i] = "%"
		if i < len(words) {
			some := strings.FieldsFunc(withoutEnding(words[i]), parts)
			lookups = append(lookups, some[:min(len(some), partsAsked)]...)
			s.More = s.More || some[0] != words[i] || len(words[i]) > wordBytes
			s.Patterns[i] = "%" + wordBetween + escape.Replace(words[i]) + "%"
		}
	}
	s.Keys = stems(longest(lookups))
	return s, len(words) > 0
}

// longest are up to wordsAsked words, each once, the longest first: they find the fewest.
func longest(words []string) []string {
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	words = slices.Compact(words)
	return words[:min(len(words), wordsAsked)]
}
