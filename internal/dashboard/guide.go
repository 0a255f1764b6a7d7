package dashboard

import (
	"net/http"

	"typus"
	"typus/internal/report"
)

// guideView is what to ask a candidate in an interview. It says nothing about the result,
// so that it is the same for everybody whom the role profile is meant for.
type guideView struct {
	frame
	Name  string
	Role  string // name of the role profile
	Base  string // address of the candidate's page
	Guide report.Guide
}

// Template names the page.
func (guideView) Template() string { return "guide" }

// guide shows what to ask.
func (f *face) guide(v *visit, c typus.Candidate) error {
	return f.render(v, http.StatusOK, f.guideView(v, c))
}

func (f *face) guideView(v *visit, c typus.Candidate) *guideView {
	in := f.test(c.Instrument)
	role, _ := in.Role(c.RoleProfile) // of an unknown one nothing is known to weigh most
	view := &guideView{
		frame: f.frame(v, areaCandidates), Name: c.Name, Role: inWords(in.RoleName(v.lang, c.RoleProfile), c.RoleProfile),
		Base: candidatePath(c.ID), Guide: report.GuideOf(in, role, v.lang),
	}
	view.Crumbs = []crumb{{Label: "shell.candidates", Path: "/dashboard"}, {Name: c.Name, Path: candidatePath(c.ID)}}
	return view
}
