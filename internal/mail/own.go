package mail

import (
	"slices"
	"strings"

	"typus"
)

// write writes a letter to a candidate: the account's own text with the values
// of its placeholders, or ours with the fields. What stands under the text is
// always ours: who wrote, why, and how to make it stop.
func write(kind typus.LetterKind, language string, own *typus.LetterTemplate, fields any, values map[string]string, links ...string) (Message, error) {
	l, err := compose(kind, language, fields)
	if err != nil {
		return Message{}, err
	}
	l.links = links
	if own != nil {
		l.Subject, l.Blocks = expand(own.Subject, values), append(ownBlocks(own.Body, l.Blocks, values), underOwn(l.Blocks)...)
	}
	return l.message()
}

// ownBlocks cuts the account's own text into blocks. It does so before the placeholders
// are filled, so that no value can begin a block. A link that stands alone becomes our
// button.
func ownBlocks(body string, ours []block, values map[string]string) []block {
	var out []block
	for paragraph := range strings.SplitSeq(body, "\n\n") {
		paragraph = strings.Trim(paragraph, "\n")
		if strings.TrimSpace(paragraph) == typus.PlaceholderLink {
			out = append(out, button(ours)...)
			continue
		}
		b := block{Kind: "paragraph"}
		if strings.HasPrefix(paragraph, "- ") {
			b.Kind = "list"
		}
		for line := range strings.SplitSeq(paragraph, "\n") {
			if b.Kind == "list" {
				line = strings.TrimPrefix(line, "- ")
			}
			if line = strings.TrimSpace(expand(line, values)); line != "" {
				b.Lines = append(b.Lines, line)
			}
		}
		if len(b.Lines) > 0 {
			out = append(out, b)
		}
	}
	return out
}

func button(ours []block) []block {
	i := slices.IndexFunc(ours, func(b block) bool { return b.Kind == "button" })
	if i < 0 {
		return nil
	}
	return ours[i : i+1]
}

// underOwn is what stands under an account's own text: our small print, which begins with
// what is said under any.
func underOwn(ours []block) []block {
	var said, small []block
	for _, b := range ours {
		switch {
		case b.Small:
			small = append(small, b)
		case b.Said:
			b.Small = true
			said = append(said, b)
		}
	}
	return append(said, small...)
}

// expand fills all placeholders at once, so that a value which looks like a placeholder
// is not filled again. If nothing is left of a name, the space before it goes too.
func expand(text string, values map[string]string) string {
	pairs := []string{}
	if values[typus.PlaceholderName] == "" {
		pairs = append(pairs, " "+typus.PlaceholderName, "")
	}
	for name, value := range values {
		pairs = append(pairs, name, value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// OurTemplate is our text of a letter as an account may change it, with its
// placeholders. Internal for a kind that has none.
func OurTemplate(kind typus.LetterKind, language string) (typus.LetterTemplate, error) {
	t := typus.LetterTemplate{Kind: kind, Language: known(language)}
	l, err := compose(kind, language, struct {
		CandidateName, AccountName, Link, Until, Contact, Stop, Policy, Client, ClientKind string
		Begun                                                                              bool
	}{
		CandidateName: typus.PlaceholderName, AccountName: typus.PlaceholderAccount,
		Link: typus.PlaceholderLink, Until: typus.PlaceholderExpires,
	})
	if err != nil {
		return t, err
	}
	var paragraphs []string
	for _, b := range l.Blocks {
		switch {
		case b.Small:
		case b.Kind == "button":
			paragraphs = append(paragraphs, typus.PlaceholderLink)
		case b.Kind == "list":
			paragraphs = append(paragraphs, "- "+strings.Join(b.Lines, "\n- "))
		default:
			paragraphs = append(paragraphs, strings.Join(b.Lines, "\n"))
		}
	}
	t.Subject, t.Body = l.Subject, strings.Join(paragraphs, "\n\n")
	return t, nil
}
