package api

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// misspelt returns the known name that an unknown name in a query or a body was
// probably meant to be. It is the same except for case, blanks, "-", "_", "." and
// "[…]", or it is one edit away, or it names the id of what a known name refers to (our
// choice). Tools write lists as status[], people type stauts, and who reads extra.position.id
// sends position_id.
func misspelt(name string, known []string) (string, bool) {
	typed := []rune(bareName(name))
	same := func(k string) bool { return bareName(k) == string(typed) }
	near := func(k string) bool { return oneEdit(typed, []rune(bareName(k))) }
	referring := func(k string) bool { return refers(string(typed), k) }
	for _, meant := range []func(string) bool{same, near, referring} {
		if i := slices.IndexFunc(known, meant); i >= 0 {
			return known[i], true
		}
	}
	return "", false
}

// refers reports whether a bare name is a known one that names a thing, and what it is
// named by.
func refers(typed, known string) bool {
	by, of := strings.CutPrefix(typed, bareName(known))
	return of && (known == "position" || known == "role_profile") && slices.Contains([]string{"id", "ref", "reference", "key", "name"}, by)
}

var brackets = regexp.MustCompile(`\[[^]]*]?`)

// bareName is a name without everything in which spellings differ.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("-_.", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, brackets.ReplaceAllString(name, ""))
}

// oneEdit reports whether one character was changed, added or left out, or two
// neighbours stand in the wrong order.
func oneEdit(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	a, b = a[i:], b[i:]
	if len(a) < len(b) {
		return slices.Equal(a, b[1:])
	}
	swapped := len(a) > 1 && a[0] == b[1] && a[1] == b[0] && slices.Equal(a[2:], b[2:])
	return len(a) > 0 && (swapped || slices.Equal(a[1:], b[1:]))
}
