package dashboard

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/panel"
)

// roleAnalysisView is the requirement analysis of a version of an own role profile, on one
// page to be printed.
type roleAnalysisView struct {
	frame
	roleRow
	Base     roleRow
	Picture  rolePicture
	Reason   string
	Again    time.Time // zero of a version that is not the newest
	Old      bool
	Grounds  []roleGround
	Experts  []expertRow // nil where one person alone has said what is important
	Asked    typus.RoleRound
	Answered int
	Council  councilView
	ICC      string // "" where it cannot be worked out
	Rows     []analysisRow
	Changed  bool // the weights are not those that the experts propose
}

// Template names the page.
func (roleAnalysisView) Template() string { return "role_analysis" }

// analysisRow is one dimension.
type analysisRow struct {
	Name                            string
	Told                            bool   // experts say something about it
	Mean, Median, Low, High         string // "" where they do not
	RWG                             string // "" where it cannot be determined
	Agreement                       string
	Start, Importance               int // percent; 1 to 5, 0 for nothing
	Proposed, Weight, From, To      int
	HasProposal, Differs, Unlimited bool
}

// roleAnalysis is the page of the requirement analysis.
func (f *face) roleAnalysis(v *visit) error {
	p, err := f.ownRole(v, v.PathValue("profil"))
	if err == nil && p.Version.Version == 0 {
		err = typus.Errorf(typus.NotFound, "nobody has signed this role profile yet")
	}
	if err != nil {
		return err
	}
	_, shown, err := f.versionsOf(v, p)
	if err != nil {
		return err
	}
	asked, experts, err := f.askedFor(v, p, shown)
	if err != nil {
		return err
	}
	view, err := f.roleAnalysisView(v, f.roleFrame(v), p, shown, asked, experts)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

// askedFor are the round that a version rests on and its experts, none for none.
func (f *face) askedFor(v *visit, p typus.RoleProfile, version typus.RoleVersion) (typus.RoleRound, []typus.RoleExpert, error) {
	if version.RoundID == 0 {
		return typus.RoleRound{}, nil, nil
	}
	rounds, err := f.Store.RoleRounds(v.Context(), v.Account.ID, p.ID)
	if err != nil {
		return typus.RoleRound{}, nil, err
	}
	var asked typus.RoleRound
	for _, r := range rounds {
		if r.ID == version.RoundID {
			asked = r
		}
	}
	experts, err := f.Store.RoleExperts(v.Context(), v.Account.ID, asked.ID)
	return asked, experts, err
}

func (f *face) roleAnalysisView(v *visit, fr frame, p typus.RoleProfile, version typus.RoleVersion, asked typus.RoleRound, experts []typus.RoleExpert) (roleAnalysisView, error) {
	shown, err := f.ownRoleView(v, fr, p, nil, version)
	if err != nil {
		return roleAnalysisView{}, err
	}
	view := roleAnalysisView{
		frame: fr, roleRow: shown.roleRow, Base: shown.Base, Picture: shown.Picture, Reason: shown.Reason, Grounds: shown.Grounds,
		Old: shown.Old, Asked: asked,
	}
	if !view.Old {
		view.Again = version.SignedAt.AddDate(0, accounts.LookAgain, 0)
	}
	view.Crumbs = append(view.Crumbs, crumb{Name: view.Name, Path: view.Path})
	for _, e := range experts {
		view.Experts = append(view.Experts, expertRow{Name: e.Name, Task: e.Task, Answered: e.AnsweredAt})
		if !e.AnsweredAt.IsZero() {
			view.Answered++
		}
	}
	if len(experts) > 0 {
		view.Council = f.councilView(v, experts)
		if view.Council.ICCKnown {
			view.ICC = rounded(v.lang, view.Council.ICC, 2)
		}
	}
	for i, key := range f.Instrument.Dimensions() {
		drawn := view.Picture.Rows[i]
		row := analysisRow{Name: drawn.Name, Weight: drawn.Weight, From: drawn.Low, To: drawn.High, Unlimited: drawn.Open, Importance: version.Grounds.Importance[key]}
		if len(view.Council.Rows) > 0 {
			row.say(v.lang, view.Council.Rows[i])
		}
		row.Proposed, row.HasProposal = version.Grounds.Proposed[key], version.Grounds.Proposed != nil
		row.Differs = row.HasProposal && row.Proposed != row.Weight
		view.Changed = view.Changed || row.Differs
		view.Rows = append(view.Rows, row)
	}
	return view, nil
}

// say puts down what experts say about a dimension.
func (row *analysisRow) say(lang string, d councilRow) {
	if row.Agreement, row.Told = d.Agreement, d.Told(); !row.Told {
		return
	}
	row.Start, row.Mean, row.Median = d.FromStart, rounded(lang, d.Mean, 1), d.Middle
	row.Low, row.High = d.From, d.To
	if d.Dimension.Agreement != panel.AgreementUnknown {
		row.RWG = rounded(lang, d.RWG, 2)
	}
}

// rounded is a number with so many places after the point, as the language writes it.
func rounded(lang string, x float64, places int) string {
	said := strconv.FormatFloat(x, 'f', places, 64)
	if lang == "de" {
		said = strings.Replace(said, ".", ",", 1)
	}
	return said
}
