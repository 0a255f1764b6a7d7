package testpage

import "net/http"

// practiceView is an item to try the page with. Its answer is not kept.
type practiceView struct {
	frame
	Item itemForm
}

// Template names the page.
func (practiceView) Template() string { return "practice" }

func (f *face) practice(w http.ResponseWriter, _ *http.Request, v visit) error {
	return f.showPractice(w, v, http.StatusOK)
}

func (f *face) practised(w http.ResponseWriter, r *http.Request, v visit) error {
	reply := v.reply(r)
	if reply.value == 0 && reply.action != actionSkip {
		return f.showPractice(w, v, http.StatusUnprocessableEntity)
	}
	return v.redirect(w, r, v.next())
}

func (f *face) showPractice(w http.ResponseWriter, v visit, status int) error {
	statement, err := f.pages.Text(v.lang, "practice.statement")
	if err != nil {
		return err
	}
	view := practiceView{frame: v.frame(), Item: v.itemForm(statement, 0)}
	view.Item.Missing = status != http.StatusOK
	view.Fault = view.Item.Missing
	view.Leave = true
	return f.pages.Render(w, status, v.lang, view)
}
