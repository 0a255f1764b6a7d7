package dashboard

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	"golang.org/x/text/encoding/charmap"

	"typus"
	"typus/internal/page"
	"typus/internal/roster"
	"typus/internal/store"
)

func init() {
	galleries = append(galleries, inviteGallery, importGallery, creditsGallery, accountGallery, noticeGallery)
}

// sampleLogo is a picture to be shown where an account's logo would be.
func sampleLogo() []byte { return logoFrom(40) }

// logoFrom is a picture whose red begins at a value.
func logoFrom(red uint8) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 160, 48))
	for y := range 48 {
		for x := range 160 {
			img.Set(x, y, color.NRGBA{R: red + uint8(x), G: uint8(90 + y), B: 160, A: 255})
		}
	}
	var buf bytes.Buffer
	_ = png.Encode(&buf, img) // into memory
	return buf.Bytes()
}

// serveLooks serves what pages with a logo, a colour or work under way load besides.
func serveLooks(f *face, mux *http.ServeMux) {
	mux.HandleFunc("GET /dashboard/farbe/{farbe}", func(w http.ResponseWriter, r *http.Request) {
		_ = f.accentSheet(&visit{w: w, Request: r}) // a missing one shows as a complaint of the browser
	})
	mux.HandleFunc("GET /dashboard/logo/{hash}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(sampleLogo())
	})
	for _, path := range []string{importsPath + "/{id}", replaysPath + "/{id}", sandboxClockPath} {
		mux.HandleFunc("GET "+path+"/stand", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"running":true,"done":400,"text":"400 / 1200"}`)
		})
	}
}

func galleryVisitor(lang string, p persona) *visit {
	return &visit{visitor: visitor{lang: lang, Account: typus.Account{
		Name: p.account, Plan: typus.PlanStarter, Credits: 12, Language: "de", RoleProfile: "general_sales", InviteDays: 30, ContactEmail: p.email,
		Reminders: 2, Zone: "America/Argentina/ComodRivadavia", Notify: typus.NotifyNow, NotifyEmails: p.email, WelcomeDE: p.free, WelcomeEN: p.name, KeepFinishedDays: 180, KeepAnswersDays: 90, ShelfMonths: 12,
	}}}
}

func inviteGallery(f *face, lang string, p persona) map[string]page.View {
	v, noon := galleryVisitor(lang, p), time.Date(2026, time.November, 27, 10, 0, 0, 0, time.UTC)
	form := func() inviteView {
		view := inviteView{frame: p.shell(areaInvite, ""), Form: f.inviteForm(v, nil), Days: 30}
		view.Form.Name.Value, view.Form.Email.Value, view.Form.ExternalID.Value = p.name, p.email, p.free
		return view
	}
	faulty, again, refused := form(), form(), form()
	faulty.Form.Name.Fault, faulty.Form.Email.Fault = f.say(v, "fault.required"), f.say(v, "fault.email")
	f.sum(&faulty.frame, v, faulty.Form.fields()...)
	candidate := typus.Candidate{ID: 100000000000001, Name: p.name, Email: p.email, CreatedAt: noon, ExpiresAt: noon.AddDate(0, 0, 30)}
	again.Known = &openInvite{candidate, p.email, false}
	same := form()
	same.Known = &openInvite{candidate, p.email, true}
	refused.Refused = true
	full := form()
	full.Full, full.Fault = true, true
	meant := form()
	kim, _, _ := strings.Cut(p.email, "@")
	meant.Ask, meant.Form.Email.Value = askInvite, kim+"@goglemail.com"
	meant.Ask.Meant, meant.Ask.Typed = kim+"@googlemail.com", kim+"@goglemail.com"
	link := "https://typus.example.com/t/" + strings.Repeat("Ab3", 10) + "xy"
	code, _ := newQR(link) // a link always fits
	asking := reading(lang)
	asking.Account = v.Account
	placed, gone := form(), form()
	placed.Form = f.inviteForm(asking, galleryPlaces(p))
	gone.Form.Place = f.otherPlace(asking, galleryPlaces(p))
	f.sum(&gone.frame, asking, gone.Form.fields()...)
	views := map[string]page.View{"invite-placed": placed, "invite-place-gone": gone, "invite": form(), "invite-faulty": faulty, "invite-known": again, "invite-known-same": same, "invite-meant": meant, "invite-refused": refused, "invite-full": full}
	for name, state := range map[string]typus.LetterState{"none": "", "sent": typus.LetterSent, "queued": typus.LetterQueued, "failed": typus.LetterFailed} {
		views["invited-"+name] = invitedView{frame: p.shell(areaInvite, ""), Candidate: candidate, Link: link, Letter: state, Mail: true, QR: code}
	}
	before := views["invited-queued"].(invitedView)
	before.Earlier = &earlierView{Before: true, Rows: []earlierRow{{Path: "/dashboard/kandidat/2", Completed: someTime, Position: p.account, Version: "2.0.0"}}}
	views["invited-before"] = before
	waits := views["invited-queued"].(invitedView)
	waits.Mail = false
	views["invited-waits"] = waits
	return views
}

// galleryPlaces are positions to choose from.
func galleryPlaces(p persona) []typus.Position {
	return []typus.Position{
		{Standard: true, State: typus.PositionOpen}, {ID: 2, Name: p.account, State: typus.PositionOpen, Confidential: true}, {ID: 3, Name: p.free, State: typus.PositionClosed},
	}
}

func importGallery(f *face, lang string, p persona) map[string]page.View {
	v, noon := galleryVisitor(lang, p), time.Date(2026, time.November, 27, 10, 0, 0, 0, time.UTC)
	i := typus.Import{ID: 7, FileName: p.free, Actor: p.email, State: typus.ImportPreview, Total: 1243, Valid: 1200, Blank: 1, CreatedAt: noon, RoleProfile: "hunter", SendEmail: true}
	start := func() importView {
		view := importView{frame: p.shell(areaInvite, ""), Form: importForm{
			File: &field{Name: "datei", Label: "import.file", Hint: "import.fileHint", Type: "file"}, Role: f.roleField(v, "hunter"), Language: f.languageField(v),
			Send: &field{Name: "send_email", Label: "import.send", Hint: "import.sendHint", Type: "checkbox", Checked: true},
		}}
		return view
	}
	first, past, faulty, placed := start(), start(), start(), start()
	placed.Form.Place = f.placeField(v, galleryPlaces(p))
	f.roleByPlace(v, placed.Form.Role, placed.Form.Place)
	for _, s := range []typus.ImportState{typus.ImportMapping, typus.ImportPreview, typus.ImportRunning, typus.ImportDone, typus.ImportCancelled} {
		one := i
		one.State = s
		past.Past = append(past.Past, one)
	}
	past.Refused = true
	faulty.Form.File.Fault = f.say(v, "import.fault.excel")
	f.sum(&faulty.frame, v, faulty.Form.fields()...)
	views := map[string]page.View{"import-placed": placed, "import": first, "import-past": past, "import-faulty": faulty}

	cells := func(list ...string) string { return `"` + strings.Join(list, `";"`) + "\"\r\n" }
	file, _ := roster.Read([]byte(cells("Name", p.free, "Datum", p.name)+cells(p.name, p.email, "1.1.2026", "")), roster.How{})
	guess, _ := file.Guess()
	columns := f.columnsOf(p.shell(areaInvite, ""), v, i, file, guess)
	views["import-columns"] = columns
	mac, err := charmap.Macintosh.NewEncoder().String("Bewerbungen\rStand 27.11.2026\r" + "Name;E-Mail;Kennung\rJürgen Groß;juergen@example.com;A-1\rÄnne Öz;aenne@example.com;A-2\r")
	if err != nil {
		panic(err)
	}
	titled, _ := roster.Read([]byte(mac), roster.How{})
	guess, _ = titled.Guess()
	guess.Turned = true
	mapped := f.columnsOf(p.shell(areaInvite, ""), v, i, titled, guess)
	mapped.Ours = true
	views["import-columns-titled"] = mapped
	wrong := f.columnsOf(p.shell(areaInvite, ""), v, i, file, guess)
	wrong.Columns[0].Fault, wrong.Columns[1].Fault, wrong.Read[0].Fault = f.say(v, "import.column.noEmail"), f.say(v, "import.column.noName"), f.say(v, "import.read.fault")
	f.sum(&wrong.frame, v, wrong.fields()...)
	views["import-columns-faulty"] = wrong

	rows := []rowView{}
	for n, r := range []typus.ImportRow{
		{State: typus.RowReady}, {State: typus.RowInvited, CandidateID: 5}, {State: typus.RowDuplicate, Reasons: []string{"row 12"}}, {State: typus.RowKnown, Reasons: []string{"open"}, CandidateID: 5},
		{State: typus.RowFailed, Reasons: []string{"credits"}}, {State: typus.RowFaulty, Reasons: []string{"email_invalid", "name_required", "language_invalid"}, Language: "fr"},
	} {
		r.N, r.Name, r.Email, r.ExternalID = n+2, p.name, p.email, p.free
		rows = append(rows, f.rowView(v, r))
	}
	i.Reading = roster.Reading{How: titled.How, Columns: guess, Ours: true}.String()
	mends := func(view *importShowView) {
		view.Read, view.Ours = f.readInWords(v, i)
		view.Skipped = f.skipped(v, map[typus.RowState]int{typus.RowFaulty: 41, typus.RowDuplicate: 2})
		view.Mends, view.Here, view.Rows = true, "zeilen=faulty", nil
		for n, r := range []typus.ImportRow{
			{State: typus.RowReady, Reasons: []string{"external_id_row 12"}}, {State: typus.RowFaulty, Reasons: []string{"email_invalid", "language_invalid"}, Language: "fr"},
			{State: typus.RowReady, Mended: true, Language: "de"}, {State: typus.RowFaulty, Reasons: []string{"external_id_shortened"}},
		} {
			r.N, r.Name, r.Email, r.ExternalID = n+2, p.name, p.email, "6,4862E+18"
			row := f.rowView(v, r)
			if r.Mendable() {
				row.Mend = f.rowMend(v, r)
			}
			view.Rows = append(view.Rows, row)
		}
	}
	shown := func(state typus.ImportState, change func(*importShowView)) importShowView {
		one := i
		one.State = state
		view := importShowView{
			frame: p.shell(areaInvite, ""), Import: one, Rows: rows, Role: f.Instrument.RoleName(lang, "hunter"), Credits: 12, Starter: true, Short: true, Room: math.MaxInt,
			Chips: []chip{{"import.state.all", "1243", "/dashboard/import/7", true}, {"import.state.faulty", "43", "/dashboard/import/7?zeilen=faulty", false}},
			Next:  "/dashboard/import/7?nach=101", First: "/dashboard/import/7",
		}
		if change != nil {
			change(&view)
		}
		return view
	}
	views["import-preview"] = shown(typus.ImportPreview, nil)
	views["import-preview-mend"] = shown(typus.ImportPreview, mends)
	views["import-preview-refused"] = shown(typus.ImportPreview, func(v *importShowView) { v.Refused, v.Import.SendEmail = true, false })
	views["import-preview-nobody"] = shown(typus.ImportPreview, func(v *importShowView) { v.Import.Valid, v.Import.Total, v.Rows = 0, 1, rows[5:] })
	views["import-preview-enough"] = shown(typus.ImportPreview, func(v *importShowView) { v.Short = false })
	views["import-preview-crowded"] = shown(typus.ImportPreview, func(v *importShowView) { v.Short, v.Room = false, 30 })
	views["import-preview-full"] = shown(typus.ImportPreview, func(v *importShowView) { v.Short, v.Room = false, 0 })
	views["import-running"] = shown(typus.ImportRunning, func(v *importShowView) { v.Import.Done = 400 })
	views["import-running-first"] = shown(typus.ImportRunning, func(v *importShowView) {
		v.Import.Valid, v.Import.Total, v.Rows, v.Chips, v.Next, v.First = 1, 1, rows[:1], v.Chips[:1], "", ""
	})
	views["import-done"] = shown(typus.ImportDone, func(v *importShowView) {
		v.Import.Done, v.Import.Failed, v.Import.DropAt = 1200, 3, noon.AddDate(0, 0, 30)
	})
	views["import-cancelled"] = shown(typus.ImportCancelled, func(v *importShowView) {
		v.Import.Done, v.Import.SendEmail, v.Import.DropAt = 400, false, noon.AddDate(0, 0, 30)
	})
	views["import-gone"] = shown(typus.ImportDone, func(v *importShowView) { v.Import.Done, v.Gone, v.Rows, v.Chips = 1200, true, nil, nil })
	return views
}

func creditsGallery(_ *face, _ string, p persona) map[string]page.View {
	noon := time.Date(2026, time.November, 27, 10, 0, 0, 0, time.UTC)
	entries := []ledgerRow{
		{store.LedgerRow{CreditEntry: typus.CreditEntry{Delta: -1, Reason: typus.ReasonCompletion, CandidateID: 5, BalanceAfter: -3, CreatedAt: noon}, Name: p.name}, "Eingeladene Person", ""},
		{store.LedgerRow{CreditEntry: typus.CreditEntry{Delta: -1, Reason: typus.ReasonCompletion, CandidateID: 5, BalanceAfter: 9, CreatedAt: noon}, Name: ""}, "Eingeladene Person", ""},
		{store.LedgerRow{CreditEntry: typus.CreditEntry{Reason: typus.ReasonTakenOver, CandidateID: 5, BalanceAfter: 9, CreatedAt: noon}, Name: p.name}, "Eingeladene Person", ""},
		{store.LedgerRow{CreditEntry: typus.CreditEntry{Delta: -1, Reason: typus.ReasonCompletion, BalanceAfter: 9, CreatedAt: noon}, Hidden: true}, "Eingeladene Person", ""},
		{store.LedgerRow{CreditEntry: typus.CreditEntry{Delta: 10, Reason: typus.ReasonGrant, BalanceAfter: 10, CreatedAt: noon}, Name: ""}, "Serverbetrieb", p.free},
	}
	shown := func(change func(*creditsView)) creditsView {
		view := creditsView{
			frame: p.shell(areaCredits, ""), Balance: 12, Plan: typus.PlanStarter, Whole: true, Open: 500, Worst: -488, Entries: entries,
			Command: `typus credits add --account 1 --amount 50 --note "…"`, Forecast: forecast{Finished: 22, Days: 30, Until: noon.AddDate(0, 0, 16)},
		}
		change(&view)
		return view
	}
	return map[string]page.View{
		"credits": shown(func(*creditsView) {}),
		"credits-low": shown(func(v *creditsView) {
			v.State, v.Balance, v.Worst, v.Forecast, v.Next, v.First = balanceLow, 2, -498, forecast{Days: 3}, "/dashboard/credits?vor=9", "/dashboard/credits"
		}),
		"credits-empty":    shown(func(v *creditsView) { v.State, v.Balance, v.Worst = balanceEmpty, 0, -500 }),
		"credits-business": shown(func(v *creditsView) { v.Plan, v.Balance, v.Worst, v.Forecast.Far = typus.PlanBusiness, 900, 400, true }),
		"credits-new":      shown(func(v *creditsView) { v.Entries, v.Open, v.Worst = nil, 0, 12 }),
	}
}

func accountGallery(f *face, lang string, p persona) map[string]page.View {
	shown := func(part, accent string, change func(*accountView, *visit)) accountView {
		v := galleryVisitor(lang, p)
		v.Account.Accent = accent
		if accent != "" {
			v.Account.LogoHash = "abc"
		}
		view := accountView{frame: p.shell(areaSettings, part), Part: part, Form: f.accountForm(v), Origin: "https://tests.example.com"}
		if part == sectionLook {
			view.Studio = galleryStudio(f, v, &view.Form)
		}
		if change != nil {
			change(&view, v)
		}
		return view
	}
	return map[string]page.View{
		"account-general":         shown(sectionGeneral, "", nil),
		"account-general-bounded": shown(sectionGeneral, "", func(view *accountView, _ *visit) { view.People, view.Most = 4987, 5000 }),
		"account-look":            shown(sectionLook, "", nil),
		"account-look-own":        shown(sectionLook, "#ffcc00", nil),
		"account-look-faulty": shown(sectionLook, "#102040", func(view *accountView, v *visit) {
			view.Form.Logo.Fault, view.Form.Accent.Fault = f.say(v, "account.fault.logoType"), f.say(v, "account.fault.accent")
			f.sum(&view.frame, v, view.fields()...)
		}),
		"account-look-unsaved": shown(sectionLook, "#102040", func(view *accountView, _ *visit) { view.Studio.Unsaved = true }),
		"account-messages":     shown(sectionMessages, "", nil),
		"account-decision":     shown(sectionDecision, "", nil),
		"account-keep":         shown(sectionKeep, "", nil),
		"account-general-faulty": shown(sectionGeneral, "", func(view *accountView, v *visit) {
			view.Form.Name.Fault, view.Form.Days.Fault = f.say(v, "fault.required"), f.say(v, "account.fault.days")
			f.sum(&view.frame, v, view.fields()...)
		}),
		"account-keep-overdue": shown(sectionKeep, "", func(view *accountView, v *visit) { view.Overdue = 60 }),
		"account-keep-turns": shown(sectionKeep, "", func(view *accountView, _ *visit) {
			view.Overdue = 61
			view.Turns = []store.RetentionTurn{
				{At: someTime, Waiting: 61}, {At: someTime, Finished: 1, Unfinished: 12}, {At: someTime, Finished: 1200, Unfinished: 1, Failed: 2}, {At: someTime},
			}
		}),
		"account-keep-due": shown(sectionKeep, "", func(view *accountView, v *visit) { view.Due, view.Fault = due{12, 1}, true }),
	}
}

// galleryStudio is the studio with our own letter.
func galleryStudio(f *face, v *visit, form *accountForm) studio {
	t := typus.LetterTemplate{Kind: typus.LetterInvitation, Language: v.lang}
	s, err := f.studioWith(v, form, t, false)
	if err != nil {
		panic(err)
	}
	return s
}
