package dashboard

import (
	"net/http"
	"strconv"
	"strings"

	"typus"
	"typus/internal/accounts"
	"typus/internal/instrument"
	"typus/internal/panel"
)

// maxRoleForm bounds the form: eighteen reasons of some hundred characters, and what is
// typed beyond that.
const maxRoleForm = 256 << 10

// roleEditView changes what an own role profile asks for: the next version is signed.
type roleEditView struct {
	frame
	roleRow
	Next       int // number of the version that is signed
	Showed     int // that of the version that the form shows, 0 for none
	Called     *field
	Why, Sign  *field
	Dimensions []roleEditRow
	Sum        int
	RoundID    int64 // of the experts whose proposal stands in the fields, 0 for none
	Preview    rolePreview
	Narrowest  int
	Base       roleRow
}

// Template names the page.
func (roleEditView) Template() string { return "role_edit" }

// roleEditRow are the fields of one dimension.
type roleEditRow struct {
	Name                           string
	Weight, Low, High, Zone, Upper *field
	BaseLow, BaseHigh              int
}

func (r roleEditRow) fields() []*field { return []*field{r.Weight, r.Low, r.High, r.Zone, r.Upper} }

// Open reports whether there are reasons to be seen.
func (r roleEditRow) Open() bool {
	for _, fd := range []*field{r.Low, r.High, r.Zone, r.Upper} {
		if fd.Fault != "" {
			return true
		}
	}
	return r.Zone.Value+r.Upper.Value != ""
}

func (r roleEditView) fields() []*field {
	fields := []*field{r.Called}
	for _, d := range r.Dimensions {
		fields = append(fields, d.fields()...)
	}
	return append(fields, r.Why, r.Sign)
}

// stored are the fields that show what is stored, and would replace it.
func (r roleEditView) stored() []*field {
	fields := r.fields()
	return fields[:len(fields)-2]
}

// roleEditView shows what is stored now. Internal: it is damaged.
func (f *face) roleEditView(v *visit, fr frame, p typus.RoleProfile) (roleEditView, error) {
	base, _ := f.Instrument.Role(p.Base)
	role := base
	if p.Version.Version > 0 {
		var err error
		if role, err = roleSnapshot(p.Version); err != nil {
			return roleEditView{}, err
		}
	}
	view := roleEditView{
		frame: fr, roleRow: ownRoleRow(p), Next: p.Version.Version + 1, Showed: p.Version.Version, Base: f.testRoleRow(v, base),
		Called: &field{Name: "name", Label: "roles.name", Hint: "roles.nameHint", Value: p.Name},
		Why:    &field{Name: "reason", Label: "roles.edit.reason", Hint: "roles.edit.reasonHint", Rows: 3, Optional: p.Version.Version == 0},
		Sign:   &field{Name: "sign", Label: "roles.new.sign", Type: "checkbox"},
	}
	view.Crumbs = append(view.Crumbs, crumb{Name: view.Name, Path: view.Path})
	for i, z := range role.Zones {
		view.Sum += percent(z.Weight)
		view.Narrowest = max(view.Narrowest, f.Instrument.Narrowest(z.Dimension))
		view.Dimensions = append(view.Dimensions, f.roleEditRow(v, z, base.Zones[i], p.Version.Grounds))
	}
	view.Seen = seen(view.stored()...)
	return view, nil
}

func (f *face) roleEditRow(v *visit, z, base instrument.Zone, g typus.RoleGrounds) roleEditRow {
	whole := func(name, label, least string, value int) *field {
		return &field{Name: name + z.Dimension, Label: label, Type: "number", Min: least, Max: "100", Value: strconv.Itoa(value)}
	}
	why := func(name, label, value string) *field {
		return &field{Name: name + z.Dimension, Label: label, Value: value, Rows: 2, Optional: true}
	}
	row := roleEditRow{
		Name:   inWords(f.Instrument.DimensionName(v.lang, z.Dimension), z.Dimension),
		Weight: whole("weight_", "roles.edit.weight", "0", percent(z.Weight)),
		Low:    whole("low_", "roles.edit.low", "1", int(z.Low)), High: whole("high_", "roles.edit.high", "1", int(z.High)),
		Zone:    why("zone_", "roles.edit.zone", g.Zones[z.Dimension]),
		Upper:   why("upper_", "roles.edit.upper", g.Uppers[z.Dimension]),
		BaseLow: int(base.Low), BaseHigh: int(base.High),
	}
	for _, fd := range row.fields() {
		fd.Of = row.Name
	}
	return row
}

func (f *face) editRole(v *visit) error {
	p, err := f.ownRole(v, v.PathValue("profil"))
	if err != nil {
		return err
	}
	view, err := f.roleEditView(v, f.roleFrame(v), p)
	if err != nil {
		return err
	}
	if v.URL.Query().Has("vorschlag") {
		if err := f.propose(v, p, &view); err != nil {
			return err
		}
	}
	return f.render(v, http.StatusOK, view)
}

// propose puts the weights that the experts of the newest round propose into the form,
// and shows what would follow.
func (f *face) propose(v *visit, p typus.RoleProfile, view *roleEditView) error {
	rounds, err := f.Store.RoleRounds(v.Context(), v.Account.ID, p.ID)
	if err != nil || len(rounds) == 0 || rounds[0].Open(f.now()) {
		return err
	}
	experts, err := f.Store.RoleExperts(v.Context(), v.Account.ID, rounds[0].ID)
	if err != nil {
		return err
	}
	council := accounts.CouncilOf(f.Instrument.Dimensions(), experts)
	if council.Missing != panel.MissingNothing {
		return nil
	}
	d := accounts.RoleDraft{}
	for i, row := range view.Dimensions {
		row.Weight.Value = strconv.Itoa(council.Dimensions[i].Weight)
		low, _ := strconv.Atoi(row.Low.Value)
		high, _ := strconv.Atoi(row.High.Value)
		d.Asks = append(d.Asks, accounts.RoleAsk{Weight: council.Dimensions[i].Weight, Low: low, High: high})
	}
	view.RoundID, view.Sum = rounds[0].ID, 100
	base, _ := f.Instrument.Role(p.Base)
	view.Preview, err = f.previewOf(v, base, d)
	return err
}

// draftedRole is what the form asks for.
func draftedRole(v *visit, dimensions []string) accounts.RoleDraft {
	d := accounts.RoleDraft{Name: v.PostFormValue("name"), Reason: v.PostFormValue("reason"), Signed: v.PostFormValue("sign") != ""}
	if id, err := strconv.ParseInt(v.PostFormValue("runde"), 10, 64); err == nil {
		d.RoundID = max(0, id)
	}
	for _, key := range dimensions {
		d.Asks = append(d.Asks, accounts.RoleAsk{
			Weight: number(v, "weight_"+key, -1), Low: number(v, "low_"+key, -1), High: number(v, "high_"+key, 100),
			WhyZone: v.PostFormValue("zone_" + key), WhyUpper: v.PostFormValue("upper_" + key),
		})
	}
	return d
}

// signRole signs the next version of an own role profile.
func (f *face) signRole(v *visit) error {
	p, err := f.ownRole(v, v.PathValue("profil"))
	if err != nil {
		return err
	}
	draft, fr := draftedRole(v, f.Instrument.Dimensions()), f.roleFrame(v)
	var (
		late    *roleEditView
		damaged error
	)
	if v.PostFormValue("vorschau") != "" {
		return f.previewRole(v, fr, p, draft)
	}
	version, err := f.Accounts.SignRole(v.Context(), v.Account.ID, p.ID, v.actor(), func(now typus.RoleProfile) (accounts.RoleDraft, bool) {
		late, p = nil, now
		view, err := f.roleEditView(v, fr, now)
		if damaged = err; err == nil && (overtaken(v, view.stored()...) || view.Showed != number(v, showedVersion, view.Showed)) {
			late = &view
		}
		return draft, damaged == nil && late == nil
	})
	if sent, err := f.sentBefore(v, err, func(int64) string { return rolePath(p.Key()) }); sent {
		return err
	}
	switch {
	case damaged != nil:
		return damaged
	case err != nil:
		return f.unsignedRole(v, fr, p, draft, err)
	case late != nil:
		late.Sum, late.RoundID = sumOf(draft), draft.RoundID
		f.compare(&late.frame, v, late.stored()...)
		fill(v, late.Why)
		if late.Version() > 0 {
			late.Alert = f.say(v, "roles.edit.overtaken", "By", late.State.By, "Version", late.State.Version)
		}
		return f.render(v, http.StatusConflict, *late)
	}
	return f.done(v, rolePath(p.Key()), f.say(v, "roles.signed", "Version", version))
}

// Version is the number of the newest version, 0 for none.
func (r roleEditView) Version() int { return r.State.Version }

// showedVersion is the field with the number of the version that a form showed: whoever
// typed what somebody else has signed meanwhile does not sign it over again.
const showedVersion = "version"

// unsignedRole shows the form again with what was typed, and what is wrong with it.
func (f *face) unsignedRole(v *visit, fr frame, p typus.RoleProfile, draft accounts.RoleDraft, wrong error) error {
	view, err := f.roleEditView(v, fr, p)
	if err != nil {
		return err
	}
	view.typed(v, draft)
	if !f.blame(&view.frame, v, wrong, view.fields()...) {
		return wrong
	}
	for i, d := range view.Dimensions {
		if d.Weight.Fault != "" && d.Weight.Fault == f.say(v, "roles.fault.sum") {
			view.Dimensions[i].Weight.Fault = f.say(v, "roles.fault.sumIs", "Sum", view.Sum)
		}
	}
	return f.render(v, http.StatusUnprocessableEntity, view)
}

// typed puts what was typed into the form.
func (r *roleEditView) typed(v *visit, draft accounts.RoleDraft) {
	r.Seen, r.Showed, r.Switch.None = v.PostFormValue(seenName), number(v, showedVersion, r.Showed), true
	r.Sum, r.RoundID = sumOf(draft), draft.RoundID
	fill(v, r.fields()...)
}

// previewRole shows how stored results would be spread with what was typed; nothing is stored.
func (f *face) previewRole(v *visit, fr frame, p typus.RoleProfile, draft accounts.RoleDraft) error {
	view, err := f.roleEditView(v, fr, p)
	if err != nil {
		return err
	}
	view.typed(v, draft)
	base, _ := f.Instrument.Role(p.Base)
	if view.Preview, err = f.previewOf(v, base, draft); err != nil {
		return err
	}
	if !view.Preview.Shown {
		view.alert(f.say(v, "roles.preview.wrong"))
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	return f.render(v, http.StatusOK, view)
}

func sumOf(d accounts.RoleDraft) int {
	sum := 0
	for _, ask := range d.Asks {
		sum += max(0, ask.Weight)
	}
	return sum
}

// roleFaultKeys are the texts for what is wrong with a role profile, by the part of the
// field's name before the dimension.
var roleFaultKeys = map[string]string{
	"weight " + instrument.RoleSum: "roles.fault.sum", "weight " + instrument.RoleWeight: "roles.fault.weight",
	"low " + instrument.RoleRange: "roles.fault.range", "high " + instrument.RoleCrossed: "roles.fault.crossed",
	"high " + instrument.RoleNarrow: "roles.fault.narrow", "zone " + typus.CodeRequired: "roles.fault.zone", "upper " + typus.CodeRequired: "roles.fault.upper",
	"importance " + typus.CodeRequired: "roles.fault.importance", "importance " + accounts.CodeNoWeight: "roles.fault.noWeight",
	"reason " + typus.CodeRequired: "roles.fault.reason", "reason " + accounts.CodeNotProposed: "roles.fault.notProposed",
	"sign " + typus.CodeRequired: "roles.new.unsigned", "sign " + accounts.CodeUnchanged: "roles.fault.unchanged",
	"name " + accounts.CodeTooMany: "roles.fault.tooMany", "expert " + accounts.CodeFew: "roles.fault.few",
}

// roleFaultKey is the text for a fault in a role profile, "" for one that says nothing of
// its own.
func roleFaultKey(fault typus.Field) string {
	part, _, _ := strings.Cut(fault.Name, "_")
	return roleFaultKeys[part+" "+fault.Code]
}
