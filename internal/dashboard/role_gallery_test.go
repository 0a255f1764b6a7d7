package dashboard

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/page"
	"typus/internal/store"
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

// councilOf are four experts who have answered.
func councilOf(f *face, p persona) []typus.RoleExpert {
	var experts []typus.RoleExpert
	for n := range 4 {
		e := typus.RoleExpert{Name: p.name, Task: p.free, AnsweredAt: someTime, Answers: map[string]typus.RoleAnswer{}}
		for i, key := range f.statementKeys() {
			e.Answers[key] = typus.RoleAnswer{Importance: 1 + (i+i/9*n)%5, FromStart: (i+n)%3 == 0}
		}
		experts = append(experts, e)
	}
	return experts
}

func rolesGallery(f *face, lang string, p persona) map[string]page.View {
	v := speaking(lang)
	shell := p.shell(areaSettings, sectionRoles)
	below := shell
	below.Crumbs = []crumb{{Label: "roles.title", Path: rolesPath}}
	own, versions := ownRoleOf(f, p)
	bare := own
	bare.Version = typus.RoleVersion{}
	retired := own
	retired.ArchivedAt = someTime
	list := rolesView{frame: shell}
	list.Own, list.Archived = ownRoleRows([]typus.RoleProfile{own, bare, retired})
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
	asked := store.AskedExpert{Account: p.account, Profile: p.name, Round: typus.RoleRound{ID: 3, AskedBy: p.name, CreatedAt: someTime, ExpiresAt: someTime, Named: true}}
	outside := shell
	outside.Me, outside.Area = nil, ""
	expert := f.expertView(v, outside, asked)
	expert.Action = "/e/x"
	open := f.expertView(v, outside, asked)
	open.Action, open.Statements[4].Fault = "/e/x", f.say(v, "experts.fault")
	f.sum(&open.frame, v, open.Statements[4].field)
	ask, askOwn := f.roleAskView(v, below, nil, "hunter"), f.roleAskView(v, below, &own, "")
	askOwn.Experts[2].Name.Fault = f.say(v, "roles.fault.few")
	f.sum(&askOwn.frame, v, askOwn.fields()...)
	experts := councilOf(f, p)
	round := roleRoundView{frame: below, roleRow: ownRoleRow(own), Round: asked.Round, Until: someTime, Answered: 4, Council: f.councilView(v, experts)}
	running := round
	running.Open, running.Answered = true, 1
	for i, e := range experts {
		round.Experts = append(round.Experts, expertRow{Name: e.Name, Task: e.Task, Answered: someTime})
		row := expertRow{Name: e.Name, Task: e.Task, Link: "https://typus.example.com/e/" + strings.Repeat("x", 32)}
		if i == 0 {
			row.Link, row.Answered = "", someTime
		}
		running.Experts = append(running.Experts, row)
	}
	ending := running
	ending.Few = true
	ending.alert(f.say(v, "roles.round.few", "Answered", 1, "All", len(experts)))
	few := round
	few.Experts, few.Council, few.Round.Named = []expertRow{{Answered: someTime}, {}}, f.councilView(v, experts[:1]), false
	analysis := func(version typus.RoleVersion, asked typus.RoleRound, experts []typus.RoleExpert) roleAnalysisView {
		view, err := f.roleAnalysisView(v, below, own, version, asked, experts)
		if err != nil {
			panic(err)
		}
		return view
	}
	byExperts := analysis(own.Version, asked.Round, experts)
	proposed := edit()
	proposed.RoundID = 3
	proposed.Preview = rolePreview{Shown: true, People: 40, Low: 55, Middle: 67, Top: 80, Classes: []previewClass{{"A", 4, 10}, {"B", 8, 20}, {"C", 14, 35}, {"D", 10, 25}, {"E", 4, 10}}}
	early := edit()
	early.Preview = rolePreview{Shown: true, Few: true, People: 3}
	return map[string]page.View{
		"expert": expert, "expert-open": open, "expert-done": expertDoneView{outside, "experts.done.heading", "experts.done.advice"},
		"expert-used": expertDoneView{outside, "experts.used.heading", "experts.used.advice"}, "expert-over": expertDoneView{outside, "experts.over.heading", "experts.over.advice"},
		"role-ask": ask, "role-ask-own": askOwn, "role-round": round, "role-round-open": running, "role-round-few": few, "role-round-ending": ending,
		"role-analysis": byExperts, "role-analysis-person": analysis(own.Version, typus.RoleRound{}, nil), "role-analysis-old": analysis(versions[1], asked.Round, experts), "role-edit-proposed": proposed, "role-edit-early": early,
		"role-new": fresh, "role-new-wrong": wrong, "role-edit": edit(), "role-edit-wrong": faulty,
		"roles":         list,
		"role":          f.testRoleView(v, below, hunter),
		"role-own":      shown(own, own.Version),
		"role-archived": shown(retired, retired.Version),
		"role-old":      shown(own, versions[1]),
		"role-bare":     shown(bare, typus.RoleVersion{}),
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
