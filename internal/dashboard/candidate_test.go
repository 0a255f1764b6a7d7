package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/clerk"
	"typus/internal/store"
)

func TestTheCandidatePageSaysWhereTheTestStands(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(member)
		open := w.invitedBy(w.Account, assess.Invitation{Name: "Kim Muster", Email: "kim@example.com", ExternalID: "crm-42", SendEmail: true})
		c.get("/dashboard/kandidat/"+id(open)).want(t, 200, "Kim Muster", "kim@example.com", "crm-42", open.Link, "noch nicht begonnen", "<svg class=\"qr\"", "Eingeladen")
		a := w.as(viewer).get("/dashboard/kandidat/"+id(open)).want(t, 200, "Kim Muster")
		if strings.Contains(a.body, open.Token) || strings.Contains(a.body, `action="/dashboard/kandidat`) {
			t.Error("a viewer sees the link or a form")
		}
		begun := w.begun("Mitte Muster", 12)
		c.get("/dashboard/kandidat/"+id(begun)).want(t, 200, "12 von 97 Aussagen beantwortet", "Test begonnen")
		w.Must(w.Assess.Decline(w.Ctx, begun.Token))
		c.get("/dashboard/kandidat/"+id(begun)).want(t, 200, "dass sie nicht teilnehmen möchte", "Möchte nicht teilnehmen")
		w.Later(40 * 24 * time.Hour)
		c = w.as(member)
		c.get("/dashboard/kandidat/"+id(open)).want(t, 200, "abgelaufen", "Einladung verlängern")
		a = c.get("/dashboard/kandidat/"+id(begun)).want(t, 200, "Wenn Sie sie verlängern, gilt derselbe Link wieder", "Möchte nicht teilnehmen")
		if strings.Contains(a.body, "kann sie den Test weiterhin ausfüllen") {
			t.Error("the page promises that a link works that has expired")
		}
		c.follow(c.post("/dashboard/kandidat/"+id(open)+"/erinnern", nil)).want(t, 200, "Das war nicht möglich (Einladung abgelaufen).")
		c.follow(c.post("/dashboard/kandidat/"+id(open)+"/verlaengern", url.Values{"ende": {"2027-02-01"}})).want(t, 200, "Die Einladung ist verlängert.", open.Link, "Verlängert bis 01.02.2027")
		c.post("/dashboard/kandidat/"+id(open)+"/verlaengern", url.Values{"ende": {"2031-02-01"}}).want(t, 422, "Bitte wählen Sie einen Tag", "autofocus")
		old := showed(t, c.get("/dashboard/kandidat/"+id(open)), "/dashboard/kandidat/"+id(open)+"/verlaengern")
		c.post("/dashboard/auswahl/zurueckziehen", fields("id", id(open))).want(t, 303)
		late := c.post("/dashboard/kandidat/"+id(open)+"/verlaengern", fields("ende", "2027-03-01", seenName, old))
		c.follow(late).want(t, 200, "Das war nicht möglich (Einladung zurückgezogen).")
	})
}

// Who asks for a new link stands first on the page, and is written to when it works again:
// unless whoever extends it does not want that, and never when the link still works.
func TestWhoWaitsForALinkIsToldThatItWorksAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		invitations := func(out assess.Invited) (n int) {
			letters, err := w.Store.LettersOf(w.Ctx, w.Account, out.Candidate.ID)
			w.Must(err)
			for _, l := range letters {
				if l.Kind == typus.LetterInvitation {
					n++
				}
			}
			return n
		}
		var people []assess.Invited
		for _, name := range []string{"Kim Muster", "Robin Beispiel", "Chris Probe", "Toni Vorlage"} {
			people = append(people, w.invitedBy(w.Account, assess.Invitation{Name: name, Email: strings.ToLower(name[:3]) + "@example.com"}))
		}
		w.Later(40 * 24 * time.Hour)
		w.Must(w.Assess.RequestLink(w.Ctx, people[0].Token))
		c, day := w.as(member), w.Now().AddDate(0, 0, 9).Format(time.DateOnly)
		paths := make([]string, len(people))
		for i, p := range people {
			paths[i] = "/dashboard/kandidat/" + id(p)
		}
		c.get(paths[0]).want(t, 200, "Die Person bittet um einen neuen.", `href="#verlaengern"`, `name="schreiben" type="checkbox" value="1" checked`)
		c.get(paths[1]).want(t, 200, "abgelaufen").without(t, "Die Person bittet um einen neuen.")
		c.post(paths[0]+"/verlaengern", fields("ende", "x", "schreiben", "1")).want(t, 422, `value="1" checked`)
		c.post(paths[0]+"/verlaengern", fields("ende", "x")).want(t, 422).without(t, `value="1" checked`)
		c.follow(c.post(paths[0]+"/verlaengern", fields("ende", day, "schreiben", "1"))).want(t, 200, "die E-Mail mit dem Link").without(t, "Die Person bittet um einen neuen.", `name="schreiben"`)
		c.follow(c.post(paths[1]+"/verlaengern", fields("ende", day))).want(t, 200, "Die Einladung ist verlängert.")
		c.post(paths[1]+"/verlaengern", fields("ende", day, "schreiben", "1")).want(t, 303) // it works already
		chosen := url.Values{"id": {id(people[1]), id(people[2]), id(people[3])}}
		c.get("/dashboard/auswahl/verlaengern?"+chosen.Encode()).want(t, 200, `name="schreiben" type="checkbox" value="1" checked`)
		chosen.Set("ende", day)
		chosen.Set("schreiben", "1")
		c.post("/dashboard/auswahl/verlaengern", chosen).want(t, 303)
		for i, want := range []int{1, 0, 1, 1} {
			if got := invitations(people[i]); got != want {
				t.Errorf("%s got %d letters, not %d", people[i].Candidate.Name, got, want)
			}
		}
	})
}

// What nobody can see is named as that, in whatever text it stands.
func TestAnInvisibleCharacterIsNamed(t *testing.T) {
	w := newWorld(t)
	c, path := w.as(owner), "/dashboard/kandidat/"+id(w.finished("Fertig Muster"))
	const hidden, control = "Gut\ufeff gemacht", "Gut\x01gemacht" // a name drops the first
	for form, sent := range map[string]url.Values{
		path + "/notizen":       fields("notiz", hidden),
		path + "/tags":          fields("tag", control),
		path + "/entscheidung":  fields("stage", "offer", "last", "0", "text", hidden),
		path + "/stellungnahme": fields("comment", hidden, "confirmed", "letter"),
	} {
		c.post(form, sent).want(t, 422, "enthält ein unsichtbares Zeichen")
	}
	c.post(path+"/entscheidung", fields("stage", "x", "last", "0", "text", "Gut\r\ngemacht")).want(t, 422, "Bitte wählen Sie")
}

func TestTheReportUrlShowsTheReportAndNotesWhoLooks(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		done := w.finished("Fertig Muster")
		path := "/dashboard/kandidat/" + id(done)
		a := w.stranger().get(path)
		if a.StatusCode != 303 || a.Header.Get("Location") != "/anmelden?weiter="+url.QueryEscape(path) {
			t.Errorf("a stranger gets %s to %q", a.Status, a.Header.Get("Location"))
		}
		c := w.as(viewer)
		c.get(path).want(t, 200, "Dieses Ergebnis ist eine Selbstbeschreibung", `<article class="report"`, "Bericht angesehen durch "+c.user.Email)
		c.get(path)
		entries, err := w.Store.AuditOf(w.Ctx, w.Account, done.Candidate.ID)
		w.Must(err)
		if len(entries) != 1 || entries[0].Action != "report.viewed" || entries[0].UserID != c.user.ID || entries[0].Actor != c.user.Email {
			t.Errorf("the audit log says %+v", entries)
		}
		if a := c.get(path); strings.Count(a.body, "Bericht angesehen durch ") != 1 {
			t.Error("one person on one day is told more than once")
		}
		w.as(viewer).get(path).want(t, 200)
		for range 2 { // an idle session would end
			w.Later(8 * time.Hour)
			c.get(path).want(t, 200)
		}
		if entries, err = w.Store.AuditOf(w.Ctx, w.Account, done.Candidate.ID); err != nil || len(entries) != 4 {
			t.Errorf("a colleague and two more hours: %+v, %v", entries, err)
		}
		if a := c.get(path); strings.Count(a.body, "Bericht angesehen durch "+c.user.Email) != 2 {
			t.Error("the timeline tells of more or less than one look a day")
		}
	})
}

// The log says nothing of a result that it does not say of itself.
func TestAResultThatCanBeReadIsNotNotedAsOpenedInSpiteOfIt(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		path, c := "/dashboard/kandidat/"+id(w.finished("Fertig Muster")), w.as(viewer)
		if a := c.follow(c.post(path+"/trotzdem", nil)); strings.Contains(a.body, "trotzdem geöffnet") {
			t.Error("it is noted")
		}
	})
}

// Nobody reads by accident what should not be interpreted: not a single figure stands in
// the page until somebody asks for them, and who did is told.
func TestTheFiguresOfADoubtfulResultOpenOnPurposeOnly(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.doubtful("Eilig Muster")
		path := "/dashboard/kandidat/" + id(out)
		c, colleague := w.as(viewer), w.as(owner)
		for _, who := range []*client{c, colleague} {
			a := who.get(path).want(t, 200, "Nicht deutbar", "Trotzdem ansehen", path+"/trotzdem")
			for _, part := range []string{"report-figure", "chart", "report-table", "report-type", "Leistungsantrieb"} {
				if strings.Contains(a.body, part) {
					t.Errorf("%s stands in the page", part)
				}
			}
		}
		c.follow(c.post(path+"/trotzdem", nil)).want(t, 200, "report-figure", "report-table", "Bitte deuten Sie dieses Ergebnis nicht",
			"Nicht deutbares Ergebnis trotzdem geöffnet durch "+c.user.Email)
		c.post(path+"/trotzdem", nil).want(t, 303)
		if a := c.get(path); strings.Contains(a.body, "Trotzdem ansehen") || strings.Count(a.body, "trotzdem geöffnet durch") != 1 {
			t.Error("it is asked or told again")
		}
		if a := colleague.get(path).want(t, 200, "Trotzdem ansehen"); strings.Contains(a.body, "report-figure") {
			t.Error("it is open for a colleague, too")
		}
		// The page shows the newest 200 lines, among which the opening is no more.
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			for range 200 {
				if err := tx.AddAudit(w.Ctx, typus.AuditEntry{AccountID: w.Account, CandidateID: out.Candidate.ID, Actor: "x@example.com", Action: typus.AuditReportViewed, CreatedAt: w.Now()}); err != nil {
					return err
				}
			}
			return nil
		}))
		if a := c.get(path).want(t, 200, "report-figure"); strings.Contains(a.body, "Trotzdem ansehen") {
			t.Error("the page has closed again")
		}
	})
}

func TestTheHeadOfAReportIsOpenAtTheFirstLook(t *testing.T) {
	w := newWorld(t)
	path := "/dashboard/kandidat/" + id(w.finished("Fertig Muster"))
	c := w.as(viewer)
	c.get(path).want(t, 200, `<details class="report-head" open>`)
	c.get(path).want(t, 200, `<details class="report-head">`)
	w.Later(2 * time.Hour)
	w.as(member).get(path).want(t, 200, `<details class="report-head" open>`)
	c.get(path).want(t, 200, `<details class="report-head">`)
}

// Whoever reads the guide learns nothing about the person: it differs by the name only.
func TestTheGuideIsTheSameForEverybody(t *testing.T) {
	w := newWorld(t)
	c := w.as(viewer)
	guide := func(out assess.Invited, name string) string {
		_, main, _ := strings.Cut(c.get("/dashboard/kandidat/"+id(out)+"/leitfaden").want(t, 200, "Fragen an alle", "Weist auf einen eher hohen Wert hin").body, "<main")
		return strings.NewReplacer(name, "", id(out), "").Replace(main)
	}
	open := guide(w.invited("Offen Muster", ""), "Offen Muster")
	for name, out := range map[string]assess.Invited{"Fertig Muster": w.finished("Fertig Muster"), "Eilig Muster": w.doubtful("Eilig Muster")} {
		if got := guide(out, name); got != open {
			t.Errorf("the guide of %s is another:\n%s\n%s", name, got, open)
		}
		if entries, err := w.Store.AuditOf(w.Ctx, w.Account, out.Candidate.ID); err != nil || len(entries) != 0 {
			t.Errorf("reading it counts as looking at the report: %+v, %v", entries, err)
		}
	}
	c.get("/dashboard/kandidat/987654321/leitfaden").want(t, 404)
}

// A browser that asks in advance, or for nothing but the head, gets no report, so that there
// is nothing to be noted.
func TestWhoDoesNotLookIsNotNotedAndSeesNothing(t *testing.T) {
	w := newWorld(t)
	done := w.finished("Fertig Muster")
	path, c := "/dashboard/kandidat/"+id(done), w.as(viewer)
	c.do("HEAD", path, nil).want(t, 200)
	for name, said := range map[string]string{
		"Sec-Purpose": "prefetch;prerender", "Purpose": "prefetch", "X-Moz": "prefetch", "X-Purpose": "preview", "sec-purpose": "Prerender",
	} {
		for _, path := range []string{path, path + "/bericht.pdf", "/dashboard/kandidaten", path + "/leitfaden"} {
			r, err := http.NewRequestWithContext(w.Ctx, "GET", w.server.URL+path, nil)
			w.Must(err)
			r.Header.Set(name, said)
			if a := c.send(r); a.StatusCode != http.StatusServiceUnavailable || a.body != "" || a.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %s is answered in advance: %s, %q", name, path, a.Status, a.Header.Get("Cache-Control"))
			}
		}
	}
	if entries, err := w.Store.AuditOf(w.Ctx, w.Account, done.Candidate.ID); err != nil || len(entries) != 0 {
		t.Errorf("%+v, %v", entries, err)
	}
}

// A form that is refused shows its page again, with the report on it.
func TestAReportBehindAFaultyFormIsNotedToo(t *testing.T) {
	w := newWorld(t)
	done := w.finished("Fertig Muster")
	w.as(member).post("/dashboard/kandidat/"+id(done)+"/notizen", fields("notiz", " ")).want(t, 422, `<article class="report`, "Bericht angesehen durch")
	if n := strings.Count(w.actions(), "report.viewed"); n != 1 {
		t.Errorf("%d lines of the audit log", n)
	}
}

// A clock that was ahead wrote a line that no clock reaches for days: it silences nobody.
// And a log that is longer than what is read of it does not make a look the first one.
func TestEveryLookIsNotedWhateverTheLogHolds(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		done, c := w.finished("Fertig Muster"), w.as(viewer)
		path := "/dashboard/kandidat/" + id(done)
		line := typus.AuditEntry{AccountID: w.Account, CandidateID: done.Candidate.ID, UserID: c.user.ID, Actor: c.user.Email, Action: typus.AuditReportViewed, CreatedAt: w.Now().Add(72 * time.Hour)}
		add := func(n int) {
			w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
				for range n {
					if err := tx.AddAudit(w.Ctx, line); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		add(1)
		c.get(path).want(t, 200)
		if n := strings.Count(w.actions(), "report.viewed"); n != 2 {
			t.Errorf("%d lines of the audit log", n)
		}
		line.UserID, line.CreatedAt = 987, w.Now()
		add(200)
		w.Later(2 * time.Hour)
		c.get(path).want(t, 200, `<details class="report-head">`)
	})
}

func TestAnOldResultSaysSoFirst(t *testing.T) {
	w := newWorld(t)
	path := "/dashboard/kandidat/" + id(w.finished("Fertig Muster"))
	if a := w.as(viewer).get(path); strings.Contains(a.body, "älter als 12 Monate") {
		t.Error("a new result is called old")
	}
	w.Later(366 * 24 * time.Hour)
	_, part, _ := strings.Cut(w.as(viewer).get(path).want(t, 200, "älter als 12 Monate").body, "<article")
	if i, j := strings.Index(part, "älter als"), strings.Index(part, "Dieses Ergebnis ist eine Selbst"); i > j || i < 0 {
		t.Errorf("it stands at %d, the head at %d", i, j)
	}
}

func TestACorrectionCountsAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(member)
		out := w.invited("Kim Mustre", "crm-1")
		path := "/dashboard/kandidat/" + id(out)
		c.post(path+"/korrigieren", url.Values{"name": {" "}, "email": {"kein"}}).want(t, 422, "Bitte füllen Sie dieses Feld aus.", "name@example.com", `value="kein"`)
		c.follow(c.post(path+"/korrigieren", url.Values{"name": {"Kim Muster"}, "email": {"neu@example.com"}})).want(t, 200, "Kim Muster", "neu@example.com", "Berichtigt durch")
		c.get("/dashboard/kandidaten?suche=neu@example").want(t, 200, "Kim Muster")
		c.get("/dashboard/kandidaten?suche=mustre").want(t, 200, "Niemand gefunden")
		again := w.invitedBy(w.Account, assess.Invitation{Name: "Kim Muster", Email: "neu@example.com", ExternalID: "crm-1"})
		if !again.Repeat || again.Candidate.ID != out.Candidate.ID {
			t.Error("the corrected invitation is not repeated")
		}
		other := w.invitedBy(w.Account, assess.Invitation{Name: "Robin", Email: "robin@example.com", ExternalID: "crm-1"})
		c.follow(c.post("/dashboard/kandidat/"+id(other)+"/korrigieren", url.Values{"name": {"Robin"}, "email": {"neu@example.com"}})).
			want(t, 200, "gibt es schon eine andere offene Einladung", "robin@example.com")
	})
}

func TestTheTeamWritesNotesAndTags(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c, colleague := w.as(member), w.as(member)
		out := w.invited("Kim Muster", "")
		path := "/dashboard/kandidat/" + id(out)
		c.post(path+"/notizen", url.Values{"notiz": {"  "}}).want(t, 422, "Bitte füllen Sie dieses Feld aus.")
		c.post(path+"/notizen", url.Values{"notiz": {strings.Repeat("x", clerk.MaxNote+1)}}).want(t, 422, "Das ist zu lang.")
		c.post(path+"/notizen", url.Values{"notiz": {"\u202eevil"}}).want(t, 422)
		c.follow(c.post(path+"/notizen", url.Values{"notiz": {"Gutes Gespräch\r\n<b>am Montag</b>"}})).want(t, 200, "Gutes Gespräch\n&lt;b&gt;am Montag&lt;/b&gt;", c.user.Email)
		notes, err := w.Store.NotesOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
		w.Must(err)
		drop := fmt.Sprintf("%s/notizen/%d/loeschen", path, notes[0].ID)
		if a := colleague.get(path).want(t, 200, "Gutes Gespräch"); strings.Contains(a.body, drop) {
			t.Error("a colleague is offered to delete the note")
		}
		colleague.post(drop, nil).want(t, 404)
		c.follow(c.post(drop, nil)).want(t, 200, "Die Notiz ist gelöscht.")

		c.post(path+"/tags", url.Values{"tag": {strings.Repeat("x", clerk.MaxTag+1)}}).want(t, 422, "Das ist zu lang.")
		c.follow(c.post(path+"/tags", url.Values{"tag": {"  Messe   Köln "}})).want(t, 200, "Messe Köln")
		c.get("/dashboard/kandidaten?tag=Messe+K%C3%B6ln").want(t, 200, "Kim Muster", "<option value=\"Messe Köln\" selected>")
		c.get("/dashboard/kandidaten?tag=nichts").want(t, 200, "Niemand gefunden")
		w.invited("Robin Muster", "")
		if a := c.get("/dashboard/kandidaten?tag=Messe+K%C3%B6ln"); strings.Contains(a.body, "Robin") {
			t.Error("the tag does not filter")
		}
		c.follow(c.post(path+"/tags/entfernen", url.Values{"tag": {"Messe Köln"}})).want(t, 200, "Noch keine Schlagwörter.")
		var all sync.WaitGroup
		for i := range store.MaxTags + 5 {
			all.Go(func() { c.post(path+"/tags", url.Values{"tag": {fmt.Sprint("t", i)}}) })
		}
		all.Wait()
		if tags, err := w.Store.TagsOf(w.Ctx, w.Account, out.Candidate.ID); err != nil || len(tags) != store.MaxTags {
			t.Errorf("%d tags, %v", len(tags), err)
		}
		c.post(path+"/tags", url.Values{"tag": {"noch einer"}}).want(t, 422, "Mehr als 20")
	})
}

func TestANoteOfAColleagueIsDeletedByAnAdmin(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.invited("Kim Muster", "")
		path := "/dashboard/kandidat/" + id(out)
		author := w.as(member)
		drop := func() string {
			w.Helper()
			author.post(path+"/notizen", url.Values{"notiz": {"Gutes Gespräch"}}).want(t, 303)
			notes, err := w.Store.NotesOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
			w.Must(err)
			return fmt.Sprintf("%s/notizen/%d/loeschen", path, notes[0].ID)
		}
		for _, role := range []typus.UserRole{admin, owner} {
			c, at := w.as(role), drop()
			c.get(path).want(t, 200, at)
			c.follow(c.post(at, nil)).want(t, 200, "Die Notiz ist gelöscht.", "Notiz gelöscht durch "+c.user.Email)
			c.post(at, nil).want(t, 404)
		}
		author.post(drop(), nil).want(t, 303)
		if n := strings.Count(w.actions(), "note.deleted"); n != 3 {
			t.Errorf("%d lines of the audit log for 3 notes", n)
		}
	})
}

func TestTheNotesAboutOnePersonAreBounded(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c, out := w.as(member), w.invited("Kim Muster", "")
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			for range store.MaxNotes - 1 {
				if _, err := tx.AddNote(w.Ctx, typus.Note{AccountID: w.Account, CandidateID: out.Candidate.ID, UserID: c.user.ID, Body: "x", CreatedAt: w.Now()}); err != nil {
					return err
				}
			}
			return nil
		}))
		path := "/dashboard/kandidat/" + id(out)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { c.post(path+"/notizen", url.Values{"notiz": {"noch eine"}}) })
		}
		all.Wait()
		if notes, err := w.Store.NotesOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID); err != nil || len(notes) != store.MaxNotes || notes[1].Body != "x" {
			t.Errorf("%d notes, %v", len(notes), err)
		}
		c.post(path+"/notizen", url.Values{"notiz": {"Was ich schrieb"}}).want(t, 422, "Mehr als 200 Notizen", "Was ich schrieb")
	})
}

func TestHostileNamesAreShownAsTheyAre(t *testing.T) {
	w := newWorld(t)
	c := w.as(owner)
	for _, name := range []string{`<img src=x onerror=alert(1)>`, `"><svg onload=alert(1)>`, `{{7*7}}`, `javascript:alert(1)`, `</script><script>alert(1)</script>`, `O'Brien & Söhne`} {
		out := w.invitedBy(w.Account, assess.Invitation{Name: name, Email: "kim@example.com", ExternalID: name})
		w.Must(w.Assess.Correct(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, name, "kim@example.com", by, nil))
		for _, path := range []string{"/dashboard/kandidaten", "/dashboard/kandidaten?suche=" + url.QueryEscape(name), "/dashboard/kandidat/" + id(out), "/dashboard/auswahl/loeschen?id=" + id(out)} {
			a := c.get(path).want(t, 200)
			if strings.Contains(a.body, "<img src=x") || strings.Contains(a.body, "<svg onload") || strings.Contains(a.body, "<script>alert") || strings.Contains(a.body, `href="javascript:`) {
				t.Errorf("%s: %q is not literal", path, name)
			}
		}
	}
}

func TestAWithdrawnInvitationStaysWithdrawn(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	out := w.invited("Kim Muster", "")
	w.Must(w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, by))
	path := "/dashboard/kandidat/" + id(out)
	a := c.get(path).want(t, 200, "Die Einladung wurde zurückgezogen.")
	if strings.Contains(a.body, out.Token) {
		t.Error("the link of a withdrawn invitation is shown")
	}
	for _, do := range []string{"/erinnern", "/senden", "/verlaengern"} {
		c.follow(c.post(path+do, url.Values{"ende": {"2026-12-24"}})).want(t, 200, "Das war nicht möglich (Einladung zurückgezogen).")
	}
	if s := w.candidateOf(out).Status; s != typus.StatusOpen {
		t.Errorf("the status is %s", s)
	}
}
