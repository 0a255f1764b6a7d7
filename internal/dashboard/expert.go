package dashboard

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/clerk"
	"typus/internal/page"
	"typus/internal/panel"
	"typus/internal/store"
)

// expertView asks an expert how important each behaviour is.
type expertView struct {
	frame
	Account, Profile, AskedBy string
	Until                     time.Time
	Months                    int // that the name is kept
	Statements                []roleQuestion
	Action                    string
}

// Template names the page.
func (expertView) Template() string { return "expert" }

// expertTexts are the statements.
var expertTexts = map[string]string{
	"ad1": "experts.ad1", "ad2": "experts.ad2", "ad3": "experts.ad3", "ci1": "experts.ci1", "ci2": "experts.ci2", "ci3": "experts.ci3",
	"as1": "experts.as1", "as2": "experts.as2", "as3": "experts.as3", "re1": "experts.re1", "re2": "experts.re2", "re3": "experts.re3",
	"ap1": "experts.ap1", "ap2": "experts.ap2", "ap3": "experts.ap3", "co1": "experts.co1", "co2": "experts.co2", "co3": "experts.co3",
	"so1": "experts.so1", "so2": "experts.so2", "so3": "experts.so3", "lo1": "experts.lo1", "lo2": "experts.lo2", "lo3": "experts.lo3",
	"in1": "experts.in1", "in2": "experts.in2", "in3": "experts.in3",
}

// statementKeys are the statements in the order in which they are asked: no two beside
// each other are about one dimension.
func (f *face) statementKeys() []string {
	var keys []string
	for n := range 3 {
		for _, dimension := range f.Instrument.Dimensions() {
			keys = append(keys, panel.Statements(dimension)[n])
		}
	}
	return keys
}

func (f *face) expertView(v *visit, fr frame, asked store.AskedExpert) expertView {
	fr.Me, fr.Brand, fr.Times.Zone = nil, asked.Account, asked.Zone.Location()
	view := expertView{
		frame: fr, Account: asked.Account, Profile: asked.Profile, AskedBy: asked.Round.AskedBy, Until: asked.Round.ExpiresAt, Months: accounts.ExpertsNamed,
	}
	for i, key := range f.statementKeys() {
		options := append(f.importanceOptions(v), option{Value: "0", Label: f.say(v, "experts.cannot")})
		text := f.say(v, "experts.statement", "Number", i+1, "Text", f.say(v, expertTexts[key]))
		view.Statements = append(view.Statements, roleQuestion{
			&field{Name: key, Label: expertTexts[key], Options: options}, text, "",
			&field{Name: "start_" + key, Label: "experts.start", Type: "checkbox"},
		})
	}
	return view
}

// asExpert calls h for the expert of a link, in their language. Whoever comes without one
// gets the page of useless links, and has to wait longer each time.
func (f *face) asExpert(h func(v *visit, asked store.AskedExpert) error) handler {
	return func(v *visit) error {
		asked, err := f.Accounts.Asked(v.Context(), v.PathValue("token"))
		if typus.Is(err, typus.NotFound) && v.Method == http.MethodPost {
			if err := f.Accounts.TryExpert(v.Context(), v.actor()); err != nil {
				return err
			}
		}
		if err != nil {
			return f.orDeadLink(v, err)
		}
		spoken := *v
		spoken.lang = page.Language(v.Request, "", asked.Expert.Language)
		if asked.Idle && asked.Expert.AnsweredAt.IsZero() {
			return f.expertDone(&spoken, http.StatusForbidden, asked, "experts.suspended.heading", "experts.suspended.advice")
		}
		return h(&spoken, asked)
	}
}

func (f *face) expert(v *visit, asked store.AskedExpert) error {
	switch {
	case !asked.Expert.AnsweredAt.IsZero():
		return f.expertDone(v, http.StatusOK, asked, "experts.done.heading", "experts.done.advice")
	case !asked.Round.Open(f.now()):
		return f.expertDone(v, http.StatusGone, asked, "experts.over.heading", "experts.over.advice")
	}
	view := f.expertView(v, f.frame(v, ""), asked)
	view.Action = f.expertPath(v)
	return f.render(v, http.StatusOK, view)
}

// expertPath is the page of an expert, in the language that its address asks for, if any.
func (f *face) expertPath(v *visit) string {
	path := typus.GuestLinks{}.Expert(v.PathValue("token"))
	if v.URL.Query().Has("lang") {
		path += "?lang=" + v.lang
	}
	return path
}

func (f *face) expertDone(v *visit, status int, asked store.AskedExpert, heading, advice string) error {
	fr := f.frame(v, "")
	fr.Me, fr.Brand, fr.Switch.None = nil, asked.Account, v.Method != http.MethodGet
	return f.render(v, status, expertDoneView{fr, heading, advice})
}

// expertDoneView says that there is nothing to answer, or nothing any more.
type expertDoneView struct {
	frame
	Heading, Advice string // text keys
}

// Template names the page.
func (expertDoneView) Template() string { return "expert_done" }

// answerAsExpert stores what an expert answers, once.
func (f *face) answerAsExpert(v *visit, asked store.AskedExpert) error {
	if v.PostForm.Has(page.OnlyLanguage) {
		return f.answerAgain(v, asked, nil)
	}
	answers := map[string]typus.RoleAnswer{}
	for _, key := range f.statementKeys() {
		if n, err := strconv.Atoi(v.PostFormValue(key)); err == nil {
			answers[key] = typus.RoleAnswer{Importance: n, FromStart: v.PostFormValue("start_"+key) != ""}
		}
	}
	err := f.Accounts.AnswerAsExpert(v.Context(), v.PathValue("token"), answers)
	switch {
	case err == nil:
		return f.goOn(v, f.expertPath(v))
	case typus.Is(err, typus.Conflict):
		return f.expertDone(v, http.StatusConflict, asked, "experts.used.heading", "experts.used.advice")
	case typus.Is(err, typus.Gone):
		return f.expertDone(v, http.StatusGone, asked, "experts.over.heading", "experts.over.advice")
	}
	return f.answerAgain(v, asked, err)
}

// answerAgain shows the form with what was typed and what is missing, nil: nothing, only the
// language is another one. Its switch takes along what was typed.
func (f *face) answerAgain(v *visit, asked store.AskedExpert, wrong error) error {
	view := f.expertView(v, f.frame(v, ""), asked)
	view.Action, view.Switch.Form = f.expertPath(v), "antworten"
	var fields []*field
	for _, s := range view.Statements {
		fill(v, s.Start)
		fields = append(fields, s.field)
	}
	fill(v, fields...)
	if wrong == nil {
		return f.render(v, http.StatusOK, view)
	}
	if !f.blame(&view.frame, v, wrong, fields...) {
		return wrong
	}
	for _, fd := range fields {
		if fd.Fault != "" {
			fd.Fault = f.say(v, "experts.fault")
		}
	}
	view.Alert = f.say(v, "experts.open", "Open", len(view.Faults))
	if len(view.Faults) > 3 {
		view.Faults = view.Faults[:3]
	}
	return f.render(v, http.StatusUnprocessableEntity, view)
}

// roleAskView asks for the experts of a round.
type roleAskView struct {
	frame
	roleRow
	Base, Called *field // of a profile that is still to be made; nil for one that is there
	Experts      []expertFields
	Months       int
	Action       string
}

// Template names the page.
func (roleAskView) Template() string { return "role_ask" }

// expertFields are those of one expert.
type expertFields struct {
	N          int
	Name, Task *field
}

func (r roleAskView) fields() []*field {
	var fields []*field
	if r.Base != nil {
		fields = append(fields, r.Base, r.Called)
	}
	for _, e := range r.Experts {
		fields = append(fields, e.Name, e.Task)
	}
	return fields
}

// roleAskView is the form for an own profile, or with a nil one for one that is still to
// be made.
func (f *face) roleAskView(v *visit, fr frame, p *typus.RoleProfile, base string) roleAskView {
	view := roleAskView{frame: fr, Months: accounts.ExpertsNamed, Action: roleAskPath}
	if p != nil {
		view.roleRow, view.Action = ownRoleRow(*p), roundPath(p.Key())
		view.Crumbs = append(view.Crumbs, crumb{Name: view.Name, Path: view.Path})
	} else {
		start := f.roleNewView(v, fr, base)
		view.Base, view.Called = start.Base, start.Name
	}
	for n := 1; n <= panel.Largest; n++ {
		view.Experts = append(view.Experts, expertFields{
			n,
			&field{Name: fmt.Sprint("expert_", n), Label: "roles.ask.name", Of: f.say(v, "roles.ask.number", "Number", n), Autocomplete: "off", Optional: n > panel.Fewest},
			&field{Name: fmt.Sprint("task_", n), Label: "roles.ask.task", Of: f.say(v, "roles.ask.number", "Number", n), Autocomplete: "off", Optional: true},
		})
	}
	return view
}

func typedExperts(v *visit) []accounts.Expert {
	var list []accounts.Expert
	for n := 1; n <= panel.Largest; n++ {
		list = append(list, accounts.Expert{Name: v.PostFormValue(fmt.Sprint("expert_", n)), Task: v.PostFormValue(fmt.Sprint("task_", n))})
	}
	return list
}

// askAnew asks experts about a profile that is still to be made.
func (f *face) askAnew(v *visit) error {
	return f.render(v, http.StatusOK, f.roleAskView(v, f.roleFrame(v), nil, v.URL.Query().Get("aus")))
}

func (f *face) beginRole(v *visit) error {
	id, err := f.Accounts.BeginRole(v.Context(), v.Account.ID, v.PostFormValue("base"), v.PostFormValue("name"), typedExperts(v), v.lang, v.actor())
	if before, again := clerk.SentBefore(err); again {
		id, err = before, nil
	}
	if err != nil {
		return f.unasked(v, f.roleAskView(v, f.roleFrame(v), nil, ""), err)
	}
	return f.done(v, roundPath(typus.RoleProfile{ID: id}.Key()), f.say(v, "roles.asked"))
}

func (f *face) unasked(v *visit, view roleAskView, wrong error) error {
	fill(v, view.fields()...)
	if !f.blame(&view.frame, v, wrong, view.fields()...) {
		return wrong
	}
	return f.render(v, http.StatusUnprocessableEntity, view)
}
