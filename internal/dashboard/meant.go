package dashboard

import (
	"slices"
	"strings"

	"typus"
)

// providers are the domains of mailboxes that many people have, and whose names they mistype.
var providers = []string{
	"gmail.com", "googlemail.com", "gmx.de", "gmx.net", "gmx.at", "gmx.ch", "web.de", "t-online.de", "freenet.de", "hotmail.com", "hotmail.de",
	"outlook.com", "outlook.de", "yahoo.com", "yahoo.de", "icloud.com", "aol.com", "posteo.de", "mailbox.org", "protonmail.com",
}

// lookalikes are domains of their own, although they look like a mistyped provider.
var lookalikes = []string{"mail.com", "email.com", "ymail.com", "cloud.com", "online.de", "protonmail.ch"}

// meantAddress is what somebody probably meant who typed an address whose domain is nearly
// that of a well-known provider, "" if the address may well be right.
func meantAddress(typed string) string {
	typed = typus.TypedAddress(typed)
	at := strings.LastIndexByte(typed, '@')
	domain := strings.ToLower(typed[at+1:])
	if at < 1 || slices.Contains(providers, domain) || slices.Contains(lookalikes, domain) {
		return ""
	}
	nearest, least := "", 0
	for _, p := range providers {
		if d := mistakes(domain, p); mistyped(domain, p, d) && (nearest == "" || d < least) {
			nearest, least = typed[:at+1]+p, d
		}
	}
	return nearest
}

// mistyped reports whether a domain with so many mistakes is probably meant to be the
// provider's. One mistake is allowed, or two in a long name. A short name is many people's
// with one letter changed, so that there only swapped letters count, and so it is with
// another country's ending: yahoo.dk is no mistake.
func mistyped(domain, provider string, mistakes int) bool {
	if mistakes > 2 || mistakes == 2 && len(provider) < len("hotmail.com") {
		return false
	}
	name, end, _ := strings.Cut(domain, ".")
	its, ending, _ := strings.Cut(provider, ".")
	switch {
	case sameLetters(domain, provider):
		return true
	case len(provider) < len("yahoo.de"):
		return false
	case name == its:
		return mistakes == 1 && (len(end) != 2 || len(ending) != 2)
	}
	return true
}

func sameLetters(a, b string) bool {
	sorted := func(text string) []byte { return slices.Sorted(slices.Values([]byte(text))) }
	return slices.Equal(sorted(a), sorted(b))
}

// mistakes is how many letters were left out, added, changed or swapped with the next one, at
// least, when b was typed as a. More than three are four.
func mistakes(a, b string) int {
	if len(a) > len(b)+3 {
		return 4
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		above := row
		row = make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			changed := above[j]
			if a[i] != b[j] {
				changed++
			}
			row[j+1] = min(changed, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before = above
	}
	return min(row[len(b)], 4)
}
