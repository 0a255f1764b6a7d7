package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"typus"
	"typus/internal/report"
)

// coreView lets the team choose what everybody of a position is asked.
type coreView struct {
	frame
	Path   string // of the position
	Name   string
	Bank   *field // all questions of the bank
	Own    []ownForm
	Chosen int  // questions, as they are stored
	Stock  bool // they are those that we propose

	bank []report.Topic
}

// Template names the page.
func (coreView) Template() string { return "core" }

// ownForm is the form of an own question.
type ownForm struct {
	N                                          int
	AskDE, HighDE, LowDE, AskEN, HighEN, LowEN *field
}

func (o ownForm) fields() []*field {
	return []*field{o.AskDE, o.HighDE, o.LowDE, o.AskEN, o.HighEN, o.LowEN}
}

// Open reports whether there is something to see in the form.
func (o ownForm) Open() bool {
	return slices.ContainsFunc(o.fields(), func(fd *field) bool { return fd.Value != "" || fd.Fault != "" })
}

// corePart are the questions of the bank about one dimension.
type corePart struct {
	report.Topic
	Choices []coreChoice
	Chosen  int
	Open    bool
}

// coreChoice is a question of the bank that may be chosen.
type coreChoice struct {
	report.Question
	ID     string // of its checkbox
	First  bool   // has the focus when the page opens
	Chosen bool
}

// Parts are the questions of the bank as the form shows them.
func (c coreView) Parts() []corePart {
	var parts []corePart
	first := true // a fault leads to it
	for _, t := range c.bank {
		part := corePart{Topic: t}
		for _, q := range t.Questions {
			choice := coreChoice{Question: q, ID: c.Bank.Name + "-" + q.Key, Chosen: c.Bank.chose(q.Key)}
			if first {
				choice.ID, choice.First, first = c.Bank.Name, c.Bank.First, false
			}
			if choice.Chosen {
				part.Chosen++
			}
			part.Choices = append(part.Choices, choice)
		}
		part.Open = part.Chosen > 0 || len(parts) == 0 && c.Bank.Fault != ""
		parts = append(parts, part)
	}
	return parts
}

func (c coreView) fields() []*field {
	fields := []*field{c.Bank}
	for _, o := range c.Own {
		fields = append(fields, o.fields()...)
	}
	return fields
}

// maxCoreForm bounds the form: eight own questions with six texts each.
const maxCoreForm = 256 << 10

// coreView shows the questions that are asked now.
func (f *face) coreView(v *visit, fr frame, p typus.Position, core []typus.CoreQuestion) coreView {
	view := coreView{
		frame: fr, Path: positionPath(p), Name: f.positionName(v, p), Stock: len(core) == 0, bank: report.Bank(f.Instrument, v.lang),
		Bank: &field{Name: "core", Label: "core.bank", Many: true},
	}
	core = report.CoreOr(core)
	view.Chosen = len(core)
	for _, t := range view.bank {
		for _, q := range t.Questions {
			chosen := slices.ContainsFunc(core, func(c typus.CoreQuestion) bool { return c.Key == q.Key })
			view.Bank.Options = append(view.Bank.Options, option{Value: q.Key, Label: q.Ask, Chosen: chosen})
		}
	}
	own := slices.DeleteFunc(slices.Clone(core), func(c typus.CoreQuestion) bool { return !c.Own() })
	for n := 1; n <= typus.MaxCore; n++ {
		stored := typus.CoreQuestion{}
		if n <= len(own) {
			stored = own[n-1]
		}
		view.Own = append(view.Own, newOwnForm(n, stored))
	}
	view.Seen = seen(view.fields()...)
	return view
}

func newOwnForm(n int, q typus.CoreQuestion) ownForm {
	area := func(name, label, lang, value string) *field {
		return &field{Name: fmt.Sprint(name, n), Label: label, Lang: lang, Value: value, Rows: 2, Optional: true}
	}
	return ownForm{
		N: n, AskDE: area("ask_de_", "core.ask.de", "de", q.Ask.DE), AskEN: area("ask_en_", "core.ask.en", "en", q.Ask.EN),
		HighDE: area("high_de_", "core.high.de", "de", q.High.DE), HighEN: area("high_en_", "core.high.en", "en", q.High.EN),
		LowDE: area("low_de_", "core.low.de", "de", q.Low.DE), LowEN: area("low_en_", "core.low.en", "en", q.Low.EN),
	}
}

func (f *face) core(v *visit, p typus.Position) error {
	core, err := f.coreOf(v, p)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, f.coreView(v, f.positionFrame(v, p), p, core))
}

func (f *face) coreOf(v *visit, p typus.Position) ([]typus.CoreQuestion, error) {
	all, err := f.Store.CoreQuestions(v.Context(), v.Account.ID)
	return typus.CoreOf(all, p.ID), err
}

// setCore stores what everybody is asked.
func (f *face) setCore(v *visit, p typus.Position) error {
	closeRanks(v.PostForm)
	var late *coreView
	err := f.Accounts.ChangeCore(v.Context(), v.Reader, p.ID, v.actor(), func(now []typus.CoreQuestion) ([]typus.CoreQuestion, bool) {
		late = nil
		if view := f.coreView(v, f.positionFrame(v, p), p, now); overtaken(v, view.fields()...) {
			late = &view
		}
		if v.PostForm.Has("proposed") {
			return report.CoreOr(nil), late == nil
		}
		return typedCore(v.PostForm), late == nil
	})
	switch {
	case err != nil:
		core, stored := f.coreOf(v, p)
		if stored != nil {
			return stored
		}
		view := f.coreView(v, f.positionFrame(v, p), p, core)
		view.Seen, view.Switch.None = v.PostFormValue(seenName), true // stored since: nobody has seen it
		fill(v, view.fields()...)
		if !f.blame(&view.frame, v, err, view.fields()...) {
			return err
		}
		return f.render(v, http.StatusUnprocessableEntity, view)
	case late != nil:
		f.compare(&late.frame, v, late.fields()...)
		return f.render(v, http.StatusConflict, *late)
	}
	return f.done(v, positionPath(p)+"/fragen", f.say(v, "core.saved"))
}

// ownParts are the fields of an own question, by how their names begin.
var ownParts = []string{"ask_de_", "high_de_", "low_de_", "ask_en_", "high_en_", "low_en_"}

// closeRanks moves own questions up where others were emptied, so that the n-th question
// has the n-th fields.
func closeRanks(form url.Values) {
	to := 1
	for n := 1; n <= typus.MaxCore; n++ {
		var texts []string
		for _, part := range ownParts {
			texts = append(texts, form.Get(fmt.Sprint(part, n)))
			form.Del(fmt.Sprint(part, n))
		}
		if strings.TrimSpace(strings.Join(texts, "")) == "" {
			continue
		}
		for i, part := range ownParts {
			form.Set(fmt.Sprint(part, to), texts[i])
		}
		to++
	}
}

// typedCore are the questions that the form chooses.
func typedCore(form url.Values) []typus.CoreQuestion {
	var list []typus.CoreQuestion
	for _, key := range form["core"] {
		list = append(list, typus.CoreQuestion{Key: key})
	}
	for n := 1; n <= typus.MaxCore; n++ {
		typed := func(what string) typus.OwnWords {
			return typus.OwnWords{DE: form.Get(fmt.Sprint(what, "_de_", n)), EN: form.Get(fmt.Sprint(what, "_en_", n))}
		}
		if q := (typus.CoreQuestion{Ask: typed("ask"), High: typed("high"), Low: typed("low")}); q.Own() {
			list = append(list, q)
		}
	}
	return list
}

// coreInWords says how many questions there are by now. None are chosen where the proposal
// is taken again.
func (f *face) coreInWords(v *visit, detail string) string {
	all, own, two := strings.Cut(detail, " ")
	if !two {
		return ""
	}
	if all == "0" {
		return f.say(v, "core.audit.proposal")
	}
	return f.say(v, "core.audit.detail", "All", all, "Own", own)
}
