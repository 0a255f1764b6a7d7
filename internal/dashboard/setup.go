package dashboard

import (
	"net/http"
	"strconv"

	"typus"
	"typus/internal/access"
)

// foundView makes an account and its owner: the first one of the server, or one
// of whoever signs up.
type foundView struct {
	frame
	First                          bool
	Token                          string // of the set-up
	Action                         string
	Company, Language, Name, Email field
	Keep, Password                 field
	Zone                           string // of the browser, which a script fills in
}

// Template names the page.
func (foundView) Template() string { return "found" }

func (f *face) foundView(v *visit) foundView {
	view := foundView{
		frame:    f.frame(v, ""),
		Company:  field{Name: "company", Label: "access.company", Autocomplete: "organization"},
		Language: field{Name: "language", Label: "access.language", Hint: "access.languageHint"},
		Name:     field{Name: "name", Label: "access.name", Autocomplete: "name", Optional: true},
		Email:    field{Name: "email", Label: "access.email", Hint: "access.emailHint", Type: "email", Autocomplete: "username"},
		Password: newPasswordField("password"),
		Keep:     newKeepField(),
		Zone:     v.PostFormValue(zoneName),
	}
	view.Me = nil
	view.Language.Options = f.languageOptions(v, v.lang)
	return view
}

// zoneName is the field of a zone, in every form that has one.
const zoneName = "zone"

// newKeepField asks for how long a new account keeps results.
func newKeepField() field {
	return field{
		Name: "keep_finished_days", Label: "account.keepFinished", Hint: "access.keepHint", Type: "number", Value: strconv.Itoa(typus.NewKeepFinishedDays),
		Min: "0", Max: "3650", InputMode: "numeric", Autocomplete: "off",
	}
}

// languageNames are the texts that name the languages of all pages.
var languageNames = map[string]string{"de": "access.german", "en": "access.english"}

func (view *foundView) fields() []*field {
	return []*field{&view.Company, &view.Language, &view.Name, &view.Email, &view.Password, &view.Keep}
}

// founding reads the form.
func founding(v *visit) access.Founding {
	return access.Founding{
		Company: v.PostFormValue("company"), Language: v.PostFormValue("language"), Zone: typus.Zone(v.PostFormValue(zoneName)), Name: v.PostFormValue("name"),
		Email: v.PostFormValue("email"), Password: v.PostFormValue("password"),
		KeepDays: number(v, "keep_finished_days", typus.NewKeepFinishedDays),
	}
}

func (f *face) setupView(v *visit) foundView {
	view := f.foundView(v)
	view.First, view.Token, view.Action = true, v.FormValue("token"), setUpPath
	return view
}

// setupPage is open to whoever has the token that the server has printed, as long as
// there is no account.
func (f *face) setupPage(v *visit) error {
	if err := f.Access.SetUpOpen(v.Context(), v.FormValue("token")); err != nil {
		return f.noSetup(v, err)
	}
	view := f.setupView(v)
	view.Switch.Action = "" // a link keeps the token in the address
	return f.render(v, http.StatusOK, view)
}

// noSetupView says why nothing can be set up here.
type noSetupView struct{ frame }

// Template names the page.
func (noSetupView) Template() string { return "no_setup" }

func (f *face) noSetup(v *visit, err error) error {
	if !typus.Is(err, typus.NotFound) {
		return err
	}
	view := noSetupView{f.frame(v, "")}
	view.Me, view.Switch.None = nil, v.Method != http.MethodGet
	return f.render(v, http.StatusNotFound, view)
}

func (f *face) setup(v *visit) error {
	first, credits := f.firstAccount(v)
	in, err := f.Access.SetUp(v.Context(), v.FormValue("token"), first, credits, f.device(v))
	if err == nil {
		if err := f.begin(v, in); err != nil {
			return err
		}
		return f.goOn(v, welcomePath)
	}
	view := f.setupView(v)
	fill(v, view.fields()...)
	view.Switch.None = true
	if !f.blamePassword(&view.frame, v, err, &view.Password, &view.Company, &view.Language, &view.Name, &view.Email, &view.Keep) {
		return f.noSetup(v, err)
	}
	return f.render(v, http.StatusUnprocessableEntity, view)
}

// firstAccount is the account that the set-up makes, and its credits. If nobody can
// sign up on a server, its operator runs it for themselves and should not meet a limit
// that they did not ask for.
func (f *face) firstAccount(v *visit) (access.Founding, int64) {
	first := founding(v)
	if f.SignUp {
		return first, f.StarterCredits
	}
	first.Plan = typus.PlanBusiness
	return first, 0
}

// welcomeView says what to do first in a new account.
type welcomeView struct {
	frame
	BaseURL string
	Mail    bool
}

// Template names the page.
func (welcomeView) Template() string { return "welcome" }

func (f *face) welcome(v *visit) error {
	return f.render(v, http.StatusOK, welcomeView{f.frame(v, ""), f.BaseURL, f.Mail})
}
