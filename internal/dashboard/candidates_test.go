package dashboard

import (
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// invited is a new candidate of the account.
func (w *world) invited(name, external string) assess.Invited {
	w.Helper()
	return w.invitedBy(w.Account, assess.Invitation{Name: name, Email: "kim@example.com", ExternalID: external})
}

func (w *world) invitedBy(account int64, i assess.Invitation) assess.Invited {
	w.Helper()
	out, _, err := w.Assess.Invite(w.Ctx, account, i, nil)
	w.Must(err)
	return out
}

// begun is a new candidate who has answered so many items.
func (w *world) begun(name string, answers int) assess.Invited {
	w.Helper()
	out := w.invited(name, "")
	w.Must(w.Assess.Begin(w.Ctx, out.Token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"))
	var given []assess.Given
	for i, it := range w.face.Instrument.Items()[:answers] {
		given = append(given, assess.Given{ItemID: it.ID, Value: 2 + i%4, ActiveMS: 4000})
	}
	_, err := w.Assess.Answer(w.Ctx, out.Token, given)
	w.Must(err)
	return out
}

// finished is a new candidate who has finished.
func (w *world) finished(name string) assess.Invited {
	w.Helper()
	out := w.begun(name, len(w.face.Instrument.Items()))
	w.Later(time.Minute)
	w.Must(w.Assess.Finish(w.Ctx, out.Token))
	return out
}

func id(out assess.Invited) string { return strconv.FormatInt(out.Candidate.ID, 10) }

// by is who did what is done before a test.
var by = typus.Actor{Name: "owner@example.com"}

func TestTheListSaysWhoIsInvitedAndHowFarTheyAre(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(viewer)
		w.as(member).get("/dashboard/kandidaten").want(t, 200, "Noch niemand eingeladen", "Erste Person einladen", w.server.URL+"/api/v1/invites")
		if a := c.get("/dashboard/kandidaten").want(t, 200, "Noch niemand eingeladen"); strings.Contains(a.body, "/api/v1/invites") || strings.Contains(a.body, "/dashboard/einladen\">Erste") {
			t.Error("whoever only reads is told to invite")
		}
		w.finished("Fertig Muster")
		w.begun("Mitte Muster", 10)
		w.invited("Offen Muster", "crm-77")
		gone := w.invited("Weg Muster", "")
		w.Must(w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), gone.Candidate.ID, by))
		a := c.get("/dashboard/kandidaten").want(t, 200, "Fertig Muster", "Mitte Muster", "10 von 97", "crm-77", "Zurückgezogen")
		if strings.Contains(a.body, "Löschen</button>") || strings.Contains(a.body, "Erinnern</button>") {
			t.Error("a viewer is offered what they may not do")
		}
		if strings.Index(a.body, "Weg Muster") > strings.Index(a.body, "Fertig Muster") {
			t.Error("the newest is not the first")
		}
		a = c.get("/dashboard/kandidaten?status=begonnen").want(t, 200, "Mitte Muster")
		if strings.Contains(a.body, "Fertig Muster") {
			t.Error("the status does not filter")
		}
		c.get("/dashboard/kandidaten?suche=crm-7").want(t, 200, "Offen Muster")
		c.get("/dashboard/kandidaten?suche=niemand").want(t, 200, "Niemand gefunden", "Filter aufheben")
		c.get("/dashboard/kandidaten?von=2026-11-28").want(t, 200, "Niemand gefunden")
		c.get("/dashboard/kandidaten?von=2026-11-27&bis=2026-11-27").want(t, 200, "Fertig Muster")
		other := w.asOf(w.newAccount("Andere GmbH"), owner)
		other.get("/dashboard/kandidaten?suche=muster").want(t, 200, "Niemand gefunden")
	})
}

// Whatever stands in the address, the list is a page.
func TestTheListTakesAnyAddress(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.invited("Kim Muster", "")
		c := w.as(owner)
		for _, evil := range []string{"'", `"`, "' or 1=1 --", "'; drop table candidates; --", "\x00", "\xff", "%", "_", `\`, "${7*7}", "{{7*7}}", "<script>alert(1)</script>",
			strings.Repeat("a", 5000), "-1", "1e9", "2026-13-40", "9999-99-99", "0001-01-01", "2199-12-31", "union select", "\u202e", "1 1 1 x"} {
			for _, param := range []string{"suche", "status", "von", "bis", "tag", "sortierung", "nach", "seite", "x"} {
				a := c.get("/dashboard/kandidaten?"+url.Values{param: {evil}}.Encode()).want(t, 200)
				if strings.Contains(a.body, "<script>alert") {
					t.Errorf("%s=%q stands in the page", param, evil)
				}
			}
		}
		for _, cursor := range []store.RowCursor{{ID: 1, At: time.UnixMilli(1 << 42)}, {ID: 1 << 62}, {ID: 5, NameKey: []byte("\x00\xff")}, {ID: 5, Overall: 100}} {
			for _, sort := range []string{"", "name", "gesamtwert"} {
				a := c.get("/dashboard/kandidaten?" + url.Values{"nach": {writeCursor(cursor)}, "sortierung": {sort}}.Encode())
				if a.StatusCode == 303 { // a page on which nobody is
					a = c.follow(a)
				}
				a.want(t, 200)
			}
		}
	})
}

func TestThePagesFollowEachOtherWhileCandidatesArrive(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		want := map[string]bool{}
		for i := range store.RowsOnScreen*2 + 3 {
			want[fmt.Sprintf("Person %03d", i)] = true
			w.invited(fmt.Sprintf("Person %03d", i), "")
		}
		c := w.as(member)
		for _, first := range []string{"/dashboard/kandidaten", "/dashboard/kandidaten?suche=person", "/dashboard/kandidaten?sortierung=name"} {
			seen, path := map[string]int{}, first
			for path != "" {
				a := c.get(path).want(t, 200)
				for _, part := range strings.Split(a.body, `class="row-link"`)[1:] {
					_, name, _ := strings.Cut(part, ">")
					name, _, _ = strings.Cut(name, "<")
					seen[name]++
				}
				w.Later(time.Second)
				w.invited("Später "+first, "")
				_, rest, more := strings.Cut(a.body, `" rel="next"`)
				_ = rest
				path = ""
				if more {
					before, _, _ := strings.Cut(a.body, `" rel="next"`)
					path = strings.ReplaceAll(before[strings.LastIndex(before, `href="`)+6:], "&amp;", "&")
				}
			}
			for name := range want {
				if seen[name] != 1 {
					t.Errorf("%s: %s came %d times", first, name, seen[name])
				}
			}
		}
	})
}

// What is to be done to people of whom nobody is there any more, since somebody else has just
// erased them, leads back to the list, which says how many they were.
func TestWhoeverIsChosenAndGoneIsCountedInTheList(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(admin)
		list := "/dashboard/kandidaten?suche=e"
		gone := url.Values{"id": {"987654321", "987654322"}, "seite": {list}}
		for what, answer := range map[string]func() answer{
			"remind":        func() answer { return c.post("/dashboard/auswahl/erinnern", gone) },
			"ask to erase":  func() answer { return c.get("/dashboard/auswahl/loeschen?" + gone.Encode()) },
			"erase":         func() answer { return c.post("/dashboard/auswahl/loeschen", gone) },
			"extend":        func() answer { return c.post("/dashboard/auswahl/verlaengern", gone) },
			"withdraw":      func() answer { return c.post("/dashboard/auswahl/zurueckziehen", gone) },
			"export":        func() answer { return c.post("/dashboard/auswahl/export", gone) },
			"guides":        func() answer { return c.get(guidesPath + "?" + gone.Encode()) },
			"ask to reject": func() answer { return c.get(rejectPath + "?" + gone.Encode()) },
			"reject":        func() answer { return c.post(rejectPath, gone) },
		} {
			a := answer()
			if at := a.Header.Get("Location"); a.StatusCode != 303 || at != list {
				t.Errorf("%s: %d, to %q", what, a.StatusCode, at)
				continue
			}
			c.follow(a).want(t, 200, "Keine der 2 ausgewählten Personen ist noch vorhanden.")
		}

		// The page of who is gone is gone, too.
		alone := url.Values{"id": {"987654321"}, "seite": {"/dashboard/kandidat/987654321"}}
		c.follow(c.post("/dashboard/auswahl/zurueckziehen", alone)).want(t, 200, "Die ausgewählte Person ist nicht mehr vorhanden.")

		// Of some who are rejected, those who are gone are counted on each page.
		out := w.finished("Kim Muster")
		form := url.Values{"id": {id(out), "987654321"}, "seite": {list}}
		const some = "Eine der ausgewählten Personen ist nicht mehr vorhanden."
		c.get(rejectPath+"?"+form.Encode()).want(t, 200, "Kim Muster", some)
		c.post(rejectPath, form).want(t, 422, "Kim Muster", some)
		form.Set("reasons", "filled")
		form.Set("sources", "documents")
		c.follow(c.post(rejectPath, form)).want(t, 200, "Kim Muster", some)

		// A file is of those who are left only once that is said.
		const only = "Die Datei enthält nur die folgenden Personen."
		c.post("/dashboard/auswahl/export", form).want(t, 200, "Kim Muster", some, only, `method="post" action="/dashboard/auswahl/export"`)
		c.get(guidesPath+"?"+form.Encode()).want(t, 200, "Kim Muster", some, only, `method="get" action="`+guidesPath+`"`)
		for what, a := range map[string]answer{
			"text/csv": c.post("/dashboard/auswahl/export", fields("id", id(out))), "application/pdf": c.get(guidesPath + "?id=" + id(out)),
		} {
			if kind := a.Header.Get("Content-Type"); a.StatusCode != 200 || !strings.HasPrefix(kind, what) {
				t.Errorf("of those who are left comes %d, %s, want %s", a.StatusCode, kind, what)
			}
		}
	})
}

func TestManyAreRemindedExtendedAndWithdrawnAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(member)
		one, two, done := w.invited("Eins", ""), w.invited("Zwei", ""), w.finished("Fertig")
		chosen := url.Values{"id": {id(one), id(two), id(done), "987654321", "x", id(one)}, "seite": {"/dashboard/kandidaten?suche=e"}}
		a := c.post("/dashboard/auswahl/erinnern", chosen)
		if a.Header.Get("Location") != "/dashboard/kandidaten?suche=e" {
			t.Errorf("goes on to %q", a.Header.Get("Location"))
		}
		c.follow(a).want(t, 200, "2 Personen erinnert, 1 übersprungen (schon abgeschlossen), 1 übersprungen (nicht mehr vorhanden).")
		letter, err := w.Store.LastLetter(w.Ctx, w.Account, one.Candidate.ID, typus.LetterReminder)
		if err != nil || letter.State != typus.LetterQueued {
			t.Errorf("the reminder is %+v, %v", letter, err)
		}

		c.get("/dashboard/auswahl/verlaengern?"+chosen.Encode()).want(t, 200, "Eins", "Zwei", "Gültig bis", "Eine der ausgewählten Personen ist nicht mehr vorhanden.")
		faulty := url.Values{"id": chosen["id"], "ende": {"gestern"}}
		c.post("/dashboard/auswahl/verlaengern", faulty).want(t, 422, "Bitte wählen Sie einen Tag ab heute", "Eins")
		faulty.Set("ende", "2027-03-01")
		c.follow(c.post("/dashboard/auswahl/verlaengern", faulty)).want(t, 200, "2 Einladungen verlängert, 1 übersprungen (schon abgeschlossen), 1 übersprungen (nicht mehr vorhanden).")
		if got := w.candidateOf(one).ExpiresAt; got.Format(time.DateOnly) != "2027-03-01" {
			t.Errorf("ends at %s", got)
		}

		c.get("/dashboard/auswahl/zurueckziehen?"+chosen.Encode()).want(t, 200, "Einladungen zurückziehen", "Zwei")
		if !w.candidateOf(two).CancelledAt.IsZero() {
			t.Error("asking withdraws")
		}
		c.follow(c.post("/dashboard/auswahl/zurueckziehen", chosen)).want(t, 200, "2 Einladungen zurückgezogen")
		if w.candidateOf(two).CancelledAt.IsZero() || !w.candidateOf(done).CancelledAt.IsZero() {
			t.Error("the wrong ones are withdrawn")
		}
		entries, err := w.Store.AuditOf(w.Ctx, w.Account, two.Candidate.ID)
		w.Must(err)
		var actions []string
		for _, e := range entries {
			if e.Actor != c.user.Email || e.UserID != c.user.ID {
				t.Errorf("%s was done by %q (%d)", e.Action, e.Actor, e.UserID)
			}
			actions = append(actions, string(e.Action))
		}
		if want := []string{"candidate.reminded", "candidate.extended", "candidate.cancelled"}; !slices.Equal(actions, want) {
			t.Errorf("the audit log says %q", actions)
		}
		c.follow(c.post("/dashboard/auswahl/erinnern", nil)).want(t, 200, "mindestens eine Person")
		many := url.Values{}
		for i := range maxChosen + 1 {
			many.Add("id", strconv.Itoa(i+1))
		}
		c.follow(c.post("/dashboard/auswahl/erinnern", many)).want(t, 200, "höchstens 100 Personen")
	})
}

func (w *world) candidateOf(out assess.Invited) typus.Candidate {
	w.Helper()
	c, err := w.Store.Candidate(w.Ctx, w.Account, out.Candidate.ID)
	w.Must(err)
	return c
}

func TestErasingAsksAndThenLeavesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(admin)
		one, stays := w.finished("Lösch Mich"), w.invited("Bleibt", "")
		chosen := url.Values{"id": {id(one)}, "seite": {"/dashboard/kandidat/" + id(one)}}
		c.get("/dashboard/auswahl/loeschen?"+chosen.Encode()).want(t, 200, "Lösch Mich", "Endgültig löschen")
		w.as(member).post("/dashboard/auswahl/loeschen", chosen).want(t, 403)
		c.follow(c.post("/dashboard/auswahl/loeschen", chosen)).want(t, 200, "Eine Person gelöscht.", "Bleibt")
		unknown := c.get("/dashboard/kandidat/987654321").want(t, 404)
		gone := c.get("/dashboard/kandidat/"+id(one)).want(t, 404)
		if strings.ReplaceAll(unknown.body, "987654321", "") != strings.ReplaceAll(gone.body, id(one), "") {
			t.Error("a page that is gone looks otherwise than one that never was")
		}
		if a := c.get("/dashboard/kandidaten"); strings.Contains(a.body, "Lösch Mich") || !strings.Contains(a.body, "Bleibt") {
			t.Error("the list is wrong")
		}
		c.get("/dashboard/kandidaten?suche=lösch").want(t, 200, "Niemand gefunden")
		c.follow(c.post("/dashboard/auswahl/loeschen", chosen)).want(t, 200, "Die ausgewählte Person ist nicht mehr vorhanden.")
		_ = stays
	})
}

// Ids of another account do nothing and are answered like ids of nobody.
func TestNothingIsDoneToCandidatesOfAnotherAccount(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		other := w.newAccount("Andere GmbH")
		theirs := w.invitedBy(other, assess.Invitation{Name: "Fremd", Email: "fremd@example.com", ExternalID: "x"})
		colleague := w.asOf(other, owner)
		colleague.post("/dashboard/kandidat/"+id(theirs)+"/notizen", url.Values{"notiz": {"geheim"}}).want(t, 303)
		notes, err := w.Store.NotesOf(w.Ctx, store.WholeAccount(other), theirs.Candidate.ID)
		w.Must(err)
		before, err := w.Store.Candidate(w.Ctx, other, theirs.Candidate.ID)
		w.Must(err)
		c := w.as(owner)
		mine := w.invited("Eigen", "")
		for _, rt := range w.face.routes() {
			if !strings.HasPrefix(rt.pattern, "/dashboard/kandidat/{id}") && !strings.HasPrefix(rt.pattern, "/dashboard/auswahl/") {
				continue
			}
			ask := func(candidate string) answer {
				path := strings.NewReplacer("{id}", candidate, "{notiz}", strconv.FormatInt(notes[0].ID, 10)).Replace(rt.pattern)
				form := url.Values{"id": {candidate}, "name": {"Eve"}, "email": {"eve@example.com"}, "ende": {"2026-12-31"}, "notiz": {"x"}, "tag": {"x"}}
				if rt.method == "GET" {
					path += "?" + form.Encode()
				}
				return c.do(rt.method, path, form)
			}
			foreign, unknown := ask(id(theirs)), ask("987654321")
			status := http.StatusNotFound
			if strings.HasPrefix(rt.pattern, "/dashboard/auswahl/") { // the list says that nobody is there
				status = http.StatusSeeOther
				if to := foreign.Header.Get("Location"); to != peoplePath || unknown.Header.Get("Location") != to {
					t.Errorf("%s %s leads to %q", rt.method, rt.pattern, to)
				}
				c.follow(foreign).want(t, 200, "Die ausgewählte Person ist nicht mehr vorhanden.")
				c.post("/dashboard/meldung", nil).want(t, 303)
			}
			if foreign.StatusCode != status || unknown.StatusCode != status || strings.ReplaceAll(foreign.body, id(theirs), "") != strings.ReplaceAll(unknown.body, "987654321", "") {
				t.Errorf("%s %s: %s for a foreign id, %s for an unknown one", rt.method, rt.pattern, foreign.Status, unknown.Status)
			}
		}
		// A note of another account, below a candidate of one's own.
		c.post(fmt.Sprintf("/dashboard/kandidat/%s/notizen/%d/loeschen", id(mine), notes[0].ID), nil).want(t, 404)
		after, err := w.Store.Candidate(w.Ctx, other, theirs.Candidate.ID)
		w.Must(err)
		if after.Name != before.Name || after.Email != before.Email || !after.ExpiresAt.Equal(before.ExpiresAt) || !after.CancelledAt.IsZero() {
			t.Errorf("the candidate is changed: %+v", after)
		}
		if a := c.post("/dashboard/auswahl/export", url.Values{"id": {id(mine), id(theirs)}}).want(t, 200, "Eigen"); strings.Contains(a.body, "Fremd") {
			t.Error("the file holds a candidate of another account")
		}
	})
}

func TestTheExportHoldsWhatTheFilterSelects(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.finished("Fertig Muster")
		w.invited(`=HYPERLINK("https://evil.example";"Klick")`, "-2+3")
		w.invited("@SUM(1)", "+1")
		watcher := w.as(viewer)
		if a := watcher.get("/dashboard/kandidaten").want(t, 200, "Fertig Muster"); strings.Contains(a.body, "export") {
			t.Error("a viewer is offered to take the list away")
		}
		watcher.post("/dashboard/export", nil).want(t, 403)
		watcher.post("/dashboard/auswahl/export", nil).want(t, 403)
		c := w.as(member)
		c.get("/dashboard/kandidaten").want(t, 200, `action="/dashboard/export"`, `formaction="/dashboard/auswahl/export"`)
		a := c.post("/dashboard/export", nil).want(t, 200)
		if got := a.Header.Get("Content-Disposition"); got != `attachment; filename="bewerbungen-2026-11-27.csv"; filename*=UTF-8''bewerbungen-2026-11-27.csv` {
			t.Errorf("the file is announced by %q", got)
		}
		if a.Header.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.HasPrefix(a.body, "\ufeff") {
			t.Error("the file does not say that it is UTF-8")
		}
		r := csv.NewReader(strings.NewReader(strings.TrimPrefix(a.body, "\ufeff")))
		r.Comma = ';'
		records, err := r.ReadAll()
		w.Must(err)
		if len(records) != 4 || len(records[0]) != len(exportColumns)+10 {
			t.Fatalf("%d records of %d", len(records), len(records[0]))
		}
		if got := records[1][1:3]; !slices.Equal(got, []string{"'+1", "'@SUM(1)"}) {
			t.Errorf("the newest is %q", got)
		}
		if got := records[2][1:3]; !slices.Equal(got, []string{"'-2+3", `'=HYPERLINK("https://evil.example";"Klick")`}) {
			t.Errorf("the second is %q", got)
		}
		finished := records[3]
		if finished[2] != "Fertig Muster" || finished[4] != "abgeschlossen" || finished[13] == "" || finished[len(finished)-1] == "" {
			t.Errorf("the finished one is %q", finished)
		}
		if a := c.post("/dashboard/export?status=offen", nil).want(t, 200); strings.Contains(a.body, "Fertig Muster") {
			t.Error("the export forgets the filter")
		}
		entries, err := w.Store.Audit(w.Ctx, w.Account, 10)
		w.Must(err)
		if entries[0].Action != "candidates.exported" || entries[0].Actor != c.user.Email || entries[0].Detail != "2 0" || entries[1].Detail != "3 1" {
			t.Errorf("the audit log says %+v and %+v", entries[0], entries[1])
		}
		w.as(admin).get(auditPath).want(t, 200, "Personen: 3, mit Ergebnis: 1")
	})
}

func TestTheListShowsNoFigureWithoutWhatBelongsToIt(t *testing.T) {
	w := newWorld(t)
	w.finished("Fertig Muster")
	said := w.as(member).get("/dashboard/kandidaten").want(t, 200).body
	for _, part := range []string{"90-%-Band 19–39", "Klasse E: "} {
		if !strings.Contains(said, part) {
			t.Errorf("the list does not say %q", part)
		}
	}
	result := func(overall, fit, pattern string) []byte {
		return []byte(`{"overall":77,` + overall + `"fit":{"key":"C","borderline":[` + fit + `]},"archetype":{"key":"closer","secondary":{"key":"driver","name":"Antriebsmotor"},"stability":46,` + pattern + `}}`)
	}
	scores := typus.Scores{Overall: 77, Fit: typus.Fit{Key: "C"}, Persona: typus.Persona{Key: "closer", Name: "Zielgerade"}}
	var r candidateRow
	r.score(w.Instrument, scores, result(`"overall_exact":77.2,"overall_sem":6,`, `"B"`, `"level":"predominant"`), "de")
	if r.Low != 67 || r.High != 87 || r.Between != "B/C" || r.Second != "Antriebsmotor" || r.Stability != 46 || r.Equal || r.Doubt != "" {
		t.Errorf("%+v", r)
	}
	for what, damaged := range map[string][]byte{"nothing": nil, "no JSON": []byte("{"), "no band": result("", "", `"level":"clear"`)} {
		var r candidateRow
		if r.score(w.Instrument, scores, damaged, "de"); r.Doubt != "Nicht deutbar" || r.Overall != 0 || r.Fit != "" || r.Persona != "" {
			t.Errorf("with %s: %+v", what, r)
		}
	}
}

func TestTheExportGoesBeyondOneBatch(t *testing.T) {
	w := newWorld(t)
	for i := range store.RowsInBatch + 5 {
		w.invited(fmt.Sprintf("Person %04d", i), "")
	}
	a := w.as(member).post("/dashboard/export", nil).want(t, 200)
	for i := range store.RowsInBatch + 5 {
		if n := strings.Count(a.body, fmt.Sprintf("Person %04d", i)); n != 1 {
			t.Fatalf("Person %04d came %d times", i, n)
		}
	}
}

// Who loses their session or their role while a long file is sent gets no further batch.
func TestAnExportEndsWithTheSessionThatAskedForIt(t *testing.T) {
	w := newWorld(t)
	for i := range store.RowsInBatch + 5 {
		w.invited(fmt.Sprintf("Person %04d", i), "")
	}
	c := w.as(member)
	var once sync.Once
	w.face.Store = w.face.Store.Watched(func(query string) error {
		if strings.Contains(query, "limit 501") {
			once.Do(func() {
				w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
					_, err := tx.DeleteSessions(w.Ctx, w.Account, c.user.ID)
					return err
				}))
			})
		}
		return nil
	})
	r, err := http.NewRequestWithContext(w.Ctx, "POST", w.server.URL+"/dashboard/export", http.NoBody)
	w.Must(err)
	r.Header.Set("Origin", w.server.URL)
	resp, err := c.http.Do(r)
	w.Must(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if n := strings.Count(string(body), "Person "); err == nil || n != store.RowsInBatch {
		t.Errorf("%d people came, and then %v", n, err)
	}
}

func TestSortingByScoreWantsTheNoticeRead(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.finished("Fertig Muster")
		c := w.as(admin)
		c.get("/dashboard/kandidaten?sortierung=gesamtwert&rolle=general_sales").want(t, 200, "Fertig Muster")
		if a := c.get("/dashboard/kandidaten").want(t, 200); strings.Contains(a.body, "sortierung=gesamtwert") {
			t.Error("the order is offered before it is allowed")
		}
		w.as(member).post("/dashboard/sortierung", url.Values{"an": {"1"}, "gelesen": {"1"}}).want(t, 403)
		c.get("/dashboard/sortierung").want(t, 200, "erst ab 14 bis 16 Punkten verlässlich")
		c.post("/dashboard/sortierung", url.Values{"an": {"1"}}).want(t, 422, "Bitte bestätigen Sie zuerst")
		c.follow(c.post("/dashboard/sortierung", url.Values{"an": {"1"}, "gelesen": {"1"}})).want(t, 200, "lässt sich jetzt", "sortierung=gesamtwert")
		c.get("/dashboard/kandidaten?sortierung=gesamtwert&rolle=general_sales").want(t, 200, "Fertig Muster")
		a, err := w.Store.Account(w.Ctx, w.Account)
		w.Must(err)
		if a.ScoreSortingBy != c.user.Email || !a.ScoreSortingAt.Equal(w.Now()) {
			t.Errorf("allowed by %q at %s", a.ScoreSortingBy, a.ScoreSortingAt)
		}
		c.follow(c.post("/dashboard/sortierung", nil)).want(t, 200, "nicht mehr")
		if a := c.get("/dashboard/kandidaten"); strings.Contains(a.body, "sortierung=gesamtwert") {
			t.Error("the order is still offered")
		}
	})
}

// doubtful is a candidate who has finished and chosen the same answer all the time, at
// once.
func (w *world) doubtful(name string) assess.Invited {
	w.Helper()
	out := w.begun(name, 0)
	w.rush(out)
	return out
}

// rush finishes a test that has begun, with the same answer all the time, at once.
func (w *world) rush(out assess.Invited) {
	w.Helper()
	var given []assess.Given
	for _, it := range w.face.Instrument.Items() {
		given = append(given, assess.Given{ItemID: it.ID, Value: 5, ActiveMS: 300})
	}
	_, err := w.Assess.Answer(w.Ctx, out.Token, given)
	w.Must(err)
	w.Must(w.Assess.Finish(w.Ctx, out.Token))
}

// The report says not to interpret such a result; a list has no room for that beside
// each figure.
func TestTheListHasNoFiguresOfAResultThatShouldNotBeInterpreted(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.doubtful("Eilig Muster")
		w.finished("Fertig Muster")
		scores := w.candidateOf(out).Scores
		boss := w.as(admin)
		boss.post("/dashboard/sortierung", url.Values{"an": {"1"}, "gelesen": {"1"}}).want(t, 303)
		for lang, said := range map[string]string{"de": "Nicht deutbar", "en": "Not to be interpreted"} {
			c := w.as(member)
			c.post("/dashboard/sprache", url.Values{"sprache": {lang}})
			c.get("/dashboard/kandidat/"+id(out)).want(t, 200, said)
			for _, path := range []string{"/dashboard/kandidaten", "/dashboard/kandidaten?sortierung=name", "/dashboard/kandidaten?suche=eilig"} {
				_, row, _ := strings.Cut(c.get(path).want(t, 200, "Eilig Muster").body, ">Eilig Muster<")
				row, _, _ = strings.Cut(row, "</tr>")
				if !strings.Contains(row, said) || strings.Contains(row, ">"+strconv.Itoa(scores.Overall)+"<") || strings.Contains(row, "<abbr") ||
					strings.Contains(row, w.face.Instrument.PersonaName(lang, scores.Persona.Key)) {
					t.Errorf("%s shows %s", path, row)
				}
			}
			if a := c.get("/dashboard/kandidaten?sortierung=gesamtwert&rolle=general_sales").want(t, 200, "Fertig Muster"); strings.Contains(a.body, "Eilig Muster") {
				t.Error("somebody is sorted by what should not be interpreted")
			}
			records := c.exported()
			record := records["Eilig Muster"]
			if record[5] != said || record[13] != said || record[14] == "" || strings.Join(record[15:len(record)-1], "") != "" {
				t.Errorf("the file says %q", record)
			}
			if other := records["Fertig Muster"]; other[5] != "" || other[20] != "" || slices.Contains(slices.Delete(slices.Clone(other), 20, 21)[13:], "") {
				t.Errorf("the file says %q of another", other)
			}
		}
	})
}
