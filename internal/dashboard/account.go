package dashboard

import (
	"net/http"
	"strconv"
	"time"

	"typus"
)

// accountView shows the settings of the account: one form for each thing that is
// decided together.
type accountView struct {
	frame
	Form  accountForm
	Look  look
	Seen  map[string]string // see frame.Seen, for each part
	Due   due               // what a shorter retention would erase, to be confirmed
	Wrong string            // the part of the page whose form is faulty
	Saved string            // the part whose form was stored
}

// Template names the page.
func (accountView) Template() string { return "account" }

// accountForm holds the fields of all parts of the page.
type accountForm struct {
	Name, Contact, Language, Role, Days, Reminders *field
	WelcomeDE, WelcomeEN                           *field
	Notify, NotifyEmails                           *field
	KeepFinished, KeepUnfinished                   *field
	Accent, Logo                                   *field
	Elsewhere, Shelf                               *field
}

// accountPart is one form of the page.
type accountPart struct {
	fields func(a *accountForm) []*field
	set    func(a *typus.Account, v *visit)
}

// accountParts are the forms by the last word of their address.
var accountParts = map[string]accountPart{
	"allgemein": {
		func(a *accountForm) []*field {
			return []*field{a.Name, a.Contact, a.Language, a.Role, a.Days, a.Reminders}
		},
		func(a *typus.Account, v *visit) {
			a.Name, a.ContactEmail = v.PostFormValue("name"), v.PostFormValue("contact_email")
			a.Language, a.RoleProfile = v.PostFormValue("language"), v.PostFormValue("role_profile")
			a.InviteDays, a.Reminders = number(v, "invite_days", -1), number(v, "reminders", -1)
		},
	},
	"startseite": {
		func(a *accountForm) []*field { return []*field{a.WelcomeDE, a.WelcomeEN} },
		func(a *typus.Account, v *visit) {
			a.WelcomeDE, a.WelcomeEN = v.PostFormValue("welcome_de"), v.PostFormValue("welcome_en")
		},
	},
	"nachricht": {
		func(a *accountForm) []*field { return []*field{a.Notify, a.NotifyEmails} },
		func(a *typus.Account, v *visit) {
			a.Notify, a.NotifyEmails = typus.Notify(v.PostFormValue("notify")), v.PostFormValue("notify_emails")
		},
	},
	"aufbewahrung": {
		func(a *accountForm) []*field { return []*field{a.KeepFinished, a.KeepUnfinished} },
		func(a *typus.Account, v *visit) {
			a.KeepFinishedDays, a.KeepUnfinishedDays = number(v, "keep_finished_days", 0), number(v, "keep_unfinished_days", 0)
		},
	},
	"entscheidung": {
		func(a *accountForm) []*field { return []*field{a.Elsewhere} },
		func(a *typus.Account, v *visit) { a.DecidesElsewhere = v.PostFormValue("decides_elsewhere") != "" },
	},
	"alter": {
		func(a *accountForm) []*field { return []*field{a.Shelf} },
		func(a *typus.Account, v *visit) { a.ShelfMonths = number(v, "shelf_months", -1) },
	},
	"farbe": {
		func(a *accountForm) []*field { return []*field{a.Accent} },
		func(a *typus.Account, v *visit) { a.Accent = colour(v.PostFormValue("accent")) },
	},
}

// accountForm shows what the account has set.
func (f *face) accountForm(v *visit) accountForm {
	a := v.Account
	days := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	form := accountForm{
		Name:           &field{Name: "name", Label: "account.name", Hint: "account.nameHint", Value: a.Name, Autocomplete: "organization"},
		Contact:        &field{Name: "contact_email", Label: "account.contact", Hint: "account.contactHint", Type: "email", Value: a.ContactEmail, Autocomplete: "email", Optional: true},
		Language:       &field{Name: "language", Label: "account.language", Hint: "account.languageHint"},
		Role:           f.roleField(v, a.RoleProfile),
		Days:           &field{Name: "invite_days", Label: "account.days", Hint: "account.daysHint", Type: "number", Value: strconv.Itoa(a.InviteDays), Min: "1", Max: strconv.Itoa(typus.MaxInviteDays), InputMode: "numeric"},
		Reminders:      &field{Name: "reminders", Label: "account.reminders", Hint: "account.remindersHint"},
		WelcomeDE:      &field{Name: "welcome_de", Label: "account.welcomeDE", Lang: "de", Value: a.WelcomeDE, Optional: true, Rows: 5},
		WelcomeEN:      &field{Name: "welcome_en", Label: "account.welcomeEN", Lang: "en", Value: a.WelcomeEN, Optional: true, Rows: 5},
		Notify:         &field{Name: "notify", Label: "account.notify"},
		NotifyEmails:   &field{Name: "notify_emails", Label: "account.notifyEmails", Hint: "account.notifyEmailsHint", Value: a.NotifyEmails, Optional: true, Rows: 3},
		KeepFinished:   &field{Name: "keep_finished_days", Label: "account.keepFinished", Hint: "account.keepFinishedHint", Type: "number", Value: days(a.KeepFinishedDays), Min: "0", Max: "3650", InputMode: "numeric", Optional: true},
		KeepUnfinished: &field{Name: "keep_unfinished_days", Label: "account.keepUnfinished", Hint: "account.keepUnfinishedHint", Type: "number", Value: days(a.KeepUnfinishedDays), Min: "0", Max: "3650", InputMode: "numeric", Optional: true},
		Accent:         &field{Name: "accent", Label: "account.accent", Hint: "account.accentHint", Value: a.Accent, Optional: true},
		Logo:           &field{Name: "logo", Label: "account.logoFile", Hint: "account.logoHint", Type: "file", Accept: "image/png,image/jpeg,image/webp", Optional: true, Kept: a.LogoHash},
	}
	form.Elsewhere = &field{Name: "decides_elsewhere", Label: "decision.elsewhere", Hint: "decision.elsewhereHint", Type: "checkbox", Checked: a.DecidesElsewhere}
	form.Shelf = &field{
		Name: "shelf_months", Label: "account.shelf", Hint: "account.shelfHint", Type: "number", Value: strconv.Itoa(a.ShelfMonths), InputMode: "numeric",
		Min: strconv.Itoa(typus.MinShelfMonths), Max: strconv.Itoa(typus.MaxShelfMonths),
	}
	form.Role.Label, form.Role.Hint = "account.role", "account.roleHint"
	choose := func(fd *field, chosen string, choices ...[2]string) {
		for _, c := range choices {
			fd.Options = append(fd.Options, option{Value: c[0], Label: f.say(v, c[1]), Chosen: c[0] == chosen})
		}
	}
	choose(form.Language, a.Language, [2]string{"de", "invite.german"}, [2]string{"en", "invite.english"})
	choose(form.Reminders, strconv.Itoa(a.Reminders), [2]string{"0", "account.reminders0"}, [2]string{"1", "account.reminders1"}, [2]string{"2", "account.reminders2"})
	choose(form.Notify, string(a.Notify), [2]string{"now", "account.notifyNow"}, [2]string{"daily", "account.notifyDaily"}, [2]string{"off", "account.notifyOff"})
	return form
}

func (f *face) accountView(v *visit) accountView {
	view := accountView{frame: f.settingsFrame(v, sectionAccount), Form: f.accountForm(v), Look: f.look(v), Seen: map[string]string{}}
	for name := range accountParts {
		view.Seen[name] = seen(view.fields(name)...)
	}
	view.Seen[partLogo] = seen(view.fields(partLogo)...)
	return view
}

// fields are those of a part of the page.
func (a *accountView) fields(name string) []*field {
	if part, ok := accountParts[name]; ok {
		return part.fields(&a.Form)
	}
	return []*field{a.Form.Logo}
}

func (f *face) account(v *visit) error {
	view := f.accountView(v)
	part := v.URL.Query().Get(partParam)
	if _, ok := accountParts[part]; (ok || part == partLogo) && view.Flash.Kind == "good" {
		view.Apart, view.Saved = true, part
	}
	return f.render(v, http.StatusOK, view)
}

// accountSet stores one part of the settings.
func (f *face) accountSet(v *visit) error {
	name := v.PathValue("teil")
	part, ok := accountParts[name]
	if !ok {
		return typus.Errorf(typus.NotFound, "there is no such form")
	}
	late := func() bool {
		form := f.accountForm(v)
		return overtaken(v, part.fields(&form)...)
	}
	overtook := late()
	if name == "aufbewahrung" && v.PostFormValue("bestaetigt") == "" && !overtook {
		d, err := f.due(v)
		if err != nil {
			return err
		}
		if d.Any() {
			return f.accountAgain(v, name, d, nil)
		}
	}
	err := f.Accounts.Change(v.Context(), v.Account.ID, v.actor(), func(a *typus.Account) {
		v.Account = *a
		if overtook = late(); !overtook {
			part.set(a, v)
		}
	})
	if overtook {
		return f.accountOvertaken(v, name)
	}
	if err != nil {
		return f.accountAgain(v, name, due{}, err)
	}
	return f.accountSaved(v, name)
}

// partParam names the part of the page that was stored. It is a parameter and not a
// fragment, because a fragment would scroll past the message that it was stored.
const partParam = "teil"

func (f *face) accountSaved(v *visit, part string) error {
	return f.done(v, accountPath+"?"+partParam+"="+part, f.say(v, "account.saved"))
}

// accountAgain shows the page again with what was typed into one of its forms, and what
// is wrong with it or still has to be confirmed.
func (f *face) accountAgain(v *visit, name string, d due, err error) error {
	view := f.accountView(v)
	view.Switch.None, view.Wrong, view.Due = true, name, d
	fields := view.fields(name)
	fill(v, fields...)
	if err != nil && !f.blame(&view.frame, v, err, fields...) {
		return err
	}
	view.Fault = true
	return f.render(v, http.StatusUnprocessableEntity, view)
}

// accountOvertaken shows the page with what was typed into one of its forms beside what
// somebody else has stored meanwhile.
func (f *face) accountOvertaken(v *visit, name string) error {
	view := f.accountView(v)
	view.Wrong = name
	f.compare(&view.frame, v, view.fields(name)...)
	if name == partLogo { // a file is never sent back
		view.Alert = f.say(v, "account.logoOvertaken")
	}
	return f.render(v, http.StatusConflict, view)
}

// due counts what a shorter retention would erase at once, each up to dueAtMost.
type due struct{ Finished, Unfinished int }

// Any reports whether anybody would be erased.
func (d due) Any() bool { return d.Finished+d.Unfinished > 0 }

const dueAtMost = 10_000

// due counts only what a shorter retention adds: what is due already needs no consent.
func (f *face) due(v *visit) (due, error) {
	var (
		d   due
		err error
	)
	ctx, a := v.Context(), v.Account
	shorter := func(was, now int) (time.Time, bool) {
		return f.now().AddDate(0, 0, -now), now > 0 && (was == 0 || now < was)
	}
	if before, ok := shorter(a.KeepFinishedDays, number(v, "keep_finished_days", 0)); ok {
		if d.Finished, err = f.Store.CountFinishedBefore(ctx, a.ID, before, dueAtMost); err != nil {
			return due{}, err
		}
	}
	if before, ok := shorter(a.KeepUnfinishedDays, number(v, "keep_unfinished_days", 0)); ok {
		if d.Unfinished, err = f.Store.CountExpiredBefore(ctx, a.ID, before, dueAtMost); err != nil {
			return due{}, err
		}
	}
	return d, nil
}
