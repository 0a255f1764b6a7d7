package dashboard

import (
	"net/http"
	"slices"

	"typus"
	"typus/internal/notice"
	"typus/internal/page"
)

// positionNoticeView shows what the notice before the test of a position says otherwise than
// the account's, what is missing there, and the notice as its candidates read it.
type positionNoticeView struct {
	frame
	Name     string // of the position
	Path     string // of its page
	ForWhom  string
	Form     positionNoticeForm
	Gaps     string // what is missing, in words; "" for nothing
	Previews []noticePreview
}

// Template names the page.
func (positionNoticeView) Template() string { return "position_notice" }

// positionNoticeForm holds the fields of the page, named as those of the account's.
type positionNoticeForm struct {
	Consequence, ConsequenceDE, ConsequenceEN *field
	Officer, BasisDE, BasisEN                 *field
}

func (n *positionNoticeForm) fields() []*field {
	return []*field{n.Consequence, n.ConsequenceDE, n.ConsequenceEN, n.Officer, n.BasisDE, n.BasisEN}
}

func (f *face) positionNoticeView(v *visit, fr frame, p typus.Position) positionNoticeView {
	shown := *v
	shown.Account = p.Over(v.Account)
	view := positionNoticeView{
		frame: fr, Name: f.positionName(v, p), Path: positionPath(p), ForWhom: f.forWhom(v, shown.Account),
		Form: f.positionNoticeForm(v, p), Gaps: f.gaps(&shown),
	}
	view.Seen = seen(view.Form.fields()...)
	for _, lang := range page.Languages() {
		view.Previews = append(view.Previews, noticePreview{Language: lang, Label: languageNames[lang], Content: notice.For(lang, shown.Account).Content})
	}
	return view
}

// positionNoticeForm shows what a position says: the account's fields, of which an empty one
// leaves it to the account.
func (f *face) positionNoticeForm(v *visit, p typus.Position) positionNoticeForm {
	said := *v
	said.Account.Notice = p.Notice
	n := f.noticeForm(&said)
	n.Officer.Hint = "position.notice.officerHint"
	open := slices.IndexFunc(n.Consequence.Options, func(o option) bool { return o.Value == string(typus.ConsequenceOpen) })
	account := n.Consequence.Options[open]
	account.Label = f.say(v, "position.notice.account")
	n.Consequence.Options = slices.Insert(slices.Delete(n.Consequence.Options, open, open+1), 0, account)
	return positionNoticeForm{n.Consequence, n.ConsequenceDE, n.ConsequenceEN, n.Officer, n.BasisDE, n.BasisEN}
}

func (f *face) positionNotice(v *visit, p typus.Position) error {
	return f.render(v, http.StatusOK, f.positionNoticeView(v, f.positionFrame(v, p), p))
}

// setPositionNotice stores what the notice of a position says.
func (f *face) setPositionNotice(v *visit, p typus.Position) error {
	own := func(name string) typus.OwnWords {
		return typus.OwnWords{DE: v.PostFormValue("notice_" + name + "_de"), EN: v.PostFormValue("notice_" + name + "_en")}
	}
	said := typus.NoticeFacts{
		Consequence: typus.Consequence(v.PostFormValue("notice_consequence")), ConsequenceOwn: own("consequence"),
		Officer: v.PostFormValue("notice_officer"), Basis: own("basis"),
	}
	var late *positionNoticeView
	err := f.Accounts.ChangePosition(v.Context(), v.Reader, p.ID, v.actor(), func(now *typus.Position) bool {
		late = nil
		if view := f.positionNoticeView(v, f.positionFrame(v, p), *now); overtaken(v, view.Form.fields()...) {
			late = &view
		}
		now.Notice = said
		return late == nil
	})
	switch {
	case err == nil && late == nil:
		return f.done(v, positionPath(p)+"/hinweise", f.say(v, "notice.saved"))
	case err == nil:
		f.compare(&late.frame, v, late.Form.fields()...)
		return f.render(v, http.StatusConflict, *late)
	}
	view := f.positionNoticeView(v, f.positionFrame(v, p), p)
	view.Seen, view.Switch.None = v.PostFormValue(seenName), true
	fill(v, view.Form.fields()...)
	if !f.blame(&view.frame, v, err, view.Form.fields()...) {
		return err
	}
	return f.render(v, http.StatusUnprocessableEntity, view)
}
