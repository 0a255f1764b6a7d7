package dashboard

import (
	"net/http"
	"strings"

	"typus"
	"typus/internal/notice"
	"typus/internal/page"
)

// noticeView shows what the account tells in the notice before the test, what is missing
// there, and the notice as it reads.
type noticeView struct {
	frame
	Form     noticeForm
	Gaps     string // what is missing, in words; "" for nothing
	Days     int    // retention after completion; 0: Period is told
	Previews []noticePreview
}

// Template names the page.
func (noticeView) Template() string { return "notice" }

// noticePreview is the notice in one language, as it is stored.
type noticePreview struct {
	Language string
	Label    string // text key
	notice.Content
}

// noticeForm holds the fields of the page.
type noticeForm struct {
	Consequence, ConsequenceDE, ConsequenceEN *field
	Operator, Country, Abroad                 *field
	Safeguard, SafeguardDE, SafeguardEN       *field
	Officer, BasisDE, BasisEN                 *field
	PeriodDE, PeriodEN                        *field
	Client, ClientKindDE, ClientKindEN        *field
}

func (n *noticeForm) fields() []*field {
	return []*field{
		n.Consequence, n.ConsequenceDE, n.ConsequenceEN, n.Operator, n.Country, n.Abroad, n.Safeguard, n.SafeguardDE, n.SafeguardEN,
		n.Officer, n.BasisDE, n.BasisEN, n.PeriodDE, n.PeriodEN, n.Client, n.ClientKindDE, n.ClientKindEN,
	}
}

// gapKeys name what can be missing in the notice.
var gapKeys = map[notice.Gap]string{
	notice.GapPeriod: "notice.gap.period", notice.GapOperator: "notice.gap.operator", notice.GapAbroad: "notice.gap.abroad",
	notice.GapSafeguard: "notice.gap.safeguard", notice.GapConsequence: "notice.gap.consequence", notice.GapOfficer: "notice.gap.officer",
}

// gaps names what is missing in the account's notice; "" for nothing.
func (f *face) gaps(v *visit) string {
	var names []string
	for _, gap := range notice.Missing(v.Account) {
		names = append(names, f.say(v, gapKeys[gap]))
	}
	if len(names) == 0 {
		return ""
	}
	return f.say(v, "notice.gaps", "Names", strings.Join(names, ", "))
}

func (f *face) noticeView(v *visit, fr frame) noticeView {
	view := noticeView{frame: fr, Form: f.noticeForm(v), Gaps: f.gaps(v), Days: v.Account.KeepFinishedDays}
	view.Seen = seen(view.Form.fields()...)
	for _, lang := range page.Languages() {
		view.Previews = append(view.Previews, noticePreview{Language: lang, Label: languageNames[lang], Content: notice.For(lang, v.Account).Content})
	}
	return view
}

// noticeForm shows what the account tells.
func (f *face) noticeForm(v *visit) noticeForm {
	n := v.Account.Notice
	line := func(name, label, hint, value string) *field {
		return &field{Name: "notice_" + name, Label: label, Hint: hint, Value: value, Optional: true, Autocomplete: "off"}
	}
	own := func(name, labelDE, labelEN string, words typus.OwnWords, rows int) (de, en *field) {
		de = &field{Name: "notice_" + name + "_de", Label: labelDE, Lang: "de", Value: words.DE, Optional: true, Rows: rows}
		en = &field{Name: "notice_" + name + "_en", Label: labelEN, Lang: "en", Value: words.EN, Optional: true, Rows: rows}
		return de, en
	}
	form := noticeForm{
		Consequence: &field{Name: "notice_consequence", Label: "notice.consequence"},
		Operator:    line("operator", "notice.operator", "notice.operatorHint", n.Operator),
		Country:     &field{Name: "notice_country", Label: "notice.country"},
		Abroad:      &field{Name: "notice_abroad", Label: "notice.abroad", Hint: "notice.abroadHint"},
		Safeguard:   &field{Name: "notice_safeguard", Label: "notice.safeguard", Hint: "notice.safeguardHint"},
		Officer:     line("officer", "notice.officer", "notice.officerHint", n.Officer),
		Client:      line("client", "notice.client", "notice.clientHint", n.Client),
	}
	form.ConsequenceDE, form.ConsequenceEN = own("consequence", "notice.consequenceDE", "notice.consequenceEN", n.ConsequenceOwn, 3)
	form.SafeguardDE, form.SafeguardEN = own("safeguard", "notice.safeguardDE", "notice.safeguardEN", n.SafeguardOwn, 2)
	form.BasisDE, form.BasisEN = own("basis", "notice.basisDE", "notice.basisEN", n.Basis, 3)
	form.PeriodDE, form.PeriodEN = own("period", "notice.periodDE", "notice.periodEN", n.Period, 2)
	form.ClientKindDE, form.ClientKindEN = own("client_kind", "notice.clientKindDE", "notice.clientKindEN", n.ClientKind, 2)
	form.ClientKindDE.Hint = "notice.clientKindHint"
	f.chooseNotice(v, &form, n)
	return form
}

// chooseNotice fills in the choices of the form.
func (f *face) chooseNotice(v *visit, form *noticeForm, n typus.NoticeFacts) {
	add := func(fd *field, chosen, value, label string) {
		fd.Options = append(fd.Options, option{Value: value, Label: label, Chosen: value == chosen})
	}
	for _, c := range []struct {
		is  typus.Consequence
		key string
	}{
		{typus.ConsequenceNone, "notice.consequenceNone"}, {typus.ConsequenceInterview, "notice.consequenceInterview"},
		{typus.ConsequenceOwn, "notice.consequenceOwn"}, {typus.ConsequenceOpen, "notice.open"},
	} {
		add(form.Consequence, string(n.Consequence), string(c.is), f.say(v, c.key, "Account", v.Account.Name))
	}
	for _, s := range []struct {
		is  typus.Safeguard
		key string
	}{
		{typus.SafeguardOpen, "notice.open"}, {typus.SafeguardAdequacy, "notice.safeguardAdequacy"},
		{typus.SafeguardClauses, "notice.safeguardClauses"}, {typus.SafeguardOwn, "notice.safeguardOwn"},
	} {
		add(form.Safeguard, string(n.Safeguard), string(s.is), f.say(v, s.key))
	}
	add(form.Country, n.Country, "", f.say(v, "notice.open"))
	add(form.Abroad, n.Abroad, "", f.say(v, "notice.open"))
	add(form.Abroad, n.Abroad, typus.AbroadNone, f.say(v, "notice.abroadNone"))
	for _, c := range notice.Countries(v.lang) {
		add(form.Country, n.Country, c.Code, c.Name(v.lang))
		if c.Region == notice.RegionThird {
			add(form.Abroad, n.Abroad, c.Code, f.say(v, "notice.abroadYes", "Country", c.Name(v.lang)))
		}
	}
}

func (f *face) notice(v *visit) error {
	return f.render(v, http.StatusOK, f.noticeView(v, f.settingsFrame(v, sectionNotice)))
}

// noticeSet stores what the account tells.
func (f *face) noticeSet(v *visit) error {
	own := func(name string) typus.OwnWords {
		return typus.OwnWords{DE: v.PostFormValue("notice_" + name + "_de"), EN: v.PostFormValue("notice_" + name + "_en")}
	}
	told := typus.NoticeFacts{
		Consequence: typus.Consequence(v.PostFormValue("notice_consequence")), ConsequenceOwn: own("consequence"),
		Operator: v.PostFormValue("notice_operator"), Country: v.PostFormValue("notice_country"), Abroad: v.PostFormValue("notice_abroad"),
		Safeguard: typus.Safeguard(v.PostFormValue("notice_safeguard")), SafeguardOwn: own("safeguard"),
		Officer: v.PostFormValue("notice_officer"), Basis: own("basis"), Period: own("period"),
		Client: v.PostFormValue("notice_client"), ClientKind: own("client_kind"),
	}
	late := false
	err := f.Accounts.Change(v.Context(), v.Account.ID, v.actor(), func(a *typus.Account) {
		v.Account = *a
		form := f.noticeForm(v)
		if late = overtaken(v, form.fields()...); !late {
			a.Notice = told
		}
	})
	if err == nil && !late {
		return f.done(v, noticePath, f.say(v, "notice.saved"))
	}
	view := f.noticeView(v, f.settingsFrame(v, sectionNotice))
	if late {
		f.compare(&view.frame, v, view.Form.fields()...)
		return f.render(v, http.StatusConflict, view)
	}
	view.Seen, view.Switch.None = v.PostFormValue(seenName), true
	fields := view.Form.fields()
	fill(v, fields...)
	if !f.blame(&view.frame, v, err, fields...) {
		return err
	}
	return f.render(v, http.StatusUnprocessableEntity, view)
}

// acknowledgedView shows the notice that a candidate has acknowledged, as it was then.
type acknowledgedView struct {
	frame
	Name string
	Ack  typus.Notice // its At is zero for a test that nobody began on the pages
	Text notice.Content
}

// Template names the page.
func (acknowledgedView) Template() string { return "acknowledged" }

func (f *face) acknowledged(v *visit, c typus.Candidate) error {
	view := acknowledgedView{frame: f.frame(v, areaCandidates), Name: c.Name}
	view.Crumbs = []crumb{f.listCrumb(v), {Name: c.Name, Path: candidatePath(c.ID)}}
	var err error
	if view.Ack, err = f.Store.Acknowledgement(v.Context(), v.Reader, c.ID); err != nil {
		return err
	}
	text, err := f.Store.NoticeText(v.Context(), v.Reader, c.ID)
	if err != nil {
		return err
	}
	view.Text = notice.Read(text)
	return f.render(v, http.StatusOK, view)
}
