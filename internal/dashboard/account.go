package dashboard

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"typus"
	"typus/internal/store"
)

// accountView is one page of the settings of the account: what is decided together, with
// one form and one way to save it.
type accountView struct {
	frame
	Part   string // the last word of its address
	Form   accountForm
	Origin string                // what links to people without a login begin with; only of the general page
	People int                   // stored now, where the operator has set MaxPeople; only of the general page
	Most   int                   // MaxPeople
	Studio studio                // only of the look
	Due    due                   // what a shorter retention would erase, to be confirmed
	Turns  []store.RetentionTurn // what the last turns of the retention did; only of its page
}

// Template names the page.
func (a accountView) Template() string { return accountParts[a.Part].template }

// accountForm holds the fields of all pages.
type accountForm struct {
	Name, Contact, Language, Zone        *field
	Role, Days, Reminders                *field
	WelcomeDE, WelcomeEN                 *field
	Notify, NotifyEmails                 *field
	KeepFinished, KeepUnfinished         *field
	KeepFrom, KeepUndecided, KeepAnswers *field
	Accent, Logo, NoLogo                 *field
	Elsewhere, Shelf                     *field
}

// accountPart is one of the pages.
type accountPart struct {
	template string
	fields   func(a *accountForm) []*field
	set      func(a *typus.Account, v *visit)
}

// accountParts are the pages by the last word of their address, which is also their section.
var accountParts = map[string]accountPart{
	sectionGeneral: {
		"account_general",
		func(a *accountForm) []*field {
			return []*field{a.Name, a.Contact, a.Language, a.Zone, a.Role, a.Days, a.Reminders}
		},
		func(a *typus.Account, v *visit) {
			a.Name, a.ContactEmail = v.PostFormValue("name"), v.PostFormValue("contact_email")
			a.Language, a.RoleProfile = v.PostFormValue("language"), v.PostFormValue("role_profile")
			a.InviteDays, a.Reminders = number(v, "invite_days", -1), number(v, "reminders", -1)
			if v.PostForm.Has(zoneName) {
				a.Zone = typus.Zone(v.PostFormValue(zoneName))
			}
		},
	},
	sectionLook: {
		"account_look",
		func(a *accountForm) []*field {
			return []*field{a.Logo, a.Accent, a.WelcomeDE, a.WelcomeEN}
		},
		func(a *typus.Account, v *visit) {
			a.Accent = typedColour(v.PostFormValue("accent"))
			a.WelcomeDE, a.WelcomeEN = v.PostFormValue("welcome_de"), v.PostFormValue("welcome_en")
		},
	},
	sectionMessages: {
		"account_messages",
		func(a *accountForm) []*field { return []*field{a.Notify, a.NotifyEmails} },
		func(a *typus.Account, v *visit) {
			a.Notify, a.NotifyEmails = typus.Notify(v.PostFormValue("notify")), v.PostFormValue("notify_emails")
		},
	},
	sectionKeep: {
		"account_keep",
		func(a *accountForm) []*field {
			return []*field{a.KeepFinished, a.KeepFrom, a.KeepUndecided, a.KeepUnfinished, a.KeepAnswers}
		},
		func(a *typus.Account, v *visit) {
			a.KeepFinishedDays, a.KeepUnfinishedDays = number(v, "keep_finished_days", 0), number(v, "keep_unfinished_days", 0)
			a.KeepFromDecision, a.KeepUndecidedDays = v.PostFormValue("keep_from_decision") != "", number(v, "keep_undecided_days", 0)
			if v.PostForm.Has("keep_answers_days") {
				a.KeepAnswersDays = number(v, "keep_answers_days", -1)
			}
		},
	},
	sectionDecision: {
		"account_decision",
		func(a *accountForm) []*field { return []*field{a.Elsewhere, a.Shelf} },
		func(a *typus.Account, v *visit) {
			a.DecidesElsewhere = v.PostFormValue("decides_elsewhere") != ""
			if v.PostForm.Has("shelf_months") {
				a.ShelfMonths = number(v, "shelf_months", -1)
			}
		},
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
		Zone:           zoneField(a.Zone),
		Role:           f.roleField(v, a.RoleProfile),
		Days:           &field{Name: "invite_days", Label: "account.days", Hint: "account.daysHint", Type: "number", Value: strconv.Itoa(a.InviteDays), Min: "1", Max: strconv.Itoa(typus.MaxInviteDays), InputMode: "numeric"},
		Reminders:      &field{Name: "reminders", Label: "account.reminders", Hint: "account.remindersHint"},
		WelcomeDE:      &field{Name: "welcome_de", Label: "account.welcomeDE", Hint: "studio.wordsHint", Lang: "de", Value: a.WelcomeDE, Optional: true, Rows: 5},
		WelcomeEN:      &field{Name: "welcome_en", Label: "account.welcomeEN", Hint: "studio.wordsHint", Lang: "en", Value: a.WelcomeEN, Optional: true, Rows: 5},
		Notify:         &field{Name: "notify", Label: "account.notify"},
		NotifyEmails:   &field{Name: "notify_emails", Label: "account.notifyEmails", Hint: "account.notifyEmailsHint", Value: a.NotifyEmails, Optional: true, Rows: 3},
		KeepFinished:   &field{Name: "keep_finished_days", Label: "account.keepFinished", Hint: "account.keepFinishedHint", Type: "number", Value: days(a.KeepFinishedDays), Min: "0", Max: "3650", InputMode: "numeric", Optional: true},
		KeepUnfinished: &field{Name: "keep_unfinished_days", Label: "account.keepUnfinished", Hint: "account.keepUnfinishedHint", Type: "number", Value: days(a.KeepUnfinishedDays), Min: "0", Max: "3650", InputMode: "numeric", Optional: true},
		Accent:         &field{Name: "accent", Label: "account.accent", Hint: "account.accentHint", Value: a.Accent, Optional: true},
		Logo:           logoField(a.LogoHash),
		NoLogo:         noLogoField(),
	}
	form.KeepFrom = &field{Name: "keep_from_decision", Label: "keep.fromDecision", Hint: "keep.fromDecisionHint", Type: "checkbox", Checked: a.KeepFromDecision, Optional: true}
	form.KeepUndecided = &field{Name: "keep_undecided_days", Label: "keep.undecided", Hint: "keep.undecidedHint", Type: "number", Value: days(a.KeepUndecidedDays), Min: "0", Max: "3650", InputMode: "numeric", Optional: true}
	form.KeepAnswers = &field{
		Name: "keep_answers_days", Label: "account.keepAnswers", Hint: "account.keepAnswersHint", Type: "number", Value: strconv.Itoa(a.KeepAnswersDays), InputMode: "numeric",
		Min: strconv.Itoa(typus.MinKeepAnswersDays), Max: strconv.Itoa(typus.MaxKeepAnswersDays),
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

// zoneField asks for the zone of an account, which may have another one than those that are
// offered: a browser has named it, or the operator.
func zoneField(chosen typus.Zone) *field {
	zones := typus.Zones()
	if !slices.Contains(zones, chosen) {
		zones = append(zones, chosen)
	}
	fd := &field{Name: zoneName, Label: "account.zone", Hint: "account.zoneHint"}
	for _, z := range zones {
		fd.Options = append(fd.Options, option{Value: string(z), Label: strings.ReplaceAll(string(z), "_", " "), Chosen: z == chosen})
	}
	return fd
}

// accountView is a page of an account as it is stored.
func (f *face) accountView(v *visit, part string) accountView {
	view := accountView{frame: f.settingsFrame(v, part), Part: part, Form: f.accountForm(v), Origin: f.links.Of(v.Account).Origin()}
	view.Seen = seen(view.fields()...)
	return view
}

// fields are those of the page.
func (a *accountView) fields() []*field { return accountParts[a.Part].fields(&a.Form) }

// accountHome leads to the first page, or to that of a part which had its place on one long
// page before.
func (f *face) accountHome(v *visit) error {
	part := v.URL.Query().Get("teil")
	if _, ok := accountParts[part]; !ok {
		part = sectionGeneral
	}
	return f.goOn(v, accountPath+"/"+part)
}

func (f *face) account(v *visit) error { return f.part(v, v.PathValue("teil")) }

// keepPage is the page of the retention, at an address of its own (see keepSet).
func (f *face) keepPage(v *visit) error { return f.part(v, sectionKeep) }

func (f *face) part(v *visit, part string) error {
	if part == "interview" || part == "fragen" { // where they stood before positions had them
		return f.goOn(v, positionsPath+"/"+standardWord+"/"+part)
	}
	if _, ok := accountParts[part]; !ok {
		return typus.Errorf(typus.NotFound, "there is no such page")
	}
	return f.showAccount(v, http.StatusOK, f.accountView(v, part))
}

// turnsShown is how many turns of the retention its page shows.
const turnsShown = 20

// showAccount answers with the page; that of the look shows what becomes of it, that of the
// retention what became of it, the first one how many people are stored where there is a bound.
func (f *face) showAccount(v *visit, status int, view accountView) error {
	var err error
	switch view.Part {
	case sectionLook:
		view.Studio, err = f.studio(v, &view.Form)
	case sectionGeneral:
		if view.Most = v.Account.MaxPeople; view.Most > 0 {
			view.People, err = f.Store.CountPeople(v.Context(), v.Account.ID)
		}
	case sectionKeep:
		view.Turns, err = f.Store.RetentionTurns(v.Context(), v.Account.ID, turnsShown)
	}
	if err != nil {
		return err
	}
	return f.render(v, status, view)
}

// accountSet stores a page of the settings.
func (f *face) accountSet(v *visit) error { return f.setPart(v, v.PathValue("teil")) }

// keepSet stores the page of the retention, whose route is one of its own because people must
// be able to be deleted earlier at any time.
func (f *face) keepSet(v *visit) error { return f.setPart(v, sectionKeep) }

func (f *face) setPart(v *visit, name string) error {
	part, ok := accountParts[name]
	if !ok {
		return typus.Errorf(typus.NotFound, "there is no such form")
	}
	if name == sectionLook && v.PostFormValue("vorschau") != "" {
		return f.previewLook(v)
	}
	late := func() bool {
		form := f.accountForm(v)
		return overtaken(v, part.fields(&form)...)
	}
	overtook := late()
	if name == sectionKeep && v.PostFormValue("bestaetigt") == "" && !overtook {
		d, err := f.due(v)
		if err != nil {
			return err
		}
		if d.Any() {
			return f.accountAgain(v, name, d, nil)
		}
	}
	logo, err := newLogo(v)
	if err == nil {
		err = f.Accounts.ChangeLook(v.Context(), v.Account.ID, logo, v.actor(), func(a *typus.Account) bool {
			v.Account = *a
			if overtook = overtook || late(); !overtook { // once seen, it stays so: nobody has been asked what is due
				part.set(a, v)
			}
			return !overtook
		})
	}
	if overtook {
		return f.accountOvertaken(v, name)
	}
	if err != nil {
		return f.accountAgain(v, name, due{}, err)
	}
	return f.done(v, accountPath+"/"+name, f.say(v, "account.saved"))
}

// accountAgain shows the page again with what was typed and what is wrong with it or still
// has to be confirmed.
func (f *face) accountAgain(v *visit, name string, d due, err error) error {
	view := f.accountView(v, name)
	view.Seen, view.Switch.None, view.Due = v.PostFormValue(seenName), true, d
	fill(v, append(view.fields(), view.Form.NoLogo)...)
	if err != nil && !f.blame(&view.frame, v, err, view.fields()...) {
		return err
	}
	f.tooLarge(v, view.Form.Logo)
	view.Fault = true
	return f.showAccount(v, http.StatusUnprocessableEntity, view)
}

// accountOvertaken shows the page with what was typed beside what somebody else has stored
// meanwhile.
func (f *face) accountOvertaken(v *visit, name string) error {
	view := f.accountView(v, name)
	f.compare(&view.frame, v, view.fields()...)
	return f.showAccount(v, http.StatusConflict, view)
}

// due counts what a shorter retention would erase at once, each up to dueAtMost.
type due struct{ Finished, Unfinished int }

// Any reports whether anybody would be erased.
func (d due) Any() bool { return d.Finished+d.Unfinished > 0 }

const dueAtMost = 10_000

// shorter reports whether a limit of now days ends before one of was days; 0 is none.
func shorter(was, now int) bool { return now > 0 && (was == 0 || now < was) }

// erasesEarlier reports whether the retention of some results may end earlier than before: it
// is shorter, it no longer begins with the decision, or waits less long for one.
func erasesEarlier(was, now typus.Account) bool {
	if now.KeepFinishedDays == 0 {
		return false
	}
	return shorter(was.KeepFinishedDays, now.KeepFinishedDays) || was.KeepFromDecision && !now.KeepFromDecision ||
		was.KeepFromDecision && shorter(was.KeepUndecidedDays, now.KeepUndecidedDays)
}

// due counts whom a retention that ends earlier would erase; one that ends no earlier needs no
// consent.
func (f *face) due(v *visit) (due, error) {
	var (
		d   due
		err error
	)
	ctx, a := v.Context(), v.Account
	was := a
	accountParts[sectionKeep].set(&a, v)
	if erasesEarlier(was, a) {
		if d.Finished, err = f.Store.CountDueFinished(ctx, a, f.now(), dueAtMost); err != nil {
			return due{}, err
		}
	}
	if shorter(was.KeepUnfinishedDays, a.KeepUnfinishedDays) {
		if d.Unfinished, err = f.Store.CountDueUnfinished(ctx, a, f.now(), dueAtMost); err != nil {
			return due{}, err
		}
	}
	return d, nil
}
