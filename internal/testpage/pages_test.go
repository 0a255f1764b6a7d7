package testpage

import (
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/notice"
	"typus/internal/page"
	"typus/internal/page/pagetest"
	"typus/internal/pdf"
	"typus/internal/report"
)

func TestTheTextsAreCompleteInBothLanguages(t *testing.T) {
	pagetest.CheckTexts(t, os.DirFS("."), os.DirFS("../page"))
}

// persona is whose names the pages show.
type persona struct{ name, account, contact string }

// hostile are names that mean something to HTML, to templates, to a reader's
// eye or to a layout.
var hostile = []persona{
	{`</div><a href="https://evil.example">Klick</a>`, `"><svg onload=alert(1)>`, `a"onx='1@example.com`},
	{"\u202eevil\u202c \u0645\u0631\u062d\u0628\u0627", "שלום GmbH", "x@example.com"},
	{strings.Repeat("👩\u200d💻", 66), strings.Repeat("Donaudampfschifffahrts", 9), strings.Repeat("a", 64) + "@" + strings.Repeat("b", 63) + ".example.com"},
	{`{{.Token}} ${7*7} %!d(string) <no value>`, `'; drop table candidates; --`, `javascript:alert(1)@example.com`},
	{`</script><script>alert(1)</script><!--<script>`, `--></title><script>`, "x@example.com"},
	{"A & B <Söhne>", "Tom's \"Laden\" & Co.", "tom.o'neil@example.com"},
}

// everyPage is each page in each of its forms.
func everyPage(f *face, lang string, p persona) map[string]page.View {
	day := time.Date(2026, time.December, 27, 10, 0, 0, 0, time.UTC)
	fr := frame{
		Frame: page.Frame{Brand: p.account, Switch: page.Switch{Action: "/t/x/sprache", Page: "frage/3"}},
		Base:  "/t/x", Key: storageKey("x"), Account: p.account, Contact: p.contact,
	}
	bad, over, trial, asks := fr, fr, fr, fr
	bad.Fault, over.Over, trial.World, asks.Leave = true, true, true, true // as the pages themselves offer to leave
	public := frame{Frame: page.Frame{Brand: p.account}, Account: p.account, Contact: p.contact}
	in := instrument.Own()
	v := visit{Test: assess.Test{Instrument: in, Sheet: in.NewSheet()}, token: "x", lang: lang}
	fourth, first := v.section(34), v.section(0)
	first.Items[0].Text = p.name
	text := notice.For(lang, typus.Account{Name: p.account, ContactEmail: p.contact})
	told := notice.For(lang, typus.Account{Name: p.account, ContactEmail: p.contact, Notice: typus.NoticeFacts{
		Consequence: typus.ConsequenceOwn, ConsequenceOwn: typus.OwnWords{DE: p.name}, Operator: p.account, Country: "NL", Abroad: "US",
		Safeguard: typus.SafeguardOwn, SafeguardOwn: typus.OwnWords{EN: p.name}, Officer: p.contact, Basis: typus.OwnWords{EN: p.name},
		ClientKind: typus.OwnWords{DE: p.name}, Period: typus.OwnWords{EN: p.name},
	}})
	whom := func(n typus.NoticeFacts) startView {
		a := typus.Account{Name: p.account, ContactEmail: p.contact, Notice: n}
		return startView{frame: fr, Title: in.Title(lang), Name: p.name, Items: 97, Expires: day, Notice: notice.For(lang, a), ForWhom: notice.ForWhom(lang, a)}
	}
	title := in.Title(lang)
	statement := in.Text(lang, in.Items()[34].ID)
	asked := v.itemForm(statement, 3)
	missing := v.itemForm(statement, 0)
	missing.Missing = true
	some, all := progress{Done: 34, Items: 97}, progress{Done: 97, Items: 97}
	return map[string]page.View{
		"start-trial":       startView{frame: trial, Mail: true, Title: title, Name: p.name, Items: 97, Expires: day, Notice: text},
		"start":             startView{frame: fr, Mail: true, Title: title, Name: p.name, Items: 97, Expires: day, Notice: text},
		"start-told":        startView{frame: fr, Title: title, Name: p.name, Items: 97, Expires: day, Notice: told},
		"start-client":      whom(typus.NoticeFacts{Client: p.name}),
		"start-kind":        whom(typus.NoticeFacts{ClientKind: typus.OwnWords{DE: p.name}}),
		"start-welcome":     startView{frame: fr, Title: title, Name: p.name, Items: 97, Expires: day, Notice: text, Welcome: []string{p.name, p.contact}},
		"start-single":      startView{frame: fr, Title: title, Name: p.name, Items: 1, Expires: day, Notice: text},
		"start-declined":    startView{frame: fr, Title: title, Name: p.name, Items: 97, Expires: day, Notice: text, Declined: true},
		"start-missing":     startView{frame: bad, Mail: true, Title: title, Name: p.name, Items: 97, Expires: day, Notice: text, Missing: true},
		"start-changed":     startView{frame: bad, Title: title, Name: p.name, Items: 97, Expires: day, Notice: text, Changed: true},
		"resume":            resumeView{frame: asks, Name: p.name, Progress: some},
		"resume-declined":   resumeView{frame: fr, Name: p.name, Progress: some, Declined: true},
		"practice":          practiceView{frame: asks, Item: asked},
		"practice-missing":  practiceView{frame: faulty(asks), Item: missing},
		"item":              itemView{frame: asks, Number: 35, Block: 4, Blocks: 10, Progress: some, Item: asked, Shown: 1, Section: fourth},
		"item-first":        itemView{frame: asks, Number: 1, Block: 1, Blocks: 10, Progress: progress{Items: 97}, Item: v.itemForm(p.name, 0), Section: first},
		"item-missing":      itemView{frame: faulty(asks), Number: 35, Block: 4, Blocks: 10, Progress: some, Item: missing, Shown: 1, Section: fourth},
		"item-newer":        itemView{frame: asks, Number: 35, Block: 4, Blocks: 10, Progress: some, Item: asked, Held: 3, Newer: true, Shown: 1, Section: fourth},
		"item-skipped":      itemView{frame: asks, Number: 35, Block: 4, Blocks: 10, Progress: all, Item: asked, Skipped: true, Complete: true, Return: "abgabe", Section: fourth},
		"pause":             pauseView{frame: asks, Block: 4, Blocks: 10, Progress: some, Next: 38, Left: 6, Expires: day},
		"pause-half":        pauseView{frame: asks, Block: 5, Blocks: 10, Half: true, Progress: some, Next: 48, Left: 1, Expires: day},
		"review":            reviewView{frame: asks, Progress: all, Last: 97},
		"review-skipped":    reviewView{frame: asks, Progress: all, Last: 97, Skipped: 1, Seen: true},
		"review-open":       reviewView{frame: asks, Progress: all, Last: 97, Skipped: 4, Open: []openItem{{3, in.Text(lang, in.Items()[2].ID)}, {35, statement}}},
		"review-refused":    reviewView{frame: faulty(asks), Progress: all, Last: 97, Skipped: 4, Open: []openItem{{3, p.name}}, Refused: true},
		"done":              doneView{frame: over, Name: p.name},
		"done-own":          doneView{frame: over, Name: p.name, Own: true},
		"done-doubtful":     doneView{frame: over, Name: p.name, Own: true, Doubtful: true},
		"own":               ownViewOf(over, lang, p, false),
		"own-doubtful":      ownViewOf(over, lang, p, true),
		"own-taken-over":    takenOver(ownViewOf(over, lang, p, false), day),
		"own-waits":         ownView{frame: over, Policy: typus.OwnResultReleased, Kept: "anfrage", Requests: newOwnRequests(nil, false, day)},
		"own-none":          ownView{frame: over, Policy: typus.OwnResultNone, Reason: p.name, Keys: true},
		"own-fault":         ownView{frame: faulty(over), Policy: typus.OwnResultReleased, Comment: ownComment{Text: p.name, Fault: typus.CodeTooLong, Length: 5001}},
		"own-request":       ownView{frame: faulty(over), Policy: typus.OwnResultReleased, Requests: askedFor(newOwnRequests(nil, false, day), p.name, "kind")},
		"own-request-long":  ownView{frame: faulty(over), Policy: typus.OwnResultReleased, Requests: askedFor(newOwnRequests(nil, false, day), p.name, typus.CodeTooLong)},
		"own-request-busy":  ownView{frame: faulty(over), Policy: typus.OwnResultReleased, Requests: askedFor(newOwnRequests(asksForAll(day), false, day), p.name, typus.CodeBusy)},
		"own-copy":          ownCopyView{frame: over, Unshown: "own.copy.unshown", Parts: copied(p), Answers: copied(p)},
		"own-copy-never":    ownCopyView{frame: over, Unshown: "own.copy.never", Parts: copied(p), Answers: copied(p)},
		"own-locked":        ownLockedView{frame: over, Masked: masked(p.contact)},
		"own-locked-mute":   ownLockedView{frame: over, Masked: masked(p.contact), NoMail: true},
		"own-locked-moved":  ownLockedView{frame: over, Masked: masked(p.contact), Changed: true},
		"own-moved":         ownView{frame: over, Policy: typus.OwnResultReleased, Masked: masked(p.contact), Requests: newOwnRequests(nil, false, day)},
		"own-code":          ownLockedView{frame: over, Masked: "k***@example.com", Entering: true},
		"own-code-carried":  ownLockedView{frame: over, Masked: "k***@example.com", Entering: true, Written: written{Comment: p.name}},
		"own-code-asked":    ownLockedView{frame: over, Masked: "k***@example.com", Entering: true, Written: written{Kind: typus.RequestErasure, Request: p.name}},
		"own-mute-asked":    ownLockedView{frame: over, Masked: masked(p.contact), NoMail: true, Written: written{Kind: typus.RequestCorrection, Request: p.name}},
		"own-code-wrong":    ownLockedView{frame: faulty(over), Masked: "k***@example.com", Entering: true, Wrong: true},
		"own-code-wait":     ownLockedView{frame: faulty(over), Masked: "k***@example.com", Entering: true, WaitUntil: 12},
		"earlier":           earlierView{frame: fr, Masked: masked(p.contact)},
		"earlier-mute":      earlierView{frame: fr, NoMail: true},
		"earlier-code":      earlierView{frame: fr, Masked: "k***@example.com", Entering: true},
		"earlier-wrong":     earlierView{frame: faulty(fr), Masked: "k***@example.com", Entering: true, Wrong: true},
		"earlier-wait":      earlierView{frame: faulty(fr), Masked: "k***@example.com", Entering: true, WaitUntil: 12},
		"earlier-none":      earlierView{frame: fr, Known: true},
		"earlier-offer":     earlierView{frame: fr, Known: true, Answered: day, Stamp: day.UnixMilli(), Notice: text},
		"earlier-advised":   earlierView{frame: fr, Known: true, Answered: day, Stamp: day.UnixMilli(), Advised: true, Notice: text},
		"earlier-missing":   earlierView{frame: bad, Known: true, Answered: day, Stamp: day.UnixMilli(), Notice: text, Missing: true},
		"earlier-changed":   earlierView{frame: bad, Known: true, Answered: day, Stamp: day.UnixMilli(), Notice: told, Changed: true},
		"decline":           declineView{frame: fr, Expires: day},
		"decline-begun":     declineView{frame: fr, Begun: true, Expires: day},
		"declined":          declineView{frame: over, Declined: true, Expires: day},
		"declined-begun":    declineView{frame: over, Declined: true, Begun: true, Expires: day},
		"expired":           closedView{frame: over, Expired: day},
		"expired-begun":     closedView{frame: over, Begun: true, Expired: day},
		"expired-asked":     closedView{frame: over, Asked: true, Expired: day},
		"reminders":         remindersView{frame: fr},
		"reminders-off":     remindersView{frame: fr, Off: true},
		"reminders-done":    remindersView{frame: fr, Off: true, Finished: true},
		"waiting":           waitingView{frame: asks, Expires: day},
		"cancelled":         closedView{frame: over, Cancelled: true},
		"enrol":             enrolPage(lang, public, p, ""),
		"enrol-fault":       enrolPage(lang, faulty(public), p, "wrong"),
		"enrol-wait":        enrolPage(lang, faulty(public), p, "wait"),
		"enrol-sent":        enrolSentView{frame: public, Again: "/p/x", Days: 7},
		"enrol-confirm":     confirmView{frame: public, Name: p.name, Email: p.contact, Action: "/p/bestaetigen/x"},
		"shut":              newShutView(public, typus.PublicFull, day),
		"shut-revoked":      newShutView(public, typus.PublicRevoked, day),
		"shut-closed":       newShutView(public, typus.PublicClosed, day),
		"shut-over":         newShutView(public, typus.PublicOver, day),
		"shut-unpaid":       unpaid(newShutView(public, typus.PublicUnpaid, day), false),
		"shut-suspended":    newShutView(public, typus.PublicSuspended, day),
		"shut-told":         unpaid(newShutView(public, typus.PublicUnpaid, day), true),
		"shut-unsent":       newShutView(public, publicUnsent, day),
		"accessibility":     accessibilityView{frame: fr, Written: day},
		"accessibility-all": accessibilityView{Written: day},
		"unknown":           unknownView{},
		"offline":           newOfflineView(),
		"unknown-by-a-post": unknownView{frame: frame{Frame: page.Frame{Switch: page.Switch{None: true}}}},
	}
}

// enrolPage is the form of a public link; what is "wrong", "wait" or "" says of it.
func enrolPage(lang string, fr frame, p persona, what string) enrolView {
	in, account := instrument.Own(), typus.Account{Name: p.account, ContactEmail: p.contact}
	v := publicVisit{PublicLink: assess.PublicLink{Account: account, Instrument: in}, token: "x", lang: lang}
	view := new(face).enrolView(httptest.NewRequest("GET", "/p/x", nil), v)
	view.frame = fr
	switch what {
	case "wait":
		view.Name.Value, view.Wait = p.name, 12
	case "wrong":
		view.Name.Value, view.Name.Fault, view.Email.Value, view.Email.Fault = p.name, "enrol.fault.nameInvisible", p.contact, "enrol.fault.email"
	}
	return view
}

func unpaid(v shutView, told bool) shutView {
	v.Tell, v.Told = "/p/x", told
	return v
}

// render executes a page and checks what every page must obey.
func render(t *testing.T, f *face, lang string, v page.View) string {
	t.Helper()
	w := httptest.NewRecorder()
	if err := f.pages.Render(w, 200, lang, v); err != nil {
		t.Fatal(err)
	}
	return w.Body.String()
}

func TestEveryPageIsSoundWhateverItShows(t *testing.T) {
	f := newTestFace(t)
	personas := append(hostile,
		persona{"Kim Beispiel", "Muster GmbH", "hr@example.com"},
		persona{"K", "M", ""},
	)
	for _, lang := range page.Languages() {
		for i, p := range personas {
			for name, v := range everyPage(f, lang, p) {
				t.Run(fmt.Sprintf("%s/%s/%d", lang, name, i), func(t *testing.T) {
					body := render(t, f, lang, v)
					checked := strings.NewReplacer("%!d(string)", "", "&lt;no value&gt;", "").Replace(body)
					pagetest.Check(t, []byte(checked), lang)
					for _, raw := range []string{`</div><a href="https://evil`, "<svg onload", `"onx=`, "<script>"} {
						if strings.Contains(body, raw) {
							t.Errorf("%q stands in the page as it is", raw)
						}
					}
				})
			}
		}
	}
}

func TestEveryTemplateIsAmongThePages(t *testing.T) {
	f := newTestFace(t)
	shown := map[string]bool{}
	for _, v := range everyPage(f, "de", hostile[0]) {
		shown["templates/"+v.Template()+".html"] = true
	}
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !shown[name] {
			t.Errorf("%s is tested by nothing", name)
		}
	}
}

// Whoever hears that a field is wrong hears what is wrong with it (WCAG 3.3.1).
func TestEveryWrongFieldSaysWhatIsWrong(t *testing.T) {
	f, found := newTestFace(t), 0
	for name, v := range everyPage(f, "de", persona{"Kim Beispiel", "Muster Software GmbH", "owner@example.com"}) {
		doc, err := html.Parse(strings.NewReader(render(t, f, "de", v)))
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for n := range doc.Descendants() {
			if id, has := pagetest.Attr(n, "id"); has {
				ids[id] = true
			}
		}
		for n := range doc.Descendants() {
			if wrong, _ := pagetest.Attr(n, "aria-invalid"); wrong != "true" {
				continue
			}
			found++
			said := n
			for ; said != nil; said = said.Parent {
				if by, has := pagetest.Attr(said, "aria-describedby"); has && ids[strings.Fields(by)[0]] {
					break
				}
			}
			if said == nil {
				t.Errorf("%s: nothing says what is wrong with a field", name)
			}
		}
	}
	if found < 3 {
		t.Errorf("only %d fields are wrong", found)
	}
}

func copied(p persona) []pdf.CopyPart {
	return []pdf.CopyPart{{Heading: p.account, Entries: [][]pdf.Pair{{{Label: "Name", Value: p.name}, {Label: p.name, Value: p.name + "\n" + p.contact}}, {{Label: "E-Mail", Value: p.contact}}}}}
}

func askedFor(q ownRequests, text, fault string) ownRequests {
	q.Text, q.Fault, q.Length = text, fault, 4001
	if fault == typus.CodeBusy {
		q.choose(typus.RequestCorrection)
	}
	return q
}

// asksForAll are open requests of every kind.
func asksForAll(day time.Time) []typus.Request {
	var list []typus.Request
	for _, kind := range typus.RequestKinds() {
		list = append(list, typus.Request{Kind: kind, CreatedAt: day})
	}
	return list
}

func faulty(fr frame) frame {
	fr.Fault = true
	return fr
}

// ownViewOf is the page of an own result, of somebody careless if doubtful.
func ownViewOf(fr frame, lang string, p persona, doubtful bool) ownView {
	in := instrument.Own()
	sheet := in.NewSheet()
	for i := range sheet.Answers {
		sheet.Answers[i] = instrument.Answer{Value: 2 + i%4, ActiveMS: 4000}
		if doubtful {
			sheet.Answers[i] = instrument.Answer{Value: 4, ActiveMS: 300}
		}
	}
	role, _ := in.Role("hunter")
	result, err := in.Score(sheet, "hunter")
	if err != nil {
		panic(err)
	}
	day := time.Date(2026, time.December, 3, 0, 0, 0, 0, time.UTC)
	of := report.OwnOf(report.Of(in, report.Stored{Result: result, Role: role}, lang))
	read := typus.Comment{Text: p.name, Confirmed: typus.ConfirmedByCode, CreatedAt: day, Reads: []typus.CommentRead{{At: day}}}
	entered := typus.Comment{Text: p.name, Confirmed: "letter", CreatedAt: day}
	asked := typus.Request{Kind: typus.RequestErasure, Text: p.name, CreatedAt: day, Answer: p.name, AnsweredAt: day}
	open := typus.Request{Kind: typus.RequestRetest, CreatedAt: day}
	return ownView{
		frame: fr, Shown: true, Result: of, Chart: ownChart(of.Dimensions), Policy: typus.OwnResultAtOnce, Kept: "stellungnahme",
		Looks:  []ownLook{{day, ownRoles[typus.RoleMember], false}, {day, ownRoles[""], true}},
		Passed: []time.Time{day}, Keys: true, Comment: ownComment{Versions: []typus.Comment{read, entered, entered}},
		Requests: newOwnRequests([]typus.Request{asked, open}, true, day),
	}
}

func takenOver(v ownView, day time.Time) ownView {
	v.Answered, v.Taken = day.AddDate(0, -2, 0), day
	return v
}
