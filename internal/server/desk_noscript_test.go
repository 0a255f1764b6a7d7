package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"typus/internal/assess"
	"typus/internal/page/browsertest"
)

// noScripts is a browser without scripts in which somebody has logged in.
func noScripts(t *testing.T) desk {
	t.Helper()
	d := atDesk(t, browsertest.Look{Width: 390, Height: 844, NoScript: true})
	d.write("#email", "kim@example.com")
	d.write("#password", deskPassword)
	d.Follow("form[action='/anmelden'] .button")
	d.at("/dashboard")
	return d
}

// does clicks what leads to another page, and hears what that page says.
func (d desk) does(selector, says string) {
	d.t.Helper()
	d.Follow(selector)
	d.hears(says)
}

// clicks ticks or opens something that stays on the page.
func (d desk) clicks(selectors ...string) {
	d.t.Helper()
	for _, selector := range selectors {
		d.Click(selector)
	}
}

// invited is the id of somebody who is invited.
func (d desk) invited(name, email string) int64 {
	d.t.Helper()
	out, _, err := d.site.Steps.Invite(d.t.Context(), d.site.Account, assess.Invitation{Name: name, Email: email}, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return out.Candidate.ID
}

func TestPeopleAreInvitedAndFoundWithoutScripts(t *testing.T) {
	d := noScripts(t)
	d.Follow(`a[href="/dashboard/einladen"]`)
	d.write("#name", "Lena Fernández")
	d.write("#email", "lena@example.com")
	d.Follow(`form[action="/dashboard/einladen"] .button`)
	d.hears("Lena Fernández")

	d.Open(d.site.URL + "/dashboard/import")
	d.Upload("input[type=file]", list(t))
	d.Follow(`form[action="/dashboard/import"] .button`)
	d.Follow(`form[action$="/start"] .button`)
	for !browsertest.Eval[bool](d.Tab, "!!document.querySelector('form[action$=\"ergebnis.csv\"]')") {
		d.Follow("noscript a[href='']")
	}

	d.Open(d.site.URL + "/dashboard/kandidaten")
	d.hears("Paweł Nowak")
	d.write("#suche", "lena")
	d.does(".finder .button", "Lena Fernández")
	if said := d.says(); browsertest.Eval[int](d.Tab, `document.querySelectorAll("tbody tr").length`) != 1 {
		t.Errorf("the search finds more than one: %s", said)
	}
	d.at("/dashboard/kandidaten?suche=lena")
	d.does(`.chip[href*="status=offen"]`, "Lena Fernández")
	d.clicks(".finder-more summary")
	d.does(".finder-more .button", "Lena Fernández")
	d.does(`.list-bar .text-button`, "Paweł Nowak")
	d.does(`.sort[href*="sortierung=name"]`, "Paweł Nowak")
	d.quiet()
}

func TestManyPeopleAreChangedWithoutScripts(t *testing.T) {
	d := noScripts(t)
	for i := range 3 {
		d.invited(fmt.Sprint("Person ", i), fmt.Sprintf("p%d@example.com", i))
	}
	chosen := []string{"tbody tr:nth-child(1) .pick-box", "tbody tr:nth-child(2) .pick-box"}
	d.Open(d.site.URL + "/dashboard/kandidaten")
	d.clicks(chosen...)
	d.does(`.bulk .button[formaction$="/erinnern"]`, "2 Personen erinnert")
	d.clicks(chosen...)
	d.does(`.bulk .button[formaction$="/verlaengern"]`, "Person 2")
	d.does(`form[action$="/verlaengern"] .button`, "2 Einladungen verlängert")
	d.clicks(chosen[0])
	d.does(`.bulk .button[formaction$="/zurueckziehen"]`, "Person 2")
	d.does(`form[action$="/zurueckziehen"] .button`, "Eine Einladung zurückgezogen")
	d.clicks(chosen[0])
	d.does(`.bulk .button[formaction$="/erinnern"]`, "übersprungen (Einladung zurückgezogen)")
	d.does(`.flash-drop`, "Person 2")
	if browsertest.Eval[bool](d.Tab, `!!document.querySelector(".flash")`) {
		t.Error("the message is dismissed and stays")
	}
	d.clicks(chosen[0])
	d.does(`.bulk .button[formaction$="/loeschen"]`, "Person 2")
	d.does(`form[action$="/loeschen"] .button`, "Eine Person gelöscht")
	d.does(`.list-links a[href="/dashboard/sortierung"]`, "ortier")
	d.clicks("#gelesen")
	d.Follow(`form[action="/dashboard/sortierung"] .button[name="an"]`)
	d.at("/dashboard/kandidaten")
	d.quiet()
}

func TestAPersonIsLookedAfterWithoutScripts(t *testing.T) {
	d := noScripts(t)
	path := fmt.Sprintf("/dashboard/kandidat/%d", d.invited("Kim Mustre", "kim@example.com"))
	form := func(rest string) string { return `form[action="` + path + rest + `"]` }
	d.Open(d.site.URL + path)
	d.does(form("/senden")+" .button", "Die E-Mail liegt bereit")
	d.write("#notiz", "Ruft am Montag zurück")
	d.does(form("/notizen")+" .button", "Ruft am Montag zurück")
	d.does(`a[href^="`+path+`/notizen/"]`, "Ruft am Montag zurück")
	d.does("form.form .button", "Die Notiz ist gelöscht.")
	d.write("#tag", "Messe")
	d.does(form("/tags")+" .button", "Das Schlagwort ist hinzugefügt.")
	d.does(form("/tags/entfernen")+" button", "Das Schlagwort ist entfernt.")
	d.clicks(".fold summary")
	d.write("#name", "Muster ")
	d.does(form("/korrigieren")+" .button", "Die Angaben sind berichtigt.")
	d.does(form("/verlaengern")+" .button", "Die Einladung ist verlängert.")
	d.does(`a[href*="/auswahl/zurueckziehen"]`, "Mustre")
	d.does(`form[action$="/zurueckziehen"] .button`, "Die Einladung wurde zurückgezogen.")
	d.clicks(".candidate-head .menu summary")
	d.does(`a[href*="/auswahl/loeschen"]`, "Mustre")
	d.does(`form[action$="/loeschen"] .button`, "Eine Person gelöscht")
	d.quiet()
}

func TestKeysAndWebhooksAreKeptWithoutScripts(t *testing.T) {
	d := noScripts(t)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(receiver.Close)
	d.Follow(`a[href="/dashboard/einstellungen"]`)
	d.Follow(`a[href$="/api-schluessel/neu"]`)
	d.write("#name", "CRM")
	d.does(`form[action$="/neu"] .button`, "typ_live_")
	d.Follow(`tbody tr:first-child a[href$="/widerrufen"]`)
	d.write("#name", "CRM")
	d.does("form.form .button", "CRM")
	d.does(`a[href$="/api-schluessel/protokoll"]`, "API-Protokoll")

	d.Follow(`a[href$="/webhooks"]`)
	d.Follow(`a[href$="/webhooks/neu"]`)
	d.write("#url", receiver.URL+"/haken")
	d.does("form.form .button", "Der Webhook ist angelegt")
	hook := d.Location()
	d.does(`form[action$="/test"] .button`, "Das Testereignis ist angekommen.")
	d.does(`a[href*="/protokoll/dlv_"]`, "Als curl-Befehl")
	d.does(`.crumbs a[href$="/protokoll"]`, "Angenommen (2xx)")
	d.does("form.delivery-filter .button", "Testereignis")
	d.Open(hook)
	d.does(`a[href$="/bearbeiten"]`, "Beschreibung")
	d.write("#description", "CRM")
	d.does("form.form .button", "Die Änderungen sind gespeichert.")
	d.Follow(`a[href$="/geheimnis"]`)
	d.does("form.form .button", "whsec_") // the password was given a moment ago
	d.Open(hook)
	d.does(`form[action$="/wechseln"] .button`, "Das neue Geheimnis")
	d.Open(hook)
	d.does(`form[action$="/umstellen"] .button`, "Das neue Geheimnis ist jetzt das aktuelle")
	d.Follow(`a[href$="/beenden"]`)
	d.does("form.form .button", "Das bisherige Geheimnis ist entfernt")
	d.does(`form[action$="/pausieren"] .button`, "Der Webhook pausiert.")
	d.does(`form[action$="/fortsetzen"] .button`, "Der Webhook ist wieder eingeschaltet.")
	d.Follow(`a[href$="/loeschen"]`)
	d.does("form.form .button", "Der Webhook ist gelöscht.")
	d.quiet()
}

func TestTheAccountIsKeptWithoutScripts(t *testing.T) {
	d := noScripts(t)
	settings := d.site.URL + "/dashboard/einstellungen/"
	d.Open(settings + "team")
	d.Follow(`a[href$="/team/einladen"]`)
	d.write("#email", "neu@example.com")
	d.clicks(`input[name="role"][value="viewer"]`)
	d.does(`form[action$="/einladen"] .button`, "/passwort/")
	d.does(`a[href^="/dashboard/einstellungen/team/"][href$="2"]`, "neu@example.com")
	d.clicks(`input[name="role"][value="admin"]`)
	d.does(`form[action$="/rolle"] .button`, "ist geändert.")
	d.Follow(`a[href^="/dashboard/einstellungen/team/"][href$="2"]`)
	d.does(`a[href$="/entfernen"]`, "neu@example.com")
	d.does("form.form .button", "gehört nicht mehr zum Team.")

	for part, button := range map[string]string{"allgemein": ".button", "nachrichten": ".button", "auftritt": ".form-actions .button", "aufbewahrung": ".button"} {
		d.Open(settings + "konto/" + part)
		d.does(`form.form[action$="/konto/`+part+`"] `+button, "Gespeichert.")
	}
	d.Open(settings + "briefe/text/einladung/de")
	d.write("#subject", "Neu: ")
	d.does(`form[action$="/einladung/de"] .button`, "Der Text ist gespeichert.")
	d.Open(settings + "briefe/text/einladung/de")
	d.Follow(`a[href$="/zuruecksetzen"]`)
	d.does("form.form .button", "Ab jetzt gilt wieder unser Text.")
	d.Open(settings + "briefe")
	d.hears("Unser Text")
	d.does(`form[action$="/briefe/probe"] .button`, "Es ist kein Mailserver eingerichtet.")
	d.does(`a[href$="/briefe/protokoll"]`, "neu@example.com")
	d.Open(settings + "protokoll")
	d.does("form.toolbar .button", "kim@example.com")
	d.Open(d.site.URL + "/dashboard/credits")
	d.hears("100")
	d.quiet()
}

func TestAProfileIsKeptWithoutScripts(t *testing.T) {
	d := noScripts(t)
	profile := d.site.URL + "/dashboard/einstellungen/profil"
	d.Open(profile)
	d.write("#name", "Kim Beispiel")
	d.does(`form[action$="/profil"] .button`, "Ihr Profil ist gespeichert.")
	d.Open(profile + "/zwei-faktor")
	d.write("#password", deskPassword)
	d.does(`form[action$="/zwei-faktor"] .button`, "Code")
	d.Open(profile + "/passwort")
	d.write("#password", deskPassword)
	d.write("#new_password", "fünf lose Wörter im Sturm")
	d.does(`form[action$="/passwort"] .button`, "Ihr Passwort ist geändert.")
	d.clicks(".menu summary")
	d.Follow(`.menu button[value="dark"]`)
	if theme := browsertest.Eval[string](d.Tab, "document.documentElement.dataset.theme"); theme != "dark" {
		t.Errorf("the theme is %q", theme)
	}
	d.clicks(".menu summary")
	d.does(`.menu button[value="en"]`, "My profile")
	d.clicks(".menu summary")
	d.Follow(`form[action="/abmelden"] button`)
	d.at("/anmelden")
	d.hears("You are logged out.")
	d.quiet()
}
