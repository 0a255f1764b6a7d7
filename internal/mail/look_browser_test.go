package mail_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/page/browsertest"
)

// lettering is a logo of a bar and two columns, as far as it is not seen through.
func lettering(t *testing.T, ink, bar color.Color) typus.Logo {
	t.Helper()
	picture := image.NewNRGBA(image.Rect(0, 0, 480, 120))
	for at, c := range map[image.Rectangle]color.Color{
		image.Rect(0, 0, 120, 120): bar, image.Rect(150, 10, 180, 110): ink, image.Rect(150, 80, 260, 110): ink,
		image.Rect(290, 10, 320, 110): ink, image.Rect(350, 10, 480, 40): ink, image.Rect(400, 10, 430, 110): ink,
	} {
		draw.Draw(picture, at, image.NewUniform(c), image.Point{}, draw.Src)
	}
	var body bytes.Buffer
	if err := png.Encode(&body, picture); err != nil {
		t.Fatal(err)
	}
	return typus.Logo{MediaType: "image/png", Hash: "lettering", Body: body.Bytes()}
}

// landmarks are what the page has that a mail program shows a letter on.
var landmarks = regexp.MustCompile(`^(landmark-one-main|region):`)

// Letters are looked at in a browser as mail programs show them, with and without a logo, in
// colours of all kinds.
func TestLettersAreSoundInABrowser(t *testing.T) {
	black, white := color.NRGBA{A: 0xff}, color.NRGBA{0xff, 0xff, 0xff, 0xff}
	until := time.Date(2026, 12, 27, 10, 20, 0, 0, time.UTC)
	looks := map[string]struct {
		accent, account string
		logo            typus.Logo
	}{
		"yellow": {"#ffd100", "Kranich Logistik GmbH", lettering(t, black, color.NRGBA{0xff, 0xd1, 0, 0xff})},
		"white":  {"#ffffff", "Alba Personal AG", lettering(t, white, white)},
		"black":  {"#000000", "Müller & „Söhne“ <GmbH>", lettering(t, black, black)},
		"red":    {"#e2001a", "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft mbH", typus.Logo{}},
		"ours":   {"", "Demo GmbH", typus.Logo{}},
	}
	letter := func(name, lang string) mail.Message {
		of := looks[name]
		i := mail.Invitation{
			Language: lang, CandidateName: "Anna Beispiel", AccountName: of.account, Link: link, Contact: "bewerbung@example.com", Expires: until,
			Look: mail.Look{AccountID: 7, Accent: of.accent},
		}
		return dressed(t, &shelf{account: of.logo}, written(t)(mail.Reminder{Invitation: i, Stop: link + "/erinnerungen"}.Message()))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, lang, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if _, known := looks[name]; !known {
			http.NotFound(w, r)
			return
		}
		shown, err := letter(name, lang).Page()
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(shown))
	}))
	defer server.Close()
	matrix, tab := browsertest.NewMatrix(t), browsertest.New(t).Tab(t, browsertest.Look{})
	for name := range looks {
		address := func(lang string) string { return server.URL + "/" + name + "/" + lang }
		matrix.See(tab, "letter-"+name, matrix.Two(name), address, func(seen string) {
			if wide := tab.Overflow(); wide > 0 {
				t.Errorf("%s is %d pixels too wide", seen, wide)
			}
			for _, fault := range append(tab.Axe(), tab.Inkless()...) {
				if !landmarks.MatchString(fault) {
					t.Errorf("%s: %s", seen, fault)
				}
			}
		})
	}
	for _, request := range tab.Requests() {
		if !strings.Contains(request, server.URL) && !strings.Contains(request, "data:") {
			t.Errorf("%s is loaded", request)
		}
	}
}
