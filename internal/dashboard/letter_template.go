package dashboard

import (
	"cmp"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"typus"
	"typus/internal/mail"
	"typus/internal/page"
)

// letterTemplateView is the form for one letter in one language.
type letterTemplateView struct {
	frame
	Name, Language string // text keys
	Path           string
	Own            bool
	Placeholders   []placeholder
	Subject, Body  *field
}

// placeholder is what may stand in a text, and what it becomes.
type placeholder struct{ Name, Meaning string }

// Template names the page.
func (letterTemplateView) Template() string { return "letter_template" }

// placeholderMeanings are text keys.
var placeholderMeanings = map[string]string{
	typus.PlaceholderName:    "letters.placeholder.name",
	typus.PlaceholderAccount: "letters.placeholder.account",
	typus.PlaceholderLink:    "letters.placeholder.link",
	typus.PlaceholderExpires: "letters.placeholder.expires",
}

// letterOf is the letter that the address names, with the account's own text or
// ours. NotFound when there is no such letter.
func (f *face) letterOf(v *visit) (typus.LetterTemplate, letterTemplateView, error) {
	slug, lang := v.PathValue("brief"), v.PathValue("sprache")
	for _, l := range letterSlugs {
		if l.slug != slug || !page.Speaks(lang) {
			continue
		}
		view := letterTemplateView{Name: l.name, Language: "letters.german", Path: lettersPath + "/text/" + slug + "/" + lang}
		if lang == "en" {
			view.Language = "letters.english"
		}
		for _, name := range l.kind.Placeholders() {
			view.Placeholders = append(view.Placeholders, placeholder{name, placeholderMeanings[name]})
		}
		own, err := f.Store.LetterTemplate(v.Context(), v.Account.ID, l.kind, lang)
		if err != nil {
			return typus.LetterTemplate{}, view, err
		}
		if own != nil {
			view.Own = true
			return *own, view, nil
		}
		t, err := mail.OurTemplate(l.kind, lang)
		t.AccountID = v.Account.ID
		return t, view, err
	}
	return typus.LetterTemplate{}, letterTemplateView{}, typus.Errorf(typus.NotFound, "there is no such letter")
}

// show fills the form.
func (f *face) show(v *visit, view letterTemplateView, t typus.LetterTemplate) letterTemplateView {
	view.frame = f.settingsFrame(v, sectionLetters)
	view.Crumbs = []crumb{{Label: "shell.messages", Path: messagesPath}, {Label: "letters.title", Path: lettersPath}}
	view.Subject, view.Body = letterFields(t)
	view.Seen = seen(view.Subject, view.Body)
	return view
}

func letterFields(t typus.LetterTemplate) (*field, *field) {
	return &field{Name: "subject", Label: "letters.subject", Lang: t.Language, Value: t.Subject},
		&field{Name: "body", Label: "letters.body", Hint: "letters.bodyHint", Lang: t.Language, Value: t.Body, Rows: 18}
}

func (f *face) letterTemplate(v *visit) error {
	t, view, err := f.letterOf(v)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, f.show(v, view, t))
}

// typed is the letter that the address names with what was typed into the form.
func (f *face) typed(v *visit) (typus.LetterTemplate, letterTemplateView, error) {
	t, view, err := f.letterOf(v)
	return withTyped(v, t), view, err
}

func withTyped(v *visit, t typus.LetterTemplate) typus.LetterTemplate {
	t.Subject, t.Body = v.PostFormValue("subject"), v.PostFormValue("body")
	return t
}

func (f *face) saveLetterTemplate(v *visit) error {
	stored, view, err := f.letterOf(v)
	if err != nil {
		return err
	}
	ours, err := mail.OurTemplate(stored.Kind, stored.Language)
	if err != nil {
		return err
	}
	t, late := withTyped(v, stored), false
	err = f.Accounts.SetLetterTemplate(v.Context(), t, v.actor(), func(now *typus.LetterTemplate) bool {
		subject, body := letterFields(*cmp.Or(now, &ours))
		late = overtaken(v, subject, body)
		return !late
	})
	switch {
	case err != nil:
		return f.faultyTemplate(v, view, t, err)
	case late:
		return f.letterOvertaken(v)
	}
	return f.done(v, view.Path, f.say(v, "letters.saved"))
}

// letterOvertaken shows what was typed beside what somebody else has stored.
func (f *face) letterOvertaken(v *visit) error {
	stored, view, err := f.letterOf(v)
	if err != nil {
		return err
	}
	view = f.show(v, view, stored)
	f.compare(&view.frame, v, view.Subject, view.Body)
	return f.render(v, http.StatusConflict, view)
}

// faultyTemplate shows the form again with what was typed.
func (f *face) faultyTemplate(v *visit, view letterTemplateView, t typus.LetterTemplate, err error) error {
	view = f.show(v, view, t)
	view.Seen = v.PostFormValue(seenName)
	if !f.blame(&view.frame, v, err, view.Subject, view.Body) {
		return err
	}
	for _, fd := range []*field{view.Subject, view.Body} {
		stray := t.Kind.StrayPlaceholder(fd.Value)
		if fd.Fault == "" || stray == "" || utf8.RuneCountInString(fd.Value) > typus.MaxTemplateBody {
			continue
		}
		fd.Fault = f.say(v, "letters.fault.placeholder", "Placeholder", stray, "Allowed", strings.Join(t.Kind.Placeholders(), ", "))
	}
	view.Switch.None = true
	return f.render(v, http.StatusUnprocessableEntity, view)
}

// askResetLetterTemplate asks whether the account's own text is to be deleted.
func (f *face) askResetLetterTemplate(v *visit) error {
	t, view, err := f.letterOf(v)
	if err != nil {
		return err
	}
	if !view.Own {
		return f.goOn(v, view.Path)
	}
	return f.render(v, http.StatusOK, f.resetLetterView(f.settingsFrame(v, sectionLetters), v, view, t))
}

func (f *face) resetLetterView(fr frame, v *visit, letter letterTemplateView, t typus.LetterTemplate) removalView {
	fr.Crumbs = []crumb{{Label: "shell.messages", Path: messagesPath}, {Label: "letters.title", Path: lettersPath}, {Label: letter.Name, Path: letter.Path}}
	subject, body := letterFields(t)
	fr.Seen = seen(subject, body)
	return removalView{
		frame: fr, Heading: "letters.resetTitle", What: "letters.resetWhat", Do: "form.forGood", Back: letter.Path,
		Facts: []fact{{Label: "letters.letter", Text: f.say(v, letter.Name) + " (" + f.say(v, letter.Language) + ")"}, {Label: "letters.subject", Text: t.Subject}},
	}
}

func (f *face) resetLetterTemplate(v *visit) error {
	t, view, err := f.letterOf(v)
	if err != nil {
		return err
	}
	late := false
	err = f.Accounts.ResetLetterTemplate(v.Context(), v.Account.ID, t.Kind, t.Language, v.actor(), func(now *typus.LetterTemplate) bool {
		subject, body := letterFields(*now)
		t, late = *now, overtaken(v, subject, body)
		return !late
	})
	if err != nil {
		return err
	}
	if late {
		fr := f.settingsFrame(v, sectionLetters)
		fr.alert(f.say(v, "letters.resetLate"))
		return f.render(v, http.StatusConflict, f.resetLetterView(fr, v, view, t))
	}
	return f.done(v, view.Path, f.say(v, "letters.wasReset"))
}

// previewLetter shows the letter as it would be sent, with the text that is
// saved or, from the form, the one that is typed.
func (f *face) previewLetter(v *visit) error {
	t, view, err := f.letterOf(v)
	if err != nil {
		return err
	}
	if v.Method == http.MethodPost {
		if t, view, err = f.typed(v); err != nil {
			return err
		}
		checked, faults := t.Check()
		if len(faults) > 0 {
			return f.faultyTemplate(v, view, t, &typus.Error{Kind: typus.Invalid, Msg: faults[0].Msg, Fields: faults})
		}
		t, view.Own = checked, true
	}
	m, err := f.sample(v, t, view.Own)
	if err != nil {
		return err
	}
	return f.showLetter(v, m, f.links.Of(v.Account).Test(sampleToken))
}

// sampleToken stands where the token of a test would, in a letter that invites nobody.
const sampleToken = "beispiel"

// sample is the letter to somebody who does not exist.
func (f *face) sample(v *visit, t typus.LetterTemplate, own bool) (mail.Message, error) {
	i := mail.Invitation{
		Look: mail.LookOf(v.Account, 0), Language: t.Language, CandidateName: "Kim Beispiel", AccountName: v.Account.Name, Contact: v.Account.ContactEmail, Told: v.Account.Notice,
		Link: f.links.Of(v.Account).Test(sampleToken), Expires: v.Account.Shown(f.now().Add(time.Duration(v.Account.InviteDays) * 24 * time.Hour)),
	}
	if own {
		i.Own = &t
	}
	switch t.Kind {
	case typus.LetterReminder:
		return mail.Reminder{Invitation: i, Stop: i.Link + "/erinnerungen"}.Message()
	case typus.LetterReceipt:
		return mail.Receipt{Look: i.Look, Language: i.Language, CandidateName: i.CandidateName, AccountName: i.AccountName, Contact: i.Contact, Own: i.Own, Told: i.Told}.Message()
	}
	return i.Message()
}
