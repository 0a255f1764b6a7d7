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

// askedAddress asks in a form, once, whether another address was meant than the typed one.
type askedAddress struct {
	Meant string // the address that was probably meant, "" if the typed one may well be right
	Typed string // the address of which that was asked: it is taken as it is typed; "" for none
	Send  bool   // with the form a letter goes out
	Focus bool   // it is what is new on the page

	Hint, Yes, No, Enter string // text keys: that nothing was done yet, the answers, and what Enter does
}

// What a form sends of it: the address that it takes as it is typed, however mistyped it looks;
// the one that was meant, as the answer, which takes the place of what is in the field; the
// same where a letter goes out with the form; and that one does.
const (
	paramAsked     = "adresse"
	paramMeant     = "gemeint"
	paramMeantSend = "gemeint_senden"
	paramSend      = "senden"
)

// takeMeant puts the address that was meant, if that is the answer, in the place of the typed
// one.
func takeMeant(v *visit) {
	for _, name := range []string{paramMeant, paramMeantSend} {
		meant := v.PostFormValue(name)
		if meant == "" {
			continue
		}
		v.PostForm.Set("email", meant)
		v.PostForm.Del(name)
		if name == paramMeantSend {
			v.PostForm.Set(paramSend, "1")
		}
	}
}

// The questions, by what is done with the address.
var (
	askInvite      = askedAddress{Hint: "invite.meantHint", Yes: "invite.asMeant", No: "invite.asTyped", Enter: "invite.submit"}
	askTeam        = askedAddress{Hint: "invite.meantHint", Yes: "invite.asMeant", No: "invite.asTyped", Enter: "team.inviteSend"}
	askCorrect     = askedAddress{Hint: "candidate.meantHint", Yes: "candidate.asMeant", No: "candidate.asTyped", Enter: "candidate.save"}
	askCorrectSend = askedAddress{Hint: "candidate.meantHint", Yes: "candidate.sendAsMeant", No: "candidate.sendAsTyped", Enter: "candidate.correctSend", Send: true}
)

// askedOf is a question about the address that a form sends, without Meant where it was asked
// already, and empty where the address may well be right.
func askedOf(v *visit, ask askedAddress) askedAddress {
	ask.Typed = typus.TypedAddress(v.PostFormValue("email"))
	ask.Meant = meantAddress(ask.Typed)
	switch {
	case ask.Meant == "":
		return askedAddress{}
	case v.PostFormValue(paramAsked) == ask.Typed:
		ask.Meant = ""
	}
	ask.Focus = true
	return ask
}

// answered is the question where it was asked before, and none where it was not: of a form in
// which something else is wrong it is not asked.
func (a askedAddress) answered() askedAddress {
	if a.Meant != "" {
		return askedAddress{}
	}
	return a
}

// writable reports whether a letter can be written to an address.
func writable(address string) bool {
	_, fault := typus.Mailbox(address)
	return fault.Code == ""
}

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
