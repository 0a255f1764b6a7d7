package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/pdf/pdftest"
	"typus/internal/store"
)

// The pages of the default position.
const (
	blindPath = positionsPath + "/" + standardWord + "/interview"
	corePath  = positionsPath + "/" + standardWord + "/fragen"
)

// blindTo switches blind interviews on.
func (w *world) blindTo(all bool) {
	w.Helper()
	w.Must(w.Accounts.SetBlind(w.Ctx, store.WholeAccount(w.Account), 0, by, func(typus.Position) (accounts.Blind, bool) { return accounts.Blind{On: true, Everybody: all}, true }))
}

// answered is a candidate who has finished a test with these answers.
func (w *world) answered(name string, value func(i int) int, ms int) assess.Invited {
	w.Helper()
	out := w.invitedBy(w.Account, assess.Invitation{Name: name, Email: strings.ToLower(name) + "@example.com", SendEmail: true})
	w.finishes(out.Token, value, ms)
	return out
}

// finishes takes the test of a link.
func (w *world) finishes(token string, value func(i int) int, ms int) {
	w.Helper()
	w.Must(w.Assess.Begin(w.Ctx, token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"))
	var given []assess.Given
	for i, it := range w.face.Instrument.Items() {
		given = append(given, assess.Given{ItemID: it.ID, Value: value(i), ActiveMS: ms})
	}
	_, err := w.Assess.Answer(w.Ctx, token, given)
	w.Must(err)
	w.Must(w.Assess.Finish(w.Ctx, token))
}

// The code to a result goes to the candidate's address: whoever is blind cannot make that
// their own.
func TestTheBlindDoNotChangeTheAddressOfAFinishedTest(t *testing.T) {
	w := newWorld(t)
	ida := w.as(member)
	out := w.answered("Kim", func(i int) int { return 2 + i%4 }, 4000)
	w.blindTo(false)
	path := "/dashboard/kandidat/" + id(out) + "/korrigieren"
	ida.post(path, url.Values{"name": {"Kim"}, "email": {"ida@example.com"}}).want(t, 422, "sobald Sie Ihre Bewertung gespeichert haben")
	ida.post(path, url.Values{"name": {"Kim Muster"}, "email": {"kim@example.com"}}).want(t, 303)
	w.as(owner).post(path, url.Values{"name": {"Kim"}, "email": {"richtig@example.com"}}).want(t, 303)
}

// Two people with opposite results, one of whom cannot even be interpreted, are alike to
// whoever is blind, but for name, address, id and time: on their pages, in the list, in
// files, by search, by order and by every form that is answered. What the team has made
// of their results, in tags, notes and clicks, does not show either.
func TestBlindPagesOfOppositeResultsAreAlike(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		clients := map[typus.UserRole]*client{interviewer: w.as(interviewer), member: w.as(member)}
		w.Later(time.Minute) // so that the results are new to them
		high := w.answered("Kimhigh", func(i int) int { return 2 + i%4 }, 4000)
		low := w.answered("Kimlow", func(int) int { return 5 }, 300)
		third := w.answered("Robin", func(i int) int { return 2 + i%4 }, 4000)
		w.Must(w.Accounts.SetScoreSorting(w.Ctx, w.Account, true, by))
		w.blindTo(false)
		signed := w.signedRole(w.Account, "Außendienst")
		w.asked(url.Values{"core": {"in1", "ad2"}, "ask_en_1": {"What was hard?"}})
		ada := w.as(owner)
		for out, word := range map[string]string{id(high): "herausragend", id(low): "unbrauchbar"} {
			path := "/dashboard/kandidat/" + out
			ada.get(path).want(t, 200)
			ada.post(path+"/notizen", fields("notiz", word, "formular", strings.Repeat(word[:1], 26))).want(t, 303)
			ada.post(path+"/tags", fields("tag", word)).want(t, 303)
		}
		ada.post("/dashboard/kandidat/"+id(high)+"/stellungnahme", fields("comment", "Das trifft zu.", "confirmed", "letter")).want(t, 303)
		ada.post("/dashboard/kandidat/"+id(high)+"/entscheidung", fields("stage", "offer", "last", "0", "text", "Bestes Ergebnis")).want(t, 303)
		ada.post("/dashboard/kandidat/"+id(low)+"/entscheidung", rejecting(url.Values{"sources": {"interview"}})).want(t, 303)
		ada.post("/dashboard/kandidat/"+id(low)+"/trotzdem", nil).want(t, 303)
		w.Must(w.Assess.ReleaseOwn(w.Ctx, store.WholeAccount(w.Account), high.Candidate.ID, by))
		w.Must(w.Assess.OwnRequest(w.Ctx, low.Token, typus.RequestRetest, "Ich war unaufmerksam.", typus.Actor{Name: typus.ActorCandidate}))
		w.sent = map[string]bool{}
		for role, c := range clients {
			heard := fields("von", strconv.FormatInt(c.user.ID, 10), "notiz-in1", "Ja")
			for what, ask := range map[string]func(out assess.Invited) answer{
				"the page":   func(out assess.Invited) answer { return c.get("/dashboard/kandidat/" + id(out)) },
				"the guide":  func(out assess.Invited) answer { return c.get("/dashboard/kandidat/" + id(out) + "/leitfaden") },
				"the notice": func(out assess.Invited) answer { return c.get("/dashboard/kandidat/" + id(out) + "/hinweise") },
				"the guide as a file": func(out assess.Invited) answer {
					return onPaper(t, c.get("/dashboard/kandidat/"+id(out)+"/leitfaden.pdf"))
				},
				"the guides of many": func(out assess.Invited) answer {
					return onPaper(t, c.get("/dashboard/auswahl/leitfaden.pdf?id="+id(out)))
				},
				"a draft": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/kandidat/"+id(out)+"/leitfaden/entwurf", heard)).want(t, 200, "Der Entwurf ist gespeichert")
				},
				"a draft that keeps itself": func(out assess.Invited) answer {
					a := c.get("/dashboard/kandidat/" + id(out) + "/leitfaden")
					a.body = c.types("/dashboard/kandidat/"+id(out), heard, 200)
					return a
				},
				"a draft that is dropped": func(out assess.Invited) answer {
					path := "/dashboard/kandidat/" + id(out)
					form := fields("von", heard.Get("von"), "stand", c.types(path, heard, 200))
					return arrive(c, c.post(path+"/leitfaden/entwurf/verwerfen", form)).want(t, 200, "Der Entwurf ist gelöscht")
				},
				"ratings that are not whole": func(out assess.Invited) answer {
					return c.post("/dashboard/kandidat/"+id(out)+"/leitfaden", heard).want(t, 422, "Bitte wählen Sie eine Bewertung")
				},
				"the report as a file": func(out assess.Invited) answer {
					return arrive(c, c.get("/dashboard/kandidat/"+id(out)+"/bericht.pdf"))
				},
				"the list": func(out assess.Invited) answer { return c.get("/dashboard/kandidaten?suche=" + out.Candidate.Name) },
				"home":     func(assess.Invited) answer { return c.get(homePath).want(t, 200, "Kimhigh", "Kimlow") },
				"those finished": func(out assess.Invited) answer {
					return c.get("/dashboard/kandidaten?status=abgeschlossen&suche=" + out.Candidate.Name)
				},
				"the order by score": func(out assess.Invited) answer {
					return c.get("/dashboard/kandidaten?sortierung=gesamtwert&suche=" + out.Candidate.Name)
				},
				"those with a tag": func(out assess.Invited) answer {
					return c.get("/dashboard/kandidaten?tag=herausragend&suche=" + out.Candidate.Name)
				},
				"the list as a file": func(out assess.Invited) answer {
					return c.post("/dashboard/export?sortierung=gesamtwert&suche="+out.Candidate.Name, url.Values{})
				},
				"the comparison": func(out assess.Invited) answer { return c.get(compareOf(id(third), id(out))) },
				"a comparison that is chosen": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/vergleich", url.Values{"id": {id(third), id(out)}}))
				},
				"a comparison with nobody":    func(out assess.Invited) answer { return c.get(compareOf(id(out))) },
				"the chosen as a file":        func(out assess.Invited) answer { return c.post("/dashboard/auswahl/export", fields("id", id(out))) },
				"the question about many":     func(out assess.Invited) answer { return c.get("/dashboard/auswahl/verlaengern?id=" + id(out)) },
				"the question whom to reject": func(out assess.Invited) answer { return c.get(rejectPath + "?id=" + id(out)) },
				"a rejection among others": func(out assess.Invited) answer {
					return arrive(c, c.post(rejectPath, url.Values{"id": {id(out)}, "reasons": {"terms"}, "last-" + id(out): {"0"}}))
				},
				"who was rejected":        func(out assess.Invited) answer { return c.get(rejectedPath + "?id=" + id(out)) },
				"the form after inviting": func(out assess.Invited) answer { return c.get("/dashboard/einladen/" + id(out)) },
				"a reminder to many": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/auswahl/erinnern", fields("id", id(out))))
				},
				"an extension for many": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/auswahl/verlaengern", fields("id", id(out))))
				},
				"a new link": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/kandidat/"+id(out)+"/neuer-link", fields("seite", "/dashboard")))
				},
				"an extension": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/kandidat/"+id(out)+"/verlaengern", nil))
				},
				"the question whom to take back": func(out assess.Invited) answer { return c.get("/dashboard/auswahl/zurueckziehen?id=" + id(out)) },
				"the role profiles":              func(assess.Invited) answer { return c.get(rolesPath) },
				"a role profile":                 func(assess.Invited) answer { return c.get(rolePath("hunter")) },
				"why a role profile is so":       func(assess.Invited) answer { return c.get(rolePath(signed) + "/analyse") },
				"an invitation taken back": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/auswahl/zurueckziehen", fields("id", id(out))))
				},
				"a letter again": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/kandidat/"+id(out)+"/senden", nil))
				},
				"a correction that is none": func(out assess.Invited) answer {
					return c.post("/dashboard/kandidat/"+id(out)+"/korrigieren", fields("name", "", "email", "x"))
				},
				"the positions":        func(assess.Invited) answer { return c.get(positionsPath) },
				"their position":       func(out assess.Invited) answer { return lineOf(c.get(positionsPath+"/allgemein"), id(out)) },
				"the ledger":           func(out assess.Invited) answer { return rowOf(c.get("/dashboard/credits"), out.Candidate.Name) },
				"the ledger as a file": func(out assess.Invited) answer { return rowOf(c.post("/dashboard/credits/export.csv", nil), id(out)) },
				"a reminder": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/kandidat/"+id(out)+"/erinnern", nil))
				},
				"an empty note": func(out assess.Invited) answer {
					return c.post("/dashboard/kandidat/"+id(out)+"/notizen", fields("notiz", " "))
				},
				"a tag": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/kandidat/"+id(out)+"/tags", fields("tag", "neu")))
				},
				"a tag that is dropped": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/kandidat/"+id(out)+"/tags/entfernen", fields("tag", "herausragend")))
				},
				"a comment": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/kandidat/"+id(out)+"/stellungnahme", fields("comment", "Das trifft zu.", "confirmed", "letter")))
				},
				"a release": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/kandidat/"+id(out)+"/freigeben", nil))
				},
				"an answer": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/kandidat/"+id(out)+"/anfragen/1", fields("antwort-1", "Gern.")))
				},
				"a decision": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/kandidat/"+id(out)+"/entscheidung", fields("stage", "interview", "last", "0")))
				},
				"a decision that is none": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/kandidat/"+id(out)+"/entscheidung", rejecting(url.Values{"reasons": nil})))
				},
				"a result opened anyway": func(out assess.Invited) answer {
					return arrive(c, c.post("/dashboard/kandidat/"+id(out)+"/trotzdem", nil))
				},
				"a result without reasons": func(out assess.Invited) answer {
					return c.post("/dashboard/kandidat/"+id(out)+"/oeffnen", fields("grund", " "))
				},
			} {
				again := func(out assess.Invited) answer { c.get(peoplePath); return ask(out) } // the way back leads to the list as it was last seen
				a, b := alike(again(high), high, low), alike(again(low), low, high)
				if a != b {
					t.Errorf("%s tells a %s one result from the other:\n%s", what, role, firstDifference(a, b))
				}
			}
			c.get("/dashboard/kandidat/"+id(high)+"/leitfaden").want(t, 200, "Bewertung speichern und Ergebnis öffnen")
			for _, path := range []string{"/dashboard/kandidaten?sortierung=gesamtwert", "/dashboard/kandidaten"} {
				page := c.get(path).want(t, 200, "Kimhigh", "Kimlow", "sichtbar nach Ihrer Bewertung")
				if strings.Contains(page.body, `href="/dashboard/kandidaten?sortierung=gesamtwert`) || strings.Index(page.body, "Kimlow") > strings.Index(page.body, "Kimhigh") {
					t.Errorf("%s offers a %s the order by score, or is in it", path, role)
				}
			}
		}
		for _, r := range w.face.routes() {
			if mayBeBlind(r.least) && !unread(r.pattern) && !sentTo(w.sent, r) {
				t.Errorf("whether %s %s tells results apart is not tried", r.method, r.pattern)
			}
		}
	})
}

// lineOf is the line of a candidate on the page of a position, and all that it says of all.
func lineOf(a answer, id string) answer {
	before, list, _ := strings.Cut(a.body, `<ul class="people">`)
	list, after, _ := strings.Cut(list, "</ul>")
	for line := range strings.SplitSeq(list, "</li>") {
		if strings.Contains(line, id) {
			a.body = before + line + after
		}
	}
	return a
}

// mayBeBlind reports whether a route is open to a role whose users can be blind.
func mayBeBlind(least typus.UserRole) bool {
	return slices.Contains([]typus.UserRole{interviewer, viewer, member}, least)
}

// unread reports whether a route reads no person who may have a result.
func unread(pattern string) bool {
	for start, why := range map[string]string{
		"/dashboard/einstellungen":                  "users, keys and webhooks",
		"/dashboard/logo/":                          "the account's",
		"/dashboard/einladen":                       "who has no result yet",
		worldPath:                                   "nobody in it is real",
		"/dashboard/import":                         "likewise; the list and its file stay the same, as a test of theirs says",
		"/dashboard/kandidat/{id}/notizen/{notiz}/": "the visitor's own notes",
		"/dashboard/kandidat/0":                     "nobody: the report of a test event",
		"/dashboard/sprache":                        "the visitor's own",
		"/dashboard/darstellung":                    "likewise",
		"/dashboard/gelesen":                        "it notes a time of the visitor, and home is tried",
		"/dashboard/meldung":                        "what a page said last",
	} {
		if why != "" && strings.HasPrefix(pattern, start) {
			return true
		}
	}
	return false
}

// sentTo reports whether a request went to a route.
func sentTo(sent map[string]bool, r route) bool {
	pattern := regexp.MustCompile("^" + r.method + " " + regexp.MustCompile(`\{\w+\}`).ReplaceAllString(r.pattern, `[^/]+`) + "$")
	for request := range sent {
		if pattern.MatchString(request) {
			return true
		}
	}
	return false
}

// onPaper is a file with its words in place of its bytes.
func onPaper(t *testing.T, a answer) answer {
	t.Helper()
	if a.StatusCode == http.StatusOK {
		a.body = pdftest.Words(t, []byte(a.body))
	}
	return a
}

// rowOf is an answer without the rows of others.
func rowOf(a answer, person string) answer {
	var rows []string
	for _, row := range regexp.MustCompile(`<tr|\n`).Split(a.body, -1) {
		if strings.Contains(row, person) {
			rows = append(rows, row)
		}
	}
	a.body = strings.Join(rows, "\n")
	return a
}

// The file of an import gives whoever is blind the links of the people, to be passed on,
// and is the same before and after they have answered. What the links show by then tells no
// answers apart, as the test pages prove; before it they lead through the test.
func TestTheFileOfAnImportStaysTheSameWhenItsPeopleHandIn(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.blindTo(false)
		c := w.as(member)
		at := c.upload("/dashboard/import", "datei", "x.csv", []byte("Name;E-Mail\nKimhigh;high@example.com\nKimlow;low@example.com\n"), nil).Header.Get("Location")
		c.post(at+"/start", nil).want(t, 303)
		w.Must(w.Assess.RunImports(w.Ctx, "me"))
		file := c.post(at+"/ergebnis.csv", nil).want(t, 200)
		list := balance.ReplaceAllString(c.get(at).want(t, 200).body, "…")
		links := regexp.MustCompile(`/t/(\w+)`).FindAllStringSubmatch(file.body, -1)
		if len(links) != 2 {
			t.Fatalf("the file holds %d links:\n%s", len(links), file.body)
		}
		w.finishes(links[0][1], func(i int) int { return 2 + i%4 }, 4000)
		w.finishes(links[1][1], func(int) int { return 5 }, 300)
		if again := c.post(at+"/ergebnis.csv", nil).want(t, 200); again.body != file.body {
			t.Errorf("the file tells who has handed in what:\n%s", again.body)
		}
		if again := balance.ReplaceAllString(c.get(at).want(t, 200).body, "…"); again != list {
			t.Errorf("the list tells who has handed in what:\n%s", firstDifference(list, again))
		}
	})
}

// balance is what the head of a page says of the account's credits.
var balance = regexp.MustCompile(`<span class="meter-figure">[^<]*</span>`)

// arrive is the page to which an answer leads, or the answer itself.
func arrive(c *client, a answer) answer {
	if a.StatusCode == http.StatusSeeOther {
		return c.follow(a)
	}
	return a
}

var (
	times    = regexp.MustCompile(`\d{4}-\d\d-\d\d[T\d:.Z+-]*|\d\d?\.\d\d?\.\d{4}|\d\d:\d\d|\d\d?\. [A-Z][a-zä]+ \d{4}`)
	homeLine = regexp.MustCompile(`(?s)<li class="home-item">.*?</li>\n`)
	once     = regexp.MustCompile(`name="formular" value="[^"]*"`)
	seenHash = regexp.MustCompile(`name="` + seenName + `" value="[^"]*"`) // a hash of what its form shows
)

// alike is an answer without what may differ between two people: times, what is their own,
// and the row of the other one.
func alike(a answer, of, other assess.Invited) string {
	head := a.Header.Clone()
	for _, other := range []string{"Date", "Content-Length", "Set-Cookie", "X-Request-Id"} {
		head.Del(other)
	}
	rows := strings.SplitAfter(a.body, "</tr>")
	rows = slices.DeleteFunc(rows, func(row string) bool {
		return strings.HasSuffix(row, "</tr>") && strings.Contains(row, other.Candidate.Name)
	})
	body := homeLine.ReplaceAllStringFunc(strings.Join(rows, ""), func(line string) string {
		if strings.Contains(line, other.Candidate.Name) {
			return ""
		}
		return line
	})
	text := fmt.Sprint(a.Status, " ", head, "\n", body)
	for _, own := range []string{of.Candidate.Name, of.Candidate.Email, id(of), of.Token} {
		text = strings.ReplaceAll(text, own, "…")
	}
	for _, may := range []*regexp.Regexp{times, once, seenHash} {
		text = may.ReplaceAllString(text, "…")
	}
	return text
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + "\n" + y[i]
		}
	}
	return "one is longer"
}

// Who will not rate opens the result with a reason, which the team reads as long as the
// candidate is there; the audit log says that it happened.
func TestAResultIsOpenedWithoutRatingsForAReason(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.answered("Kim", func(i int) int { return 2 + i%4 }, 4000)
		w.blindTo(false)
		path, c := "/dashboard/kandidat/"+id(out), w.as(interviewer)
		c.get(path).want(t, 200, "Das Ergebnis öffnet sich, sobald Sie Ihre Bewertung gespeichert haben. So bleibt Ihr Urteil aus dem Gespräch unabhängig.", "Ohne Bewertung öffnen")
		if lines, err := w.Store.AuditOf(w.Ctx, w.Account, out.Candidate.ID); err != nil || len(lines) != 0 {
			t.Errorf("a closed result counts as viewed: %+v, %v", lines, err)
		}
		for _, wrong := range []string{"", " \n", strings.Repeat("x", 501)} {
			c.post(path+"/oeffnen", fields("grund", wrong)).want(t, 422, "Nennen Sie einen Grund, höchstens 500 Zeichen.")
		}
		c.follow(c.post(path+"/oeffnen", fields("grund", "Das Gespräch führt Ada"))).want(t, 200, `<article class="report`, "Das Ergebnis ist für Sie geöffnet.")
		c.get(path).want(t, 200, `<article class="report`)
		c.post(path+"/oeffnen", fields("grund", "noch einmal")).want(t, 303)
		w.as(viewer).get(path).want(t, 200, "Ergebnis ohne Bewertung geöffnet durch "+c.user.Email, "Das Gespräch führt Ada")
		w.as(owner).get("/dashboard/einstellungen/protokoll").want(t, 200, "Ergebnis ohne Bewertung geöffnet", "Bericht vor der ersten Bewertung angesehen")
		other := w.as(member).get(path).want(t, 200, "Ergebnis ohne Bewertung geöffnet durch "+c.user.Email)
		if strings.Contains(other.body, "Das Gespräch führt Ada") || strings.Contains(other.body, `<article class="report`) {
			t.Error("one who is blind reads a colleague's reason, or the report")
		}
		lines, err := w.Store.AuditOf(w.Ctx, w.Account, out.Candidate.ID)
		w.Must(err)
		for _, l := range lines {
			if strings.Contains(l.Detail, "Ada") {
				t.Errorf("the audit log, which is never erased, keeps the reason: %+v", l)
			}
		}
	})
}

// What a candidate asks for must be answered within a month: where everybody rates first,
// owners see it, without the result, and answer it.
func TestAnOwnerWhoIsBlindAnswersRequestsWithoutTheResult(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.answered("Kim", func(i int) int { return 2 + i%4 }, 4000)
		w.blindTo(true)
		w.Must(w.Assess.OwnRequest(w.Ctx, out.Token, typus.RequestAccess, "Alles, bitte.", by))
		path, ada := "/dashboard/kandidat/"+id(out), w.as(owner)
		about, err := w.Store.DossierOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
		w.Must(err)
		answer := path + "/anfragen/" + strconv.FormatInt(about.Requests[0].ID, 10)
		given := fields("antwort-"+strconv.FormatInt(about.Requests[0].ID, 10), "Kommt per Brief.")
		other := w.as(admin)
		other.get(path).want(t, 200).without(t, "Alles, bitte.")
		other.follow(other.post(answer, given)).without(t, "Die Anfrage ist beantwortet.")
		ada.get(homePath).want(t, 200, path+"#einsicht")
		ada.get(path).want(t, 200, "Alles, bitte.", "Das Ergebnis ist noch geschlossen").without(t, `<article class="report`, "Die Person sieht ihr Ergebnis")
		ada.follow(ada.post(answer, given)).want(t, 200, "Die Anfrage ist beantwortet.", "Kommt per Brief.").without(t, `<article class="report`)
	})
}

// Who needs not rate first and looks before anybody has is named for it; who has seen a
// result before the switch is not made blind again.
func TestLookingBeforeTheFirstRatingIsSaid(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.answered("Kim", func(i int) int { return 2 + i%4 }, 4000)
		path, early, late := "/dashboard/kandidat/"+id(out), w.as(member), w.as(viewer)
		early.get(path).want(t, 200, "Bericht angesehen durch "+early.user.Email)
		w.blindTo(false)
		early.get(path).want(t, 200, `<article class="report`)
		late.get(path).want(t, 200, `<article class="report`, "Bericht vor der ersten Bewertung angesehen durch "+late.user.Email)
		w.Later(2 * time.Hour)
		w.blindTo(true)
		late.get(path).want(t, 200, `<article class="report`)
		w.as(owner).get(path).want(t, 200, "Das Ergebnis ist noch geschlossen")
	})
}

func TestOwnersAndAdminsSwitchTheBlindInterview(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(admin)
		c.get(decisionPath).want(t, 200, blindPath)
		c.get(blindPath).want(t, 200, "Sinnvoll, wenn Sie erst sprechen und dann das Ergebnis lesen. Nicht sinnvoll, wenn das Ergebnis mitbestimmt, wen Sie einladen.")
		position := func() typus.Position {
			p, err := w.Store.StandardPosition(w.Ctx, w.Account)
			w.Must(err)
			return p
		}
		if p := position(); p.ID != 0 || p.Blind {
			t.Errorf("before its first use the default position is %+v", p)
		}
		for _, step := range []struct {
			form       url.Values
			blind, all bool
		}{
			{fields("blind", "1"), true, false}, {fields("blind", "1", "alle", "1"), true, true},
			{fields("alle", "1"), false, false}, {url.Values{}, false, false},
		} {
			c.follow(c.post(blindPath, step.form)).want(t, http.StatusOK)
			if p := position(); p.ID == 0 || p.Blind != step.blind || p.BlindAll != step.all {
				t.Errorf("after %v the default position is %+v", step.form, p)
			}
		}
		lines, err := w.Store.Audit(w.Ctx, w.Account, 10)
		w.Must(err)
		said := ""
		for _, l := range lines {
			if strings.HasPrefix(string(l.Action), "position.") {
				said += string(l.Action) + " "
			}
		}
		if said != "position.blind_off position.blind_to_all position.blind_on " {
			t.Errorf("the audit log says %q", said)
		}
		w.as(member).get(blindPath).want(t, 403)
	})
}

// That somebody is kept for longer tells of a decision: whoever is blind to them reads it
// nowhere, and in no file.
func TestTheLogTellsTheBlindOfNoKeeping(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out, all := w.answered("Kimkept", func(i int) int { return 2 + i%4 }, 4000), store.WholeAccount(w.Account)
		w.Must(w.Assess.Keep(w.Ctx, all, out.Candidate.ID, w.Now().AddDate(0, 8, 0), "Klage", by, func(typus.Keeping) bool { return true }))
		w.Must(w.Assess.EndKeep(w.Ctx, all, out.Candidate.ID, by, func(typus.Keeping) bool { return true }))
		c := w.as(admin)
		for _, blind := range []bool{false, true} {
			w.blindTo(blind)
			file := c.post(auditPath+"/csv", nil).want(t, 200).body
			for _, said := range []string{"Aufbewahrung verlängert", "Verlängerte Aufbewahrung beendet"} {
				if strings.Contains(file, said) == blind {
					t.Errorf("blind %t, the log says:\n%s", blind, file)
				}
			}
		}
	})
}

// Whoever is exempt from rating first and takes everything about a person along has seen the
// result before anybody has rated: the log says so, once.
func TestTheCopyOfAPersonBeforeAnyRatingIsNotedAsEarly(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.answered("Kimearly", func(i int) int { return 2 + i%4 }, 4000)
		w.blindTo(false)
		c := w.as(admin)
		for range 2 {
			c.post("/dashboard/kandidat/"+id(out)+"/auskunft", nil).want(t, 200)
		}
		lines, err := w.Store.AuditOf(w.Ctx, w.Account, out.Candidate.ID)
		w.Must(err)
		var said []string
		for _, l := range lines {
			said = append(said, string(l.Action))
		}
		if n := strings.Count(strings.Join(said, " "), string(typus.AuditReportViewedBeforeRating)); n != 1 {
			t.Errorf("the log says %q", said)
		}
	})
}
