package page

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"typus"
	"typus/internal/page/pagetest"
)

func TestTheSharedTextsAreCompleteInBothLanguages(t *testing.T) {
	pagetest.CheckTexts(t, os.DirFS("."))
}

func TestALiteralTextInATemplateIsFound(t *testing.T) {
	body := `{{define "content"}}<p>{{if .A}}{{t "x.y"}}{{else}}Hallo{{end}}</p><img alt="Bild" class="c">{{end}}`
	if got := pagetest.Literals("x.html", body); !slices.Equal(got, []string{"Hallo", "Bild"}) {
		t.Errorf("found %q", got)
	}
}

// face is a face with one page and the given texts.
func face(content, de, en string) fstest.MapFS {
	return fstest.MapFS{
		"templates/one.html": {Data: []byte(`{{define "title"}}{{t "document.product"}}{{end}}{{define "content"}}` + content + `{{end}}`)},
		"locales/de.json":    {Data: []byte(de)},
		"locales/en.json":    {Data: []byte(en)},
	}
}

func TestATextThatIsThereTwiceIsRefused(t *testing.T) {
	site := newSite(t)
	_, err := site.Set(face("", `{"document.product":"X"}`, `{}`))
	if err == nil || !strings.Contains(err.Error(), "document.product") {
		t.Errorf("got %v", err)
	}
}

func TestATextSaysItsNumberAndItsDayInEachLanguage(t *testing.T) {
	set := mustSet(t, face("", `{"x.n":{"one":"eine","other":"{{.Count}} viele {{.Of}}"}}`, `{"x.n":{"one":"one","other":"{{.Count}} many {{.Of}}"}}`))
	day := time.Date(2026, time.March, 1, 23, 0, 0, 0, time.FixedZone("", -2*60*60)).UTC()
	for lang, want := range map[string][]string{
		"de": {"eine", "7 viele X", "2.\u00a0März 2026", "02.03.2026", "02.03.2026, 01:00\u00a0UTC"},
		"en": {"one", "7 many X", "2\u00a0March 2026", "2\u00a0Mar\u00a02026", "2\u00a0Mar 2026, 01:00\u00a0UTC"},
	} {
		one, err1 := set.texts.count(lang, "x.n", 1)
		many, err2 := set.texts.count(lang, "x.n", 7, "Of", "X")
		date, err3 := set.texts.date(lang, day)
		short, err4 := set.Day(lang, day)
		moment, err5 := set.Moment(lang, day)
		if got := []string{one, many, date, short, moment}; !slices.Equal(got, want) || errors.Join(err1, err2, err3, err4, err5) != nil {
			t.Errorf("%s: %q %v", lang, got, errors.Join(err1, err2, err3, err4, err5))
		}
	}
}

func TestATimeIsSaidInItsZone(t *testing.T) {
	set := mustSet(t, face("", `{"x.a":"x"}`, `{"x.a":"x"}`))
	at := time.Date(2026, time.March, 1, 23, 30, 0, 0, time.UTC)
	for zone, want := range map[typus.Zone][]string{
		"Europe/Berlin":     {"2.\u00a0März 2026", "02.03.2026", "02.03.2026, 00:30\u00a0MEZ", "2\u00a0Mar 2026, 00:30\u00a0CET"},
		"Asia/Kathmandu":    {"2.\u00a0März 2026", "02.03.2026", "02.03.2026, 05:15\u00a0UTC+5:45", "2\u00a0Mar 2026, 05:15\u00a0UTC+5:45"},
		"Pacific/Pago_Pago": {"1.\u00a0März 2026", "01.03.2026", "01.03.2026, 12:30\u00a0UTC−11", "1\u00a0Mar 2026, 12:30\u00a0UTC−11"},
	} {
		there := at.In(zone.Location())
		date, err1 := set.texts.date("de", there)
		short, err2 := set.Day("de", there)
		moment, err3 := set.Moment("de", there)
		english, err4 := set.Moment("en", there)
		if got := []string{date, short, moment, english}; !slices.Equal(got, want) || errors.Join(err1, err2, err3, err4) != nil {
			t.Errorf("%s: %q %v", zone, got, errors.Join(err1, err2, err3, err4))
		}
	}
}
