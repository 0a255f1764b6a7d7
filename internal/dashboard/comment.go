package dashboard

import (
	"slices"

	"typus"
	"typus/internal/report"
	"typus/internal/store"
)

// commentView is what a candidate says about the result, with the form for another version.
type commentView struct {
	Versions []report.Comment // newest first
	Form     *commentForm     // nil for who may not enter one
}

// commentForm asks for a version that the team has received.
type commentForm struct {
	Action    string
	Nonce     string
	Open      bool // something was typed that is not kept
	Text      *field
	Confirmed *field
}

// maxComment bounds the form of a comment: a text that is far too long is still shown again.
const maxComment = 256 << 10

// read reports whether it is noted that the visitor has read the newest version that somebody
// else has entered.
func (v visitor) read(list []typus.Comment) bool {
	for _, c := range list {
		if c.UserID != v.User.ID {
			return slices.ContainsFunc(c.Reads, func(r typus.CommentRead) bool { return r.UserID == v.User.ID })
		}
	}
	return true
}

// addComments adds what the candidate says about the result, to be read without the figures
// too, and not by whoever is blind to them. Who has read it see those who see the timeline.
func (f *face) addComments(v *visit, row store.CandidateRow, about store.Dossier, view *candidateView) {
	if view.Blind || row.Status != typus.StatusFinished {
		return
	}
	shown := &commentView{}
	for _, c := range about.Comments {
		if !v.may(viewer) {
			c.Reads = nil
		}
		shown.Versions = append(shown.Versions, report.CommentOf(c, v.lang))
	}
	if v.may(member) {
		shown.Form = newCommentForm(v.lang)
		shown.Form.Action, shown.Form.Nonce = candidatePath(row.ID)+"/stellungnahme", view.Nonce
	}
	if len(shown.Versions) > 0 || shown.Form != nil {
		view.Comment = shown
	}
}

func newCommentForm(lang string) *commentForm {
	form := &commentForm{
		Text:      &field{Name: "comment", Label: "comment.text", Hint: "comment.textHint", Rows: 5},
		Confirmed: &field{Name: "confirmed", Label: "comment.confirmed"},
	}
	for _, c := range typus.Confirmations() {
		form.Confirmed.Options = append(form.Confirmed.Options, option{Value: string(c), Label: report.ConfirmationName(c, lang)})
	}
	return form
}

// comment keeps what the candidate says, as the visitor has received it. What cannot be kept
// stays in the form.
func (f *face) comment(v *visit, c typus.Candidate) error {
	path := candidatePath(c.ID)
	if c.Status != typus.StatusFinished {
		return f.undone(v, path, f.say(v, "comment.noResult"))
	}
	said := typus.Comment{CandidateID: c.ID, Text: v.PostFormValue("comment"), Confirmed: typus.Confirmation(v.PostFormValue("confirmed"))}
	err := f.Steps.Comment(v.Context(), v.Reader, said, v.actor())
	if sent, err := f.sentBefore(v, err, to(path)); sent {
		return err
	}
	if err == nil {
		return f.done(v, path, f.say(v, "comment.kept"))
	}
	tooMany := hindered(err, store.CodeCount)
	if !tooMany && !typus.Is(err, typus.Invalid) {
		return err
	}
	return f.again(v, c, func(view *candidateView) {
		if view.Comment == nil || view.Comment.Form == nil {
			return
		}
		form := view.Comment.Form
		form.fill(v)
		if tooMany {
			form.Text.Fault = f.say(v, "comment.tooMany")
			f.sum(&view.frame, v, form.Text)
			return
		}
		f.blame(&view.frame, v, err, form.Text, form.Confirmed)
	})
}

// fill puts what was typed into the form.
func (form *commentForm) fill(v *visit) {
	form.Open, form.Text.Value = true, v.PostFormValue(form.Text.Name)
	for i, o := range form.Confirmed.Options {
		form.Confirmed.Options[i].Chosen = o.Value == v.PostFormValue(form.Confirmed.Name)
	}
}
