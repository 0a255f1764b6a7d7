package dashboard

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/mail"
	"typus/internal/mail/smtptest"
	"typus/internal/page"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func init() { galleries = append(galleries, letterGallery) }

func letterGallery(f *face, lang string, p persona) map[string]page.View {
	at := time.Date(2026, 11, 27, 9, 30, 0, 0, time.UTC)
	shell := p.shell(areaSettings, sectionLetters)
	crumbed := shell
	crumbed.Crumbs = []crumb{{Label: "letters.title", Path: lettersPath}}
	faulty := crumbed
	faulty.Fault, faulty.Alert = true, p.free
	path := lettersPath + "/text/einladung/de"
	sender := typus.Sender{Address: p.email, DKIMDomain: "mail.example.com", DKIMSelector: "typus"}
	texts := []letterText{
		{Name: "letters.kind.invitation", Language: "letters.german", Path: path, Own: true, By: p.email, At: at},
		{Name: "letters.kind.reminder", Language: "letters.english", Path: lettersPath + "/text/erinnerung/en"},
	}
	holders := []placeholder{{"{name}", "letters.placeholder.name"}, {"{account}", "letters.placeholder.account"}, {"{link}", "letters.placeholder.link"}, {"{expires}", "letters.placeholder.expires"}}
	template := letterTemplateView{
		frame: crumbed, Name: "letters.kind.invitation", Language: "letters.german", Path: path, Placeholders: holders,
		Subject: &field{Name: "subject", Label: "letters.subject", Lang: "de", Value: p.account}, Body: &field{Name: "body", Label: "letters.body", Hint: "letters.bodyHint", Lang: "de", Value: p.name + "\n\n{link}", Rows: 18},
	}
	wrong := template
	wrong.frame, wrong.Own = faulty, true
	wrong.Subject = &field{Name: "subject", Label: "letters.subject", Lang: "de", Value: p.free, Fault: p.name, First: true}
	wrong.Faults = []*field{wrong.Subject}
	reading, waiting := speaking(lang), speaking(lang)
	waiting.Account.SuspendedAt = at
	of := func(v *visit, state typus.LetterState, change func(*typus.Letter)) letterRow {
		l := typus.Letter{ID: 7, CandidateID: 1, Kind: typus.LetterInvitation, To: p.email, State: state, CreatedAt: at}
		if change != nil {
			change(&l)
		}
		return f.letterRow(v, l)
	}
	row := func(state typus.LetterState, change func(*typus.Letter)) letterRow { return of(reading, state, change) }
	log := letterLogView{frame: crumbed, Filter: "letters.log.all", Older: lettersPath + "/protokoll?vor=7", Here: lettersPath + "/protokoll", Letters: []letterRow{
		row(typus.LetterQueued, nil),
		row(typus.LetterQueued, func(l *typus.Letter) {
			l.Kind, l.CandidateID, l.NextAttemptAt = typus.LetterDigest, 0, time.Date(2200, 11, 28, 6, 0, 0, 0, time.UTC)
		}),
		row(typus.LetterQueued, func(l *typus.Letter) {
			l.Attempts, l.LastCode, l.LastError, l.NextAttemptAt = 2, 451, "the mail server refused the recipient: 451 4.7.1 "+p.free, at.Add(time.Hour)
		}),
		row(typus.LetterSent, func(l *typus.Letter) { l.LastCode, l.Kind, l.CandidateID = 250, typus.LetterCreditsLow, 0 }),
		row(typus.LetterFailed, func(l *typus.Letter) {
			l.LastCode, l.LastError = 550, "the mail server refused the recipient: 550 5.1.1 no such mailbox "+p.name
		}),
		row(typus.LetterUncertain, func(l *typus.Letter) { l.Attempts, l.LastError = 2, "the mail server broke the connection off" }),
		row(typus.LetterUncertain, func(l *typus.Letter) { l.Attempts, l.LastError = 2, typus.Unknown }),
		row(typus.LetterHeld, func(l *typus.Letter) { l.HeldUntil = at.Add(14 * time.Hour) }),
		row(typus.LetterHeld, func(l *typus.Letter) { l.LastError = "not sent: the test is finished" }),
	}}
	for i, c := range letterFilters {
		log.Filters = append(log.Filters, chip{Label: c.name, Path: lettersPath + "/protokoll?status=" + c.slug, Current: i == 0})
	}
	empty, idle := log, log
	empty.Letters, empty.Older = nil, ""
	idle.frame, idle.Letters = p.suspended(crumbed), []letterRow{
		of(waiting, typus.LetterQueued, nil),
		of(waiting, typus.LetterHeld, func(l *typus.Letter) { l.Kind, l.HeldUntil = typus.LetterReminder, at.Add(14*time.Hour) }),
		of(waiting, typus.LetterQueued, func(l *typus.Letter) { l.Kind, l.CandidateID = typus.LetterPasswordReset, 0 }),
		of(waiting, typus.LetterSent, func(l *typus.Letter) { l.LastCode, l.Kind, l.CandidateID = 250, typus.LetterCreditsLow, 0 }),
		of(waiting, typus.LetterFailed, func(l *typus.Letter) {
			l.LastCode, l.LastError = 550, "the mail server refused the recipient: 550 5.1.1 no such mailbox "+p.name
		}),
		of(waiting, typus.LetterFailed, func(l *typus.Letter) {
			l.Kind, l.LastCode, l.LastError = typus.LetterOwnAnswered, 550, "the mail server refused the recipient: 550 5.1.1 no such mailbox "+p.name
		}),
	}
	failed := shell
	failed.Fault = true
	return map[string]page.View{
		"letters": lettersView{frame: shell, Texts: texts, Sender: sender, Address: p.email},
		"letters-failed": lettersView{frame: failed, Texts: texts, Address: p.email, Reason: p.free, Dialogue: []string{
			"C: EHLO example.com", "S: 250 mail.example.com", "C: RCPT TO:<" + p.email + ">", "S: 550 5.1.1 " + p.name,
		}},
		"letter-template":       template,
		"letter-template-wrong": wrong,
		"letter-log":            log,
		"letter-log-empty":      empty,
		"letter-log-idle":       idle,
	}
}

const invitationPath = lettersPath + "/text/einladung/de"

func TestAnOwnTextIsWrittenPreviewedAndReset(t *testing.T) {
	w := newWorld(t)
	c := w.as(admin)
	c.get(lettersPath).want(t, 200, "Einladung", "Unser Text", c.user.Email)
	c.get(invitationPath).want(t, 200, "lädt Sie zu einem Persönlichkeitstest ein", "{expires}", "Guten Tag {name},")
	own := url.Values{"subject": {"Hallo {name}"}, "body": {"Liebe {name}, los geht es bei {account} bis {expires}:\r\n\r\n{link}"}}
	c.follow(c.post(invitationPath, own)).want(t, 200, "Der Text ist gespeichert.", "Das ist Ihr eigener Text.", "Liebe {name}")
	c.get(lettersPath).want(t, 200, "Ihr Text", c.user.Email)
	got, err := w.Store.LetterTemplate(w.Ctx, w.Account, typus.LetterInvitation, "de")
	w.Must(err)
	if got == nil || got.Body != "Liebe {name}, los geht es bei {account} bis {expires}:\n\n{link}" || got.ChangedBy != c.user.Email {
		t.Errorf("%+v", got)
	}
	preview := c.get(invitationPath+"/vorschau").want(t, 200, "Liebe Kim Beispiel, los geht es bei Muster Software GmbH bis 27. Dezember 2026", w.server.URL+"/t/beispiel", "Hallo Kim Beispiel")
	preview.without(t, `href="`+w.server.URL+"/t/") // there is no test behind it
	if policy := preview.Header.Get("Content-Security-Policy"); policy != letterPolicy || !strings.HasPrefix(policy, "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'") {
		t.Errorf("the policy is %q", policy)
	}
	c.follow(c.post(invitationPath+"/zuruecksetzen", nil)).want(t, 200, "Ab jetzt gilt wieder unser Text.", "Das ist unser Text.")
	audit, err := w.Store.Audit(w.Ctx, w.Account, 10)
	w.Must(err)
	if len(audit) != 2 || audit[0].Action != "letter_template.reset" || audit[1].Action != "letter_template.changed" || audit[1].UserID != c.user.ID {
		t.Errorf("%+v", audit)
	}
}

func TestAFaultyTextIsNamedAndKeptInTheForm(t *testing.T) {
	w := newWorld(t)
	c := w.as(owner)
	for _, tc := range []struct{ subject, body, said string }{
		{"Hallo", "Guten Tag {Vorname}: {link}", "{Vorname} ist kein Platzhalter dieses Felds. Möglich sind {name}, {account}, {link}, {expires}."},
		{"{firma}", "{link}", "{firma} ist kein Platzhalter"},
		{"{link}", "{link}", "Ein Link gehört nicht in den Betreff."},
		{"Hallo", "Guten Tag", "Im Text fehlt {link}."},
		{"", "{link}", "Bitte füllen Sie dieses Feld aus."},
		{"Hallo", "{link}" + strings.Repeat("x", typus.MaxTemplateBody), "Das ist zu lang."},
	} {
		for _, path := range []string{invitationPath, invitationPath + "/vorschau"} {
			c.post(path, url.Values{"subject": {tc.subject}, "body": {tc.body}}).want(t, 422, tc.said, `aria-invalid="true"`, "autofocus", tc.body)
		}
	}
	got, err := w.Store.LetterTemplates(w.Ctx, w.Account)
	w.Must(err)
	if len(got) != 0 {
		t.Errorf("stored: %+v", got)
	}
	// What is typed is previewed before it is saved.
	c.post(invitationPath+"/vorschau", url.Values{"subject": {"Neu"}, "body": {"<b>fett</b> {link}"}}).want(t, 200, "&lt;b&gt;fett&lt;/b&gt;")
}

func TestEveryLetterHasAForm(t *testing.T) {
	w := newWorld(t)
	c := w.as(admin)
	var kinds []typus.LetterKind
	for _, l := range letterSlugs {
		kinds = append(kinds, l.kind)
		if letterEvents[l.kind].sent == "" {
			t.Errorf("the page of a candidate has no words for letters of the kind %s", l.kind)
		}
		for _, lang := range []string{"de", "en"} {
			c.get(lettersPath+"/text/"+l.slug+"/"+lang).want(t, 200, "{name}")
			c.get(lettersPath+"/text/"+l.slug+"/"+lang+"/vorschau").want(t, 200, `<html lang="`+lang+`">`, "Kim Beispiel")
		}
	}
	if !slices.Equal(kinds, typus.TemplateKinds()) {
		t.Errorf("an account may write %v, want %v", kinds, typus.TemplateKinds())
	}
	c.get(lettersPath+"/text/einladung/fr").want(t, 404)
}

func (w *world) trials(sink *smtptest.Server, login string) {
	w.Helper()
	smtp, err := mail.NewSMTP(mail.SMTPOptions{URL: "smtp://" + login + sink.Addr, From: "typus@mail.example.com"})
	w.Must(err)
	w.face.Rehearser = smtp
}

func TestATrialLetterArrivesOrShowsWhatTheServerSaid(t *testing.T) {
	w := newWorld(t)
	c := w.as(admin)
	c.follow(c.post(lettersPath+"/probe", nil)).want(t, 200, "Es ist kein Mailserver eingerichtet.")

	sink := smtptest.Start(t, nil)
	w.trials(sink, "")
	c.follow(c.post(lettersPath+"/probe", nil)).want(t, 200, "Der Mailserver hat die Probe-E-Mail an "+c.user.Email+" angenommen.")
	got := sink.Envelopes()
	if len(got) != 1 || got[0].To[0] != c.user.Email || !strings.Contains(string(got[0].Data), "Message-ID: <trial-") {
		t.Fatalf("%+v", got)
	}

	w.trials(smtptest.Start(t, func(s *smtptest.Server) { s.Reply = func(string) string { return "550 5.7.1 not you <b>" } }), "")
	c.post(lettersPath+"/probe", nil).want(t, 422, "Der Mailserver hat die Adresse abgelehnt", "S: 550 5.7.1 not you &lt;b&gt;", "C: RCPT TO:&lt;"+c.user.Email+"&gt;", "C: EHLO mail.example.com")

	name, _, _ := strings.Cut(c.user.Email, "@")
	w.Later(time.Hour)
	w.trials(smtptest.Start(t, func(s *smtptest.Server) { s.Reply = func(string) string { return "550 mailbox " + name + " unknown" } }), "")
	c.post(lettersPath+"/probe", nil).want(t, 422, "550 mailbox "+name+" unknown")
	if logs := w.logs.String(); strings.Contains(logs, name) || !strings.Contains(logs, `"code":550`) {
		t.Errorf("the log names the recipient, or no code: %s", logs)
	}
	w.Later(time.Hour)

	w.trials(smtptest.Start(t, func(s *smtptest.Server) { s.Login = "typus geheim" }), "typus:falsches-wort@")
	a := c.post(lettersPath+"/probe", nil).want(t, 422, "Der Mailserver hat die Anmeldung abgelehnt", "S: 535")
	before := len(sink.Envelopes())
	w.trials(sink, "")
	c.follow(c.post(lettersPath+"/probe", nil)).want(t, 200, "zu viele Versuche")
	if len(sink.Envelopes()) != before {
		t.Error("a fourth letter at once was sent")
	}
	for _, secret := range []string{"falsches-wort", "dHlwdXM", "AHR5cHVzAGZhbHNjaGVzLXdvcnQ"} { // plain and base64
		if strings.Contains(a.body, secret) {
			t.Errorf("the page holds %q:\n%s", secret, a.body)
		}
	}
}

// Who owns the account reads in whose name it writes, and tries that very name.
func TestThePageOfLettersSaysInWhoseNameTheyGoOut(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s)
		c, other := w.as(admin), w.asOf(w.newAccount("Andere AG"), admin)
		c.get(lettersPath).want(t, 200, "Ihre E\u2011Mails kommen von der Adresse dieses Servers.")
		from := "tests@kunde.example"
		w.Must(w.Accounts.SetSender(w.Ctx, w.Account, typus.Actor{Name: "operator"}, accounts.SenderForm{From: &from, DKIM: &mail.DKIM{Selector: "one"}}))
		c.get(lettersPath).want(t, 200, "kommen von tests@kunde.example.", "mit einem Schlüssel von kunde.example (DKIM)", "zu Credits kommen von der Adresse dieses Servers")
		other.get(lettersPath).want(t, 200, "Ihre E\u2011Mails kommen von der Adresse dieses Servers.").without(t, "kunde.example")
		sink := smtptest.Start(t, nil)
		w.trials(sink, "")
		c.follow(c.post(lettersPath+"/probe", nil)).want(t, 200, "angenommen")
		got := sink.Envelopes()
		if len(got) != 1 || got[0].From != from || !strings.Contains(string(got[0].Data), "<"+from+">") || !strings.Contains(string(got[0].Data), "d=kunde.example") {
			t.Errorf("the trial is %+v", got)
		}
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			return tx.SetSender(w.Ctx, typus.Sender{AccountID: w.Account, Address: from, DKIMDomain: "kunde.example", DKIMSelector: "one", SealedKey: []byte("x")})
		}))
		c.post(lettersPath+"/probe", nil).want(t, 422, "wurde nicht gesendet")
	})
}

func TestTheLogShowsWhatBecameOfLetters(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s)
		c := w.as(admin)
		other := w.asOf(w.newAccount("Andere AG"), admin)
		out, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "<img src=x>", Email: "anna@example.com", SendEmail: true}, nil)
		w.Must(err)
		log := lettersPath + "/protokoll"
		c.get(log).want(t, 200, "anna@example.com", "Wartet", fmt.Sprintf("/dashboard/kandidat/%d", out.Candidate.ID))
		claimed, err := s.ClaimLetters(w.Ctx, store.Claim{Owner: "me", Lease: time.Hour, Limit: 1})
		w.Must(err)
		l := claimed[0]
		l.State, l.LastCode, l.LastError = typus.LetterFailed, 550, "the mail server refused the recipient: 550 no such mailbox"
		_, err = s.FinishLetter(w.Ctx, "me", l, 0)
		w.Must(err)
		c.get(log+"?status=unzustellbar").want(t, 200, "Unzustellbar", "550", `Der Mailserver hat die Adresse abgelehnt: <span lang="en">550 no such mailbox`)
		c.get(log+"?status=gesendet").want(t, 200, "Zurzeit hat keine E-Mail diesen Status.")
		c.get(log+"?status=unsinn").want(t, 200, "anna@example.com")
		retry := fmt.Sprintf("%s/%d/erneut", log, l.ID)
		other.post(retry, nil).want(t, 404)
		c.follow(c.post(retry, url.Values{"seite": {log + "?status=unzustellbar"}})).want(t, 200, "Die E-Mail ist wieder unterwegs.", "Zurzeit hat keine E-Mail diesen Status.")
		c.get(log).want(t, 200, "Verzögert")
		if strings.Contains(other.get(log).body, "anna@example.com") {
			t.Error("another account sees the letter")
		}
		claimed, err = s.ClaimLetters(w.Ctx, store.Claim{Owner: "me", Lease: time.Hour, Limit: 1})
		w.Must(err)
		claimed[0].State = typus.LetterSent
		_, err = s.FinishLetter(w.Ctx, "me", claimed[0], 0)
		w.Must(err)
		c.follow(c.post(retry, nil)).want(t, 200, "Die E-Mail wurde schon gesendet oder wird es gerade.")
	})
}

// What has not been tried yet goes out some time; only what has failed is tried again.
func TestTheLogSaysWhenALetterGoesOutOrIsTriedAgain(t *testing.T) {
	w := newWorld(t)
	noon := w.Now()
	for _, c := range []struct {
		what string
		l    typus.Letter
		want string
	}{
		{"waits for nothing", typus.Letter{State: typus.LetterQueued, NextAttemptAt: noon}, ""},
		{"a digest of tomorrow", typus.Letter{State: typus.LetterQueued, Kind: typus.LetterDigest, NextAttemptAt: noon.Add(20 * time.Hour)}, "Geht hinaus:"},
		{"more than a day's number", typus.Letter{State: typus.LetterHeld, HeldUntil: noon.Add(14 * time.Hour)}, "Geht hinaus:"},
		{"refused for now", typus.Letter{State: typus.LetterQueued, Attempts: 1, NextAttemptAt: noon.Add(time.Minute)}, "Nächster Versuch:"},
		{"about to be tried again", typus.Letter{State: typus.LetterQueued, Attempts: 1, NextAttemptAt: noon}, "Nächster Versuch:"},
		{"not to be sent", typus.Letter{State: typus.LetterHeld, NextAttemptAt: noon.Add(time.Hour)}, ""},
		{"refused for ever", typus.Letter{State: typus.LetterFailed, Attempts: 1, NextAttemptAt: noon.Add(time.Hour)}, ""},
		{"sent", typus.Letter{State: typus.LetterSent, Attempts: 1, NextAttemptAt: noon.Add(time.Hour)}, ""},
	} {
		row, said := w.face.letterRow(speaking("de"), c.l), ""
		if row.NextIs != "" {
			said = w.face.say(speaking("de"), row.NextIs)
		}
		if said != c.want || row.Next.IsZero() != (c.want == "") {
			t.Errorf("%s: %q %s, want %q", c.what, said, row.Next, c.want)
		}
	}
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		_, err := tx.AddLetter(w.Ctx, typus.Letter{AccountID: w.Account, Kind: typus.LetterDigest, To: "kim@example.com", CreatedAt: noon, NextAttemptAt: noon.Add(20 * time.Hour)})
		return err
	}))
	if a := w.as(admin).get(lettersPath+"/protokoll").want(t, 200, "Geht hinaus:", "Einzelheiten"); strings.Contains(a.body, "Nächster Versuch") {
		t.Error("a letter that was never tried is said to be tried again")
	}
}

// What waits for the next day and what is never sent are told apart, and a reason
// against a letter is not shown with one that is sent after all.
func TestTheLogTellsWhatWaitsFromWhatIsNotSent(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(admin)
		w.written("Robin Muster", "never@example.com")
		w.written("Kim Muster", "later@example.com")
		claimed, err := w.Store.ClaimLetters(w.Ctx, store.Claim{Owner: "me", Lease: time.Hour, Limit: 100, PerDay: 1})
		w.Must(err)
		l := claimed[0]
		l.State, l.LastError = typus.LetterHeld, "not sent: the invitation has expired"
		_, err = w.Store.FinishLetter(w.Ctx, "me", l, 0)
		w.Must(err)
		log := lettersPath + "/protokoll"
		later := c.get(log+"?status=zurueckgestellt").want(t, 200, "later@example.com", ">Zurückgestellt</span>", "geht später von selbst hinaus")
		never := c.get(log+"?status=nicht-gesendet").want(t, 200, "never@example.com", ">Nicht gesendet</span>", "Die Einladung ist abgelaufen")
		if strings.Contains(later.body, "never@example.com") || strings.Contains(never.body, "later@example.com") {
			t.Error("a letter is under both filters")
		}
		_, rest, _ := strings.Cut(never.body, `action="`)
		retry, _, _ := strings.Cut(rest[strings.Index(rest, log+"/"):], `"`)
		c.follow(c.post(retry, nil)).want(t, 200, "Die E-Mail ist wieder unterwegs.")
		if a := c.get(log).want(t, 200, "never@example.com"); strings.Contains(a.body, "Die Einladung ist abgelaufen") {
			t.Error("a letter on its way shows why it was not sent")
		}
	})
}

func TestTheLogOfManyLettersHasPages(t *testing.T) {
	w := newWorld(t)
	c := w.as(owner)
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		for n := range lettersPerPage + 5 {
			_, err := tx.AddLetter(w.Ctx, typus.Letter{AccountID: w.Account, Kind: typus.LetterCreditsLow, To: fmt.Sprintf("p%d@example.com", n), CreatedAt: w.Now()})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	first := c.get(lettersPath+"/protokoll").want(t, 200, "p54@example.com", "p5@example.com", "Ältere E-Mails")
	_, rest, _ := strings.Cut(first.body, `href="/dashboard/einstellungen/briefe/protokoll?vor=`)
	id, _, _ := strings.Cut(rest, `"`)
	second := c.get(lettersPath+"/protokoll?vor="+id).want(t, 200, "p4@example.com", "p0@example.com")
	if strings.Contains(second.body, "Ältere E-Mails") || strings.Contains(second.body, "p5@example.com") {
		t.Error("the second page is not the rest")
	}
}

// Every preview shows the logo and the colour that the letter would have, within itself: the
// browser loads nothing for it, and nothing of it is a way to see who reads.
func TestAPreviewOfALetterWearsTheAccountsLook(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c, by := w.as(admin), typus.Actor{Name: "ada@example.com"}
		const shown, name = `<img class="text" src="data:image/png;base64,`, ">Muster Software GmbH</span>"
		plain := c.get(invitationPath+"/vorschau").want(t, 200, name)
		plain.without(t, "<img", "#ffd100")
		w.Must(w.Accounts.ChangeLook(w.Ctx, w.Account, accounts.NewLogo{Picture: sampleLogo()}, by, func(a *typus.Account) bool { a.Accent = "#ffd100"; return true }))
		there := w.testWorld()
		w.invitedBy(there, assess.Invitation{Name: "Tom Probe", Email: "tom@example.com", Language: "de", SendEmail: true})
		kept := w.keptLetter(c)
		previews := map[string]answer{
			"the text of the account": c.get(invitationPath + "/vorschau"),
			"a typed text":            c.post(invitationPath+"/vorschau", url.Values{"subject": {"Neu"}, "body": {"Hallo {link}"}}),
			"a receipt":               c.get(lettersPath + "/text/eingang/de/vorschau"),
			"a letter of a world":     c.get(kept + "/html"),
		}
		for what, a := range previews {
			t.Run(what, func(t *testing.T) {
				a.want(t, 200, shown, `alt="Muster Software GmbH"`, "border-bottom:3px solid #ffd100")
				a.without(t, name, "cid:", "http-equiv")
				if p := a.Header.Get("Content-Security-Policy"); p != letterPolicy || !strings.Contains(p, "img-src 'self' data:;") {
					t.Errorf("the policy is %q", p)
				}
			})
		}
		c.get(kept).without(t, "data:image")
		w.Must(w.Accounts.ChangeLook(w.Ctx, w.Account, accounts.NewLogo{Remove: true}, by, func(*typus.Account) bool { return true }))
		c.get(kept+"/html").want(t, 200, name).without(t, "<img")
	})
}
