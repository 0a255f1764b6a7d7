package accounts

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"typus"
	"typus/internal/clerk"
	"typus/internal/notice"
)

// tidiedNotice is what is told in the notice as it is stored: what stands in a sentence on
// one line, and paragraphs with one line end.
func tidiedNotice(n typus.NoticeFacts) typus.NoticeFacts {
	n.Operator, n.Officer, n.Client = oneLine(n.Operator), oneLine(n.Officer), oneLine(n.Client)
	n.ConsequenceOwn, n.Basis, n.Period = ownParagraphs(n.ConsequenceOwn), ownParagraphs(n.Basis), ownParagraphs(n.Period)
	n.SafeguardOwn = typus.OwnWords{DE: inSentence(n.SafeguardOwn.DE), EN: inSentence(n.SafeguardOwn.EN)}
	n.ClientKind = typus.OwnWords{DE: inSentence(n.ClientKind.DE), EN: inSentence(n.ClientKind.EN)}
	return n
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// label is a name that somebody gave a thing, as it is stored: on one line, without what
// nobody sees, so that two that look the same are the same.
func label(text string) string { return norm.NFC.String(oneLine(typus.TypedName(text))) }

// inSentence has no full stop, because the sentence around it has one.
func inSentence(text string) string { return strings.TrimRight(oneLine(text), ".") }

func ownParagraphs(w typus.OwnWords) typus.OwnWords {
	return typus.OwnWords{DE: paragraphs(w.DE), EN: paragraphs(w.EN)}
}

// checkNotice finds what cannot be told. Whatever is left open is no fault: the notice
// then says who will tell it.
func checkNotice(f *clerk.Faults, n typus.NoticeFacts) {
	own := func(field string, w typus.OwnWords, most int) {
		f.AtMost("notice_"+field+"_de", strings.ReplaceAll(w.DE, "\n", " "), most)
		f.AtMost("notice_"+field+"_en", strings.ReplaceAll(w.EN, "\n", " "), most)
	}
	required := func(field string, chosen bool, w typus.OwnWords) {
		if chosen && !w.Any() {
			f.Add("notice_"+field+"_de", typus.CodeRequired, "is required in one language at least")
		}
	}
	f.When(!n.Consequence.Valid(), "notice_consequence", "must be none, interview, own or empty")
	own("consequence", n.ConsequenceOwn, maxOwnWords)
	required("consequence", n.Consequence == typus.ConsequenceOwn, n.ConsequenceOwn)
	f.AtMost("notice_operator", n.Operator, maxFact)
	at := country(f, "notice_country", n.Country)
	to := typus.AbroadNone
	if n.Abroad != typus.AbroadNone {
		to = string(country(f, "notice_abroad", n.Abroad))
	}
	f.When(to == string(notice.RegionEU) || to == string(notice.RegionEEA), "notice_abroad", "must be a country outside the European Economic Area")
	f.When(to == typus.AbroadNone && at == notice.RegionThird, "notice_abroad", "must be a country, because the server stands outside the European Economic Area")
	f.When(!n.Safeguard.Valid(), "notice_safeguard", "must be adequacy, clauses, own or empty")
	own("safeguard", n.SafeguardOwn, maxFact)
	required("safeguard", n.Safeguard == typus.SafeguardOwn, n.SafeguardOwn)
	f.AtMost("notice_officer", n.Officer, maxFact)
	own("basis", n.Basis, maxOwnWords)
	f.AtMost("notice_client", n.Client, maxFact)
	own("client_kind", n.ClientKind, maxFact)
	own("period", n.Period, maxOwnWords)
}

// country adds a fault unless the notice can name the country of a code, or there is none.
func country(f *clerk.Faults, field, code string) notice.Region {
	if code == "" {
		return ""
	}
	c, known := notice.CountryOf(code)
	f.When(!known, field, "must be one of the countries of the list")
	return c.Region
}
