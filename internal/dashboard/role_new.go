package dashboard

import (
	"net/http"
	"strconv"
	"strings"

	"typus"
	"typus/internal/clerk"
	"typus/internal/panel"
	"typus/internal/report"
)

// roleNewView is the two-minute path to an own role profile: nine questions and a signature.
type roleNewView struct {
	frame
	Base, Name, Sign *field
	Questions        []roleQuestion
}

// Template names the page.
func (roleNewView) Template() string { return "role_new" }

// roleQuestion asks how important a dimension is, or a behaviour; Start, whether somebody
// must be able to do it from day one, nil where that is not asked.
type roleQuestion struct {
	*field
	Text, About string
	Start       *field
}

func (r roleNewView) fields() []*field {
	fields := []*field{r.Base, r.Name}
	for _, q := range r.Questions {
		fields = append(fields, q.field)
	}
	return append(fields, r.Sign)
}

// importanceTexts ask how important a dimension is.
var importanceTexts = map[string]string{
	"achievement_drive":    "roles.new.question.achievement_drive",
	"contact_initiative":   "roles.new.question.contact_initiative",
	"assertiveness":        "roles.new.question.assertiveness",
	"resilience":           "roles.new.question.resilience",
	"adaptability":         "roles.new.question.adaptability",
	"customer_orientation": "roles.new.question.customer_orientation",
	"self_organization":    "roles.new.question.self_organization",
	"learning_orientation": "roles.new.question.learning_orientation",
	"integrity":            "roles.new.question.integrity",
}

// importanceOptions are the five steps, with words at both ends and in the middle.
func (f *face) importanceOptions(v *visit) []option {
	words := map[int]string{1: "experts.scale1", 3: "experts.scale3", panel.Most: "experts.scale5"}
	var options []option
	for n := 1; n <= panel.Most; n++ {
		o := option{Value: strconv.Itoa(n), Label: strconv.Itoa(n)}
		if key := words[n]; key != "" {
			o.Hint = f.say(v, key)
		}
		options = append(options, o)
	}
	return options
}

func (f *face) roleNewView(v *visit, fr frame, base string) roleNewView {
	view := roleNewView{
		frame: fr,
		Base:  &field{Name: "base", Label: "roles.new.base", Hint: "roles.new.baseHint"},
		Name:  &field{Name: "name", Label: "roles.name", Hint: "roles.nameHint"},
		Sign:  &field{Name: "sign", Label: "roles.new.sign", Type: "checkbox"},
	}
	for _, r := range f.Instrument.Roles() {
		view.Base.Options = append(view.Base.Options, option{Value: r.Key, Label: f.Instrument.RoleName(v.lang, r.Key), Chosen: r.Key == base})
	}
	for _, t := range report.Bank(f.Instrument, v.lang) {
		about, _, _ := strings.Cut(t.About, ". ") // what follows is about reports
		label := importanceTexts[t.Key]
		view.Questions = append(view.Questions, roleQuestion{
			&field{Name: "importance_" + t.Key, Label: label, Options: f.importanceOptions(v)}, f.say(v, label), about, nil,
		})
	}
	return view
}

func (f *face) newRole(v *visit) error {
	return f.render(v, http.StatusOK, f.roleNewView(v, f.roleFrame(v), v.URL.Query().Get("aus")))
}

// addRole signs an own role profile on one person's word.
func (f *face) addRole(v *visit) error {
	view := f.roleNewView(v, f.roleFrame(v), "")
	fill(v, view.fields()...)
	importance := map[string]int{}
	for _, key := range f.Instrument.Dimensions() {
		importance[key] = number(v, "importance_"+key, 0)
	}
	id, err := f.Accounts.AddRole(v.Context(), v.Account.ID, view.Base.Value, view.Name.Value, importance, view.Sign.Checked, v.actor())
	if before, again := clerk.SentBefore(err); again {
		id, err = before, nil
	}
	if err != nil {
		if !f.blame(&view.frame, v, err, view.fields()...) {
			return err
		}
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	return f.done(v, rolePath(typus.RoleProfile{ID: id}.Key()), f.say(v, "roles.signed", "Version", 1))
}
