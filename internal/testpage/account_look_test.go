package testpage

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"typus"
	"typus/internal/accounts"
	"typus/internal/page/browsertest"
	"typus/internal/page/pagetest"
)

// dressed gives the account words, a colour and a logo of its own.
func (w *world) dressed() []byte {
	w.Helper()
	logo := picture(w, 160, 48)
	by := typus.Actor{Name: "ada@example.com"}
	w.Must(w.Accounts.ChangeLook(w.Ctx, w.Account, accounts.NewLogo{Picture: logo}, by, func(*typus.Account) bool { return true }))
	w.Must(w.Accounts.Change(w.Ctx, w.Account, by, func(a *typus.Account) {
		a.Accent, a.WelcomeDE = "#ffcc00", "Schön, dass Sie da sind.\n\n<b>Bis bald</b>"
	}))
	return logo
}

// picture is a PNG of a size.
func picture(w *world, width, height int) []byte {
	var body bytes.Buffer
	w.Must(png.Encode(&body, image.NewNRGBA(image.Rect(0, 0, width, height))))
	return body.Bytes()
}

func TestAnAccountsWordsColourAndLogoAreOnThePages(t *testing.T) {
	w := newWorld(t)
	logo := w.dressed()
	token := w.invite("de").Token
	r := w.reader("de")
	r.open("/t/" + token)
	for _, text := range []string{"Schön, dass Sie da sind.", "<b>Bis bald</b>", "Nachricht von"} {
		if !r.says(text) {
			t.Errorf("the page does not say %q", text)
		}
	}
	if strings.Contains(string(r.body), "<b>Bis bald") {
		t.Error("the account's words are taken for markup")
	}
	picture := pagetest.All(r.doc, "img")
	if len(picture) != 1 {
		t.Fatalf("%d pictures", len(picture))
	}
	src, _ := pagetest.Attr(picture[0], "src")
	got := w.ask("GET", src, nil)
	if got.status != http.StatusOK || got.size != len(logo) || got.header.Get("Content-Type") != "image/png" ||
		!strings.Contains(got.header.Get("Content-Security-Policy"), "sandbox") || got.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("the logo is %+v", got)
	}
	if got := w.ask("GET", "/t/unknown/logo", nil); got.status != http.StatusNotFound {
		t.Errorf("the logo of nobody: %d", got.status)
	}
	for path, status := range map[string]int{"/t/farbe/ffcc00.css": 200, "/t/farbe/ffcc00": 404, "/t/farbe/FFCC00.css": 404, "/t/farbe/red.css": 404, "/t/farbe/ffcc00;}.css": 404} {
		if got := w.ask("GET", path, nil); got.status != status {
			t.Errorf("%s: %d, want %d", path, got.status, status)
		}
	}
	// Whoever reads the other language is not told half of it.
	english := w.reader("en")
	english.open("/t/" + token + "?lang=en")
	if english.says("Schön") {
		t.Error("the English page speaks German")
	}
}

func TestTheOwnLookStaysLight(t *testing.T) {
	w := newWorld(t)
	w.dressed()
	browser := browsertest.New(t)
	tab := browser.Tab(t, browsertest.Look{Width: 320, Height: 640})
	tab.Open(w.server.URL + "/t/" + w.invite("de").Token)
	if n := len(tab.Requests()); n > 6 {
		t.Errorf("%d requests: %v", n, tab.Requests())
	}
	if accent := browsertest.Eval[string](tab, `getComputedStyle(document.querySelector("button.button")).backgroundColor`); accent == "rgb(15, 92, 77)" {
		t.Errorf("the button is still %s", accent)
	}
	if wider := tab.Overflow(); wider > 0 {
		t.Errorf("the page is %d px wider than the screen", wider)
	}
	for _, picture := range tab.Inkless() { // the account's logo among them
		t.Errorf("nobody sees %s", picture)
	}
	quiet(t, tab, w.server.URL)
	for _, violation := range tab.Axe() {
		t.Errorf("%s", violation)
	}
}
