package dashboard

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/clerk"
	"typus/internal/report"
	"typus/internal/store"
)

// guideView is what to ask a candidate in an interview, with what the visitor heard. It
// says nothing about the result, so that the questions are the same for everybody whom the
// role profile is meant for.
type guideView struct {
	frame
	Name  string
	Role  string // name of the role profile
	Base  string // address of the candidate's page
	Place string // address of their position
	Core  []answerView
	Parts []guidePart
	Past  []answerView // what the visitor was told in answer to questions that the guide no longer has

	Rates  bool      // the visitor rates
	ID     int64     // of the candidate
	Drawn  time.Time // when their draft was kept, zero: there is none
	Opens  bool      // saving the ratings opens the result to them
	Self   int64     // whose ratings the form holds
	Stand  string    // which of them it was filled with
	Came   string    // the Stand of a form that is shown again
	Early  bool      // the test is not completed
	Aged   int       // after so many months its result is too old, 0 if it is not, or for who is not to know
	Rated  time.Time // when they were saved, zero: not yet
	Until  time.Time // until when they can be changed
	Frozen bool

	Unsaved []unsaved // what was typed and cannot be saved

	known  map[string]report.Question // all questions by their keys, also those that are no longer asked
	taking map[string]report.Question // those of them that a form may answer
}

// Template names the page.
func (guideView) Template() string { return "guide" }

// guidePart are the questions about one dimension.
type guidePart struct {
	report.Topic
	Answers []answerView
}

// answerView is a question with what was heard.
type answerView struct {
	report.Question
	Mark  string // "1" to "5", "0": not asked or not to be judged, "": not marked yet
	Note  *field
	Other string // what was noted in another window, where that is told and differs
	Chose string // the same of the mark
	Fault string // what is wrong with the mark
	Open  bool   // it can be filled in
	Final bool   // it was saved
}

// Marks are the figures that an answer is rated with.
func (answerView) Marks() []string { return []string{"1", "2", "3", "4", "5"} }

// maxGuide bounds the form of a guide: a note of clerk.MaxNote characters for each question.
const maxGuide = 512 << 10

// Keeps reports whether the script of the page keeps what is typed with the server: not once
// it is rated, nor where a form is shown again, which the visitor is to look at first.
func (g guideView) Keeps() bool { return g.Rated.IsZero() && g.Alert == "" }

// interviews reports whether the visitor interviews: viewers only read.
func (v visitor) interviews() bool { return v.User.Role != typus.RoleViewer }

// guide shows what to ask, and what the visitor noted.
func (f *face) guide(v *visit, c typus.Candidate) error {
	view, err := f.guideView(v, c)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

func (f *face) guideView(v *visit, c typus.Candidate) (*guideView, error) {
	chosen, err := f.Store.CoreQuestions(v.Context(), v.Account.ID)
	if err != nil {
		return nil, err
	}
	guide, role := f.guideOf(v, c, chosen)
	view := &guideView{
		frame: f.frame(v, areaCandidates), Name: c.Name, Role: role,
		Base: candidatePath(c.ID), Place: positionPath(typus.Position{ID: c.PositionID}), Rates: v.interviews(), ID: c.ID, Opens: c.Withheld(), Self: v.User.ID,
		Early: c.Status != typus.StatusFinished, Aged: v.aged(c.Answered(), f.now()),
	}
	view.Crumbs = []crumb{f.listCrumb(v), {Name: c.Name, Path: candidatePath(c.ID)}}
	view.ask(guide)
	view.known = report.Known(f.test(c.Instrument), v.lang, chosen...)
	view.taking = report.Known(f.test(c.Instrument), v.lang, typus.OfPosition(chosen, c.PositionID)...)
	if !view.Rates {
		return view, nil
	}
	interviews, err := f.Store.InterviewsOf(v.Context(), v.Reader, c.ID)
	if err != nil {
		return nil, err
	}
	for _, i := range interviews {
		if i.UserID == v.User.ID && !i.RatedAt.IsZero() {
			view.Rated, view.Until, view.Frozen = i.RatedAt, i.RatedAt.Add(assess.Rethink), assess.Frozen(i.RatedAt, c.CompletedAt, f.now())
		}
	}
	ratings, err := f.Store.RatingsOf(v.Context(), v.Reader, c.ID)
	view.Stand = assess.Digest(ratings, v.User.ID)
	view.fill(slices.DeleteFunc(ratings, func(r store.Rating) bool { return r.UserID != v.User.ID }))
	if !view.Rated.IsZero() {
		view.Drawn = time.Time{}
	}
	return view, err
}

// ask puts the questions of a guide into the view.
func (g *guideView) ask(guide report.Guide) {
	answers := func(list []report.Question) []answerView {
		var all []answerView
		for _, q := range list {
			all = append(all, newAnswer(q))
		}
		return all
	}
	g.Core = answers(guide.Core)
	for _, t := range guide.Role {
		g.Parts = append(g.Parts, guidePart{t, answers(t.Questions)})
	}
}

func newAnswer(q report.Question) answerView {
	return answerView{Question: q, Note: &field{Name: "notiz-" + q.Key, Label: "guide.notes", Rows: 3, Optional: true}}
}

// answers are all answers, in the order of the questions: those of the guide, then those to
// questions that it no longer has.
func (g *guideView) answers() []*answerView {
	var all []*answerView
	for i := range g.Core {
		all = append(all, &g.Core[i])
	}
	for p := range g.Parts {
		for i := range g.Parts[p].Answers {
			all = append(all, &g.Parts[p].Answers[i])
		}
	}
	for i := range g.Past {
		all = append(all, &g.Past[i])
	}
	return all
}

// answer is the answer to a question, nil if there is none.
func (g *guideView) answer(key string) *answerView {
	for _, a := range g.answers() {
		if a.Key == key {
			return a
		}
	}
	return nil
}

// recall adds a question that the guide no longer has, because something was said in answer
// to it. A key that nobody knows is none.
func (g *guideView) recall(key string) {
	if q, known := g.known[key]; known && g.answer(key) == nil {
		a := newAnswer(q)
		a.Open = g.Rates && !g.Frozen
		g.Past = append(g.Past, a)
	}
}

// fill puts stored ratings into the answers. Those to questions that the guide no longer has
// stay what they are.
func (g *guideView) fill(ratings []store.Rating) {
	for _, r := range ratings {
		if r.Note != "" || r.Mark != nil {
			g.recall(r.Question)
			if r.SavedAt.After(g.Drawn) {
				g.Drawn = r.SavedAt
			}
		}
	}
	for _, a := range g.answers() {
		a.Open = g.Rates && !g.Frozen
		for _, r := range ratings {
			if r.Question != a.Key {
				continue
			}
			a.Final = r.Final
			if a.Note.Value = r.Note; r.Mark != nil {
				a.Mark = strconv.Itoa(*r.Mark)
			}
		}
	}
}

// rate saves the ratings of the visitor.
func (f *face) rate(v *visit, c typus.Candidate) error { return f.takeRatings(v, c, true) }

// takeRatings takes a form of ratings. Whatever is refused is shown again as it was typed.
func (f *face) takeRatings(v *visit, c typus.Candidate, final bool) error {
	path := candidatePath(c.ID) + "/leitfaden"
	if !v.interviews() {
		return f.refuse(v)
	}
	if !own(v) {
		return f.undone(v, path, f.say(v, "guide.others"))
	}
	view, err := f.guideView(v, c)
	if err != nil {
		return err
	}
	view.Came = v.PostFormValue("stand")
	ratings, sound := f.typedRatings(v, view, final)
	if view.Frozen {
		return f.renderLate(v, c, view)
	}
	alert := "guide.fault"
	if len(view.Unsaved) > 0 {
		alert = "guide.unasked"
	}
	if sound && final && !assess.Judged(ratings) {
		sound, alert = false, "guide.nothing"
	}
	if !sound {
		view.Stand = view.Came // nobody has seen what was saved since
		view.Alert, view.Switch.None = f.say(v, alert, "Fields", refused(view.Unsaved)), true
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	typed, said := assess.Ratings{List: ratings, Since: view.Came}, "guide.kept"
	if final {
		said, err = "guide.saved", f.Steps.Rate(v.Context(), v.Reader, c.ID, typed, v.actor())
	} else {
		_, err = f.Steps.KeepDraft(v.Context(), v.Reader, c.ID, typed, v.actor())
	}
	switch {
	case typus.Is(err, typus.Conflict):
		return f.renderLate(v, c, view)
	case err != nil:
		return err
	case final:
		path = candidatePath(c.ID) + draftOver
	}
	return f.done(v, path, f.say(v, said))
}

// renderLate shows what was typed again: beside what was saved in another window since the
// form was shown, or, once that is final, to be copied.
func (f *face) renderLate(v *visit, c typus.Candidate, view *guideView) error {
	saved, err := f.guideView(v, c)
	if err != nil {
		return err
	}
	if saved.Frozen {
		return f.renderFrozen(v, saved, view)
	}
	view.beside(saved)
	view.Rated, view.Until = saved.Rated, saved.Until
	view.Stand, view.Alert, view.Switch.None = saved.Stand, f.say(v, "guide.stale"), true
	return f.render(v, http.StatusUnprocessableEntity, view)
}

// beside puts what is saved beside the answers that differ from it. The questions may have
// been changed since the form was read.
func (g *guideView) beside(saved *guideView) {
	g.known = saved.known
	for _, s := range saved.answers() {
		if s.Note.Value == "" && s.Mark == "" {
			continue
		}
		g.recall(s.Key)
		if a := g.answer(s.Key); a != nil {
			var unread clerk.Faults
			if unread.Note("note", a.Note.Value) != s.Note.Value { // as it would be stored
				a.Other = s.Note.Value
			}
			if a.Mark != s.Mark {
				a.Chose = s.Mark
			}
		}
	}
}

// typedRatings reads the form into the view, and reports whether it can be kept: every
// note is one, every answer is to a question that can have been on the form, and, if it is
// final, has a mark. A form from before the questions were changed has answers to some that
// the guide no longer asks: nobody wrote them for nothing. Of those, a note wants a mark too,
// and nothing typed is no answer; what the form does not have counts if it was saved.
//
// Nobody knows any more which questions of the bank were chosen when a form was made, or when
// a browser kept a draft of it, and for how long that was: each may be answered. So may own
// questions of the candidate's position and what the visitor has answered before. Anything
// else no page of ours asks; what was typed for it is shown and not kept.
func (f *face) typedRatings(v *visit, view *guideView, final bool) ([]store.Rating, bool) {
	for _, name := range slices.Sorted(maps.Keys(v.PostForm)) {
		field, key, _ := strings.Cut(name, "-")
		if (field != "notiz" && field != "bewertung") || strings.TrimSpace(v.PostFormValue(name)) == "" || view.answer(key) != nil {
			continue
		}
		if _, asked := view.taking[key]; asked {
			view.recall(key)
		} else {
			view.refuse(f, v, name, key)
		}
	}
	var list []store.Rating
	sound := len(view.Unsaved) == 0
	past := len(view.answers()) - len(view.Past)
	for i, a := range view.answers() {
		if i >= past && !v.PostForm.Has("notiz-"+a.Key) {
			if a.Final {
				list = append(list, a.stored())
			}
			continue
		}
		noted := strings.TrimSpace(v.PostFormValue("notiz-"+a.Key)) != ""
		r := f.typedRating(v, a, final && (i < past || noted))
		sound = sound && a.Fault == "" && a.Note.Fault == ""
		if i < past || !final || r.Mark != nil {
			list = append(list, r)
		}
	}
	return list, sound
}

// typedRating reads one answer into the view; marked says that it must have a mark.
func (f *face) typedRating(v *visit, a *answerView, marked bool) store.Rating {
	a.Note.Value, a.Mark = v.PostFormValue("notiz-"+a.Key), v.PostFormValue("bewertung-"+a.Key)
	r := store.Rating{Question: a.Key}
	if strings.TrimSpace(a.Note.Value) != "" {
		var faults clerk.Faults
		if r.Note = faults.Note("note", a.Note.Value); len(faults) > 0 {
			a.Note.Fault = f.faultText(v, faults[0])
		}
	}
	mark, err := strconv.Atoi(a.Mark)
	switch {
	case err == nil && mark >= 0 && mark <= 5:
		r.Mark = &mark
	case a.Mark != "":
		a.Fault = f.say(v, "fault.invalid")
	case marked:
		a.Fault = f.say(v, "guide.unmarked")
	}
	return r
}

// stored is the answer as it is stored.
func (a answerView) stored() store.Rating {
	r := store.Rating{Question: a.Key, Note: a.Note.Value}
	if mark, err := strconv.Atoi(a.Mark); err == nil {
		r.Mark = &mark
	}
	return r
}
