package dashboard

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// upload sends a form with a file as a browser does.
func (c *client) upload(path, field, name string, body []byte, fields url.Values) answer {
	c.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for key := range fields {
		c.Must(w.WriteField(key, fields.Get(key)))
	}
	if body != nil {
		part, err := w.CreateFormFile(field, name)
		c.Must(err)
		_, err = part.Write(body)
		c.Must(err)
	}
	c.Must(w.Close())
	r, err := http.NewRequestWithContext(c.Ctx, "POST", c.server.URL+path, &form)
	c.Must(err)
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Origin", c.server.URL)
	r.Header.Set("Accept-Language", "de")
	return c.send(r)
}

var nonce = regexp.MustCompile(`name="formular" value="([^"]+)"`)

// inviteForm opens the form and returns its hidden part.
func (c *client) inviteForm() url.Values {
	c.Helper()
	page := c.get("/dashboard/einladen").want(c, 200, "Person einladen")
	return url.Values{"formular": {nonce.FindStringSubmatch(page.body)[1]}, "role_profile": {"hunter"}, "language": {""}, "send_email": {"1"}}
}

func (w *world) invitedCount() int {
	w.Helper()
	list, _, err := w.Store.Candidates(w.Ctx, w.Account, store.CandidateFilter{Limit: 100})
	w.Must(err)
	return len(list)
}

func TestAPersonIsInvitedOnceHoweverOftenTheButtonIsPressed(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	form := c.inviteForm()
	form.Set("name", "J\u0007ürgen")
	form.Set("email", "j@example.com")
	c.post(invitePath, form).want(t, 422, "ein unsichtbares Zeichen")
	form.Set("name", "Jürgen <b>Öztürk</b>")
	form.Set("email", "j@example.com")
	form.Set("external_id", "crm-7")
	first, second := c.post("/dashboard/einladen", form), c.post("/dashboard/einladen", form)
	if first.Header.Get("Location") != second.Header.Get("Location") || w.invitedCount() != 1 {
		t.Fatalf("%s and %s, %d candidates", first.Header.Get("Location"), second.Header.Get("Location"), w.invitedCount())
	}
	page := c.follow(first).want(t, 200, "Jürgen &lt;b&gt;Öztürk&lt;/b&gt; ist eingeladen", w.server.URL+"/t/", "<svg class=\"qr\"", "QR-Code mit dem Link", "auf dem Weg")
	list, _, err := w.Store.Candidates(w.Ctx, w.Account, store.CandidateFilter{Limit: 1})
	w.Must(err)
	if got := list[0]; got.InvitedBy != c.user.ID || got.RoleProfile != "hunter" || got.ExternalID != "crm-7" || got.ChoseLanguage {
		t.Errorf("candidate %+v", got)
	}
	link, err := w.Assess.Link(typus.Account{}, list[0])
	w.Must(err)
	if !strings.Contains(page.body, link) {
		t.Error("the page does not show the link")
	}
	// The link is for those who may invite, and of this account.
	w.as(viewer).get(first.Header.Get("Location")).want(t, 403)
	w.asOf(w.newAccount("Andere"), owner).get(first.Header.Get("Location")).want(t, 404)
}

func TestWithoutAMailServerALetterIsSaidToWait(t *testing.T) {
	w := newWorld(t)
	w.face.Mail = false
	c := w.as(member)
	c.get("/dashboard/einladen").want(t, 200, "Die E-Mail wartet, bis es einen gibt")
	c.get("/dashboard/import").want(t, 200, "Die E-Mails warten, bis es einen gibt")
	form := c.inviteForm()
	form.Set("name", "Jana Beispiel")
	form.Set("email", "jana@example.com")
	waits := "Die E-Mail an jana@example.com wartet, bis ein Mailserver eingerichtet ist"
	page := c.follow(c.post("/dashboard/einladen", form)).want(t, 200, waits, "Link selbst weitergeben")
	if strings.Contains(page.body, "auf dem Weg") {
		t.Error("the letter is said to be on its way")
	}
	at := regexp.MustCompile(`/dashboard/kandidat/\d+`).FindString(page.body)
	c.get(at).want(t, 200, waits)
	c.follow(c.post(at+"/senden", nil)).want(t, 200, "eine E-Mail wartet schon, bis ein Mailserver eingerichtet ist")
}

func TestAFaultyInvitationComesBackWithWhatWasTyped(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	form := c.inviteForm()
	form.Set("email", `"><script>`)
	form.Set("external_id", "crm-7")
	form.Del("send_email")
	page := c.post("/dashboard/einladen", form).want(t, 422, "Bitte füllen Sie dieses Feld aus", "E-Mail-Adresse", "&#34;&gt;&lt;script&gt;", `value="crm-7"`, form.Get("formular"))
	if strings.Count(page.body, "autofocus") != 1 || strings.Contains(page.body, `id="send_email" name="send_email" type="checkbox" value="1" checked`) || w.invitedCount() != 0 {
		t.Errorf("the page %s", page.body)
	}
}

func TestAnOpenInvitationIsSaidBeforeAnybodyIsInvitedAgain(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	_, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Jana", Email: "Jana@example.com"}, nil)
	w.Must(err)
	form := c.inviteForm()
	form.Set("name", "Jana")
	form.Set("email", "\ufeffjana@EXAM\u200bPLE.com")
	page := c.post("/dashboard/einladen", form).want(t, 422, "schon eine offene Einladung", "Trotzdem einladen", "/dashboard/kandidat/1")
	if w.invitedCount() != 1 {
		t.Error("somebody was invited")
	}
	form.Set("trotzdem", "other@example.com") // the address was changed after the warning
	c.post("/dashboard/einladen", form).want(t, 422)
	form.Set("trotzdem", regexp.MustCompile(`name="trotzdem" value="([^"]+)"`).FindStringSubmatch(page.body)[1])
	c.follow(c.post("/dashboard/einladen", form)).want(t, 200, "Jana ist eingeladen")
	if w.invitedCount() != 2 {
		t.Errorf("%d candidates, want 2", w.invitedCount())
	}
}

func TestAFormThatRepeatsAnInvitationSaysWhatBecomesOfIt(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	out, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Jana", Email: "jana@example.com", ExternalID: "crm-7"}, nil)
	w.Must(err)
	form := c.inviteForm()
	form.Set("name", "Jana")
	form.Set("email", "jana@example.com")
	c.post("/dashboard/einladen", form).want(t, 422, "entsteht ein zweiter Test")
	form.Set("external_id", "crm-7")
	c.post("/dashboard/einladen", form).want(t, 422, "bleibt es bei diesem einen Test")
	form.Set("trotzdem", "jana@example.com")
	c.follow(c.post("/dashboard/einladen", form)).want(t, 200)
	if got, err := w.Store.Candidate(w.Ctx, w.Account, out.Candidate.ID); err != nil || got.RoleProfile != "hunter" || w.invitedCount() != 1 {
		t.Errorf("the candidate is %+v, %v", got, err)
	}
	w.Must(w.Assess.Begin(w.Ctx, out.Token, typus.Notice{Version: "1", Language: "de"}, "Hinweis"))
	form.Set("role_profile", "general_sales")
	page := c.post("/dashboard/einladen", form).want(t, 422, "Der Test hat schon begonnen, mit dem Rollenprofil")
	if strings.Count(page.body, "autofocus") != 1 || w.invitedCount() != 1 {
		t.Error("the focus is not on the fault alone, or somebody was invited")
	}
}

func TestWithoutCreditsThePageSaysWhatStillWorks(t *testing.T) {
	w := newWorld(t)
	w.spend(10)
	c := w.as(member)
	form := c.inviteForm()
	form.Set("name", "Kim")
	form.Set("email", "kim@example.com")
	c.post("/dashboard/einladen", form).want(t, 402, "Ihr Guthaben ist aufgebraucht", "Wer schon eingeladen ist", `value="kim@example.com"`)
	form.Set("email", "kim@gmial.com") // the question is what is new
	page := c.post("/dashboard/einladen", form).want(t, 422, "Ihr Guthaben ist aufgebraucht", `role="status" tabindex="-1" autofocus>
<p><strong>Meinten Sie kim@gmail.com?`)
	if n := strings.Count(page.body, "autofocus"); n != 1 {
		t.Errorf("%d want the focus", n)
	}
	form.Set("adresse", "kim@gmial.com")
	refused := c.post("/dashboard/einladen", form).want(t, 402, `role="alert" tabindex="-1" autofocus>
<p>Ihr Guthaben ist aufgebraucht`)
	refused.without(t, "Meinten Sie")
	if n := strings.Count(refused.body, "autofocus"); n != 1 {
		t.Errorf("%d want the focus", n)
	}
	w.spend(-1)
	c.post("/dashboard/einladen", form).want(t, 303)
	w.spend(1)
	again := c.inviteForm()
	again.Set("name", "Kim")
	again.Set("email", "kim@gmial.com")
	again.Set("adresse", "kim@gmial.com")
	known := c.post("/dashboard/einladen", again).want(t, 422, "Ihr Guthaben ist aufgebraucht", `role="alert" tabindex="-1" autofocus>
<p>Für kim@gmial.com gibt es schon eine offene Einladung`)
	if n := strings.Count(known.body, "autofocus"); n != 1 {
		t.Errorf("%d want the focus", n)
	}
	if w.invitedCount() != 1 {
		t.Error("somebody was invited without a credit")
	}
}

// spend takes credits away, as finished tests do.
func (w *world) spend(n int64) {
	w.Helper()
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		_, err := tx.BookCredit(w.Ctx, typus.CreditEntry{AccountID: w.Account, Delta: -n, Reason: typus.ReasonGrant, Note: "=1+1", Actor: "operator", CreatedAt: w.Now()})
		return err
	}))
}

func TestTheLetterIsShownAsItIsSentAndCanDoNothing(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	a := c.post("/dashboard/einladen/brief", url.Values{"name": {`Kim <script>alert(1)</script>`}, "language": {"en"}}).want(t, 200, "Kim &lt;script&gt;", "Muster Software GmbH")
	if policy := a.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "sandbox; default-src 'none'; style-src 'unsafe-inline'") || strings.Contains(policy, "script-src") {
		t.Errorf("the policy is %s", policy)
	}
	if w.invitedCount() != 0 {
		t.Error("looking at the letter invited somebody")
	}
	c.post("/dashboard/einladen/brief", url.Values{"language": {"\x00"}}).want(t, 200, "Kim Beispiel")
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		return tx.SetLetterTemplate(w.Ctx, typus.LetterTemplate{
			AccountID: w.Account, Kind: typus.LetterInvitation, Language: "de", Subject: "Unser Betreff", Body: "Hallo {name}\n\n{link}", ChangedBy: "x", ChangedAt: w.Now(),
		})
	}))
	c.post("/dashboard/einladen/brief", url.Values{"language": {"de"}}).want(t, 200, "Unser Betreff", "Hallo Kim Beispiel")
}

// What an account words itself, and who invites, stand in the letter that is shown as
// they do in the one that is sent.
func TestTheLetterIsShownInTheWordsOfTheAccount(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	w.Must(w.Accounts.SetLetterTemplate(w.Ctx, typus.LetterTemplate{
		AccountID: w.Account, Kind: typus.LetterInvitation, Language: "de", Subject: "Moin",
		Body: "Moin " + typus.PlaceholderName + ",\n\nhier entlang: " + typus.PlaceholderLink,
	}, typus.Actor{Name: "operator"}, nil))
	c.post("/dashboard/einladen/brief", url.Values{"name": {"Kim"}, "language": {"de"}}).want(t, 200, "Moin Kim", "hier entlang")
	a := c.post("/dashboard/einladen/brief", url.Values{"name": {"Kim"}, "language": {"en"}}).want(t, 200, c.user.Email)
	if strings.Contains(a.body, "Moin") {
		t.Error("the English letter is the German one")
	}
}

func TestNoMoreListsWaitThanMay(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	for range assess.MaxOpenImports {
		_, err := w.Assess.AddImport(w.Ctx, store.WholeAccount(w.Account), typus.Import{}, []byte("x"), typus.Actor{})
		w.Must(err)
	}
	c.upload("/dashboard/import", "datei", "x.csv", []byte("Name;E-Mail\nKim;kim@example.com\n"), nil).want(t, 422, "schon 20 Importe")
}

const people = "Name;E-Mail;Kennung\r\nJana Öztürk;jana@example.com;crm-1\r\nKim;kaputt;\r\n=HYPERLINK(1);formel@example.com;@x\r\nJana noch einmal;JANA@example.com;\r\n;;\r\n"

func TestAListIsUploadedLookedAtConfirmedAndWorkedOff(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	c.get("/dashboard/import").want(t, 200, "Mehrere Personen einladen")
	sample := c.get("/dashboard/import/beispiel.csv").want(t, 200, "Kim Beispiel;kim.beispiel@example.com")
	if d := sample.Header.Get("Content-Disposition"); !strings.HasPrefix(d, "attachment") {
		t.Errorf("the sample is %s", d)
	}
	sent := c.upload("/dashboard/import", "datei", `C:\Listen\<b>.csv`, []byte(people), url.Values{"role_profile": {"hunter"}, "language": {"en"}})
	at := sent.Header.Get("Location")
	page := c.follow(sent).want(t, 200, "2 Personen können eingeladen werden", "Eine leere Zeile", "keine gültige E-Mail-Adresse", "steht schon in Zeile 2", "&lt;b&gt;.csv", "Einladen kostet nichts", "=HYPERLINK(1)")
	if strings.Contains(page.body, "Listen") || w.invitedCount() != 0 {
		t.Error("a path of the sender's computer is shown, or somebody is invited")
	}
	c.get(at+"?zeilen=faulty").want(t, 200, "kaputt")
	if faulty := c.get(at + "?zeilen=faulty"); strings.Contains(faulty.body, "formel@example.com") {
		t.Error("the filter shows other rows")
	}
	c.follow(c.post(at+"/start", nil)).want(t, 200, "Die Einladungen werden angelegt", `<noscript><p><a class="button button-quiet" href="">Noch einmal nachsehen`, `max="2" value="0"`)
	c.get(at+"/stand").want(t, 200, `"running":true,"done":0,"text":"0 von 2 bearbeitet"`)
	w.Must(w.Assess.RunImports(w.Ctx, "me"))
	c.get(at).want(t, 200, "2 Personen sind eingeladen", "Ergebnis herunterladen", "persönlichen Links")
	c.post(at+"/start", nil).want(t, 303)
	result := c.post(at+"/ergebnis.csv", nil).want(t, 200, "\ufeffZeile;", "Jana Öztürk;jana@example.com;crm-1", "'=HYPERLINK(1);formel@example.com;'@x", "kaputt", w.server.URL+"/t/", "Doppelt")
	if lines := strings.Count(result.body, "\r\n"); lines != 5 {
		t.Errorf("%d lines, want 5:\n%s", lines, result.body)
	}
	log, err := w.Store.Audit(w.Ctx, w.Account, 1)
	w.Must(err)
	if log[0].Action != "import.exported" || log[0].Detail != strings.TrimPrefix(at, "/dashboard/import/") || log[0].UserID != c.user.ID {
		t.Errorf("the log says %+v", log[0])
	}
	other := w.asOf(w.newAccount("Andere"), owner)
	for _, path := range []string{"", "/spalten", "/stand"} {
		other.get(at+path).want(t, 404)
	}
	for _, path := range []string{"/start", "/abbrechen", "/spalten", "/ergebnis.csv"} {
		other.post(at+path, nil).want(t, 404)
	}
	w.Later(31 * 24 * time.Hour)
	w.Must(w.Assess.ForgetImports(w.Ctx, w.Now()))
	w.as(member).get(at).want(t, 200, "sind gelöscht")
}

func TestThePreviewNamesTheColumnsThatAreLeftOut(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	sent := c.upload("/dashboard/import", "datei", "x.csv", []byte("Name;E-Mail;CRM-Nr;<b>Ort\nKim;kim@example.com;7;Ulm\n"), nil)
	at := sent.Header.Get("Location")
	c.follow(sent).want(t, 200, "Nicht übernommene Spalten:", "<strong>CRM-Nr</strong>, <strong>&lt;b&gt;Ort</strong>.", at+"/spalten")
	mapped := c.post(at+"/spalten", url.Values{"name": {"0"}, "email": {"1"}, "external_id": {"2"}, "ueberschrift": {"1"}})
	if page := c.follow(mapped).want(t, 200, "<strong>&lt;b&gt;Ort</strong>."); strings.Contains(page.body, "CRM-Nr") {
		t.Error("a column that was chosen is still said to be left out")
	}
	all := c.follow(c.upload("/dashboard/import", "datei", "x.csv", []byte("Name;E-Mail\nKim;kim@example.com\n"), nil)).want(t, 200)
	if strings.Contains(all.body, "Nicht übernommene") {
		t.Error("columns are said to be left out of a file that has none")
	}
}

func TestAFileWithUnknownColumnsAsksWhichIsWhich(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	sent := c.upload("/dashboard/import", "datei", "x.csv", []byte("A,B,C\nKim,Vertrieb,kim@example.com\n"), nil)
	at := sent.Header.Get("Location")
	to := c.get(at)
	c.follow(to).want(t, 200, "Welche Spalte ist was", "Spalte 3: C", "Vertrieb", `<th scope="col">Spalte 1</th><th scope="col">Spalte 2</th><th scope="col">Spalte 3</th></tr>`)
	for _, tc := range []struct {
		chosen url.Values
		first  string // the question that has the focus
		said   map[string]string
	}{
		{url.Values{"name": {"0"}}, "email", map[string]string{"email": "Spalte mit den E-Mail-Adressen"}},
		{url.Values{"email": {"2"}}, "name", map[string]string{"name": "Spalte mit den Namen"}},
		{url.Values{"name": {"0"}, "email": {"0"}}, "name", map[string]string{"name": "schon für „E-Mail-Adresse“ gewählt"}},
		{url.Values{"first_name": {"0"}, "last_name": {"0"}, "email": {"2"}}, "last_name", map[string]string{"last_name": "schon für „Vorname“ gewählt"}},
		{url.Values{"first_name": {"2"}, "last_name": {"2"}, "email": {"2"}}, "first_name", map[string]string{"first_name": "„E-Mail-Adresse“", "last_name": "„E-Mail-Adresse“"}},
		{url.Values{"name": {"9"}, "email": {"x"}}, "email", map[string]string{"email": "E-Mail-Adressen", "name": "Namen"}},
	} {
		a := c.post(at+"/spalten", tc.chosen).want(t, 422)
		for question, said := range tc.said {
			if _, fault, _ := strings.Cut(a.body, `id="`+question+`-fault">`); !strings.Contains(strings.SplitN(fault, "<", 2)[0], said) {
				t.Errorf("%v: at %s stands %.100q", tc.chosen, question, fault)
			}
		}
		if n := strings.Count(a.body, `aria-invalid="true"`); n != len(tc.said) {
			t.Errorf("%v: %d questions are blamed", tc.chosen, n)
		}
		if focused := regexp.MustCompile(`<select id="(\w+)"[^>]* autofocus>`).FindStringSubmatch(a.body); focused == nil || focused[1] != tc.first {
			t.Errorf("%v: the focus is on %q", tc.chosen, focused)
		}
	}
	mapped := c.post(at+"/spalten", url.Values{"name": {"0"}, "email": {"2"}, "ueberschrift": {"1"}})
	c.follow(mapped).want(t, 200, "Eine Person kann eingeladen werden")
	c.follow(c.post(at+"/abbrechen", nil)).want(t, 200, "Die Datei ist verworfen")
	c.get(at+"/spalten").want(t, 303)
	c.post(at+"/start", nil).want(t, 303)
	if w.invitedCount() != 0 {
		t.Error("somebody was invited")
	}
}

func TestAFileThatIsNoListIsRefusedWhereItWasChosen(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	for want, body := range map[string][]byte{
		"wählen Sie eine Datei": nil, "Das ist eine Excel-Datei": []byte("PK\x03\x04"), "In dieser Datei steht nichts": []byte("\n"),
		"höchstens 5 MB": bytes.Repeat([]byte("a"), 5<<20+1),
	} {
		page := c.upload("/dashboard/import", "datei", "x.csv", body, url.Values{"role_profile": {"hunter"}}).want(t, 422, want, `<option value="hunter" selected>`)
		if strings.Count(page.body, "autofocus") != 1 {
			t.Errorf("%s: the focus is nowhere", want)
		}
	}
	c.upload("/dashboard/import", "datei", "x.csv", bytes.Repeat([]byte("a"), 21<<20), nil).want(t, 413, "Gesendet wurden 21,1 MB, möglich sind hier höchstens 20 MB")
}

func TestARunningImportCanBeCancelled(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	at := c.upload("/dashboard/import", "datei", "x.csv", []byte(people), nil).Header.Get("Location")
	c.post(at+"/start", nil).want(t, 303)
	c.follow(c.post(at+"/abbrechen", nil)).want(t, 200, "2 Personen wurden deshalb nicht eingeladen")
	w.Must(w.Assess.RunImports(w.Ctx, "me"))
	if w.invitedCount() != 0 {
		t.Error("a cancelled import invited somebody")
	}
}

// A full account says so on the form and in the preview of a list, and in words that help.
func TestAFullAccountSaysWhatHelps(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	atMost := func(n int) {
		w.Must(w.Accounts.Operate(w.Ctx, w.Account, typus.Actor{Name: "operator"}, func(a *typus.Account) { a.MaxPeople = n }))
	}
	general := accountPath + "/" + sectionGeneral
	w.as(owner).get(general).want(t, 200).without(t, "Gespeicherte Personen")
	at := c.upload("/dashboard/import", "datei", "x.csv", []byte(people), nil).Header.Get("Location")
	c.get(at).want(t, 200).without(t, "Freie Plätze")
	form := c.inviteForm()
	form.Set("name", "Kim")
	form.Set("email", "kim@example.com")
	atMost(1)
	c.get("/dashboard/einladen").want(t, 200).without(t, "keine weiteren Personen")
	c.get(at).want(t, 200, "Freie Plätze im Konto: 1, die Liste braucht bis zu 2")
	c.post("/dashboard/einladen", form).want(t, 303)
	w.as(owner).get(general).want(t, 200, "Gespeichert sind 1 von höchstens 1 Personen")
	form = c.inviteForm()
	form.Set("name", "Bo")
	form.Set("email", "bo@example.com")
	page := c.post("/dashboard/einladen", form).want(t, 409, `role="alert" tabindex="-1" autofocus>
<p>Ihr Konto darf keine weiteren Personen speichern`, "Löschen Sie Personen", `value="bo@example.com"`)
	if n := strings.Count(page.body, "autofocus"); n != 1 {
		t.Errorf("%d want the focus", n)
	}
	c.get("/dashboard/einladen").want(t, 200, "keine weiteren Personen")
	c.get(at).want(t, 200, "keine weiteren Personen", "2 Personen stehen zum Einladen bereit").without(t, "Freie Plätze", "können eingeladen werden")
	c.post(at+"/start", nil).want(t, 409, "keine weiteren Personen", "<title>Fehler: ")
	atMost(2)
	c.post(at+"/start", nil).want(t, 303)
	w.Must(w.Assess.RunImports(w.Ctx, "me"))
	c.get(at).want(t, 200, "Das Konto durfte keine weiteren Personen speichern.")
	if n := w.invitedCount(); n != 2 {
		t.Errorf("%d are invited", n)
	}
}

func TestAListCannotBeConfirmedWithoutCredits(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	at := c.upload("/dashboard/import", "datei", "x.csv", []byte(people), nil).Header.Get("Location")
	w.spend(10)
	c.post(at+"/start", nil).want(t, 402, "Ihr Guthaben ist aufgebraucht", "<title>Fehler: ", `<div class="notice notice-alert narrow" role="alert" tabindex="-1" autofocus>`)
	w.spend(-1)
	c.get(at).want(t, 200, "Sie laden 2 Personen ein und haben 1 Credits")
}

func TestCreditsShowBalanceLedgerAndForecast(t *testing.T) {
	w := newWorld(t)
	c := w.as(viewer)
	c.get("/dashboard/credits").want(t, 200, "Starter (kostenlos)", "zu wenige Tests", "0 Tests können noch", "mit einem Credit und 500 offenen Links kann es bei −499 enden"[4:], fmt.Sprintf("typus credits add --account %d", w.Account))
	for i := range 60 {
		_, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: fmt.Sprint("Kim ", i), Email: fmt.Sprintf("kim%d@example.com", i)}, nil)
		w.Must(err)
	}
	list, _, err := w.Store.Candidates(w.Ctx, w.Account, store.CandidateFilter{Limit: 100})
	w.Must(err)
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		for _, cand := range list[:55] {
			if _, err := tx.BookCredit(w.Ctx, typus.CreditEntry{AccountID: w.Account, Delta: -1, Reason: typus.ReasonCompletion, CandidateID: cand.ID, Actor: "candidate", CreatedAt: w.Now()}); err != nil {
				return err
			}
		}
		_, err := tx.BookCredit(w.Ctx, typus.CreditEntry{AccountID: w.Account, Delta: 100, Reason: typus.ReasonGrant, Note: "=1+1", Actor: "operator", CreatedAt: w.Now()})
		return err
	}))
	w.Later(10 * 24 * time.Hour)
	c = w.as(viewer)
	page := c.get("/dashboard/credits").want(t, 200, "Reicht bei Ihrem Tempo der letzten 10 Tage etwa bis zum 17.\u00a0Dezember 2026", "55 Tests abgeschlossen", "60 Tests können noch", "−5", "&#43;100", "Ältere Buchungen")
	next := regexp.MustCompile(`/dashboard/credits\?vor=\d+`).FindString(page.body)
	c.get(next).want(t, 200, "Zu den neuesten", "Startguthaben", "Serverbetrieb", "Eingeladene Person")
	export := c.post("/dashboard/credits/export.csv", nil).want(t, 200, "'=1+1", "Startguthaben", "Serverbetrieb", ";-1;")
	if strings.Contains(export.body, "'-") {
		t.Error("figures are no figures to a spreadsheet")
	}
	if n := strings.Count(export.body, "\r\n"); n != 58 {
		t.Errorf("%d lines, want 58", n)
	}
	if !strings.Contains(w.actions(), "credits.exported") {
		t.Errorf("the log says %s", w.actions())
	}
}

func TestAForecastComesFromRealDataOnly(t *testing.T) {
	now := time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)
	month := 30 * 24 * time.Hour
	for name, c := range map[string]struct {
		balance int64
		n       int
		span    time.Duration
		want    forecast
	}{
		"a steady month":     {20, 60, month, forecast{Finished: 60, Days: 30, Until: now.AddDate(0, 0, 10)}},
		"too few tests":      {20, 2, month, forecast{Finished: 2, Days: 30}},
		"too few days":       {20, 60, 6 * 24 * time.Hour, forecast{Finished: 60, Days: 6}},
		"nothing left":       {0, 60, month, forecast{Finished: 60, Days: 30}},
		"below zero":         {-499, 60, month, forecast{Finished: 60, Days: 30}},
		"for years":          {1_000_000, 3, month, forecast{Finished: 3, Days: 30, Far: true}},
		"thousands in a day": {5000, 5000, 24 * time.Hour, forecast{Finished: 5000, Days: 1, Until: now.AddDate(0, 0, 1)}},
	} {
		if got := predict(c.balance, c.n, c.span, now); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestTheAccountIsSetUpPartByPart(t *testing.T) {
	w := newWorld(t)
	c := w.as(admin)
	const path = "/dashboard/einstellungen/konto"
	c.follow(c.get(path)).want(t, 200, "Muster Software GmbH", "personal@example.com", "Aufbewahrung")
	if to := c.get(path + "?teil=aufbewahrung").Header.Get("Location"); to != keepPath {
		t.Errorf("an old address leads to %q", to)
	}
	general := url.Values{"name": {"Süd & Söhne"}, "contact_email": {""}, "language": {"en"}, "role_profile": {"hunter"}, "invite_days": {"14"}, "reminders": {"1"}}
	a := c.post(path+"/allgemein", general)
	if to := a.Header.Get("Location"); to != path+"/allgemein" {
		t.Errorf("it leads to %q", to)
	}
	c.follow(a).want(t, 200, "Gespeichert", "Süd &amp; Söhne", `value="14"`)
	c.post(path+"/nachrichten", url.Values{"notify": {"daily"}, "notify_emails": {"a@example.com\r\nb@example.com"}}).want(t, 303)
	c.post(path+"/aufbewahrung", url.Values{"keep_finished_days": {"180"}, "keep_unfinished_days": {""}, "keep_answers_days": {"6"}}).want(t, 422, "7 bis 90", `value="6"`)
	c.post(path+"/aufbewahrung", url.Values{"keep_finished_days": {"180"}, "keep_unfinished_days": {""}, "keep_answers_days": {"30"}}).want(t, 303)
	c.post(path+"/auftritt", url.Values{"accent": {"FC0"}, "welcome_de": {"Hallo <b>\r\nWelt"}, "welcome_en": {""}}).want(t, 303)
	got, err := w.Store.Account(w.Ctx, w.Account)
	w.Must(err)
	if got.Name != "Süd & Söhne" || got.ContactEmail != "" || got.Language != "en" || got.RoleProfile != "hunter" || got.InviteDays != 14 || got.Reminders != 1 ||
		got.WelcomeDE != "Hallo <b>\nWelt" || got.Notify != typus.NotifyDaily || got.NotifyEmails != "a@example.com\nb@example.com" || got.KeepFinishedDays != 180 || got.KeepAnswersDays != 30 || got.Accent != "#ffcc00" {
		t.Errorf("account %+v", got)
	}
	c.get(path+"/auftritt").want(t, 200, "Auf hellem Grund zu schwach, am stärksten als Link in einer Warnung: Kontrast 1,3 zu 1, gebraucht werden 4,6 zu 1", "Gut lesbar auf dunklem Grund", "/dashboard/farbe/ffcc00.css")
	c.get("/dashboard/farbe/ffcc00.json").want(t, 200, `"dark":"Gut lesbar auf dunklem Grund`)
	sheet := c.get("/dashboard/farbe/ffcc00.css").want(t, 200, ".accent-chosen{background:#ffcc00}")
	if cache := sheet.Header.Get("Cache-Control"); !strings.Contains(cache, "immutable") {
		t.Errorf("the style sheet is kept %q", cache)
	}
	c.get("/dashboard/farbe/ffcc00;}.css").want(t, 404)
	general.Set("invite_days", "abc")
	general.Set("name", " ")
	page := c.post(path+"/allgemein", general).want(t, 422, "1 bis 365", `value="abc"`, "Bitte füllen")
	if strings.Count(page.body, "autofocus") != 1 {
		t.Error("the focus is not on the first fault alone")
	}
	c.post(path+"/auftritt", url.Values{"accent": {"rot"}, "welcome_de": {"bleibt stehen"}}).want(t, 422, "eine Farbe wie #0f5c4d", "bleibt stehen")
	c.post(path+"/unbekannt", nil).want(t, 404)
}

func TestAShorterRetentionSaysFirstWhomItErases(t *testing.T) {
	w := newWorld(t)
	_, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Kim", Email: "kim@example.com"}, nil)
	w.Must(err)
	w.Later(100 * 24 * time.Hour)
	c := w.as(admin)
	const path = "/dashboard/einstellungen/konto/aufbewahrung"
	form := url.Values{"keep_finished_days": {""}, "keep_unfinished_days": {"30"}}
	c.post(path, form).want(t, 422, "Mit dieser Frist werden Daten gelöscht.", "Eine abgelaufene Einladung", `value="30"`)
	if a, _ := w.Store.Account(w.Ctx, w.Account); a.KeepUnfinishedDays != 0 {
		t.Error("the retention is set before it was confirmed")
	}
	form.Set("bestaetigt", "1")
	c.post(path, form).want(t, 303)
	settled := w.Now()
	if now := time.Now(); now.After(settled) { // the change is noted by the database's clock
		settled = now
	}
	w.Must(w.Assess.Retain(w.Ctx, settled))
	if w.invitedCount() != 0 {
		t.Error("nobody was erased")
	}
	form.Del("bestaetigt")
	form.Set("keep_unfinished_days", "60") // longer: nobody is erased by that
	c.post(path, form).want(t, 303)
}

// The days stay the same, and yet somebody is due: the retention counts from the test again, or
// waits less long for a decision.
func TestARetentionThatBeginsEarlierSaysFirstWhomItErases(t *testing.T) {
	w := newWorld(t)
	place := w.as(admin).place("Vertrieb Nord")
	w.finish(w.invitedBy(w.Account, assess.Invitation{Name: "Kim", Email: "kim@example.com", PositionID: placed(t, place)}))
	w.Later(90 * 24 * time.Hour)
	c := w.as(admin)
	c.post(place+"/schliessen", nil).want(t, 303)
	const path, days = "/dashboard/einstellungen/konto/aufbewahrung", "keep_finished_days"
	c.post(path, fields(days, "30", "keep_from_decision", "1")).want(t, 303)
	for _, form := range []url.Values{fields(days, "30"), fields(days, "30", "keep_from_decision", "1", "keep_undecided_days", "60")} {
		c.post(path, form).want(t, 422, "Mit dieser Frist werden Daten gelöscht.", "Ein abgeschlossener Test")
	}
	c.post(path, fields(days, "120", "keep_from_decision", "1", "keep_undecided_days", "60")).want(t, 422, "kürzer als die Löschfrist", `value="60"`)
	c.post(path, fields(days, "", "keep_from_decision", "1", "keep_undecided_days", "365")).want(t, 422, "begrenzt diese Zahl nichts")
	c.post(path, fields(days, "120")).want(t, 303) // so long ago nobody has finished
}

func TestALogoIsTakenServedAndRemoved(t *testing.T) {
	w := newWorld(t)
	c := w.as(admin)
	const path = "/dashboard/einstellungen/konto/auftritt"
	c.upload(path, "logo", "x.svg", []byte("<svg onload=alert(1)>"), fields("welcome_de", "Moin")).want(t, 422, "PNG-, JPEG- oder WebP-Bild", "Moin")
	c.upload(path, "logo", "x.png", append(sampleLogo(), make([]byte, 300<<10)...), nil).want(t, 422, "Das Bild hat 301 KB; möglich sind höchstens 200 KB.")
	c.upload(path, "logo", "x.png", sampleLogo(), fields("accent", "rot")).want(t, 422)
	if a, _ := w.Store.Account(w.Ctx, w.Account); a.LogoHash != "" || a.WelcomeDE != "" {
		t.Error("a part of a form with a fault is stored")
	}
	c.follow(c.upload(path, "logo", "x.svg", sampleLogo(), nil)).want(t, 200, "Gespeichert")
	address := regexp.MustCompile(`/dashboard/logo/[0-9a-f]{64}`).FindString(c.get(path).body)
	logo := c.get(address).want(t, 200)
	if logo.body != string(sampleLogo()) || logo.Header.Get("Content-Type") != "image/png" || !strings.Contains(logo.Header.Get("Content-Security-Policy"), "sandbox") ||
		logo.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(logo.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("headers %v", logo.Header)
	}
	w.asOf(w.newAccount("Andere"), owner).get(address).want(t, 404)
	c.upload(path, "logo", "x.png", nil, fields("welcome_de", "Moin")).want(t, 303)
	c.get(address).want(t, 200) // without a file it stays
	c.upload(path, "logo", "", nil, url.Values{"entfernen": {"1"}}).want(t, 303)
	c.get(address).want(t, 404)
}

// The page after the invitation is about somebody who can take the test; about
// anybody else their own page says more.
func TestThePageOfAnInvitationIsForInvitationsThatCount(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		open, declined, gone, done := w.invited("Offen Muster", ""), w.begun("Nein Muster", 3), w.invited("Zurück Muster", ""), w.finished("Fertig Muster")
		w.Must(w.Assess.Decline(w.Ctx, declined.Token))
		w.Must(w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), gone.Candidate.ID, by))
		c := w.as(member)
		c.get("/dashboard/einladen/"+id(open)).want(t, 200, "Offen Muster ist eingeladen", open.Link)
		leads := func(out assess.Invited) {
			t.Helper()
			if a := c.get("/dashboard/einladen/" + id(out)); a.StatusCode != 303 || a.Header.Get("Location") != candidatePath(out.Candidate.ID) {
				t.Errorf("%s: %s to %q", out.Candidate.Name, a.Status, a.Header.Get("Location"))
			}
		}
		leads(declined)
		leads(gone)
		leads(done)
		w.Later(31 * 24 * time.Hour)
		c = w.as(member)
		leads(open)
	})
}
