package testpage

import (
	"strings"
	"testing"

	"typus/internal/page"
	"typus/internal/page/browsertest"
)

// Nobody scrolls through a wall of text to begin: greeting, a short message of the account, the
// facts, the headings of the notice, the box and the button are a phone's screen and a half, on
// the smallest phone a little more where letters are wide.
func TestTheStartPageIsAPhoneAndAHalf(t *testing.T) {
	browser := browsertest.New(t)
	server, _ := gallery(t, persona{"Kim Beispiel", "Muster GmbH", "owner@example.com"})
	for _, phone := range []struct {
		width, height int
		screens       float64
		page          string
	}{{360, 740, 1.5, "start"}, {360, 740, 1.5, "start-welcome"}, {320, 640, 1.75, "start"}} {
		tab := browser.Tab(t, browsertest.Look{Width: phone.width, Height: phone.height})
		for _, lang := range page.Languages() {
			tab.Open(server + "/page/" + lang + "/" + phone.page)
			bottom := browsertest.Eval[float64](tab, "document.querySelector('form .button').getBoundingClientRect().bottom + scrollY")
			t.Logf("%s, %s: %.2f screens of %d by %d", phone.page, lang, bottom/float64(phone.height), phone.width, phone.height)
			if bottom > phone.screens*float64(phone.height) {
				t.Errorf("%s, %s: the button ends at %.0f, more than %.2f screens of %d", phone.page, lang, bottom, phone.screens, phone.height)
			}
		}
	}
}

// openRows are the headings of what can be read, of the rows that open.
const openRows = `[...document.querySelectorAll(".folds > details")].filter((row) => [...row.querySelectorAll("p")].every((p) => p.checkVisibility()))
	.map((row) => row.querySelector("summary").textContent.trim()).join()`

// What is folded is one tap or key away without a script too, and stands on paper.
func TestEveryPartOfTheNoticeCanBeReached(t *testing.T) {
	browser := browsertest.New(t)
	server, _ := gallery(t, persona{"Kim Beispiel", "Muster GmbH", "owner@example.com"})
	address := server + "/page/de/start-told"
	all := "So gehen Sie vor,Wer fragt und warum,Was gemessen wird,Was gespeichert wird,Bis wann,Wer es sieht,Freiwillig,Ihre Rechte,Kontakt"

	tab := browser.Tab(t, browsertest.Look{Width: 360, Height: 740, NoScript: true})
	tab.Open(address)
	browsertest.Await(tab, openRows, "")
	tab.Click(".folds > :nth-child(4) > summary")
	browsertest.Await(tab, openRows, "Bis wann")
	tab.Focus(".folds > :nth-child(6) > summary")
	tab.Press(" ")
	browsertest.Await(tab, openRows, "Bis wann,Freiwillig")

	tab.Turn(browsertest.Look{Print: true, NoScript: true})
	browsertest.Await(tab, openRows, all)
	tab.Turn(browsertest.Look{Width: 360, Height: 740, NoScript: true})
	browsertest.Await(tab, openRows, "Bis wann,Freiwillig")
}

// Whoever is asked to read the notice once more, because it has changed, finds it open.
func TestANoticeThatHasChangedIsOpen(t *testing.T) {
	f := newTestFace(t)
	for name, open := range map[string]int{"start": 0, "start-missing": 0, "start-changed": 8, "earlier-offer": 0, "earlier-changed": 8, "enrol": 0} {
		body := render(t, f, "de", everyPage(f, "de", persona{"Kim Beispiel", "Muster GmbH", "owner@example.com"})[name])
		if got := strings.Count(body, "<details open>"); got != open {
			t.Errorf("%s: %d parts are open, not %d", name, got, open)
		}
	}
}
