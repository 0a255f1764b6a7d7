package dashboard

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"typus"
	"typus/internal/assess"
	"typus/internal/report"
	"typus/internal/store"
)

// decisionView is what the team decided about a candidate, with the form for another
// entry.
type decisionView struct {
	Stage     string            // the present one, in words
	Entries   []report.Decision // newest first
	Elsewhere bool              // decisions are kept in another system
	Form      *decisionForm     // nil for who may not decide

	Correction bool // the candidate asks to have something corrected, and nobody has answered
}

// decisionForm asks for an entry.
type decisionForm struct {
	Action  string
	Nonce   string
	Last    int64 // the newest entry that the visitor sees, 0 for none
	Stage   *field
	Reasons *field
	Sources *field
	Text    *field
}

// maxDecision bounds the form of a decision: a text that is far too long is still shown
// again.
const maxDecision = 256 << 10

// addDecisions adds what was decided. Interviewers neither decide nor see it, and whoever
// is still to rate is not to be led by it.
func (f *face) addDecisions(v *visit, row store.CandidateRow, about store.Dossier, view *candidateView) {
	if view.Blind || !v.may(viewer) || v.Account.DecidesElsewhere && row.Stage == "" {
		return
	}
	d := &decisionView{Elsewhere: v.Account.DecidesElsewhere, Stage: report.StageName(typus.StageNew, v.lang)}
	var last int64
	for _, e := range about.Decisions {
		d.Entries = append(d.Entries, report.DecisionOf(e, v.lang))
		d.Stage, last = d.Entries[0].Stage, about.Decisions[0].ID
	}
	if v.may(member) && !d.Elsewhere {
		d.Form = newDecisionForm(v.lang, row.Status == typus.StatusFinished)
		d.Form.Action, d.Form.Nonce, d.Form.Last = view.Base+"/entscheidung", view.Nonce, last
	}
	view.Decision = d
}

// newDecisionForm is an empty form; tested says that there is a result.
func newDecisionForm(lang string, tested bool) *decisionForm {
	form := &decisionForm{
		Stage:   &field{Name: "stage", Label: "decision.stage"},
		Reasons: &field{Name: "reasons", Label: "decision.reasons", Hint: "decision.reasonsHint"},
		Sources: &field{Name: "sources", Label: "decision.sources", Hint: "decision.sourcesHint"},
		Text:    &field{Name: "text", Label: "decision.text", Hint: "decision.textHint", Rows: 3, Optional: true},
	}
	for _, s := range typus.Stages() {
		form.Stage.Options = append(form.Stage.Options, option{Value: string(s), Label: report.StageName(s, lang)})
	}
	for _, r := range typus.Reasons() {
		form.Reasons.Options = append(form.Reasons.Options, option{Value: string(r), Label: report.ReasonName(r, lang)})
	}
	for _, s := range typus.Sources() {
		if s != typus.SourceTest || tested {
			form.Sources.Options = append(form.Sources.Options, option{Value: string(s), Label: report.SourceName(s, lang)})
		}
	}
	return form
}

// fields are those of the form in their order.
func (form *decisionForm) fields() []*field {
	return []*field{form.Stage, form.Reasons, form.Sources, form.Text}
}

// fill puts what was typed into the form.
func (form *decisionForm) fill(v *visit) {
	for _, fd := range []*field{form.Stage, form.Reasons, form.Sources} {
		for i, o := range fd.Options {
			fd.Options[i].Chosen = slices.Contains(v.PostForm[fd.Name], o.Value)
		}
	}
	form.Text.Value = v.PostFormValue(form.Text.Name)
}

// typedDecision is what the form holds.
func typedDecision(v *visit) typus.Decision {
	d := typus.Decision{Stage: typus.Stage(v.PostFormValue("stage")), Text: v.PostFormValue("text")}
	for _, r := range v.PostForm["reasons"] {
		d.Reasons = append(d.Reasons, typus.Reason(r))
	}
	for _, s := range v.PostForm["sources"] {
		d.Sources = append(d.Sources, typus.Source(s))
	}
	return d
}

// decide keeps what the visitor decided. What cannot be kept stays in the form.
func (f *face) decide(v *visit, c typus.Candidate) error {
	if v.Account.DecidesElsewhere {
		return f.undone(v, candidatePath(c.ID), f.say(v, "decision.isElsewhere"))
	}
	d, last := typedDecision(v), lastSeen(v.PostFormValue("last"))
	d.CandidateID = c.ID
	err := f.Steps.Decide(v.Context(), v.Reader, d, last, v.actor())
	if sent, err := f.sentBefore(v, err, to(candidatePath(c.ID))); sent {
		return err
	}
	switch {
	case err == nil:
		return f.done(v, candidatePath(c.ID), f.say(v, "decision.kept", "Stage", report.StageName(d.Stage, v.lang)))
	case typus.Is(err, typus.Invalid):
		return f.decideAgain(v, c, http.StatusUnprocessableEntity, func(view *candidateView, form *decisionForm) {
			f.blame(&view.frame, v, err, form.fields()...)
		})
	case hindered(err, assess.ObstacleDecided):
		return f.decideAgain(v, c, http.StatusConflict, func(view *candidateView, _ *decisionForm) {
			view.alert(f.say(v, "decision.since"))
		})
	}
	return err
}

// lastSeen is the id of the newest entry that a form has seen; of what is no id, none.
func lastSeen(typed string) int64 {
	id, err := strconv.ParseInt(typed, 10, 64)
	if err != nil {
		return -1
	}
	return id
}

// hindered reports whether an error says that this is why something was not done.
func hindered(err error, why assess.Obstacle) bool {
	own, ok := errors.AsType[*typus.Error](err)
	return ok && own.Kind == typus.Conflict && len(own.Fields) > 0 && own.Fields[0].Code == string(why)
}

// decideAgain shows the page with what was typed. It knows the newest entry by now, so that
// sending the form again is meant.
func (f *face) decideAgain(v *visit, c typus.Candidate, status int, mend func(*candidateView, *decisionForm)) error {
	return f.againAs(v, c, status, func(view *candidateView) {
		if view.Decision == nil || view.Decision.Form == nil {
			return
		}
		view.Decision.Form.fill(v)
		mend(view, view.Decision.Form)
	})
}

// withDecisions is the timeline with what was decided.
func (f *face) withDecisions(v *visit, view *candidateView) []event {
	if view.Decision == nil {
		return view.Timeline
	}
	list := view.Timeline
	for _, d := range view.Decision.Entries {
		list = append(list, event{At: d.At, Text: f.say(v, "decision.event", "Stage", d.Stage, "Actor", d.By)})
	}
	slices.SortStableFunc(list, func(a, b event) int { return b.At.Compare(a.At) })
	return list
}
