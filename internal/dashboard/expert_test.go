package dashboard

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/panel"
)

// council names three experts in a form.
func council(more ...string) url.Values {
	form := fields(append([]string{"expert_1", "Jana Muster", "task_1", "Vertriebsleitung", "expert_2", "Robin Muster", "expert_4", "Eve Muster", formName, strings.Repeat("e", 26)}, more...)...)
	return form
}

// inRound has experts asked about the estate's role profile, and the form name the round.
func inRound(s *scene) {
	key := s.names["/dashboard/rollenprofile/{profil}"]
	form := council()
	form.Del(formName)
	s.post(roundPath(key), form).want(s, 303)
	s.form.Set("runde", s.roundOf(key))
}

// endRound ends the round that the form names.
func (s *scene) endRound() {
	s.post(roundPath(s.names["/dashboard/rollenprofile/{profil}"])+"/schliessen", fields("runde", s.form.Get("runde"), "bestaetigt", "1")).want(s, 303)
}

// roundOf is the id of the newest round of a role profile.
func (c *client) roundOf(key string) string {
	c.Helper()
	id, _ := typus.OwnRoleID(key)
	rounds, err := c.Store.RoleRounds(c.Ctx, c.user.AccountID, id)
	c.Must(err)
	return strconv.FormatInt(rounds[0].ID, 10)
}

// linksIn are the links of experts that a page shows.
func (c *client) linksIn(page string) []string {
	var links []string
	for _, found := range regexp.MustCompile(`>[^<]*(/e/[A-Za-z0-9]{32})<`).FindAllStringSubmatch(page, -1) {
		links = append(links, found[1])
	}
	return links
}

// judged are the answers of an expert to whom one dimension is more important than the rest.
func judged(f *face, statements string, importance, rest int) url.Values {
	form := url.Values{}
	for _, key := range f.statementKeys() {
		form.Set(key, strconv.Itoa(rest))
		if strings.HasPrefix(key, statements) {
			form.Set(key, strconv.Itoa(importance))
			form.Set("start_"+key, "1")
		}
	}
	return form
}

func TestExpertsSayEachOnTheirOwnWhatAPositionAsksFor(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(owner)
		boss.post(roleAskPath, fields("base", "hunter", "name", "x", "expert_1", "Ada", "expert_2", strings.Repeat("ü", 5001))).want(t, 422, "Bitte nennen Sie drei bis sieben Personen.", `id="expert_2-fault"`)
		form := council("base", "hunter", "name", "Außendienst <b>Nord</b>")
		form.Set("expert_1", "Jana <b>Muster</b>")
		to := boss.post(roleAskPath, form).want(t, 303).Header.Get("Location")
		key := strings.Split(to, "/")[3]
		if again := boss.post(roleAskPath, form).want(t, 303).Header.Get("Location"); again != to {
			t.Errorf("a second click makes %s beside %s", again, to)
		}
		page := boss.get(to).want(t, 200, "0 von 3 haben geantwortet", "Jana &lt;b&gt;Muster&lt;/b&gt;", "Namen und Bezug zur Stelle werden gelöscht am")
		links := boss.linksIn(page.body)
		if len(links) != 3 {
			t.Fatalf("there are %d links", len(links))
		}
		for _, name := range []string{"Jana &lt;b&gt;Muster&lt;/b&gt;", "Robin Muster", "Eve Muster"} {
			page.want(t, 200, `<span class="unseen">: Link, `+name+`</span>`)
		}
		if strings.Contains(page.body, "/fachleute/namen") {
			t.Error("while links are open, one click erases them and the names")
		}
		boss.get("/dashboard/einladen").want(t, 200)
		if strings.Contains(boss.get("/dashboard/einladen").body, `value="`+key+`"`) {
			t.Error("a profile that nobody has signed can be chosen")
		}
		boss.get(rolePath(key)).want(t, 200, "noch nicht wählbar")
		w.as(member).get(to).want(t, 403)
		w.asOf(w.newAccount("Andere"), owner).get(to).want(t, 404)

		stranger := w.stranger()
		first := stranger.get(links[0]).want(t, 200, "Denken Sie an die Stelle, nicht an eine bestimmte Person.", "Außendienst &lt;b&gt;Nord&lt;/b&gt;", "um eine feste Zusage bitten", "27 von 27", "36 Monate")
		if h := first.Header; h.Get("Cache-Control") != "no-store" || !strings.Contains(h.Get("X-Robots-Tag"), "noindex") {
			t.Errorf("the page of an expert is sent with %v", h)
		}
		open := judged(w.face, "in", 5, 3)
		open.Del("ad1")
		open.Set("ci1", "9")
		open.Set("as1", "<b>")
		stranger.post(links[0], open).want(t, 422, "Noch offen: 3 von 27.", `id="ad1-fault"`, `id="ci1-fault"`, `name="in1" value="5" checked`, `id="start_in1" name="start_in1" type="checkbox" value="1" checked`)
		for i, of := range []string{"in", "in", "co"} {
			page := stranger.follow(stranger.post(links[i], judged(w.face, of, 5, 3))).want(t, 200, "Danke, Ihre Antworten sind angekommen")
			if strings.Contains(page.body, "Median") {
				t.Error("an expert sees what others say")
			}
		}
		used := stranger.post(links[0], judged(w.face, "ad", 1, 1)).want(t, 409, "Dieser Link ist schon benutzt")
		if h := used.Header.Get("X-Robots-Tag"); !strings.Contains(h, "noindex") {
			t.Error("it may be found")
		}
		if running := boss.get(to).want(t, 200, "3 von 3 haben geantwortet"); strings.Contains(running.body, "Übereinstimmung") {
			t.Error("before the round is closed somebody sees what was answered")
		}

		boss.post(to+"/schliessen", fields("runde", "987654321")).want(t, 404)
		boss.follow(boss.post(to+"/schliessen", fields("runde", boss.roundOf(key)))).want(t, 200, "Beendet. 3 von 3", "Median", "sehr stark", "Vorgeschlagen")
		stranger.post(links[0], judged(w.face, "ad", 1, 1)).want(t, 409)

		// Integrity: (5 + 5 + 3)/3 = 13/3, so 10/3 above 1; customer orientation: 11/3,
		// so 8/3; the seven others 2 each: of 20, 16.67, 13.33 and 10.
		edit := boss.get(roleEditPath(key)+"?vorschlag=1").want(t, 200, `name="weight_integrity" type="number" value="17"`, `name="weight_customer_orientation" type="number" value="13"`, "der Vorschlag der Fachleute", "mindestens zehn gespeicherte Ergebnisse; es sind 0")
		signed := formIn(t, edit.body, roleEditPath(key))
		signed.Set("sign", "1")
		signed.Set("weight_integrity", "16")
		signed.Set("weight_customer_orientation", "14")
		boss.post(roleEditPath(key), signed).want(t, 422, "anders ist, als die Fachleute vorschlagen", `id="reason-fault"`)
		signed.Set("weight_integrity", "17")
		signed.Set("weight_customer_orientation", "13")
		boss.follow(boss.post(roleEditPath(key), signed)).want(t, 200, "Version 1 ist unterschrieben.", "bestätigt mit 3 Fachleuten")
		boss.get(auditPath).want(t, 200, "Fachleute zu einem Rollenprofil gefragt", "Außendienst &lt;b&gt;Nord&lt;/b&gt;, 3 Personen", "Befragung von Fachleuten beendet", "Version 1, mit Fachleuten")

		c := w.invitedBy(w.Account, assess.Invitation{Name: "Kim Muster", Email: "kim@example.com", RoleProfile: key})
		w.finishes(c.Token, func(i int) int { return 2 + i%4 }, 4000)
		w.as(viewer).get(candidatePath(c.Candidate.ID)).want(t, 200, "die Gewichte beruhen auf den Antworten von 3 Fachleuten")
		w.as(viewer).get(rolePath(key)+"/analyse").want(t, 200, "Anforderungsanalyse", "Jana &lt;b&gt;Muster&lt;/b&gt;", "Vertriebsleitung", "ICC(2,k) = ", "r_wg(J)", "Wieder ansehen ab:", "17\u00a0%", "DIN 33430")

		changed := boss.editOf(key)
		for name, value := range map[string]string{"sign": "1", "reason": "Mehr Ordnung", "weight_integrity": "10", "weight_self_organization": "17"} {
			changed.Set(name, value)
		}
		boss.follow(boss.post(roleEditPath(key), changed)).want(t, 200, "bestätigt von einer Person, ohne Fachleute")
		boss.get(rolePath(key)+"/analyse").want(t, 200, "Anders als vorgeschlagen", "Mehr Ordnung", "17\u00a0%")

		zone := boss.editOf(key)
		for name, value := range map[string]string{"sign": "1", "reason": "Neues Gebiet", "low_integrity": "45", "zone_integrity": "So viel genügt"} {
			zone.Set(name, value)
		}
		boss.follow(boss.post(roleEditPath(key), zone)).want(t, 200, "Version 3 ist unterschrieben.", `href="`+rolePath(key)+`/analyse?version=1"`)
		third := boss.get(rolePath(key)+"/analyse").want(t, 200, "Version 3", "Jana &lt;b&gt;Muster&lt;/b&gt;", "ICC(2,k) = ", "Anders als vorgeschlagen", "So viel genügt", "Wieder ansehen ab:")
		if strings.Contains(third.body, "Eine Person hat allein eingeschätzt") {
			t.Error("a version after one that was changed forgets the experts")
		}
		first = boss.get(rolePath(key)+"/analyse?version=1").want(t, 200, "Version 1, bestätigt mit 3 Fachleuten", "Das ist eine frühere Version.", "17\u00a0%")
		if strings.Contains(first.body, "So viel genügt") || strings.Contains(first.body, "Anders als vorgeschlagen") || strings.Contains(first.body, "Wieder ansehen ab:") {
			t.Error("the analysis of version 1 is that of another")
		}
		for _, none := range []string{"4", "0", "-1", "99999999999"} {
			boss.get(rolePath(key)+"/analyse?version="+none).want(t, 404)
		}

		boss.follow(boss.post(to+"/namen", fields("runde", boss.roundOf(key)))).want(t, 200, "Name gelöscht")
		for _, path := range []string{to, rolePath(key) + "/analyse"} {
			if page := boss.get(path).want(t, 200, "Name gelöscht"); strings.Contains(page.body, "Muster&lt;") || strings.Contains(page.body, "Vertriebsleitung") {
				t.Errorf("%s names an expert who was erased", path)
			}
		}
		stranger.get(links[0]).want(t, 404)
	})
}

func TestTooFewExpertsProposeNothingAndAreToldWhy(t *testing.T) {
	w := newWorld(t)
	boss, key := w.as(owner), w.ownRole("Außendienst")
	boss.post(roundPath(key), council()).want(t, 303)
	boss.follow(boss.post(roundPath(key), council())).want(t, 200, "Es läuft schon eine Befragung zu diesem Profil.")
	page := boss.get(roundPath(key))
	links := boss.linksIn(page.body)
	w.stranger().post(links[0], judged(w.face, "in", 5, 3)).want(t, 303)
	w.stranger().post(links[1], judged(w.face, "in", 5, 3)).want(t, 303)
	w.Later(31 * 24 * time.Hour)
	boss = w.as(owner)
	w.stranger().get(links[2]).want(t, 410, "Die Befragung ist beendet")
	w.stranger().post(links[2], judged(w.face, "in", 5, 3)).want(t, 410, "Es wird nichts mehr angenommen.")
	closed := boss.get(roundPath(key)).want(t, 200, "Kein Vorschlag: Weniger als drei Personen haben geantwortet.", "2 von 3", "weil es sich ihnen zuordnen ließe")
	for _, said := range []string{"Gewichte ansehen und unterschreiben", "<table", "Median", "Spanne"} {
		if strings.Contains(closed.body, said) {
			t.Errorf("of two answers the page says %q", said)
		}
	}
	boss.get(roundPath(key)+"?neu=1").want(t, 200, "Links anlegen")
	forged := boss.editOf(key)
	for name, value := range map[string]string{"sign": "1", "name": "Innendienst", "reason": "x", "runde": boss.roundOf(key)} {
		forged.Set(name, value)
	}
	boss.follow(boss.post(roleEditPath(key), forged)).want(t, 200, "bestätigt von einer Person, ohne Fachleute")

	guesser := w.stranger()
	guesser.ip = "203.0.113.7"
	statuses := []int{}
	for range 8 {
		statuses = append(statuses, guesser.post("/e/"+strings.Repeat("x", 32), url.Values{}).StatusCode)
	}
	if !slices.Contains(statuses, 429) || statuses[0] != 404 {
		t.Errorf("who guesses links gets %v", statuses)
	}
}

// Whoever reads the form in another language goes on in it, with what they have typed.
func TestAnExpertChangesTheLanguageAndLosesNothing(t *testing.T) {
	w := newWorld(t)
	boss, key := w.as(owner), w.ownRole("Außendienst")
	boss.post(roundPath(key), council()).want(t, 303)
	link := boss.linksIn(boss.get(roundPath(key)).body)[0]
	stranger, typed := w.stranger(), judged(w.face, "in", 5, 3)
	typed.Del("ad1")
	missing := stranger.post(link+"?lang=en", typed).want(t, 422, "Still open: 1 of 27", `action="`+link+`?lang=en"`,
		`form="antworten" formaction="?lang=de" formnovalidate name="nur" value="sprache"`)
	if strings.Contains(missing.body, "Noch offen") {
		t.Error("the page with what is missing is in two languages")
	}
	typed.Set("ad1", "4")
	typed.Set("nur", "sprache")
	stranger.post(link+"?lang=de", typed).want(t, 200, `name="ad1" value="4" checked`, `name="in1" value="5" checked`, "Antworten abgeben",
		`formaction="?lang=en"`).without(t, "Noch offen")
	typed.Del("nur")
	stranger.follow(stranger.post(link+"?lang=en", typed)).want(t, 200, "Thank you") // nothing was handed in before
}

// Before a round ends that says nothing, it is told what that means, and there is a way back.
func TestARoundWithTooFewAnswersEndsOnlyOnceThatIsSaid(t *testing.T) {
	w := newWorld(t)
	boss, key := w.as(owner), w.ownRole("Außendienst")
	boss.post(roundPath(key), council()).want(t, 303)
	links := boss.linksIn(boss.get(roundPath(key)).body)
	for n, link := range links {
		asked := boss.post(roundPath(key)+"/schliessen", fields("runde", boss.roundOf(key))).want(t, 422,
			fmt.Sprintf("Antworten bisher: %d von 3", n), "wie einig sich die Fachleute sind", "Trotzdem beenden", "Weiter auf Antworten warten")
		if strings.Contains(asked.body, "Befragung beenden") {
			t.Error("the button that asks stands beside the one that ends the round")
		}
		w.stranger().post(link, judged(w.face, "in", 5, 3)).want(t, 303) // nothing has ended
	}
	boss.post(roundPath(key)+"/schliessen", fields("runde", boss.roundOf(key))).want(t, 303) // three: nothing to ask

	boss.post(roundPath(key), council()).want(t, 303)
	boss.follow(boss.post(roundPath(key)+"/schliessen", fields("runde", boss.roundOf(key), "bestaetigt", "1"))).want(t, 200, "Beendet. 0 von 3")
}

func TestADimensionThatTwoCanJudgeSaysNothing(t *testing.T) {
	w := newWorld(t)
	boss, key := w.as(owner), w.ownRole("Außendienst")
	boss.post(roundPath(key), council()).want(t, 303)
	links := boss.linksIn(boss.get(roundPath(key)).body)
	for i, link := range links {
		said := judged(w.face, "in", 5, 3)
		if i == 0 {
			said = judged(w.face, "in", 0, 3)
		}
		w.stranger().post(link, said).want(t, 303)
	}
	closed := boss.follow(boss.post(roundPath(key)+"/schliessen", fields("runde", boss.roundOf(key)))).want(t, 200, "Median", "weniger als drei Personen beurteilen",
		"Transparenz und Verbindlichkeit</th><td>–</td><td>–</td><td>–</td><td>–</td></tr>")
	if strings.Count(closed.body, "<td>–</td>") != 4 {
		t.Error("of other dimensions nothing is said either")
	}
}

// The box to tick has the same words 27 times, so each stands in the group of the statement
// that it is about (WCAG 1.3.1).
func TestEachTickOfAnExpertStandsWithItsStatement(t *testing.T) {
	w := newWorld(t)
	boss, key := w.as(owner), w.ownRole("Außendienst")
	boss.post(roundPath(key), council()).want(t, 303)
	doc, err := html.Parse(strings.NewReader(w.stranger().get(boss.linksIn(boss.get(roundPath(key)).body)[0]).want(t, 200).body))
	w.Must(err)
	found := 0
	for group := range doc.Descendants() {
		if group.Data != "fieldset" {
			continue
		}
		names := map[string]bool{}
		for n := range group.Descendants() {
			for _, a := range n.Attr {
				if a.Key == "name" {
					names[strings.TrimPrefix(a.Val, "start_")] = true
					names["tick"] = names["tick"] || strings.HasPrefix(a.Val, "start_")
				}
			}
		}
		if names["tick"] && len(names) == 2 {
			found++
		}
	}
	if found != 27 {
		t.Errorf("%d of 27 stand with their statement", found)
	}
}

func TestAnAgreementThatCannotBeDeterminedIsNoNumber(t *testing.T) {
	f := newTestFace(t)
	var apart []typus.RoleExpert // each has judged another statement about each dimension
	for n := range 3 {
		e := typus.RoleExpert{AnsweredAt: someTime, Answers: map[string]typus.RoleAnswer{}}
		for _, dimension := range f.Instrument.Dimensions() {
			e.Answers[panel.Statements(dimension)[n]] = typus.RoleAnswer{Importance: 3 + n}
		}
		apart = append(apart, e)
	}
	own, _ := ownRoleOf(f, plain)
	view, err := f.roleAnalysisView(speaking("de"), frame{}, own, own.Version, typus.RoleRound{}, apart)
	if row := view.Rows[0]; err != nil || row.RWG != "" || row.Mean != "4,0" || row.Agreement != "nicht bestimmbar" {
		t.Errorf("it is %+v, %v", row, err)
	}
}

func TestThePreviewOfARoleProfileNamesNobodyAndNeedsTen(t *testing.T) {
	w := newWorld(t)
	boss, key := w.as(owner), w.ownRole("Außendienst")
	for i := range 9 {
		c := w.invitedBy(w.Account, assess.Invitation{Name: "Kim Muster " + strconv.Itoa(i), Email: "kim@example.com"})
		w.finishes(c.Token, func(n int) int { return 2 + (n+i)%4 }, 4000)
	}
	form := boss.editOf(key)
	form.Set("vorschau", "1")
	boss.post(roleEditPath(key), form).want(t, 200, "mindestens zehn gespeicherte Ergebnisse; es sind 9")
	_, _, err := w.Accounts.GrantCredits(w.Ctx, w.Account, accounts.Grant{Amount: 5, Note: "Test", Actor: "operator"})
	w.Must(err)
	careless := w.invited("Kim Muster", "")
	w.finishes(careless.Token, func(int) int { return 4 }, 300)
	boss.post(roleEditPath(key), form).want(t, 200, "mindestens zehn gespeicherte Ergebnisse; es sind 9")
	w.finished("Kim Muster")
	shown := boss.post(roleEditPath(key), form).want(t, 200, "Gesamtwert von 10 gespeicherten Ergebnissen", "Ohne Namen")
	if strings.Contains(shown.body, "Kim Muster") {
		t.Error("the preview names somebody")
	}
	form.Set("weight_integrity", "99")
	boss.post(roleEditPath(key), form).want(t, 422, "Eine Vorschau gibt es, sobald", `value="99"`)
	id, _ := typus.OwnRoleID(key)
	if all, err := w.Store.RoleVersions(w.Ctx, w.Account, id); err != nil || len(all) != 1 {
		t.Errorf("a preview makes a version: %d, %v", len(all), err)
	}
}

func TestNamesOfExpertsAreForgottenInTime(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss, key := w.as(owner), w.ownRole("Außendienst")
		boss.post(roundPath(key), council()).want(t, 303)
		id, _ := typus.OwnRoleID(key)
		named := func() []string {
			rounds, err := w.Store.RoleRounds(w.Ctx, w.Account, id)
			w.Must(err)
			experts, err := w.Store.RoleExperts(w.Ctx, w.Account, rounds[0].ID)
			w.Must(err)
			var names []string
			for _, e := range experts {
				names = append(names, e.Name+e.Task)
			}
			return names
		}
		w.Must(w.Accounts.ForgetExperts(w.Ctx, w.Now().AddDate(0, accounts.ExpertsNamed, 0)))
		if got := named(); got[0] == "" {
			t.Errorf("too early: %q", got)
		}
		w.Must(w.Accounts.ForgetExperts(w.Ctx, w.Now().AddDate(0, accounts.ExpertsNamed, 1)))
		if got := named(); strings.Join(got, "") != "" {
			t.Errorf("still there: %q", got)
		}
	})
}
