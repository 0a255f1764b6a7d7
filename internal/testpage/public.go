package testpage

import (
	"errors"
	"net/http"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/notice"
	"typus/internal/page"
	"typus/internal/web"
)

// publicVisit is a request to a public link that exists.
type publicVisit struct {
	assess.PublicLink
	token string
	lang  string
}

// base is the address of the link.
func (v publicVisit) base() string { return typus.GuestLinks{}.Public(v.token) }

// public calls h for a public link that exists. All that lead nowhere get the same page after
// the same work, whatever the token looks like.
func (f *face) public(h func(w http.ResponseWriter, r *http.Request, v publicVisit) error) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		token := r.PathValue("token")
		link, err := f.steps.PublicLink(r.Context(), token)
		if typus.Is(err, typus.NotFound) {
			return f.unknown(w, r)
		}
		if err != nil {
			return err
		}
		return h(w, r, publicVisit{link, token, page.PersonsLanguage(r, "", link.Account.Language)})
	}
}

// publicFrame is what the pages below a base show besides their content. They have no Base of
// a test: there is none yet.
func publicFrame(r *http.Request, base string, account typus.Account) frame {
	return frame{
		Frame: page.Frame{
			Brand: account.Name, Logo: logoPath(base, account), LogoDark: darkPath(logoPath(base, account)), Accent: accentPath(account.Accent), World: account.IsWorld(), Times: page.TimesOf(account),
			Switch: page.Switch{None: r.Method == http.MethodPost},
		},
		Account: account.Name, Contact: account.ContactEmail,
	}
}

// enrolView asks whoever opens a public link for name and address, below the notice.
type enrolView struct {
	frame
	Title       string // of the test
	Items       int
	Notice      notice.Notice
	Action      string
	Name, Email enrolField
	Wait        int // minutes until another try, 0 for none
}

// Template names the page.
func (enrolView) Template() string { return "enrol" }

// enrolField is a field with what was typed.
type enrolField struct {
	Name, Type, Autocomplete string
	Label, Fault             string // text keys; no Fault: nothing is wrong
	Value                    string
}

func (f *face) enrolView(r *http.Request, v publicVisit) enrolView {
	return enrolView{
		frame: publicFrame(r, v.base(), v.Account), Title: v.Instrument.Title(v.lang), Items: len(v.Instrument.Items()),
		Notice: notice.For(v.lang, v.Account), Action: v.base() + "?lang=" + v.lang,
		Name:  enrolField{Name: "name", Type: "text", Autocomplete: "name", Label: "enrol.name"},
		Email: enrolField{Name: "email", Type: "email", Autocomplete: "email", Label: "enrol.email"},
	}
}

func (f *face) enrolPage(w http.ResponseWriter, r *http.Request, v publicVisit) error {
	if stand := f.standOf(v); stand != typus.PublicOpen {
		return f.shut(w, r, v, stand)
	}
	return f.pages.Render(w, http.StatusOK, v.lang, f.enrolView(r, v))
}

// enrol takes name and address. Its answer is the same whoever is known by the address.
func (f *face) enrol(w http.ResponseWriter, r *http.Request, v publicVisit) error {
	if !f.mails(v.Account) {
		return f.shut(w, r, v, publicUnsent)
	}
	typed := typus.Enrolment{Name: r.PostFormValue("name"), Email: r.PostFormValue("email"), Language: v.lang}
	err := f.steps.Enrol(r.Context(), v.token, typed, web.ClientIP(r.Context()))
	if err == nil {
		http.Redirect(w, r, v.base()+"/gesendet?lang="+v.lang, http.StatusSeeOther)
		return nil
	}
	if stand := assess.Shut(err); stand != "" {
		return f.shut(w, r, v, stand)
	}
	view := f.enrolView(r, v)
	view.Fault, view.Name.Value, view.Email.Value = true, typed.Name, typed.Email
	switch {
	case typus.Is(err, typus.TooMany):
		view.Wait = minutes(err)
		return f.pages.Render(w, http.StatusTooManyRequests, v.lang, view)
	case typus.Is(err, typus.Invalid):
		view.blame(err)
		return f.pages.Render(w, http.StatusUnprocessableEntity, v.lang, view)
	}
	return err
}

// enrolFaults are the text keys for what is wrong with a field, by its name and the code.
var enrolFaults = map[string]string{
	"name " + typus.CodeRequired: "enrol.fault.name", "name " + typus.CodeTooLong: "enrol.fault.nameLong", "name " + typus.CodeInvalid: "enrol.fault.nameInvisible",
	"email " + typus.CodeRequired: "enrol.fault.email", "email " + typus.CodeTooLong: "enrol.fault.email", "email " + typus.CodeInvalid: "enrol.fault.email",
}

// blame shows what is wrong with the fields.
func (e *enrolView) blame(err error) {
	wrong, is := errors.AsType[*typus.Error](err)
	if !is {
		return
	}
	for _, fault := range wrong.Fields {
		for _, field := range []*enrolField{&e.Name, &e.Email} {
			if field.Name == fault.Name && field.Fault == "" {
				field.Fault = enrolFaults[fault.Name+" "+fault.Code]
			}
		}
	}
}

// enrolSentView says that a letter is on its way, to whom it does not say.
type enrolSentView struct {
	frame
	Again string // address of the form
	Days  int    // within which the address must be confirmed
}

// Template names the page.
func (enrolSentView) Template() string { return "enrol_sent" }

func (f *face) enrolSent(w http.ResponseWriter, r *http.Request, v publicVisit) error {
	return f.pages.Render(w, http.StatusOK, v.lang, enrolSentView{
		frame: publicFrame(r, v.base(), v.Account), Again: v.base() + "?lang=" + v.lang, Days: int(typus.EnrolmentLife / (24 * time.Hour)),
	})
}

// publicUnsent is how a link stands while no letter can go out.
const publicUnsent = typus.PublicStand("unsent")

// standOf is how a link stands, on this server.
func (f *face) standOf(v publicVisit) typus.PublicStand {
	if v.Stand == typus.PublicOpen && !f.mails(v.Account) {
		return publicUnsent
	}
	return v.Stand
}

// shutView is the page of a public link that lets nobody in.
type shutView struct {
	frame
	Heading, Advice string // text keys
	Ended           time.Time
	Tell            string // where a POST tells the account that somebody would take part, "" for nowhere
	Told            bool
}

// Template names the page.
func (shutView) Template() string { return "shut" }

// shutTexts say why a link lets nobody in.
var shutTexts = map[typus.PublicStand][2]string{
	typus.PublicRevoked:   {"shut.revoked.heading", "shut.revoked.advice"},
	typus.PublicClosed:    {"shut.closed.heading", "shut.closed.advice"},
	typus.PublicOver:      {"shut.over.heading", "shut.over.advice"},
	typus.PublicFull:      {"shut.full.heading", "shut.full.advice"},
	typus.PublicUnpaid:    {"shut.unpaid.heading", "shut.unpaid.advice"},
	typus.PublicCrowded:   {"shut.unpaid.heading", "shut.unpaid.advice"},
	typus.PublicSuspended: {"shut.suspended.heading", "shut.suspended.advice"},
	publicUnsent:          {"shut.unsent.heading", "shut.unsent.advice"},
}

func newShutView(fr frame, stand typus.PublicStand, ended time.Time) shutView {
	words := shutTexts[stand]
	return shutView{frame: fr, Heading: words[0], Advice: words[1], Ended: ended}
}

// shut says how a link stands. Where nobody gets in for want of credits, the owners hear of it
// by a POST, since opening a page changes nothing.
func (f *face) shut(w http.ResponseWriter, r *http.Request, v publicVisit, stand typus.PublicStand) error {
	view := newShutView(publicFrame(r, v.base(), v.Account), stand, v.EndsAt)
	if stand == typus.PublicUnpaid {
		view.Tell, view.Told = v.base()+"?lang="+v.lang, r.Method == http.MethodPost
	}
	return f.pages.Render(w, http.StatusGone, v.lang, view)
}

func (f *face) publicLogo(w http.ResponseWriter, r *http.Request, v publicVisit) error {
	return f.logoOf(w, r, v.Account)
}
