package dashboard

import (
	"testing"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/page"
)

func init() { galleries = append(galleries, rolesGallery) }

// ownRoleOf is an own role profile in two versions, newest first.
func ownRoleOf(f *face, p persona) (typus.RoleProfile, []typus.RoleVersion) {
	role, _ := f.Instrument.Role("hunter")
	role.Key, role.Name, role.Version = "own-7", p.account, 2
	role.Confirmed.By, role.Confirmed.On = string(typus.RoleByPerson), "2026-11-27"
	profile, err := json.Marshal(role)
	if err != nil {
		panic(err)
	}
	first := typus.RoleVersion{ProfileID: 7, Version: 1, Profile: profile, Basis: typus.RoleByPerson, SignedBy: p.name, SignedAt: someTime}
	second := first
	second.Version, second.Reason = 2, p.free
	second.Grounds = typus.RoleGrounds{Zones: map[string]string{"integrity": p.free}, Uppers: map[string]string{"assertiveness": p.name}}
	return typus.RoleProfile{ID: 7, Name: p.account, Base: "hunter", CreatedAt: someTime, Version: second}, []typus.RoleVersion{second, first}
}

func rolesGallery(f *face, lang string, p persona) map[string]page.View {
	v := speaking(lang)
	shell := p.shell(areaSettings, sectionRoles)
	below := shell
	below.Crumbs = []crumb{{Label: "roles.title", Path: rolesPath}}
	own, versions := ownRoleOf(f, p)
	bare := own
	bare.Version = typus.RoleVersion{}
	list := rolesView{frame: shell, Own: []roleRow{ownRoleRow(own), ownRoleRow(bare)}}
	for _, r := range f.Instrument.Roles() {
		list.Test = append(list.Test, f.testRoleRow(v, r))
	}
	shown := func(p typus.RoleProfile, version typus.RoleVersion) roleView {
		view, err := f.ownRoleView(v, below, p, versions, version)
		if err != nil {
			panic(err)
		}
		return view
	}
	hunter, _ := f.Instrument.Role("general_sales")
	fresh := f.roleNewView(v, below, "hunter")
	wrong := f.roleNewView(v, below, "hunter")
	wrong.Name.Value, wrong.Name.Fault, wrong.Questions[1].Fault = p.free, f.say(v, "fault.tooLong"), f.say(v, "roles.fault.importance")
	f.sum(&wrong.frame, v, wrong.fields()...)
	edit := func() roleEditView {
		view, err := f.roleEditView(v, below, own)
		if err != nil {
			panic(err)
		}
		return view
	}
	faulty := edit()
	faulty.Dimensions[0].Weight.Fault, faulty.Dimensions[1].High.Fault = f.say(v, "roles.fault.sumIs", "Sum", 103), f.say(v, "roles.fault.narrow")
	faulty.Dimensions[2].Zone.Fault, faulty.Why.Value, faulty.Sign.Fault = f.say(v, "roles.fault.zone"), p.name, f.say(v, "roles.new.unsigned")
	f.sum(&faulty.frame, v, faulty.fields()...)
	return map[string]page.View{
		"role-new": fresh, "role-new-wrong": wrong, "role-edit": edit(), "role-edit-wrong": faulty,
		"roles":     list,
		"role":      f.testRoleView(v, below, hunter),
		"role-own":  shown(own, own.Version),
		"role-old":  shown(own, versions[1]),
		"role-bare": shown(bare, typus.RoleVersion{}),
	}
}

func TestTheWeightsOfAPictureAreThoseOfTheProfile(t *testing.T) {
	f := newTestFace(t)
	for _, role := range f.Instrument.Roles() {
		sum := 0
		for i, row := range pictureOf(f.Instrument, role, "de").Rows {
			sum += row.Weight
			if z := role.Zones[i]; row.Low != int(z.Low) || row.High != int(z.High) || row.Name == "" {
				t.Errorf("%s: %+v", role.Key, row)
			}
		}
		if sum != 100 {
			t.Errorf("%s: the weights sum to %d", role.Key, sum)
		}
	}
}
