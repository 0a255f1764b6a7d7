package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"typus"
	"typus/internal/page/browsertest"
	"typus/internal/server/servertest"
	"typus/internal/store/storetest"
)

// desk is a browser at the dashboard of a running server.
type desk struct {
	*browsertest.Tab
	t    *testing.T
	site *servertest.Site
}

const deskPassword = "vier lose Wörter im Wind"

// atDesk is a browser at the login, and somebody who can log in.
func atDesk(t *testing.T, look browsertest.Look) desk {
	t.Helper()
	s := servertest.Start(t, storetest.OpenSQLite(t))
	password := deskPassword
	if _, _, err := s.Access.CreateUser(t.Context(), typus.User{AccountID: s.Account, Email: "kim@example.com", Role: typus.RoleOwner, Language: "de"}, &password, "operator"); err != nil {
		t.Fatal(err)
	}
	d := desk{browsertest.New(t).Tab(t, look), t, s}
	d.Open(s.URL + "/dashboard?lang=de")
	return d
}

// to goes to an element by the tab key alone.
func (d desk) to(selector string) {
	d.t.Helper()
	for range 120 {
		if browsertest.Eval[bool](d.Tab, "document.activeElement.matches("+quoted(selector)+")") {
			return
		}
		d.Press(kb.Tab)
	}
	d.t.Fatalf("the tab key does not lead to %s at %s", selector, d.Location())
}

// enter goes to an element and presses Enter, which leads to another page.
func (d desk) enter(selector string) {
	d.t.Helper()
	d.to(selector)
	d.PressThrough(kb.Enter)
}

// fill goes to a field and types.
func (d desk) fill(selector, text string) {
	d.t.Helper()
	d.to(selector)
	d.Press(text)
}

// write clicks into a field and types.
func (d desk) write(selector, text string) {
	d.t.Helper()
	d.Focus(selector)
	d.Press(text)
}

func (d desk) at(path string) {
	d.t.Helper()
	if !strings.HasPrefix(d.Location(), d.site.URL+path) {
		d.t.Fatalf("at %s in place of %s: %.600s", d.Location(), path, d.says())
	}
}

func (d desk) says() string {
	return browsertest.Eval[string](d.Tab, "document.querySelector('main').innerText")
}

func (d desk) hears(text string) {
	d.t.Helper()
	if said := d.says(); !strings.Contains(said, text) {
		d.t.Errorf("%s does not say %q but:\n%s", d.Location(), text, said)
	}
}

func (d desk) quiet() {
	d.t.Helper()
	for _, message := range d.Messages() {
		d.t.Errorf("the browser complains: %s", message)
	}
	for _, address := range d.Requests() {
		if !strings.HasPrefix(address, d.site.URL+"/") && !strings.HasPrefix(address, "data:") { // the browser's own pictures of form fields
			d.t.Errorf("a request went to %s", address)
		}
	}
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "\\'") + "'" }

// list is a CSV file with two people and a mistake.
func list(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "liste.csv")
	text := "Name;E-Mail;Externe ID\nAylin Öztürk;aylin@example.com;crm-1\nJonas Weiß;keine Adresse;crm-2\nPaweł Nowak;pawel@example.com;crm-3\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTheDashboardCanBeUsedByKeyboardAlone(t *testing.T) {
	d := atDesk(t, browsertest.Look{Width: 1280})
	d.at("/anmelden")
	d.fill("#email", "kim@example.com")
	d.fill("#password", deskPassword)
	d.PressThrough(kb.Enter)
	d.at("/dashboard")

	d.enter(`a[href="/dashboard/einladen"]`)
	d.fill("#name", "Lena Fernández")
	d.fill("#email", "lena@example.com")
	d.enter(`form[action="/dashboard/einladen"] .button`)
	d.at("/dashboard/einladen/")
	d.hears("Lena Fernández")

	d.enter(`a[href="/dashboard/einladen"]`)
	d.enter(`a[href="/dashboard/import"]`)
	d.to("#datei, input[type=file]")
	d.Upload("input[type=file]", list(t))
	d.enter(`form[action="/dashboard/import"] .button`)
	d.at("/dashboard/import/")
	if !browsertest.Eval[bool](d.Tab, `!!document.querySelector('main input[value="Jonas Weiß"]')`) {
		d.t.Error("the faulty line cannot be mended")
	}
	d.enter(`form[action$="/start"] .button`)
	d.Arrive("!!document.querySelector('form[action$=\"ergebnis.csv\"]')") // the page loads itself again
	d.hears("Paweł Nowak")

	d.enter(`a[href="/dashboard/einstellungen"]`)
	d.at("/dashboard/einstellungen/api-schluessel")
	d.keys()
	d.quiet()
}

// keys makes a key and ends it.
func (d desk) keys() {
	d.t.Helper()
	d.enter(`a[href$="/api-schluessel/neu"]`)
	d.fill("#name", "CRM")
	d.PressThrough(kb.Enter)
	d.at("/dashboard/einstellungen/api-schluessel")
	d.hears("typ_live_")
	d.enter(`tbody tr:first-child a[href$="/widerrufen"]`)
	d.fill("#name", "CRM")
	d.PressThrough(kb.Enter)
	d.at("/dashboard/einstellungen/api-schluessel")
	if live := browsertest.Eval[int](d.Tab, `document.querySelectorAll("tbody .badge-good").length`); live != 1 {
		d.t.Errorf("%d keys are live, want the one that was there: %s", live, d.says())
	}
}
