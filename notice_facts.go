package typus

import "cmp"

// NoticeFacts are what an account adds to the notice that a candidate acknowledges before
// the test. Each may be left open: the notice then says who will tell it.
type NoticeFacts struct {
	Consequence    Consequence // of not taking part
	ConsequenceOwn OwnWords    // for ConsequenceOwn
	Operator       string      // who runs the server; the account's own name says that it does so itself
	Country        string      // where the server stands: ISO 3166-1 alpha-2 in upper case
	Abroad         string      // where outside the European Economic Area data go: such a code, AbroadNone, or "" for open
	Safeguard      Safeguard   // what allows that
	SafeguardOwn   OwnWords    // for SafeguardOwn
	Officer        string      // who is in charge of data protection, with a way to reach them
	Basis          OwnWords    // the legal basis; empty for the notice's own
	Client         string      // for whom the account is looking for people, if not for itself
	ClientKind     OwnWords    // in place of Client: what kind of company it is, while its name is not told
	Period         OwnWords    // how long data are kept, where nothing is erased after a number of days
}

// AbroadNone says that data stay in the country where the server stands, or in others of the
// European Economic Area.
const AbroadNone = "none"

// Consequence is what it means for an application not to take the test.
type Consequence string

// The choices of Consequence.
const (
	ConsequenceOpen      Consequence = ""
	ConsequenceNone      Consequence = "none"
	ConsequenceInterview Consequence = "interview"
	ConsequenceOwn       Consequence = "own" // in the account's words
)

// Valid reports whether c is one of the choices.
func (c Consequence) Valid() bool {
	return c == ConsequenceOpen || c == ConsequenceNone || c == ConsequenceInterview || c == ConsequenceOwn
}

// Safeguard is what allows personal data to leave the European Economic Area (GDPR
// Art. 44 to 49).
type Safeguard string

// The choices of Safeguard.
const (
	SafeguardOpen     Safeguard = ""
	SafeguardAdequacy Safeguard = "adequacy" // a decision of the European Commission
	SafeguardClauses  Safeguard = "clauses"  // its standard contractual clauses
	SafeguardOwn      Safeguard = "own"      // in the account's words
)

// Valid reports whether s is one of the choices.
func (s Safeguard) Valid() bool {
	return s == SafeguardOpen || s == SafeguardAdequacy || s == SafeguardClauses || s == SafeguardOwn
}

// OwnWords are what an account says itself: in both languages, or in one that is used for
// both.
type OwnWords struct{ DE, EN string }

// In is what is said to a reader of a language, and in which language it is; both are ""
// where nothing is said.
func (w OwnWords) In(language string) (text, in string) {
	switch {
	case language == "en" && w.EN != "":
		return w.EN, "en"
	case w.DE != "":
		return w.DE, "de"
	case w.EN != "":
		return w.EN, "en"
	}
	return "", ""
}

// Any reports whether something is said.
func (w OwnWords) Any() bool { return cmp.Or(w.DE, w.EN) != "" }
