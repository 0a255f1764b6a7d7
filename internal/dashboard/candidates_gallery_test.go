package dashboard

import (
	"maps"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/instrument"
	"typus/internal/page"
	"typus/internal/report"
	"typus/internal/store"
)

func init() { galleries = append(galleries, candidatesGallery, candidateGallery) }

func candidatesGallery(f *face, lang string, p persona) map[string]page.View {
	v := &visit{visitor: visitor{lang: lang, Account: typus.Account{InviteDays: 30}}}
	rows := []candidateRow{
		{ID: 1, Name: p.name, Email: p.email, ExternalID: p.free, Tags: []string{"Messe", p.account}, Items: 97, Finished: true, Overall: 77, Low: 67, High: 87, Fit: "C", Between: "B/C",
			FitLabel: "Mittlere Übereinstimmung mit dem Rollenprofil", Persona: "Gleichmaß", Second: "Fels in der Brandung", Stability: 31, Equal: true, Invited: someTime, Completed: someTime, Aged: 12,
			State: state{Label: "candidates.state.finished", Look: "good"}},
		{ID: 5, Name: "Kim Probe", Email: "kim@example.com", ExternalID: "probe-1", Items: 97, Finished: true, MadeUp: true, Doubt: report.Doubt(typus.Scores{}, true, lang), Invited: someTime, Completed: someTime,
			State: state{Label: "candidates.state.finished", Look: "good", Remarks: []remark{{"candidates.remark.madeUp", "warn"}}}},
		{ID: 6, Name: "Robin Probe", Email: "robin@example.com", Items: 97, Finished: true, Doubt: report.Doubt(doubtfulScores, false, lang), Invited: someTime, Completed: someTime,
			State: state{Label: "candidates.state.finished", Look: "good"}},
		{ID: 2, Name: p.name, Email: p.email, Items: 97, Answered: 41, Running: true, Invited: someTime,
			State: stateOf(typus.Candidate{Status: typus.StatusStarted, ExpiresAt: someTime, DeclinedAt: someTime}, typus.LetterFailed, someTime)},
		{ID: 3, Name: "Kim", Email: "kim@example.com", Items: 97, Invited: someTime,
			State: stateOf(typus.Candidate{Status: typus.StatusOpen, ExpiresAt: someTime.Add(time.Hour)}, "", someTime)},
		{ID: 4, Name: "Robin Muster", Email: "robin@example.com", ExternalID: "crm-8812", Items: 97, Invited: someTime,
			State: stateOf(typus.Candidate{Status: typus.StatusOpen, CancelledAt: someTime}, "", someTime)},
	}
	for i := range rows {
		rows[i].Position, rows[i].Stage, rows[i].Decided = []string{f.say(v, "positions.standard"), p.free, "Vertrieb Nord"}[i%3], report.StageName(typus.Stages()[i], lang), i > 0
		rows[i].Role = f.Instrument.RoleName(lang, "key_account")
	}
	filter := candidateFilter{Search: p.name, Tag: p.account, Status: typus.StatusOpen, From: "2026-11-01", To: "2026-11-30"}
	chips := []chip{{Label: "candidates.all", Count: "10000+", Path: "/dashboard/kandidaten", Current: true}, {Label: "candidates.status.open", Count: "1200", Path: "/dashboard/kandidaten?status=offen"},
		{Label: "candidates.status.started", Count: "31", Path: "/dashboard/kandidaten?status=begonnen"}, {Label: "candidates.status.finished", Count: "8000+", Path: "/dashboard/kandidaten?status=abgeschlossen"}}
	sorts := []chip{{Label: "candidates.sort.date", Path: "/dashboard/kandidaten", Current: true}, {Label: "candidates.sort.name", Path: "/dashboard/kandidaten?sortierung=name"}}
	list := candidatesView{frame: p.shell(areaCandidates, ""), Chips: chips, Sorts: sorts, Rows: rows, Next: "/dashboard/kandidaten?nach=x", First: "/dashboard/kandidaten",
		Decides: true, Export: "/dashboard/export", Back: "/dashboard/kandidaten", Clear: "/dashboard/kandidaten", Tags: []option{{Value: p.account, Label: p.account}}}
	var offered store.CandidateCounts
	offered.Positions = []store.NamedPosition{{ID: 7, Name: p.free}, {ID: 8, Name: "Vertrieb Nord"}}
	offered.Roles = []store.NamedRole{{Key: "hunter"}, {Key: "own-3", Name: p.name}}
	desk := galleryVisitor(lang, p)
	desk.Reader = store.WholeAccount(1)
	list.Menus = f.menus(desk, candidateFilter{}, offered)
	placed := list
	placed.Placed, placed.Menus = true, f.menus(desk, candidateFilter{Position: "7", Role: "own-3", Stage: typus.StageOffer}, offered)
	placed.WithinRole = []choice{{Name: "Hunter"}, {Name: p.name}}
	found := list
	found.Version = 2
	found.Filter, found.Score, found.Sorts = filter, true, append(sorts, chip{Label: "candidates.sort.overall", Path: "/dashboard/kandidaten?sortierung=gesamtwert"})
	nothing := found
	nothing.Rows, nothing.Next, nothing.First = nil, "", ""
	viewing := list
	viewing.Me = &me{Email: p.email, Name: p.name, Account: p.account, Role: typus.RoleViewer}
	blind := viewing
	blind.Me, blind.Rows = &me{Email: p.email, Name: p.name, Account: p.account, Role: typus.RoleInterviewer}, nil
	for _, row := range rows {
		if row.Finished {
			row.Withheld, row.Doubt, row.Tags = true, "", nil
		}
		blind.Rows = append(blind.Rows, row)
	}
	choice := choiceView{frame: p.shell(areaCandidates, ""), Heading: bulkErase.heading, Advice: bulkErase.advice, Button: bulkErase.button, Alarm: true, Gone: 2,
		Action: bulkErase.path, Rows: rows, Back: candidateFilter{Search: p.free}.path()}
	rest := choice
	rest.Heading, rest.Advice, rest.Button, rest.Alarm, rest.Action = bulkExport.heading, bulkExport.advice, bulkExport.button, false, bulkExport.path
	extend := choice
	extend.Heading, extend.Advice, extend.Button, extend.Alarm = bulkExtend.heading, bulkExtend.advice, bulkExtend.button, false
	extend.Until = &field{Name: "ende", Label: "candidates.extend.until", Hint: "candidates.extend.hint", Type: "date", Value: "2031-01-01", Fault: p.name}
	extend.Tell = tellField(true)
	f.sum(&extend.frame, v, extend.Until)
	unread := sortingView{frame: p.shell(areaCandidates, ""), Fault: p.free}
	unread.frame.Fault = true
	gaps := list
	gaps.Gaps = f.gaps(galleryVisitor(lang, p))
	form := newDecisionForm(lang, false)
	form.Reasons.Fault = f.say(v, "decision.fault.reasons")
	reject := rejectView{frame: p.shell(areaCandidates, ""), Form: form, Gone: 2, Back: "/dashboard/kandidaten", Rows: []rejectRow{{rows[0], 7}, {rows[2], 0}},
		Left: []leftRow{{rows[1], "decision.not.opened"}, {rows[3], "decision.not.decided"}, {rows[4], "decision.not.withheld"}, {rows[5], "decision.not.rejected"}}}
	reject.Form.Action = rejectPath
	f.sum(&reject.frame, v, form.Reasons)
	return map[string]page.View{
		"reject":             reject,
		"reject-nobody":      rejectView{frame: p.shell(areaCandidates, ""), Form: form, Back: "/dashboard/kandidaten", Left: reject.Left},
		"rejected":           rejectedView{frame: p.shell(areaCandidates, ""), Done: rows[:2], Left: reject.Left, Gone: 1},
		"candidates":         list,
		"candidates-found":   found,
		"candidates-placed":  placed,
		"candidates-nothing": nothing,
		"candidates-nobody":  candidatesView{frame: p.shell(areaCandidates, ""), Nobody: true, Snippet: inviteSnippet("https://typus.example.com")},
		"candidates-viewer":  viewing,
		"candidates-blind":   blind,
		"candidates-gaps":    gaps,
		"choice-erase":       choice, "choice-rest": rest,
		"choice-extend":  extend,
		"sorting":        sortingView{frame: p.shell(areaCandidates, "")},
		"sorting-unread": unread,
		"sorting-on":     sortingView{frame: p.shell(areaCandidates, ""), Since: someTime, By: p.email},
	}
}

// doubtfulScores should not be interpreted.
var doubtfulScores = typus.Scores{Warnings: []typus.Warning{{Key: typus.DoubtfulAnswers, Severity: typus.SeverityCaution}}}

func candidateGallery(f *face, lang string, p persona) map[string]page.View {
	v := &visit{visitor: visitor{lang: lang, Account: typus.Account{InviteDays: 30}}}
	code, err := newQR("https://typus.example.com/t/0123456789abcdefghijABCDEFGHIJ01")
	if err != nil {
		panic(err)
	}
	base := func() *candidateView {
		return &candidateView{
			frame: p.shell(areaCandidates, ""), Role: "Vertrieb allgemein", For: positionsPath + "/1", Lang: "candidate.language.de", Base: "/dashboard/kandidat/1", Expires: someTime,
			candidateRow: candidateRow{ID: 1, Name: p.name, Email: p.email, Position: p.account, ExternalID: p.free, Tags: []string{"Messe", p.account}, Items: 97, Invited: someTime,
				State: stateOf(typus.Candidate{Status: typus.StatusOpen, ExpiresAt: someTime.Add(time.Hour)}, "", someTime)},
			NewName: &field{Name: "name", Label: "candidate.correct.name", Value: p.name}, NewEmail: &field{Name: "email", Label: "candidate.correct.email", Type: "email", Value: p.email},
			Note: &field{Name: "notiz", Label: "candidate.notes.new", Rows: 3}, Tag: &field{Name: "tag", Label: "candidate.tags.new"}, Known: []string{p.free},
			Notes:    []noteLine{{ID: 1, Author: p.email, Body: p.name + "\n" + p.free, At: someTime, Drop: true}, {ID: 2, Author: "kim@example.com", Body: p.account, At: someTime}},
			Timeline: []event{{At: someTime, Text: p.name, Detail: p.free, Bad: true}, {At: someTime, Text: p.account}},
		}
	}
	open := base()
	open.Link, open.QR, open.Remind, open.Send, open.Mailed = "https://typus.example.com/t/0123456789abcdefghijABCDEFGHIJ01", code, true, true, true
	open.Until = &field{Name: "ende", Label: "candidates.extend.until", Hint: "candidates.extend.hint", Type: "date", Value: "2026-12-27"}
	running := base()
	running.Running, running.Answered, running.Stand, running.Declined, running.Bounced = true, 41, typus.StandDeclined, someTime, true
	bounced := base()
	bounced.Bounced, bounced.Send, bounced.Mailed, bounced.Obstacle = true, true, true, "candidates.not.bounced"
	meant, meantSend := base(), base()
	meant.Ask = askCorrect
	meantSend.Bounced, meantSend.Send, meantSend.Mailed, meantSend.Ask = true, true, true, askCorrectSend
	for _, asks := range []*candidateView{meant, meantSend} {
		asks.NewEmail.Value = "kim@goglemail.com"
		asks.Ask.Meant, asks.Ask.Typed, asks.Ask.Focus = "kim@googlemail.com", "kim@goglemail.com", true
	}
	came := base()
	came.Came, came.Send, came.Mailed = "alt-"+p.email, true, true
	recent := base()
	recent.Mailed, recent.Obstacle = true, "candidates.not.recent"
	expired := base()
	expired.Stand, expired.Until, expired.Tell, expired.Asked = typus.StandExpired, open.Until, tellField(true), true
	faulty := base()
	faulty.NewName.Fault, faulty.Tag.Fault, faulty.Note.Fault = p.free, p.name, p.account
	f.sum(&faulty.frame, v, faulty.NewName, faulty.Note, faulty.Tag)
	gone := base()
	gone.Stand, gone.Tags, gone.Notes = typus.StandWithdrawn, nil, nil
	viewing := base()
	viewing.Me = &me{Email: p.email, Name: p.name, Account: p.account, Role: typus.RoleViewer}
	finished := base()
	finished.Finished, finished.Completed, finished.Started = true, someTime, someTime
	finished.State, finished.Report = state{Label: "candidates.state.finished", Look: "good"}, galleryReport(lang, false)
	asking := base()
	asking.candidateRow, asking.Started, asking.Report = finished.candidateRow, someTime, galleryReport(lang, false)
	asking.Decision = &decisionView{Stage: p.free, Correction: true}
	unanswered := &field{Name: "antwort-2", Label: "own.answer", Hint: "own.answerHint", Rows: 3, Value: p.free, Fault: p.name}
	asking.Own = &ownPanel{Base: base().Base, Policy: typus.OwnResultReleased, Opened: someTime, Release: true, Requests: []ownAsk{
		{Request: typus.Request{ID: 2, Kind: typus.RequestCorrection, Text: p.name, CreatedAt: someTime}, Label: p.free, Action: "/dashboard/kandidat/1/anfragen/2", Field: unanswered},
		{Request: typus.Request{ID: 1, Kind: typus.RequestErasure, CreatedAt: someTime, Answer: p.free, AnsweredBy: p.email, AnsweredAt: someTime}, Label: p.account},
		{Request: typus.Request{ID: 3, Kind: typus.RequestRetest, CreatedAt: someTime}, Label: p.account, Again: someTime},
	}}
	f.sum(&asking.frame, v, unanswered)
	earlier := []earlierRow{{Path: "/dashboard/kandidat/2", Completed: someTime, Answered: someTime, Position: p.account, Version: "2.0.0"},
		{Path: "/dashboard/kandidat/3", Completed: someTime, Position: p.free, Version: "1.0.0"}}
	before := base()
	before.Earlier = &earlierView{Before: true, Rows: earlier}
	taken := base()
	taken.candidateRow, taken.Answers, taken.Report = finished.candidateRow, someTime, galleryReport(lang, false)
	taken.State.Remarks = []remark{{"candidates.remark.takenOver", "soft"}}
	taken.Report.TakenOver = f.takenOver(v, typus.Candidate{AnsweredAt: someTime, CompletedAt: someTime})
	taken.Earlier = &earlierView{Rows: earlier}
	kept := func(k typus.Keeping) *candidateView {
		view := base()
		view.candidateRow, view.Started, view.Report, view.EraseAt = finished.candidateRow, someTime, galleryReport(lang, false), someTime
		view.Keep = &keepView{Base: view.Base, Until: k.Until, Reason: k.Reason}
		view.Keep.Day, view.Keep.Why = f.keepFields(typus.Account{}, k)
		return view
	}
	keeping, unkept := kept(typus.Keeping{Until: someTime, Reason: p.free}), kept(typus.Keeping{Reason: p.name})
	unkept.Keep.Day.Fault, unkept.Keep.Why.Fault = f.say(v, "fault.invalid"), f.say(v, "fault.tooLong")
	f.sum(&unkept.frame, v, unkept.Keep.Day, unkept.Keep.Why)
	madeUp := base()
	madeUp.candidateRow, madeUp.Started, madeUp.Report = finished.candidateRow, someTime, galleryReport(lang, true)
	madeUp.State.Remarks = []remark{{"candidates.remark.madeUp", "warn"}}
	blind := base()
	blind.candidateRow, blind.Started, blind.Tags, blind.Notes = finished.candidateRow, someTime, nil, blind.Notes[:1]
	blind.Withheld, blind.Reason = true, &field{Name: "grund", Label: "blind.reason", Rows: 2}
	unsaid := base()
	unsaid.candidateRow, unsaid.Started, unsaid.Withheld = blind.candidateRow, someTime, true
	unsaid.Reason = &field{Name: "grund", Label: "blind.reason", Rows: 2, Fault: f.say(v, "blind.reasonFault")}
	f.sum(&unsaid.frame, v, unsaid.Reason)
	reports := map[string]page.View{
		"candidate-blind": blind, "candidate-blind-wrong": unsaid,
		"account-blind": f.blindView(p.shell(areaPositions, ""), v, typus.Position{Standard: true, Blind: true}),
		"own-terms":     f.ownTermsView(p.shell(areaSettings, sectionOwn), v, typus.OwnResultTerms{Policy: typus.OwnResultNone, Reason: p.free}, typus.OwnResultPolicies()...),
		"candidate-own": asking, "candidate-before": before, "candidate-taken-over": taken,
		"person":         personView{frame: p.shell(areaCandidates, ""), Name: p.name, Action: "/dashboard/kandidat/1/auskunft", Tables: []string{p.account, p.free}},
		"person-several": personView{frame: p.shell(areaCandidates, ""), Name: p.name, Action: "/dashboard/kandidat/1/auskunft", Tables: []string{p.account}, Others: []otherSelf{{2, p.name, p.free, someTime}, {3, p.name, "", someTime}}},
	}
	for _, of := range []string{"G07", "G08", "G12", "G20", "G27", "G28", "G30", "G45"} {
		shown := base()
		shown.candidateRow, shown.Started, shown.State, shown.Report = finished.candidateRow, someTime, finished.State, knownReport(of, lang)
		shown.Report.Glance = f.glance(v, shown.Report)
		reports["report-"+of] = shown
	}
	reports["report-G45"].(*candidateView).Report.Closed = true
	reports["report-G27"].(*candidateView).Report.First = true
	reports["report-G12"].(*candidateView).Report.Aged = 12
	asked := []typus.CoreQuestion{{Key: "co2"}, {Key: "in2"}, {Key: "own1", Ask: typus.OwnWords{DE: p.free}, High: typus.OwnWords{DE: p.name}}, {Key: "own2", Ask: typus.OwnWords{EN: p.account}, Low: typus.OwnWords{EN: p.free}}}
	wrongCore := f.coreView(v, p.shell(areaPositions, ""), typus.Position{Standard: true}, asked)
	wrongCore.Bank.Fault, wrongCore.Own[0].AskEN.Fault, wrongCore.Own[1].LowEN.Fault = f.say(v, "core.fault.count"), f.say(v, "fault.required"), f.say(v, "fault.tooLong")
	f.sum(&wrongCore.frame, v, wrongCore.fields()...)
	reports["core"], reports["core-wrong"] = f.coreView(v, p.shell(areaPositions, ""), typus.Position{Standard: true}, nil), wrongCore
	for name, v := range guideGallery(lang, p) {
		reports[name] = v
	}
	decidedOn := reports["report-G27"].(*candidateView)
	decidedOn.Decision = &decisionView{Form: newDecisionForm(lang, true), Stage: report.StageName(typus.StageRejection, lang), Entries: []report.Decision{
		report.DecisionOf(typus.Decision{Author: p.email, Stage: typus.StageRejection, Reasons: typus.Reasons(), Sources: typus.Sources()[:4], Text: p.name + "\n" + p.free, CreatedAt: someTime}, lang),
		report.DecisionOf(typus.Decision{Author: "kim@example.com", Stage: typus.StageOnHold, CreatedAt: someTime}, lang),
	}}
	decidedOn.Comment = &commentView{Form: newCommentForm(lang)}
	for _, text := range []string{p.name + "\n" + p.free, p.account} {
		decidedOn.Comment.Versions = append(decidedOn.Comment.Versions, report.CommentOf(typus.Comment{Text: text, Author: p.email, Confirmed: "email", CreatedAt: someTime, Reads: []typus.CommentRead{
			{Reader: p.email, At: someTime}, {Reader: "kim@example.com", At: someTime},
		}}, lang))
	}
	decidedOn.Decision.Form.Action = decidedOn.Base + "/entscheidung"
	open.Decision = &decisionView{Stage: report.StageName(typus.StageNew, lang), Form: newDecisionForm(lang, false)}
	viewing.Decision = &decisionView{Stage: decidedOn.Decision.Stage, Entries: decidedOn.Decision.Entries, Elsewhere: true}
	refused := newDecisionForm(lang, true)
	refused.Stage.Options[3].Chosen, refused.Sources.Options[4].Chosen, refused.Text.Value = true, true, p.free
	refused.Reasons.Fault, refused.Sources.Fault = f.say(v, "decision.fault.reasons"), f.say(v, "decision.fault.testAlone")
	wrong := base()
	wrong.candidateRow, wrong.Started, wrong.Report = finished.candidateRow, someTime, galleryReport(lang, false)
	wrong.Decision = &decisionView{Stage: report.StageName(typus.StageNew, lang), Form: refused}
	unsigned := newCommentForm(lang)
	unsigned.Open, unsigned.Text.Value, unsigned.Confirmed.Fault = true, p.free, f.say(v, "comment.fault.confirmed")
	wrong.Comment = &commentView{Form: unsigned}
	f.sum(&wrong.frame, v, append(refused.fields(), unsigned.Confirmed)...)
	reports["candidate-decision-wrong"] = wrong
	four, none := 4, 0
	for _, r := range []store.Rating{{Author: p.email, Question: "co2", Mark: &four, Note: p.name + "\n" + p.free}, {Author: "kim@example.com", Question: "co2", Mark: &none}, {Author: p.email, Question: "in2", Mark: &four}} {
		topic, _ := report.Asked(second(), r.Question, lang)
		reports["report-G27"].(*candidateView).Report.rate(topic, r)
	}
	maps.Copy(reports, map[string]page.View{
		"candidate": open, "candidate-running": running, "candidate-expired": expired, "candidate-faulty": faulty, "candidate-gone": gone,
		"candidate-bounced": bounced, "candidate-meant": meant, "candidate-bounced-meant": meantSend, "candidate-corrected": came, "candidate-recent": recent, "candidate-viewer": viewing, "candidate-finished": finished, "candidate-made-up": madeUp,
		"candidate-kept": keeping, "candidate-kept-wrong": unkept,
	})
	return reports
}

// guideGallery is the guide while it is filled in, with a fault, when it is fixed, and for
// who does not rate.
func guideGallery(lang string, p persona) map[string]page.View {
	guide := func(change func(g *guideView)) *guideView {
		g := &guideView{frame: p.shell(areaCandidates, ""), Name: p.name, Role: "Vertrieb allgemein", Base: "/dashboard/kandidat/1", Rates: true, Self: 1}
		own := []typus.CoreQuestion{{Key: "co2"}, {Key: "lo2"}, {Key: "in2"}, {Key: "own1", Ask: typus.OwnWords{DE: p.free}, High: typus.OwnWords{DE: p.name}}}
		g.ask(report.GuideOf(second(), second().Roles()[0], lang, own...))
		g.known = report.Known(second(), lang, own...)
		change(g)
		four, none := 4, 0
		g.fill([]store.Rating{{Question: "co2", Mark: &four, Note: p.name + "\n" + p.free}, {Question: "in2", Mark: &none}, {Question: "ad1", Mark: &four, Note: p.free}})
		return g
	}
	faulty := guide(func(*guideView) {})
	faulty.Alert, faulty.Core[1].Fault, faulty.Core[2].Note.Fault = p.name, p.free, p.free
	faulty.Core[1].Other, faulty.Core[1].Chose = p.free, "3"
	late := guide(func(g *guideView) { g.Rated, g.Frozen = someTime, true })
	late.Alert, late.Unsaved = p.name, []unsaved{{Key: "co2", Ask: late.Core[0].Ask, Note: p.free + "\n" + p.name, Mark: p.name}, {Key: "own9", Ask: "notiz-own9", Note: p.free}}
	return map[string]page.View{
		"guide": guide(func(*guideView) {}), "guide-faulty": faulty,
		"guide-draft":   guide(func(g *guideView) { g.Drawn = someTime }),
		"guide-viewer":  guide(func(g *guideView) { g.Rates = false }),
		"guide-rated":   guide(func(g *guideView) { g.Rated, g.Until = someTime, someTime }),
		"guide-late":    late,
		"guide-settled": guide(func(g *guideView) { g.Rated, g.Frozen, g.Aged = someTime, true, 12 }),
	}
}

// knownReport is the report of answers whose result is known.
func knownReport(name, lang string) *reportView {
	kept, err := knownResults()
	if err != nil {
		panic(err)
	}
	v, err := newReport(second(), kept[name], false, lang)
	if err != nil {
		panic(err)
	}
	v.Base, v.RolePage, v.Confirms = "/dashboard/kandidat/1", rolePath(v.Asked.Key), true
	return v
}

// galleryReport is the report of a plausible test.
func galleryReport(lang string, madeUp bool) *reportView {
	in := instrument.Own()
	sheet := in.NewSheet()
	for i := range sheet.Answers {
		sheet.Answers[i] = instrument.Answer{Value: 2 + i%4, ActiveMS: 4000}
	}
	result, err := in.Score(sheet, "general_sales")
	if err != nil {
		panic(err)
	}
	scores, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	snapshot, err := in.RoleSnapshot("general_sales")
	if err != nil {
		panic(err)
	}
	r, err := newReport(in, store.Result{Scores: scores, RoleSnapshot: snapshot}, madeUp, lang)
	if err != nil {
		panic(err)
	}
	return r
}
