package dashboard

import (
	"time"

	"typus"
	"typus/internal/page"
	"typus/internal/store"
)

func init() { galleries = append(galleries, homeGallery) }

// homeGallery is a day with much to do, one of who may only look, and one with nothing.
func homeGallery(f *face, lang string, p persona) map[string]page.View {
	someone := func(id int64, change func(r *store.CandidateRow)) store.CandidateRow {
		r := store.CandidateRow{Candidate: typus.Candidate{ID: id, Name: p.name, Email: p.email, Status: typus.StatusFinished, CompletedAt: someTime, ExpiresAt: someTime}}
		if change != nil {
			change(&r)
		}
		return r
	}
	blind := func(r *store.CandidateRow) { r.Blind, r.CompletedAt, r.Position = true, time.Time{}, p.free }
	named := func(r *store.CandidateRow) { r.Name, r.Position = "Kim", "Vertrieb Nord" }
	corrected := func(r *store.CandidateRow) { r.Mail, r.MailTo = typus.LetterFailed, "alt-"+p.email }
	found := []store.Needing{
		{Need: store.NeedLink, All: 1, Rows: []store.CandidateRow{someone(1, nil)}},
		{Need: store.NeedAddress, All: 2, Rows: []store.CandidateRow{someone(2, corrected), someone(3, named)}},
		{Need: store.NeedTime, All: 38, Rows: []store.CandidateRow{someone(4, named)}},
		{Need: store.NeedCare, All: 1, Rows: []store.CandidateRow{someone(5, nil)}},
		{Need: store.NeedLook, All: 7, Rows: []store.CandidateRow{someone(6, named), someone(7, nil), someone(8, blind)}},
	}
	asked := []store.OpenRequest{{Request: typus.Request{CandidateID: 9, Kind: typus.RequestErasure, CreatedAt: someTime}, Name: p.name}}
	hooks := []typus.Endpoint{{ID: 1, Description: p.free, Status: typus.EndpointDisabled}, {ID: 2, URL: "https://crm.example.com/hook", Status: typus.EndpointFailing}}
	v := galleryVisitor(lang, p)
	v.User, v.Verified, v.Account.Credits = typus.User{ID: 1, Role: typus.RoleOwner}, true, 3
	busy := homeView{frame: p.shell(areaHome, ""), ReadTo: "1"}
	f.fillHome(v, &busy, found, asked, hooks)
	busy.Todo[0].All = 27
	guest := galleryVisitor(lang, p)
	guest.User, guest.Verified, guest.Account.Credits = typus.User{ID: 1, Role: typus.RoleInterviewer}, true, 30
	viewing := homeView{frame: p.shell(areaHome, ""), ReadTo: "1"}
	viewing.Me = &me{Email: p.email, Name: p.name, Account: p.account, Role: typus.RoleInterviewer}
	f.fillHome(guest, &viewing, found[3:], nil, nil)
	idle := viewing
	idle.Fresh, idle.Todo, idle.Matters = homeGroup{}, nil, nil
	return map[string]page.View{"home": busy, "home-viewer": viewing, "home-nothing": homeView{frame: p.shell(areaHome, "")}, "home-idle": idle}
}
