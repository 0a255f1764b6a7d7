package dashboard

import (
	"fmt"
	"html"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
)

// showed is what a form on a page says that it showed.
func showed(t *testing.T, page answer, action string) string {
	t.Helper()
	_, form, found := strings.Cut(page.body, `action="`+action+`"`)
	if !found {
		form = page.body // it is sent to the address of its page
	}
	said := regexp.MustCompile(`name="gesehen" value="(\w+)"`).FindStringSubmatch(form)
	if said == nil {
		t.Fatalf("the form for %s does not say what it showed", action)
	}
	return said[1]
}

// Somebody who comes back to a tab of yesterday does not undo what others have saved since
// without being told.
func TestAnOldTabReplacesNothingUnseen(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		hook, _, err := w.Accounts.CreateEndpoint(w.Ctx, w.Account, w.server.URL+"/haken", "CRM", by)
		w.Must(err)
		colleague, person := memberPath(w.as(interviewer).user.ID), candidatePath(w.invited("Kim Muster", "").Candidate.ID)
		place := w.as(owner).place("Vertrieb Nord")
		in := func(days int) string { return w.Now().AddDate(0, 0, days).Format(time.DateOnly) }
		for _, form := range []struct {
			page, action   string
			first, second  url.Values
			kept, nowSaved string
		}{
			{noticePath, noticePath, fields("notice_officer", "neu@example.com"), fields("notice_officer", "alt@example.com"), "alt@example.com", "neu@example.com"},
			{noticePath, noticePath, fields("notice_consequence", "none"), fields("notice_consequence", "interview"), `value="interview" checked`, "keinen Einfluss"},
			{accountPath + "/allgemein", accountPath + "/allgemein",
				fields("name", "Muster Software GmbH", "contact_email", "neu@example.com", "language", "de", "zone", "UTC", "role_profile", "general_sales", "invite_days", "30", "reminders", "2"),
				fields("name", "Muster Software GmbH", "contact_email", "alt@example.com", "language", "de", "zone", "UTC", "role_profile", "general_sales", "invite_days", "30", "reminders", "2"),
				"alt@example.com", "neu@example.com"},
			{accountPath + "/auftritt", accountPath + "/auftritt", fields("welcome_de", "Neuer Gruß"), fields("welcome_de", "Alter Gruß"), "Alter Gruß", "Neuer Gruß"},
			{decisionPath, decisionPath, fields("shelf_months", "24"), fields("shelf_months", "9"), `value="9"`, "24"},
			{keepPath, keepPath, fields("keep_finished_days", "365", "keep_answers_days", "90"), fields("keep_finished_days", "8", "keep_answers_days", "90"), `value="8"`, "365"},
			{lettersPath + "/text/eingang/de", lettersPath + "/text/eingang/de", fields("subject", "Danke", "body", "Neuer Brief"), fields("subject", "Danke", "body", "Alter Brief"), "Alter Brief", "Neuer Brief"},
			{fmt.Sprintf("%s/%d/bearbeiten", endpointsPath, hook), fmt.Sprintf("%s/%d/bearbeiten", endpointsPath, hook),
				fields("url", w.server.URL+"/haken", "description", "Neues CRM"), fields("url", w.server.URL+"/haken", "description", "Altes CRM"), "Altes CRM", "Neues CRM"},
			{corePath, corePath, url.Values{"core": {"ad1", "ad2", "in1"}}, url.Values{"core": {"ci1", "ci2"}, "ask_de_1": {"Was war neu?"}}, "Was war neu?", "Welches Ziel haben Sie sich zuletzt selbst gesetzt"},
			{colleague, colleague + "/rolle", fields("role", "viewer"), fields("role", "member"), `value="member" checked`, "Nur lesen"},
			{person, person + "/korrigieren", fields("name", "Kim Neu", "email", "neu@example.com"), fields("name", "Kim Muster", "email", "alt@example.com"), "alt@example.com", "neu@example.com"},
			{person, person + "/verlaengern", fields("ende", in(40)), fields("ende", in(20)), `value="` + in(20) + `"`, "Gespeichert ist jetzt: " + w.face.dayInWords(speaking("de"), in(40))},
			{ownTermsPath, ownTermsPath, fields("policy", "at_once"), fields("policy", "none", "reason", "Wir sprechen lieber."), "Wir sprechen lieber.", "Gleich nach der Abgabe"},
			{place + "/bearbeiten", place + "/bearbeiten", fields("name", "Vertrieb Neu", "reminders", "-1"), fields("name", "Vertrieb Alt", "reminders", "-1"),
				`value="Vertrieb Alt"`, "Gespeichert ist jetzt: Vertrieb Neu"},
			{place + "/mitglieder", place + "/mitglieder", fields("mitglied", path.Base(colleague)), fields("mitglied", path.Base(memberPath(w.as(viewer).user.ID))), "Genannte Mitglieder", "interviewer-"},
			{place + "/link", place + "/link", fields("most", "20"), fields("most", "30"), `value="30"`, "Gespeichert ist jetzt: 20"},
			{blindPath, blindPath, fields("blind", "1"), fields("alle", "1"), `id="alle" name="alle" type="checkbox" value="1" checked`, "eingeschaltet"},
		} {
			boss, other := w.as(owner), w.as(admin)
			form.second.Set(seenName, showed(t, boss.get(form.page), form.action))
			form.first.Set(seenName, showed(t, other.get(form.page), form.action))
			other.post(form.action, form.first).want(t, 303)
			late := boss.post(form.action, form.second).want(t, 409, "wurde etwas anderes gespeichert", "Gespeichert ist jetzt: ")
			if said := html.UnescapeString(late.body); !strings.Contains(said, form.kept) || !strings.Contains(said, form.nowSaved) {
				t.Errorf("%s does not show what was typed beside what is stored:\n%s", form.action, said)
			}
			if again := other.post(form.action, form.first); again.StatusCode != 303 {
				t.Errorf("%s: the same saved twice is %s", form.action, again.Status)
			}
			form.second.Set(seenName, showed(t, late, form.action))
			if again := boss.post(form.action, form.second); again.StatusCode != 303 {
				t.Errorf("%s: whoever has been told may not decide: %s", form.action, again.Status)
			}
		}
	})
}

// What is replaced by other means than a field's value is not replaced unseen either.
func TestAnOldTabTakesNoLogoTextOrNameAwayUnseen(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss, other := w.as(owner), w.as(admin)
		const logo = accountPath + "/auftritt"
		said := func(c *client) string { return showed(t, c.get(logo), logo) }
		kept := func(picture []byte) {
			t.Helper()
			a, err := w.Store.Account(w.Ctx, w.Account)
			w.Must(err)
			l, err := w.Store.Logo(w.Ctx, w.Account, a.LogoHash)
			w.Must(err)
			if string(l.Body) != string(picture) {
				t.Errorf("the logo has %d bytes, want %d", len(l.Body), len(picture))
			}
		}
		none, first, second := said(boss), logoOf(1), logoOf(2)
		other.upload(logo, "logo", "a.png", first, fields(seenName, none)).want(t, 303)
		late := boss.upload(logo, "logo", "b.png", second, fields(seenName, none)).want(t, 409, "wurde etwas anderes gespeichert", "ein anderes Bild", "/dashboard/logo/")
		boss.post(logo, fields(seenName, none, "entfernen", "1")).want(t, 409, "ein anderes Bild")
		boss.upload(logo, "logo", "a.png", first, fields(seenName, none)).want(t, 303) // it is stored already
		kept(first)
		one := showed(t, late, logo)
		boss.upload(logo, "logo", "b.png", second, fields(seenName, one)).want(t, 303)
		other.post(logo, fields(seenName, one, "entfernen", "1")).want(t, 409)
		kept(second)
		other.post(logo, fields(seenName, said(other), "entfernen", "1")).want(t, 303)
		boss.post(logo, fields(seenName, one, "entfernen", "1")).want(t, 303) // it is gone already
		boss.upload(logo, "logo", "b.png", second, fields(seenName, one)).want(t, 409, "Gespeichert ist jetzt: nichts")

		text := lettersPath + "/text/eingang/de"
		other.post(text, fields("subject", "Danke", "body", "Alter Brief")).want(t, 303)
		old := showed(t, boss.get(text+"/zuruecksetzen"), text)
		other.post(text, fields("subject", "Danke", "body", "Neuer Brief")).want(t, 303)
		asked := boss.post(text+"/zuruecksetzen", fields(seenName, old)).want(t, 409, "wurde ein anderer Text gespeichert")
		boss.get(text).want(t, 200, "Neuer Brief")
		boss.post(text+"/zuruecksetzen", fields(seenName, showed(t, asked, text))).want(t, 303)
		boss.post(text+"/zuruecksetzen", fields(seenName, old)).want(t, 303) // it is our text already

		before := showed(t, boss.get(profilePath), profilePath)
		boss.post(profilePath, fields("name", "Kim Neu", seenName, before)).want(t, 303)
		boss.post(profilePath, fields("name", "Kim Alt", seenName, before)).want(t, 409, "Gespeichert ist jetzt: Kim Neu", `value="Kim Alt"`)
	})
}

// A switch that is on stays with whom and when it was switched on, and the log says it once.
func TestSortingThatIsOnIsNotSwitchedOnAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss, other := w.as(owner), w.as(admin)
		on := fields("an", "1", "gelesen", "1")
		other.post("/dashboard/sortierung", on).want(t, 303)
		w.Later(time.Hour)
		boss.post("/dashboard/sortierung", on).want(t, 303)
		boss.get("/dashboard/sortierung").want(t, 200, other.user.Email).without(t, "durch "+boss.user.Email)
		for range 2 {
			boss.post("/dashboard/sortierung", nil).want(t, 303)
		}
		lines, err := w.Store.Audit(w.Ctx, w.Account, 100)
		w.Must(err)
		var noted []string
		for _, l := range lines {
			if l.Action == typus.AuditAccountScoreSortingOn || l.Action == typus.AuditAccountScoreSortingOff {
				noted = append(noted, l.Actor)
			}
		}
		if want := []string{boss.user.Email, other.user.Email}; !slices.Equal(noted, want) {
			t.Errorf("noted of %v, want %v", noted, want)
		}
	})
}

// Why a form may not say what it showed.
const (
	shows   = "it says what it showed, and replaces nothing else"
	adds    = "it adds, and leaves what is there"
	asksFor = "it asks for one state by name, and a second time changes nothing"
	takes   = "it takes away what its page names, for good"
	proven  = "whoever sends it proves who they are, about nobody but themselves"
	changes = "it changes nothing of the account"
)

// everyForm gives the reason for each form, so that a new one has to have one. Those with a
// stand of their own count as shows.
var everyForm = map[string]string{
	"/abmelden": proven, "/anmelden": proven, "/anmelden/code": proven, "/bestaetigen/{token}": proven, "/einrichten": adds,
	"/passwort": proven, "/passwort/{token}": proven, "/registrieren": adds, "/zuruecknehmen/{token}": proven,

	"/dashboard/auswahl/absagen": shows, "/dashboard/auswahl/erinnern": adds, "/dashboard/auswahl/export": changes, "/dashboard/auswahl/loeschen": takes,
	"/dashboard/auswahl/verlaengern": asksFor, "/dashboard/auswahl/zurueckziehen": asksFor,
	"/dashboard/credits/export.csv": changes, "/dashboard/export": changes, "/dashboard/vergleich": changes,
	"/dashboard/einladen": adds, "/dashboard/einladen/brief": changes,
	"/dashboard/import": adds, "/dashboard/import/{id}/abbrechen": asksFor, "/dashboard/import/{id}/ergebnis.csv": changes, "/dashboard/import/{id}/spalten": asksFor,
	"/dashboard/import/{id}/start": asksFor, "/dashboard/import/{id}/zeilen": shows,

	"/dashboard/kandidat/{id}/entscheidung": shows, "/dashboard/kandidat/{id}/erinnern": adds, "/dashboard/kandidat/{id}/aufbewahren": shows, "/dashboard/kandidat/{id}/korrigieren": shows,
	"/dashboard/kandidat/{id}/leitfaden": shows, "/dashboard/kandidat/{id}/leitfaden/entwurf": shows, "/dashboard/kandidat/{id}/leitfaden/entwurf/verwerfen": shows,
	"/dashboard/kandidat/{id}/notizen": adds, "/dashboard/kandidat/{id}/notizen/{notiz}/loeschen": takes, "/dashboard/kandidat/{id}/oeffnen": asksFor,
	"/dashboard/kandidat/{id}/senden": adds, "/dashboard/kandidat/{id}/stellungnahme": adds, "/dashboard/kandidat/{id}/tags": asksFor,
	"/dashboard/kandidat/{id}/tags/entfernen": asksFor, "/dashboard/kandidat/{id}/trotzdem": asksFor, "/dashboard/kandidat/{id}/verlaengern": shows,

	"/dashboard/einstellungen/api-schluessel/neu": adds, "/dashboard/einstellungen/api-schluessel/{id}/widerrufen": takes,
	"/dashboard/stellen/neu": adds, "/dashboard/stellen/{id}/bearbeiten": shows, "/dashboard/stellen/{id}/mitglieder": shows,
	"/dashboard/stellen/{id}/interview": shows, "/dashboard/stellen/{id}/ergebnis": shows, "/dashboard/stellen/{id}/hinweise": shows, "/dashboard/stellen/{id}/fragen": shows,
	"/dashboard/stellen/{id}/link": shows, "/dashboard/stellen/{id}/link/neu": asksFor, "/dashboard/stellen/{id}/link/beenden": asksFor,
	"/dashboard/stellen/{id}/schliessen": asksFor, "/dashboard/stellen/{id}/oeffnen": asksFor, "/dashboard/stellen/{id}/archivieren": asksFor,
	"/dashboard/einstellungen/konto/ergebnis": shows, "/dashboard/kandidat/{id}/freigeben": asksFor, "/dashboard/kandidat/{id}/auskunft": changes, "/dashboard/kandidat/{id}/anfragen/{anfrage}": adds,
	"/dashboard/einstellungen/briefe/probe": changes, "/dashboard/einstellungen/briefe/protokoll/{id}/erneut": adds,
	"/dashboard/einstellungen/briefe/text/{brief}/{sprache}": shows, "/dashboard/einstellungen/briefe/text/{brief}/{sprache}/vorschau": changes,
	"/dashboard/einstellungen/briefe/text/{brief}/{sprache}/zuruecksetzen": shows,
	"/dashboard/einstellungen/hinweise":                                    shows, "/dashboard/einstellungen/konto/aufbewahrung/loeschen": shows,
	"/dashboard/einstellungen/konto/{teil}": shows, "/dashboard/einstellungen/konto/aufbewahrung": shows,
	"/dashboard/einstellungen/profil": shows, "/dashboard/einstellungen/profil/email": proven, "/dashboard/einstellungen/profil/passwort": proven,
	"/dashboard/einstellungen/profil/sitzungen": takes, "/dashboard/einstellungen/profil/zwei-faktor": proven,
	"/dashboard/einstellungen/profil/zwei-faktor/aendern": proven, "/dashboard/einstellungen/profil/zwei-faktor/ein": proven,
	"/dashboard/einstellungen/protokoll/csv": changes,
	"/dashboard/einstellungen/team/einladen": adds, "/dashboard/einstellungen/team/{id}/entfernen": takes, "/dashboard/einstellungen/team/{id}/link": adds,
	"/dashboard/einstellungen/team/{id}/rolle": shows, "/dashboard/einstellungen/team/{id}/stellen": shows, "/dashboard/einstellungen/team/{id}/sitzungen": takes, "/dashboard/einstellungen/team/{id}/zwei-faktor": takes,
	"/dashboard/einstellungen/webhooks/pruefen": changes,
	"/dashboard/einstellungen/webhooks/neu":     adds, "/dashboard/einstellungen/webhooks/{id}/bearbeiten": shows, "/dashboard/einstellungen/webhooks/{id}/fortsetzen": asksFor,
	"/dashboard/einstellungen/webhooks/{id}/geheimnis": changes, "/dashboard/einstellungen/webhooks/{id}/geheimnis/beenden": asksFor,
	"/dashboard/einstellungen/webhooks/{id}/geheimnis/umstellen": asksFor, "/dashboard/einstellungen/webhooks/{id}/geheimnis/wechseln": adds,
	"/dashboard/einstellungen/webhooks/{id}/loeschen": takes, "/dashboard/einstellungen/webhooks/{id}/pausieren": asksFor, "/dashboard/einstellungen/webhooks/{id}/test": adds,
	deliveriesPath + "/{delivery}/senden": adds, replaysPath: adds, replaysPath + "/{id}/abbrechen": asksFor,

	"/e/{token}": adds, "/dashboard/rollenprofile/fachleute": adds, "/dashboard/rollenprofile/{profil}/fachleute": adds,
	"/dashboard/rollenprofile/{profil}/fachleute/schliessen": asksFor, "/dashboard/rollenprofile/{profil}/fachleute/namen": takes,
	"/dashboard/rollenprofile/neu": adds, "/dashboard/rollenprofile/{profil}/bearbeiten": shows,
	"/dashboard/rollenprofile/{profil}/archivieren": asksFor, "/dashboard/rollenprofile/{profil}/anbieten": asksFor,

	worldPath: adds, sandboxClockPath: adds, sandboxResetPath: takes, sandboxForwardPath: asksFor,
	"/dashboard/darstellung": asksFor, "/dashboard/gelesen": asksFor, "/dashboard/kandidat/{id}/neuer-link": asksFor, "/dashboard/meldung": asksFor, "/dashboard/sortierung": asksFor, "/dashboard/sprache": asksFor,
}

func TestEveryFormHasAReasonToReplaceNothingUnseen(t *testing.T) {
	f := newWorld(t).face
	dev := f.devRoutes()
	there := map[string]bool{}
	for _, r := range f.routes()[len(dev):] {
		if r.method == "POST" {
			there[r.pattern] = true
			if everyForm[r.pattern] == "" {
				t.Errorf("nobody has said why %s replaces nothing that its form did not show", r.pattern)
			}
		}
	}
	for pattern := range everyForm {
		if !there[pattern] {
			t.Errorf("there is no form %s", pattern)
		}
	}
}
