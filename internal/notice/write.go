package notice

import (
	"strconv"
	"strings"

	"typus"
)

// writer puts the sentences of a notice together.
type writer struct {
	language string
	account  typus.Account
	facts    typus.NoticeFacts
}

// sections are all headings with their paragraphs. What the account has not told is said
// by a sentence that names who will.
func (w writer) sections() []Section {
	return []Section{
		w.section("who", append([]Paragraph{w.who()}, w.basis()...)...),
		w.section("what", w.say("what.measured"), w.say("what.check"), w.say("what.self"), w.say("what.compared")),
		w.section("data", w.say("data.stored"), w.say("data.team"), w.say("data.times"), w.say("data.device")),
		w.section("until", w.until()...),
		w.section("seen", w.seen()...),
		w.section("free", w.free()...),
		w.section("rights", w.say("rights.text"), w.ownResult()),
		w.section("contact", w.contact()...),
	}
}

func (w writer) section(name string, paragraphs ...Paragraph) Section {
	s := Section{Heading: w.text(name + ".heading")}
	for _, p := range paragraphs {
		if len(p) > 0 {
			s.Paragraphs = append(s.Paragraphs, p)
		}
	}
	return s
}

// ownResult says when candidates see their own result.
func (w writer) ownResult() Paragraph {
	key := "rights.released"
	switch w.account.OwnResult.Policy {
	case typus.OwnResultAtOnce:
		key = "rights.atOnce"
	case typus.OwnResultNone:
		key = "rights.none"
	case typus.OwnResultReleased:
	}
	return w.say(key, "rights.page")
}

func (w writer) who() Paragraph {
	key := "who.purpose"
	switch {
	case w.facts.Client != "":
		key = "who.purposeClient"
	case w.facts.ClientKind.Any():
		key = "who.purposeKind"
	}
	return w.say(key, "who.piece")
}

// basis names who is responsible and by which law.
func (w writer) basis() []Paragraph {
	if own := w.own(w.facts.Basis); len(own) > 0 {
		return append([]Paragraph{w.say("who.responsible")}, own...)
	}
	return []Paragraph{w.say("who.responsible", "who.basis")}
}

func (w writer) until() []Paragraph {
	switch own := w.own(w.facts.Period); {
	case w.account.KeepFinishedDays > 0 && w.account.KeepFromDecision && w.account.KeepUndecidedDays > 0:
		return []Paragraph{w.say("until.decided", "until.undecided", "until.daysEarlier")}
	case w.account.KeepFinishedDays > 0 && w.account.KeepFromDecision:
		return []Paragraph{w.say("until.decided", "until.daysEarlier")}
	case w.account.KeepFinishedDays > 0:
		return []Paragraph{w.say("until.days", "until.daysEarlier")}
	case len(own) > 0:
		return append(own, w.say("until.earlier"))
	}
	return []Paragraph{w.say("until.text", "until.earlier")}
}

func (w writer) seen() []Paragraph {
	keys := []string{"seen.people", "seen.system"}
	switch {
	case w.facts.Client != "":
		keys = append(keys, "seen.client")
	case w.facts.ClientKind.Any():
		keys = append(keys, "seen.kind")
	}
	return []Paragraph{w.say(keys...), w.say("seen.link"), w.say(w.server()...)}
}

// server are the sentences about who runs the server, and where data go.
func (w writer) server() []string {
	at, known := CountryOf(w.facts.Country)
	if w.facts.Operator == "" || !known {
		return []string{"seen.provider", "seen.whether"}
	}
	runs := "seen.operator"
	if strings.EqualFold(w.facts.Operator, w.account.Name) {
		runs = "seen.self"
	}
	_, abroad := w.abroad()
	switch {
	case abroad && w.safeguard() == nil:
		return []string{runs, "seen.abroadOpen"}
	case abroad:
		return []string{runs, "seen.abroad"}
	case w.facts.Abroad != typus.AbroadNone:
		return []string{runs, "seen.whether"}
	case at.Region == RegionEU:
		return []string{runs, "seen.eu"}
	}
	return []string{runs, "seen.eea"}
}

// abroad is the country outside the European Economic Area to which data go.
func (w writer) abroad() (Country, bool) {
	for _, code := range []string{w.facts.Abroad, w.facts.Country} {
		if c, known := CountryOf(code); known && c.Region == RegionThird {
			return c, true
		}
	}
	return Country{}, false
}

func (w writer) safeguard() Paragraph {
	switch w.facts.Safeguard {
	case typus.SafeguardAdequacy:
		return w.say("safeguard.adequacy")
	case typus.SafeguardClauses:
		return w.say("safeguard.clauses")
	case typus.SafeguardOwn:
		return w.inline(w.facts.SafeguardOwn)
	case typus.SafeguardOpen:
	}
	return nil
}

func (w writer) free() []Paragraph {
	switch own := w.own(w.facts.ConsequenceOwn); {
	case w.facts.Consequence == typus.ConsequenceNone:
		return []Paragraph{w.say("free.text", "free.none"), w.say("free.form")}
	case w.facts.Consequence == typus.ConsequenceInterview:
		return []Paragraph{w.say("free.text", "free.interview"), w.say("free.form")}
	case w.facts.Consequence == typus.ConsequenceOwn && len(own) > 0:
		return append(append([]Paragraph{w.say("free.text")}, own...), w.say("free.form"))
	}
	return []Paragraph{w.say("free.text", "free.open"), w.say("free.form")}
}

func (w writer) contact() []Paragraph {
	answers := "contact.person"
	if w.account.ContactEmail != "" {
		answers = "contact.address"
	}
	if w.facts.Officer == "" {
		return []Paragraph{w.say(answers, "contact.officerOpen")}
	}
	return []Paragraph{w.say(answers), w.say("contact.officer")}
}

// text is a text without placeholders.
func (w writer) text(key string) string { return texts()[w.language][key] }

// say is a paragraph of sentences with their placeholders filled. Filling is not repeated,
// so a value that looks like a placeholder stays as it was typed.
func (w writer) say(keys ...string) Paragraph {
	var p Paragraph
	for i, key := range keys {
		rest := w.text(key)
		if i > 0 {
			rest = " " + rest
		}
		for {
			before, after, found := strings.Cut(rest, "{{.")
			p = p.add(Piece{Text: before})
			if !found {
				break
			}
			name, tail, _ := strings.Cut(after, "}}")
			for _, piece := range w.value(name) {
				p = p.add(piece)
			}
			rest = tail
		}
	}
	return p
}

// value is what stands in the place of a placeholder.
func (w writer) value(name string) Paragraph {
	at, _ := CountryOf(w.facts.Country)
	to, _ := w.abroad()
	switch name {
	case "Account":
		return Paragraph{{Text: w.account.Name}}
	case "Contact":
		return Paragraph{{Text: w.account.ContactEmail}}
	case "Days":
		return Paragraph{{Text: strconv.Itoa(w.account.KeepFinishedDays)}}
	case "Most":
		return Paragraph{{Text: strconv.Itoa(w.account.KeepUndecidedDays)}}
	case "Client":
		return Paragraph{{Text: w.facts.Client}}
	case "ClientKind":
		return w.inline(w.facts.ClientKind)
	case "Operator":
		return Paragraph{{Text: w.facts.Operator}}
	case "In":
		return Paragraph{{Text: at.in(w.language)}}
	case "To":
		return Paragraph{{Text: to.to(w.language)}}
	case "Safeguard":
		return w.safeguard()
	case "Officer":
		return Paragraph{{Text: w.facts.Officer}}
	}
	panic("notice: no text has a placeholder " + name) // the tests fill all of them
}

// own are the account's own words, a paragraph for each line.
func (w writer) own(words typus.OwnWords) []Paragraph {
	text, in := words.In(w.language)
	var list []Paragraph
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, Paragraph{w.foreign(line, in)})
		}
	}
	return list
}

// inline are the account's own words inside a sentence of ours.
func (w writer) inline(words typus.OwnWords) Paragraph {
	text, in := words.In(w.language)
	if text == "" {
		return nil
	}
	return Paragraph{w.foreign(text, in)}
}

// foreign marks text that is not in the language of the notice.
func (w writer) foreign(text, in string) Piece {
	if in == w.language {
		in = ""
	}
	return Piece{Text: text, Lang: in}
}

// add appends a piece, and joins it with the last one if both are in one language.
func (p Paragraph) add(next Piece) Paragraph {
	if next.Text == "" {
		return p
	}
	if last := len(p) - 1; last >= 0 && p[last].Lang == next.Lang {
		p[last].Text += next.Text
		return p
	}
	return append(p, next)
}
