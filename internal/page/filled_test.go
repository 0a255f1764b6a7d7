package page

import (
	"errors"
	"testing"
	"time"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
)

func TestAPlainTextIsFilledAsATemplateFillsIt(t *testing.T) {
	number, text := 7, "x {{.Of}} y"
	for name, value := range map[string]any{
		"a text": "ä <b> {{.Of}}", "no text": "", "a number": 12, "a large one": int64(1) << 40, "a share": 0.5, "an answer": true,
		"a pointer": &number, "a pointer to a text": &text, "what has a name": time.March, "an error": errors.New("x"),
	} {
		for _, said := range []string{"{{.Of}}", "vor {{.Of}} und {{.Of}} nach", "ohne", "100 % }} {", "{{.Of}}{{.Of}}"} {
			m := &i18n.Message{ID: "x", Other: said}
			if !isPlain(m) {
				t.Errorf("%q is not plain", said)
			}
			bundle := i18n.NewBundle(language.German)
			bundle.MustAddMessages(language.German, m)
			want := i18n.NewLocalizer(bundle, "de").MustLocalize(&i18n.LocalizeConfig{
				MessageID: "x", TemplateData: map[string]any{"Of": value}, TemplateParser: strict,
			})
			if got, err := filled(said, []any{"Other", "z", "Of", value}); got != want || err != nil {
				t.Errorf("%q of %s: %q, %v, want %q", said, name, got, err, want)
			}
		}
	}
}

func TestWhatATemplateHasToWorkOutIsNotPlain(t *testing.T) {
	for _, m := range []i18n.Message{
		{}, {Other: "{{ .Of }}"}, {Other: "{{if .Of}}x{{end}}"}, {Other: "{{.Of"}, {Other: "{{.}}"}, {Other: "{{.A.B}}"}, {Other: "{{-.Of}}"},
		{Other: "{{.Of}} {{len .Of}}"}, {Other: "x", One: "y"},
	} {
		if isPlain(&m) {
			t.Errorf("%+v is plain", m)
		}
	}
}

func TestATextWithoutAValueIsAnError(t *testing.T) {
	for _, pairs := range [][]any{nil, {"Other", 1}, {"Of"}, {1, 2}} {
		if said, err := filled("x {{.Of}}", pairs); err == nil {
			t.Errorf("%v: %q", pairs, said)
		}
	}
}
