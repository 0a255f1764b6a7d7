package dashboard

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/page"
	"typus/internal/report"
	"typus/internal/store"
)

func init() { galleries = append(galleries, comparisonGallery) }

// compareOf is the address of a comparison.
func compareOf(ids ...string) string { return comparePath + "?" + url.Values{"id": ids}.Encode() }

// steady are answers that agree with every statement about as much as a value says,
// those that describe the opposite included.
func steady(value int) func(i int) int {
	items := instrument.Own().Items()
	return func(i int) int {
		answer := min(6, max(1, value+i%3-1))
		switch {
		case items[i].Expect != 0:
			return items[i].Expect
		case items[i].Minus:
			return 7 - answer
		}
		return answer
	}
}

func TestPeopleAreComparedInTheOrderOfTheirInvitation(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		var ids []string
		for _, name := range []string{"Erste", "Zweite", "Dritte"} {
			w.Later(time.Minute)
			ids = append(ids, id(w.answered(name, steady(2+len(ids)), 4000)))
		}
		hasty := id(w.doubtful("Eilig Muster"))
		rater := w.as(member)
		rater.post("/dashboard/kandidat/"+ids[1]+"/leitfaden", rater.marks("4", "Was ich hörte")).want(t, 303)
		for _, role := range []typus.UserRole{interviewer, viewer, member, owner} {
			c := w.as(role)
			a := c.follow(c.post(comparePath, url.Values{"id": {hasty, ids[2], ids[0], ids[1]}, "seite": {"/dashboard/kandidaten?suche=Kim"}})).want(t, 200, "verlässlich",
				"ab 26 Punkten", "Im Vergleich stehen keine Werte dieser Person", rater.user.Email, `<strong>4</strong>`)
			if address := a.Request.URL.String(); strings.Contains(address, "Kim") {
				t.Errorf("the address is %s", address)
			}
			last := 0
			_, main, _ := strings.Cut(a.body, "<main")
			for _, name := range []string{"Erste", "Zweite", "Dritte", "Eilig Muster"} {
				at := strings.Index(main, ">"+name+"</a>")
				if at < last {
					t.Errorf("%s stands at %d, the one before at %d", name, at, last)
				}
				last = at
			}
			if strings.Contains(main, "sortierung") || strings.Contains(main, "Was ich hörte") {
				t.Errorf("a %s can sort, or reads notes", role)
			}
		}
	})
}

func TestWhoIsBlindForOneSeesNoComparison(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		high, low := id(w.answered("Hoch", steady(5), 4000)), id(w.answered("Niedrig", steady(2), 4000))
		w.blindTo(false)
		c := w.as(interviewer)
		c.post("/dashboard/kandidat/"+high+"/leitfaden", c.marks("4", "gut")).want(t, 303)
		a := c.get(compareOf(high, low)).want(t, 200, "sobald Sie diese Personen bewertet", `href="/dashboard/kandidat/`+low+`/leitfaden"`)
		if strings.Contains(a.body, `/dashboard/kandidat/`+high+`/leitfaden`) || strings.Contains(a.body, "<svg class=\"chart\"") || strings.Contains(a.body, "verlässlich") {
			t.Errorf("%s", a.body)
		}
		if seen := w.views(high, c.user) + w.views(low, c.user); seen != 0 {
			t.Errorf("%d views of what was not shown", seen)
		}
		c.post("/dashboard/kandidat/"+low+"/leitfaden", c.marks("2", "gut")).want(t, 303)
		c.get(compareOf(high, low)).want(t, 200, "liegt verlässlich über Niedrig")
	})
}

// Who only reads rates nobody: the way to the comparison leads over the page of each person,
// where a reason opens the result.
func TestWhoIsBlindAndDoesNotRateIsLedToWhatOpensTheComparison(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		one, two := id(w.answered("Erste", steady(3), 4000)), id(w.answered("Zweite", steady(4), 4000))
		w.blindTo(true)
		c := w.as(viewer)
		for _, who := range []string{one, two} {
			a := c.get(compareOf(one, two)).want(t, 200, "mit einem Grund geöffnet", `href="/dashboard/kandidat/`+who+`"`)
			if strings.Contains(a.body, "/leitfaden") {
				t.Errorf("a form is offered that is not there: %s", a.body)
			}
			c.get("/dashboard/kandidat/"+who).want(t, 200, `action="/dashboard/kandidat/`+who+`/oeffnen"`)
			c.post("/dashboard/kandidat/"+who+"/oeffnen", fields("grund", "Ich führe kein Interview")).want(t, 303)
		}
		c.get(compareOf(one, two)).want(t, 200, `class="chart"`)
	})
}

// Made-up answers say nothing of people, nor do they beside those of a person.
func TestMadeUpAnswersStandBesideOthersWithoutFigures(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		real, made := id(w.answered("Niedrig", steady(1), 4000)), id(w.madeUp("Probe Lauf"))
		a := w.as(viewer).get(compareOf(made, real)).want(t, 200, `<span class="badge badge-warn">Erfundene Antworten</span> Im Vergleich stehen keine Werte dieser Person.`,
			"Für einen Vergleich fehlen Werte", "Zu wenige Werte für einen Vergleich.")
		if strings.Contains(a.body, "verlässlich über") || strings.Contains(a.body, "Mit einem Befehl ausgefüllt") {
			t.Errorf("made-up answers count: %s", a.body)
		}
	})
}

// views is how many looks of a user at the result of a candidate are noted.
func (w *world) views(candidate string, u typus.User) int {
	w.Helper()
	number, err := strconv.ParseInt(candidate, 10, 64)
	w.Must(err)
	lines, err := w.Store.AuditOf(w.Ctx, w.Account, number)
	w.Must(err)
	n := 0
	for _, line := range lines {
		if line.UserID == u.ID && (line.Action == typus.AuditReportViewed || line.Action == typus.AuditReportViewedBeforeRating) {
			n++
		}
	}
	return n
}

func TestAComparisonIsALookAtEachResult(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		one, two, three := id(w.answered("Erste", steady(3), 4000)), id(w.answered("Zweite", steady(4), 4000)), id(w.doubtful("Eilig Muster"))
		c := w.as(viewer)
		c.get("/dashboard/kandidat/"+one).want(t, 200)
		c.do("HEAD", compareOf(one, two, three), nil).want(t, 200)
		r, err := http.NewRequestWithContext(w.Ctx, "GET", w.server.URL+compareOf(one, two, three), nil)
		w.Must(err)
		r.Header.Set("Sec-Purpose", "prefetch;prerender")
		c.send(r).want(t, http.StatusServiceUnavailable)
		if n := w.views(two, c.user); n != 0 {
			t.Errorf("%d looks at what nobody saw", n)
		}
		for range 2 {
			c.get(compareOf(one, two, three)).want(t, 200)
		}
		for _, who := range []string{one, two, three} {
			if n := w.views(who, c.user); n != 1 {
				t.Errorf("%d looks at %s within the hour", n, who)
			}
		}
		w.Later(61 * time.Minute)
		c.get(compareOf(one, two, three)).want(t, 200)
		if n := w.views(two, c.user); n != 2 {
			t.Errorf("%d looks an hour later", n)
		}
	})
}

func TestWhatCannotBeComparedIsRefusedInWordsAndNothingIsLost(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		one, two := id(w.answered("Erste", steady(3), 4000)), id(w.answered("Zweite", steady(4), 4000))
		six := []string{one, two}
		for _, name := range []string{"Dritte", "Vierte", "Fuenfte", "Sechste"} {
			six = append(six, id(w.answered(name, steady(3), 4000)))
		}
		open := id(w.invited("Offen Muster", ""))
		hunter := w.invitedBy(w.Account, assess.Invitation{Name: "Jagd Muster", Email: "jagd@example.com", RoleProfile: "hunter"})
		w.finishes(hunter.Token, steady(3), 4000)
		first, known := instrument.Released("salespersona@1.0.0")
		if !known {
			t.Fatal("there is no version 1.0.0")
		}
		old := w.invited("Alt Muster", "")
		var given []assess.Given
		for i, item := range first.Items() {
			given = append(given, assess.Given{ItemID: item.ID, Value: 2 + i%3, ActiveMS: 4000})
		}
		w.Must(w.AssessWith(func(o *assess.Options) { o.Instrument = first }).FinishFor(w.Ctx, w.Account, old.Candidate.ID, given, "operator"))
		stranger := w.invitedBy(w.newAccount("Andere GmbH"), assess.Invitation{Name: "Fremd", Email: "fremd@example.com"})
		w.finishes(stranger.Token, steady(3), 4000)
		gone := id(w.invited("Zurueck Muster", ""))
		w.as(owner).post("/dashboard/auswahl/zurueckziehen", fields("id", gone)).want(t, 303)
		erased := id(w.answered("Geloescht", steady(3), 4000))
		w.as(owner).post("/dashboard/auswahl/loeschen", fields("id", erased)).want(t, 303)
		c := w.as(viewer)
		for what, refused := range map[string]struct {
			ids    []string
			status int
			holds  []string
		}{
			"nobody":       {nil, 200, []string{"zwei bis fünf Personen"}},
			"one":          {[]string{one}, 200, []string{"Mit wem", "Erste"}},
			"six":          {six, 422, []string{"höchstens fünf", "Erste", "Sechste", `value="` + six[5] + `" checked`}},
			"twice":        {[]string{one, two, one}, 422, []string{"mehrmals", "Erste", "Zweite"}},
			"no number":    {[]string{one, "zwei"}, 422, []string{"keine Person bezeichnet", "Erste"}},
			"a vast one":   {[]string{one, "99999999999999999999"}, 422, []string{"keine Person bezeichnet"}},
			"none":         {[]string{"0", "-1"}, 422, []string{"keine Person bezeichnet"}},
			"odd bytes":    {[]string{"\x00", "\xff"}, 422, []string{"keine Person bezeichnet"}},
			"unfinished":   {[]string{one, open}, 422, []string{"noch nicht", "Offen Muster"}},
			"withdrawn":    {[]string{one, gone}, 422, []string{"noch nicht", "Zurueck Muster"}},
			"erased":       {[]string{one, erased}, 404, nil},
			"roles":        {[]string{one, id(hunter)}, 422, []string{"verschiedenen Rollenprofilen", "Erste", "Jagd Muster"}},
			"versions":     {[]string{one, id(old)}, 422, []string{"verschiedenen Versionen", "Alt Muster"}},
			"nobody's":     {[]string{one, "987654321"}, 404, nil},
			"another's":    {[]string{one, id(stranger)}, 404, nil},
			"both strange": {[]string{"987654321", id(stranger)}, 404, nil},
		} {
			a := c.get(compareOf(refused.ids...)).want(t, refused.status, refused.holds...)
			if strings.Contains(a.body, "Fremd") || strings.Contains(a.body, "Geloescht") || strings.Contains(a.body, `class="chart"`) {
				t.Errorf("%s: %s", what, a.body)
			}
		}
		if n := w.views(one, c.user); n != 0 {
			t.Errorf("%d looks at what was refused", n)
		}
		w.as(member).post(comparePath, nil).want(t, 303)
		c.follow(c.post(comparePath, url.Values{"id": {one, two}})).want(t, 200, "Erste")
	})
}

// What the team has decided stands beside each person, for those who see it on their pages:
// not for interviewers, and for nobody who is blind to one of the people.
func TestDecisionsStandBesideThePeopleCompared(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		one, two := id(w.answered("Erste", steady(3), 4000)), id(w.answered("Zweite", steady(4), 4000))
		ada := w.as(owner)
		ada.post("/dashboard/kandidat/"+one+"/entscheidung", fields("stage", "withdrew", "last", "0")).want(t, 303)
		const withdrew, fresh = "<strong>Hat zurückgezogen</strong>", "<strong>Neu</strong>"
		for _, role := range []typus.UserRole{viewer, member, owner} {
			w.as(role).get(compareOf(one, two)).want(t, 200, withdrew, fresh)
		}
		hidden := func(c *client) {
			t.Helper()
			if a := c.get(compareOf(one, two)).want(t, 200); strings.Contains(a.body, withdrew) || strings.Contains(a.body, fresh) {
				t.Errorf("a %s reads decisions", c.user.Role)
			}
		}
		hidden(w.as(interviewer))
		w.blindTo(false)
		hidden(w.as(member))
		w.blindTo(true)
		hidden(w.as(admin))
	})
}

// However many people there are, five of them cost as few questions as two, and to note that
// they were seen costs no more for five.
func TestAComparisonOfFiveAsksTheStoreSixTimesAtMost(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		var ids []string
		for range mostCompared {
			ids = append(ids, id(w.answered("Person", steady(3), 4000)))
		}
		first := int64(8) // what is noted is read once more, and written
		if w.Store.Dialect() == "postgres" {
			first++ // the people are locked
		}
		for _, people := range [][]string{ids, ids[:2]} {
			c := w.as(owner)
			c.get(peoplePath).want(t, 200)
			for look, most := range []int64{first, 6, 6} {
				before := w.ran.Load()
				c.get(compareOf(people...)).want(t, 200)
				if n := w.ran.Load() - before; n != most {
					t.Errorf("look %d at %d people: %d statements, want %d", look+1, len(people), n, most)
				}
			}
		}
	})
}

// comparisonGallery compares five people, some of whom have no figures, and two; and shows
// why there is no comparison.
func comparisonGallery(f *face, lang string, p persona) map[string]page.View {
	kept, err := knownResults()
	if err != nil {
		panic(err)
	}
	shown := func(names ...string) comparisonView {
		var people []report.Person
		for i, name := range names {
			read, err := report.Read(kept[name].Scores, kept[name].RoleSnapshot)
			if err != nil {
				panic(err)
			}
			read.MadeUp = i == 1 && len(names) > 2
			people = append(people, report.Person{Name: []string{p.name, "Kim Probe", "Robin Muster", "Alex Beispiel", p.name}[i], Stored: read})
		}
		view := drawnComparison(report.ComparisonOf(second(), people, lang))
		view.frame = p.shell(areaCandidates, "")
		view.Crumbs = []crumb{{Label: "shell.candidates", Path: peoplePath}}
		for i := range view.People {
			view.Guides, view.People[i].Path, view.People[i].Invited, view.People[i].Completed = guidesPath+"?id=1&id=2", candidatePath(int64(i+1)), someTime, someTime
		}
		return view
	}
	five, two := shown("G12", "G07", "G08", "G30", "G20"), shown("G12", "G45")
	four, none := 4, 0
	for i, r := range []store.Rating{{Author: p.email, Question: "co2", Mark: &four}, {Author: "kim@example.com", Question: "co2", Mark: &none}, {Author: p.email, Question: "in2", Mark: &four}} {
		topic, _ := report.Asked(second(), r.Question, lang)
		five.rate(topic, i%2, r)
	}
	five.People[0].Aged = 12
	five.People[0].Stage, five.People[1].Stage, five.People[2].Stage = report.StageName(typus.StageRejection, lang), report.StageName(typus.StageInterview, lang), report.StageName(typus.StageNew, lang)
	row := candidateRow{ID: 1, Name: p.name, Email: p.email, State: state{Label: "candidates.state.finished", Look: "good"}}
	uncompared := func(why string, rows ...candidateRow) uncomparedView {
		return uncomparedView{frame: p.shell(areaCandidates, ""), Why: why, Rows: rows}
	}
	blind := uncompared(compareBlind, row, row)
	blind.Rate, blind.Whose = true, []comparedPerson{{Compared: report.Compared{Name: p.name}, Path: candidatePath(1)}}
	with := uncompared("", row)
	with.Alone, with.With = p.name, []candidateRow{{ID: 2, Name: p.account, Email: p.email, Completed: someTime}, {ID: 3, Name: "Kim Probe", Email: "kim@example.com", Completed: someTime}}
	return map[string]page.View{
		"comparison-with": with, "comparison": five, "comparison-two": two, "comparison-nobody": uncompared("compare.nobody"),
		"comparison-many": uncompared("compare.many", row, row, row), "comparison-blind": blind,
	}
}
