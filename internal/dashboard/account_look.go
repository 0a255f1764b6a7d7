package dashboard

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/accounts"
	"typus/internal/colour"
	"typus/internal/mail"
	"typus/internal/page"
	"typus/internal/web"
)

// studio is what candidates get to see of the look: the start page, an item and the
// invitation, in the reader's language.
type studio struct {
	Logo    string // address of the logo, "" for none
	Ground  string // class of the ground that the logo has in letters, "" for one that needs none
	Brand   string
	Chosen  bool // a colour of their own
	Accent  colour.Accent
	Checks  accentChecks
	Welcome []string // paragraphs in their own words
	Labels  []string // of the answers to an item
	Letter  stagedLetter
	Unsaved bool // it shows what is typed, not what is stored
}

// stageRow is the look on one ground.
type stageRow struct {
	studio
	Theme string // "light" or "dark"
	Label string // text key
}

// In is the look on a ground.
func (s studio) In(theme string) stageRow {
	return stageRow{s, theme, map[string]string{"light": "studio.light", "dark": "studio.dark"}[theme]}
}

// stagedLetter is a letter as a mail program shows it.
type stagedLetter struct {
	Subject string
	Blocks  []stagedBlock
}

// stagedBlock is a paragraph, or the words of the button.
type stagedBlock struct {
	Button bool
	Lines  []string
}

// accentChecks say whether a colour is legible, in words.
type accentChecks struct {
	Light string `json:"light"`
	Dark  string `json:"dark"`
}

// studio shows the look that the fields of a form hold, and the invitation as it goes out now.
func (f *face) studio(v *visit, form *accountForm) (studio, error) {
	t := typus.LetterTemplate{Kind: typus.LetterInvitation, Language: v.lang}
	own, err := f.Store.LetterTemplate(v.Context(), v.Account.ID, t.Kind, t.Language)
	if err != nil {
		return studio{}, err
	}
	if own != nil {
		t = *own
	}
	s, err := f.studioWith(v, form, t, own != nil)
	if err != nil || s.Logo == "" {
		return s, err
	}
	// In a letter the logo has a ground of its own.
	m, err := f.heads.Put(v.Context(), mail.Message{Look: mail.LookOf(v.Account, 0)})
	if m.Logo != nil {
		s.Ground = grounds[m.Logo.Ground]
	}
	return s, err
}

// grounds are the classes of what a logo stands on in a letter.
var grounds = map[string]string{colour.Light.Surface: "stage-plate", colour.Dark.Paper: "stage-plate stage-plate-dark"}

func (f *face) studioWith(v *visit, form *accountForm, t typus.LetterTemplate, own bool) (studio, error) {
	s := studio{Brand: v.Account.Name, Labels: f.Instrument.Labels(v.lang)}
	if v.Account.LogoHash != "" && !form.NoLogo.Checked {
		s.Logo = logoPath + "/" + v.Account.LogoHash
	}
	if s.Accent, s.Chosen = colour.NewAccent(typedColour(form.Accent.Value)); s.Chosen {
		s.Checks = f.accentChecks(v, s.Accent)
	}
	words := form.WelcomeDE.Value
	if v.lang == "en" {
		words = form.WelcomeEN.Value
	}
	s.Welcome = paragraphs(words)
	m, err := f.sample(v, t, own)
	s.Letter = staged(m, f.links.Of(v.Account).Test(sampleToken))
	return s, err
}

// paragraphs are the lines of a text that are not empty.
func paragraphs(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
}

// staged cuts a letter into its paragraphs, and its button to a link out of them.
func staged(m mail.Message, link string) stagedLetter {
	out := stagedLetter{Subject: m.Subject}
	for text := range strings.SplitSeq(strings.TrimSpace(m.Text), "\n\n") {
		b := stagedBlock{Lines: paragraphs(text)}
		if words, button := strings.CutSuffix(text, ":\n"+link); button {
			b = stagedBlock{Button: true, Lines: []string{words}}
		}
		out.Blocks = append(out.Blocks, b)
	}
	return out
}

// previewLook shows the page with what was typed, stored nowhere. A picture is not shown:
// no form sends one back.
func (f *face) previewLook(v *visit) error {
	view := f.accountView(v, sectionLook)
	view.Seen, view.Switch.None = v.PostFormValue(seenName), true
	fill(v, append(view.fields(), view.Form.NoLogo)...)
	var err error
	if view.Studio, err = f.studio(v, &view.Form); err != nil {
		return err
	}
	view.Studio.Unsaved = true
	return f.render(v, http.StatusOK, view)
}

// groundKeys name what a colour stands on.
var groundKeys = map[string]string{
	colour.OnSurface: "studio.on.surface", colour.OnPaper: "studio.on.paper", colour.OnAlert: "studio.on.alert", colour.OnHint: "studio.on.hint",
	colour.OnSoft: "studio.on.soft", colour.OnLine: "studio.on.line", colour.OnInk: "studio.on.ink",
}

// accentChecks name, where a colour is not used as it is, the figure that failed.
func (f *face) accentChecks(v *visit, a colour.Accent) accentChecks {
	check := func(weak colour.Check, fine, changed, used string, contrast float64) string {
		if weak == (colour.Check{}) {
			return f.say(v, fine, "Contrast", ratio(v.lang, contrast))
		}
		return f.say(v, changed, "Where", f.say(v, groundKeys[weak.Where]), "Contrast", ratio(v.lang, weak.Contrast), "Needed", ratioUp(v.lang, weak.Needed), "Colour", used)
	}
	return accentChecks{
		Light: check(a.WeakLight, "account.lightFine", "account.lightChanged", a.Light.Accent, a.OnWhite),
		Dark:  check(a.WeakDark, "account.darkFine", "account.darkChanged", a.Dark.Accent, a.OnDark),
	}
}

// ratio writes a contrast with one digit after the point, rounded down, because 4.49
// must not look like 4.5, which is enough.
func ratio(lang string, contrast float64) string { return tenths(lang, int(contrast*10)) }

// ratioUp writes a contrast that is asked for, rounded up, so that one which falls short of
// it never looks like it.
func ratioUp(lang string, contrast float64) string { return tenths(lang, int(contrast*10+0.999)) }

func tenths(lang string, n int) string {
	said := strconv.Itoa(n/10) + "." + strconv.Itoa(n%10)
	if lang == "de" {
		said = strings.Replace(said, ".", ",", 1)
	}
	return said
}

// typedColour reads "0f5c4d", "#ABC" and "#0F5C4D"; anything else stays as it is and
// is a fault.
func typedColour(typed string) string {
	hex := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(typed), "#"))
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	if hex == "" {
		return ""
	}
	return "#" + hex
}

// maxLogoForm leaves room to say in words that a picture is too large, beside what was typed.
const maxLogoForm = 16 << 20

// logoField takes a logo in place of the one of a hash.
func logoField(kept string) *field {
	return &field{
		Name: "logo", Label: "account.logoFile", Hint: "account.logoHint", Type: "file", Accept: "image/png,image/jpeg,image/webp", Optional: true,
		Kept: kept, Drops: "entfernen",
	}
}

// noLogoField takes a logo away.
func noLogoField() *field {
	return &field{Name: "entfernen", Label: "account.logoRemove", Type: "checkbox"}
}

// tooLarge says of a picture that has too many bytes how many it has.
func (f *face) tooLarge(v *visit, logo *field) {
	if _, body, _ := uploaded(v, logo.Name); len(body) > accounts.MaxLogo {
		logo.Fault = f.say(v, "account.fault.logoBytes", "Size", bytesInWords(v.lang, int64(len(body))), "Most", bytesInWords(v.lang, accounts.MaxLogo))
	}
}

// newLogo is what a form wants of the logo; nothing where it says nothing.
func newLogo(v *visit) (accounts.NewLogo, error) {
	if v.PostFormValue("entfernen") != "" {
		return accounts.NewLogo{Remove: true}, nil
	}
	_, body, err := uploaded(v, "logo")
	return accounts.NewLogo{Picture: body}, err
}

// logo serves a picture of the account or of one of its positions. Its address holds the
// hash, so browsers may keep it. The headers keep them from taking it for anything but a
// picture.
func (f *face) logo(v *visit) error {
	l, err := f.Store.Logo(v.Context(), v.Account.ID, v.PathValue("hash"))
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", l.MediaType)
	h.Set("Content-Length", strconv.Itoa(len(l.Body)))
	h.Set("Content-Security-Policy", web.DataPolicy+"; sandbox")
	h.Set("Cache-Control", "private, max-age=31536000, immutable")
	_, _ = v.w.Write(l.Body) // a reader who has gone is no fault
	return nil
}

// accentSheet serves a colour as a style sheet of its own, because the content security
// policy forbids styles inside a page, or in words, as accentChecks, for the script of the
// studio.
func (f *face) accentSheet(v *visit) error {
	hex, kind, _ := strings.Cut(v.PathValue("farbe"), ".")
	a, ok := colour.NewAccent("#" + hex)
	switch {
	case ok && kind == "css":
		page.NewFile("text/css; charset=utf-8", "private, max-age=31536000, immutable", a.Samples()).ServeHTTP(v.w, v.Request)
		return nil
	case ok && kind == "json":
		body, err := json.Marshal(f.accentChecks(v, a))
		if err != nil {
			return err
		}
		v.w.Header().Set("Content-Security-Policy", web.DataPolicy)
		page.NewFile("application/json", "private, no-cache", body).ServeHTTP(v.w, v.Request)
		return nil
	}
	return typus.Errorf(typus.NotFound, "there is no such style sheet")
}
