// Package words takes texts apart into the words that a candidate is found by (search
// index).
package words

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// Bounds of the index of words. A word is looked up by its first wordBytes; the rest is
// compared with candidates.words.
const (
	wordBytes     = 64
	wordsEach     = 48  // of one candidate
	runsEach      = 4   // of one name, without its spaces
	wordsAsked    = 5   // of one search, and parts of words that are looked up for it; more would only ask for the same people again
	partsAsked    = 8   // of one word, from among which those are chosen
	endingLetters = 3   // of a domain's ending that is not indexed
	wordBetween   = " " // no word holds white space
)

// Of are the words that a candidate is found by, each once: those of the name, of the e-mail
// address, its domain and the domains above that, and of the external_id, whole and in
// parts, as letters that a keyboard has (Spelled); those of the name also as if it had no
// spaces, from each of its words on, and those of a domain with umlauts also in punycode, and
// the other way round. What ends a domain is not among them: half of all people would be found
// by it.
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
	bare, others := unmarked(Plain(name)), spellings(email)
	name, email, externalID = Spelled(name), Spelled(email), Spelled(externalID)
	for _, text := range []string{name, email, externalID} {
		add(strings.Fields(text)...)
	}
	add(domains(email)...)
	for _, text := range []string{name, withoutEnding(email), externalID} {
		add(strings.FieldsFunc(text, parts)...)
	}
	add(strings.Fields(bare)...)
	add(strings.FieldsFunc(bare, parts)...)
	add(runTogether(name)...)
	add(runTogether(bare)...)
	for _, email := range others {
		email = Spelled(email)
		add(email)
		add(domains(email)...)
		add(strings.FieldsFunc(withoutEnding(email), parts)...)
	}
	return words
}

// names maps the domains of addresses as a resolver does (UTS 46).
var names = idna.New(idna.MapForLookup(), idna.BidiRule())

// spellings are an address with its domain in letters and in punycode (RFC 5890), if those
// differ; none if the domain is not one.
func spellings(email string) []string {
	at := strings.LastIndexByte(email, '@') + 1
	ascii, err := names.ToASCII(email[at:])
	if err != nil || at == 0 {
		return nil
	}
	letters, err := names.ToUnicode(ascii)
	if err != nil || letters == ascii {
		return nil
	}
	return []string{email[:at] + letters, email[:at] + ascii}
}

// runTogether are the parts of a name written as one word, from each of them on: Anna Lena
// van Ek is found by annalena and by vanek.
func runTogether(name string) []string {
	var list []string
	for some := strings.FieldsFunc(name, parts); len(some) > 1 && len(list) < runsEach; some = some[1:] {
		list = append(list, strings.Join(some, ""))
	}
	return list
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

// Spelled is how a text is compared in a search: Plain in letters that every keyboard has,
// an umlaut as the two letters that it is written with where there is none, other marks
// left out.
func Spelled(text string) string { return unmarked(umlauts.Replace(Plain(text))) }

// Umlauts, and the letters that take their place in Danish and Norwegian, are written with
// two letters or, abroad, with one.
var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ø", "oe")

// letters are written in another way though no mark can be taken from them, and signs that
// stand for an apostrophe.
var letters = strings.NewReplacer("ß", "ss", "ł", "l", "ø", "o", "æ", "ae", "œ", "oe", "ı", "i", "đ", "d", "ð", "d", "þ", "th",
	"’", "'", "‘", "'", "ʼ", "'", "`", "'", "´", "'", "′", "'")

// unmarked removes the diacritical marks of letters.
func unmarked(text string) string {
	bare := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(letters.Replace(text)))
	return norm.NFC.String(bare)
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
// cannot be taken apart and that no other begins with. The others are found by their parts,
// and by what begins with them.
func Keys(joined string) [][]byte {
	all := stems(slices.DeleteFunc(strings.Fields(joined), func(w string) bool { return strings.ContainsFunc(w, parts) }))
	return slices.DeleteFunc(slices.Clone(all), func(w []byte) bool {
		return slices.ContainsFunc(all, func(other []byte) bool { return len(other) > len(w) && bytes.HasPrefix(other, w) })
	})
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
	for _, w := range strings.Fields(Spelled(text)) {
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
