package testpage

import (
	"bytes"
	"image"
	"image/color"
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

// A logo that lets through what is behind it is lost where that has its colour. There it comes
// on a ground of its own.
func TestALogoIsSeenOnLightAndDarkPages(t *testing.T) {
	w := newWorld(t)
	token := w.invite("de").Token
	lettering := func(c color.Color, see bool) []byte {
		picture := image.NewNRGBA(image.Rect(0, 0, 160, 48))
		for y := range 48 {
			for x := range 160 {
				if !see || x/20%2 == 0 {
					picture.Set(x, y, c)
				}
			}
		}
		var body bytes.Buffer
		w.Must(png.Encode(&body, picture))
		return body.Bytes()
	}
	for name, tc := range map[string]struct {
		logo        []byte
		light, dark bool // that it comes as it is
	}{
		"black lettering":   {lettering(color.Black, true), true, false},
		"white lettering":   {lettering(color.White, true), false, false},
		"nothing is behind": {lettering(color.White, false), true, true},
	} {
		w.Must(w.Accounts.ChangeLook(w.Ctx, w.Account, accounts.NewLogo{Picture: tc.logo}, typus.Actor{Name: "ada@example.com"}, func(*typus.Account) bool { return true }))
		r := w.reader("de")
		r.open("/t/" + token)
		onLight, _ := pagetest.Attr(pagetest.All(r.doc, "img")[0], "src")
		source := pagetest.All(r.doc, "source")
		if len(source) != 1 {
			t.Fatalf("%s: %d pictures for a dark page", name, len(source))
		}
		onDark, _ := pagetest.Attr(source[0], "srcset")
		if media, _ := pagetest.Attr(source[0], "media"); media != "(prefers-color-scheme: dark)" || onDark == onLight {
			t.Errorf("%s: %s, if %s", name, onDark, media)
		}
		for src, asItIs := range map[string]bool{onLight: tc.light, onDark: tc.dark} {
			got, err := http.Get(w.server.URL + src)
			w.Must(err)
			shown, err := png.Decode(got.Body)
			_ = got.Body.Close()
			if err != nil || got.Header.Get("Content-Type") != "image/png" {
				t.Fatalf("%s: %v, %+v", name, err, got.Header)
			}
			if same := shown.Bounds().Dx() == 160 && shown.Bounds().Dy() == 48; same != asItIs || !same && !shown.(interface{ Opaque() bool }).Opaque() {
				t.Errorf("%s: %s measures %v", name, src, shown.Bounds())
			}
		}
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
