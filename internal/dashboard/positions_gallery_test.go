package dashboard

import (
	"net/http"
	"net/http/httptest"
	"time"

	"typus"
	"typus/internal/page"
	"typus/internal/store"
)

func init() { galleries = append(galleries, positionsGallery) }

// placesListed is the list of positions with its rows.
func (f *face) placesListed(v *visit, fr frame, all []typus.Position, counts map[int64]store.StatusCounts) positionsView {
	view, shown := f.positionsView(v, fr, all)
	view.Rows = f.positionRows(v, shown, counts)
	return view
}

// reading is a visit of a page, of somebody who is not logged in.
func reading(lang string) *visit {
	return &visit{w: httptest.NewRecorder(), Request: httptest.NewRequest(http.MethodGet, positionsPath, nil), visitor: visitor{lang: lang}}
}

func positionsGallery(f *face, lang string, p persona) map[string]page.View {
	v := reading(lang)
	v.Account = typus.Account{Name: p.account, Language: "de", RoleProfile: "hunter", InviteDays: 30, Reminders: 2}
	v.User, v.Verified = typus.User{ID: 1, Email: p.email, Role: typus.RoleOwner}, true
	shell := p.shell(areaPositions, "")
	of := func(id int64, name string) typus.Position {
		return typus.Position{ID: id, Name: name, State: typus.PositionOpen, Reminders: typus.RemindersOfAccount}
	}
	standard, busy, quiet, secret := of(0, ""), of(2, p.account), of(3, p.name), of(4, "Leitung Vertrieb")
	standard.Standard = true
	busy.Ref, busy.ClientKind, busy.ClientName, busy.RoleProfile, busy.InviteDays, busy.Language, busy.Reminders = p.free, typus.ClientNamed, p.name, "farmer", 14, "en", 0
	busy.Blind = true
	secret.Confidential, secret.State, secret.ClosedAt = true, typus.PositionClosed, someTime
	quiet.ClientKind, quiet.ClientWords = typus.ClientDescribed, typus.OwnWords{DE: "Maschinenbau, Region Stuttgart"}
	list := f.placesListed(v, shell, []typus.Position{standard, quiet, busy, secret}, map[int64]store.StatusCounts{
		0: {Open: 3, Started: 1, Finished: 24, Decided: 11}, 2: {Open: 1204, Started: 87, Finished: 8120, Decided: 7703}, 3: {},
	})
	only := f.placesListed(v, shell, []typus.Position{standard}, map[int64]store.StatusCounts{0: {Open: 3, Started: 1, Finished: 24, Decided: 11}})
	viewer := list
	viewer.frame = p.shell(areaPositions, "")
	viewer.Me.Role = typus.RoleInterviewer
	nobody := f.placesListed(v, viewer.frame, nil, nil)

	figures := store.PositionFigures{
		Open: store.Count{N: 12}, Started: store.Count{N: 9}, Finished: store.Count{N: 31}, Decided: store.Count{N: 17}, Questions: 5,
		Times:   []time.Duration{17 * time.Minute, 21 * time.Minute, 16 * time.Minute},
		GivenUp: []store.GivenUp{{Instrument: "typus@2.0.0"}, {Instrument: "typus@2.0.0"}},
	}
	row := func(id int64, name string, st typus.Status, stage typus.Stage) store.CandidateRow {
		return store.CandidateRow{Candidate: typus.Candidate{ID: id, Name: name, Status: st, CreatedAt: someTime, StartedAt: someTime, ExpiresAt: someTime.AddDate(90, 0, 0)}, Stage: stage}
	}
	newest := []store.CandidateRow{
		row(1, p.name, typus.StatusFinished, typus.StageInterview), row(2, "Jana Öztürk", typus.StatusStarted, ""), row(3, "Sam O’Neill", typus.StatusOpen, ""),
	}
	people := []typus.User{{Name: p.name, Email: p.email}, {Email: p.email}}
	general := f.positionView(v, shell, standard, figures, newest)
	figures.Named = people
	page1 := f.positionView(v, shell, busy, figures, newest)
	closed := f.positionView(v, shell, secret, store.PositionFigures{Finished: store.Count{N: 2}, Named: people[:1]}, newest[:1])
	empty := f.positionView(v, shell, quiet, store.PositionFigures{}, nil)

	fresh := f.newPositionView(v)
	fresh.frame = shell
	fresh.Crumbs = []crumb{{Label: "positions.title", Path: positionsPath}}
	edit := f.editPositionView(v, busy)
	crumbs := edit.Crumbs
	edit.frame = shell
	edit.Crumbs = crumbs
	wrong := f.newPositionView(v)
	wrong.frame = shell
	wrong.Form.Name.Fault, wrong.Form.Ref.Value, wrong.Form.Ref.Fault = f.say(v, "fault.required"), p.free, f.say(v, "position.fault.refTaken")
	wrong.Form.ClientName.Fault = f.say(v, "position.fault.client")
	f.sum(&wrong.frame, v, wrong.Form.fields()...)

	dressed := busy
	dressed.LogoHash, dressed.ClientKind, dressed.ClientWords = "a", typus.ClientDescribed, typus.OwnWords{DE: p.name, EN: p.free}
	agency := *v
	agency.Account.Notice.Client = p.account
	logo := f.editPositionView(&agency, dressed)
	logo.frame, logo.Crumbs = shell, crumbs
	noticeOf := func(p typus.Position) positionNoticeView {
		return f.positionNoticeView(v, shell, p)
	}
	told := dressed
	told.Notice = typus.NoticeFacts{Consequence: typus.ConsequenceOwn, ConsequenceOwn: typus.OwnWords{DE: p.free}, Officer: p.email, Basis: typus.OwnWords{EN: p.free}}
	noticeWrong := noticeOf(told)
	noticeWrong.Form.Officer.Fault = f.say(v, "fault.tooLong")
	f.sum(&noticeWrong.frame, v, noticeWrong.Form.fields()...)

	team := []typus.User{{ID: 1, Email: p.email, Role: typus.RoleOwner}, {ID: 2, Name: p.name, Email: p.email, Role: typus.RoleAdmin}, {ID: 3, Email: p.email, Role: typus.RoleInterviewer, OnlyNamed: true}}
	members := f.positionMembersView(v, busy, team, []int64{3})
	members.frame, members.Crumbs = shell, crumbs
	leaving := members
	leaving.frame, leaving.Named = shell, &field{Name: "mitglied", Label: "position.members.who", Many: true, Options: members.Named.Options, Fault: f.say(v, "position.members.yourself")}
	leaving.Leaves = true
	f.sum(&leaving.frame, v, leaving.Named)
	closing := f.closePositionView(v, busy, store.Unbegun{Open: 21, Over: 4})
	closing.frame, closing.Crumbs = shell, crumbs
	done := f.closePositionView(v, busy, store.Unbegun{})
	done.frame = shell
	return map[string]page.View{
		"positions": list, "positions-none": only, "positions-viewer": viewer, "positions-nobody": nobody,
		"position": page1, "position-closed": closed, "position-empty": empty, "position-general": general,
		"position-form": edit, "position-form-logo": logo,
		"position-notice": noticeOf(quiet), "position-notice-told": noticeOf(told), "position-notice-wrong": noticeWrong,
		"position-form-new": fresh, "position-form-wrong": wrong,
		"position-members": members, "position-members-leaving": leaving, "position-close": closing, "position-close-none": done,
	}
}
