package dashboard

import (
	"net/http"
	"strconv"
	"strings"

	"typus"
)

// positionFormView makes a position, or changes what people say of one.
type positionFormView struct {
	frame
	New  bool
	Form positionForm
	Logo string // address of the logo that is stored, "" for none
	Path string // where the form goes
	Back string
}

// Template names the page.
func (positionFormView) Template() string { return "position_form" }

type positionForm struct {
	Name, Ref, Role, Language, Days, Reminders *field
	Client, ClientName, ClientDE, ClientEN     *field
	Confidential                               *field // of a new one; nil otherwise
	Logo, NoLogo                               *field // of one that is there; nil otherwise
}

func (p positionForm) fields() []*field {
	list := []*field{p.Name, p.Ref, p.Client, p.ClientName, p.ClientDE, p.ClientEN, p.Role, p.Language, p.Days, p.Reminders}
	for _, fd := range []*field{p.Confidential, p.Logo} {
		if fd != nil {
			list = append(list, fd)
		}
	}
	return list
}

// positionForm shows what is stored of a position.
func (f *face) positionForm(v *visit, p typus.Position) positionForm {
	a := v.Account
	choose := func(fd *field, chosen string, value, label, hint string) {
		fd.Options = append(fd.Options, option{Value: value, Label: label, Hint: hint, Chosen: value == chosen})
	}
	form := positionForm{
		Name:       &field{Name: "name", Label: "position.name", Hint: "position.nameHint", Value: p.Name, Autocomplete: "off"},
		Ref:        &field{Name: "ref", Label: "position.ref", Hint: "position.refHint", Value: p.Ref, Autocomplete: "off", Optional: true},
		Client:     &field{Name: "client_kind", Label: "position.client"},
		ClientName: &field{Name: "client_name", Label: "position.clientName", Hint: "position.clientNameHint", Value: p.ClientName, Autocomplete: "off", Depends: true},
		ClientDE:   &field{Name: "client_de", Label: "notice.clientKindDE", Hint: "position.clientWordsHint", Value: p.ClientWords.DE, Lang: "de", Autocomplete: "off", Depends: true},
		ClientEN:   &field{Name: "client_en", Label: "notice.clientKindEN", Value: p.ClientWords.EN, Lang: "en", Autocomplete: "off", Depends: true},
		Role:       f.roleField(v, p.RoleProfile),
		Language:   &field{Name: "language", Label: "position.language"},
		Days:       &field{Name: "invite_days", Label: "position.days", Hint: "position.daysHint", Type: "number", Min: "1", Max: strconv.Itoa(typus.MaxInviteDays), InputMode: "numeric", Optional: true},
		Reminders:  &field{Name: "reminders", Label: "position.reminders", Hint: "account.remindersHint"},
	}
	if p.InviteDays > 0 {
		form.Days.Value = strconv.Itoa(p.InviteDays)
	}
	own := f.say(v, "position.clientOwn", "Account", a.Name)
	if p.ClientKind == typus.ClientOwn || a.Notice.Client != "" || a.Notice.ClientKind.Any() {
		choose(form.Client, string(p.ClientKind), "", f.say(v, "position.clientAccount", "Whom", f.forWhom(v, a)), "")
		choose(form.Client, string(p.ClientKind), string(typus.ClientOwn), own, "")
	} else {
		choose(form.Client, string(p.ClientKind), "", own, "")
	}
	choose(form.Client, string(p.ClientKind), string(typus.ClientNamed), f.say(v, "position.clientNamed"), "")
	choose(form.Client, string(p.ClientKind), string(typus.ClientDescribed), f.say(v, "position.clientDescribed"), f.say(v, "position.clientDescribedHint"))
	form.Role.Label, form.Role.Hint = "position.role", "position.roleHint"
	form.Role.Options = append([]option{{
		Label: f.say(v, "position.roleAccount", "Role", f.roleName(v, a.RoleProfile)), Chosen: p.RoleProfile == "",
	}}, form.Role.Options...)
	choose(form.Language, p.Language, "", f.say(v, "position.languageAccount", "Language", f.say(v, languageNames[a.Language])), "")
	choose(form.Language, p.Language, "de", f.say(v, "invite.german"), "")
	choose(form.Language, p.Language, "en", f.say(v, "invite.english"), "")
	reminders := func(n int) string { return f.say(v, "account.reminders"+strconv.Itoa(n)) }
	choose(form.Reminders, strconv.Itoa(p.Reminders), strconv.Itoa(typus.RemindersOfAccount), f.say(v, "position.remindersAccount", "Reminders", reminders(a.Reminders)), "")
	for n := range 3 {
		choose(form.Reminders, strconv.Itoa(p.Reminders), strconv.Itoa(n), reminders(n), "")
	}
	return form
}

// typedPosition puts what was typed into a position.
func typedPosition(v *visit, p *typus.Position) {
	p.Name, p.Ref = v.PostFormValue("name"), strings.TrimSpace(v.PostFormValue("ref"))
	p.ClientKind, p.ClientName = typus.ClientKind(v.PostFormValue("client_kind")), v.PostFormValue("client_name")
	p.ClientWords = typus.OwnWords{DE: v.PostFormValue("client_de"), EN: v.PostFormValue("client_en")}
	p.RoleProfile, p.Language = v.PostFormValue("role_profile"), v.PostFormValue("language")
	p.InviteDays, p.Reminders = number(v, "invite_days", 0), number(v, "reminders", typus.RemindersOfAccount)
	if v.PostFormValue("reminders") == strconv.Itoa(typus.RemindersOfAccount) {
		p.Reminders = typus.RemindersOfAccount
	}
}

func (f *face) newPositionView(v *visit) positionFormView {
	view := positionFormView{
		frame: f.frame(v, areaPositions), New: true, Path: newPositionPath, Back: positionsPath,
		Form: f.positionForm(v, typus.Position{Reminders: typus.RemindersOfAccount}),
	}
	view.Form.Confidential = &field{Name: "confidential", Label: "position.confidential", Hint: "position.confidentialHint", Type: "checkbox"}
	view.Form.Name.First = true
	view.Crumbs = []crumb{{Label: "positions.title", Path: positionsPath}}
	return view
}

func (f *face) newPosition(v *visit) error {
	return f.render(v, http.StatusOK, f.newPositionView(v))
}

// addPosition makes a position.
func (f *face) addPosition(v *visit) error {
	p := typus.Position{Reminders: typus.RemindersOfAccount, Confidential: v.PostFormValue("confidential") != ""}
	typedPosition(v, &p)
	id, err := f.Accounts.AddPosition(v.Context(), v.Reader, p, nil, v.actor())
	if err == nil {
		p.ID = id
		return f.done(v, positionPath(p), f.say(v, "position.added", "Name", typus.TypedName(p.Name)))
	}
	if sent, err := f.sentBefore(v, err, func(id int64) string { return positionPath(typus.Position{ID: id}) }); sent {
		return err
	}
	view := f.newPositionView(v)
	if typus.Is(err, typus.Conflict) {
		view.Switch.None = true
		fill(v, view.Form.fields()...)
		view.alert(f.say(v, "position.tooMany"), view.Form.fields()...)
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	return f.positionAgain(v, view, err)
}

func (f *face) editPositionView(v *visit, p typus.Position) positionFormView {
	view := positionFormView{frame: f.positionFrame(v, p), Path: positionPath(p) + "/bearbeiten", Back: positionPath(p), Form: f.positionForm(v, p)}
	view.Form.Logo = logoField(p.LogoHash)
	view.Form.Logo.Hint = "position.logoHint"
	if p.LogoHash != "" {
		view.Logo, view.Form.NoLogo = logoPath+"/"+p.LogoHash, noLogoField()
	}
	view.Seen = seen(view.Form.fields()...)
	return view
}

func (f *face) editPosition(v *visit, p typus.Position) error {
	return f.render(v, http.StatusOK, f.editPositionView(v, p))
}

// changePosition stores what people say of a position, and its logo.
func (f *face) changePosition(v *visit, p typus.Position) error {
	var (
		late *positionFormView
		told = "position.saved"
	)
	logo, err := newLogo(v)
	if err == nil {
		err = f.Accounts.ChangePositionLook(v.Context(), v.Reader, p.ID, logo, v.actor(), func(now *typus.Position) bool {
			late = nil
			if view := f.editPositionView(v, *now); overtaken(v, view.Form.fields()...) {
				late = &view
			}
			typedPosition(v, now)
			if shown := len(logo.Picture) > 0 || now.LogoHash != "" && !logo.Remove; shown && now.ClientKind == typus.ClientDescribed {
				told = "position.savedUnnamed"
			}
			return late == nil
		})
	}
	switch {
	case err != nil:
		return f.positionAgain(v, f.editPositionView(v, p), err)
	case late != nil:
		f.compare(&late.frame, v, late.Form.fields()...)
		return f.render(v, http.StatusConflict, *late)
	}
	return f.done(v, positionPath(p), f.say(v, told))
}

// positionAgain shows the form again with what was typed and what is wrong.
func (f *face) positionAgain(v *visit, view positionFormView, err error) error {
	fields := view.Form.fields()
	view.Seen, view.Switch.None = v.PostFormValue(seenName), true
	fill(v, fields...)
	if view.Form.NoLogo != nil {
		fill(v, view.Form.NoLogo)
	}
	if !f.blame(&view.frame, v, err, fields...) {
		return err
	}
	if view.Form.Logo != nil {
		f.tooLarge(v, view.Form.Logo)
	}
	return f.render(v, http.StatusUnprocessableEntity, view)
}
