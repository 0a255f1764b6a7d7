package dashboard

import (
	"net/http"
	"slices"
	"strings"

	"typus/internal/clerk"
	"typus/internal/report"
)

// unsaved is an answer that was typed and cannot be saved: it is shown to be copied.
type unsaved struct {
	Key  string
	Ask  string // the question, or the name of the field where nobody asks it here
	Lang string // of an own question that is not in the reader's language
	Note string
	Mark string // in words, "" for none
}

// unsaved is an answer as it was typed.
func (f *face) unsaved(v *visit, q report.Question, note, mark string) unsaved {
	u := unsaved{Key: q.Key, Ask: q.Ask, Lang: q.Lang, Note: strings.ReplaceAll(note, "\r\n", "\n")}
	switch {
	case mark == "0":
		u.Mark = f.say(v, "guide.rating.none")
	case marked(mark):
		u.Mark = f.say(v, "guide.rated", "Mark", mark)
	}
	return u
}

func marked(mark string) bool { return mark == "0" || slices.Contains(answerView{}.Marks(), mark) }

// refuse puts what was typed into a field of a question that nobody asks here with what
// cannot be saved.
func (g *guideView) refuse(f *face, v *visit, name, key string) {
	if slices.ContainsFunc(g.Unsaved, func(u unsaved) bool { return u.Key == key }) {
		return
	}
	q := report.Question{Key: key, Ask: name}
	g.Unsaved = append(g.Unsaved, f.unsaved(v, q, v.PostFormValue("notiz-"+key), v.PostFormValue("bewertung-"+key)))
}

// renderFrozen says that ratings are final, and shows what was sent all the same.
func (f *face) renderFrozen(v *visit, saved, typed *guideView) error {
	saved.Unsaved = typed.Unsaved
	for _, a := range typed.answers() {
		if a.beyond(saved.answer(a.Key)) {
			saved.Unsaved = append(saved.Unsaved, f.unsaved(v, a.Question, a.Note.Value, a.Mark))
		}
	}
	if len(saved.Unsaved) == 0 {
		return f.undone(v, saved.Base+"/leitfaden", f.say(v, "guide.frozen"))
	}
	saved.Alert, saved.Switch.None = f.say(v, "guide.tooLate"), true
	return f.render(v, http.StatusConflict, saved)
}

// beyond reports whether an answer says something that the saved one, nil for none, does not.
func (a answerView) beyond(saved *answerView) bool {
	if saved == nil {
		saved = &answerView{Note: &field{}}
	}
	var unread clerk.Faults
	note := unread.Note("note", a.Note.Value)
	return note != "" && note != saved.Note.Value || marked(a.Mark) && a.Mark != saved.Mark
}

// Copied is all that cannot be saved as one text.
func (g guideView) Copied() field {
	var parts []string
	for _, u := range g.Unsaved {
		lines := slices.DeleteFunc([]string{u.Ask, u.Note, u.Mark}, func(line string) bool { return line == "" })
		parts = append(parts, strings.Join(lines, "\n"))
	}
	return field{Label: "guide.unsaved", Value: strings.Join(parts, "\n\n")}
}

// refused names the fields of what nobody asks.
func refused(list []unsaved) string {
	var names []string
	for _, u := range list {
		names = append(names, u.Ask)
	}
	return strings.Join(names, ", ")
}
