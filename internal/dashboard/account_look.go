package dashboard

import (
	"strconv"
	"strings"

	"typus"
	"typus/internal/page"
	"typus/internal/web"
)

// look is the logo and the colour of an account, with what becomes of the
// colour where it would not be legible.
type look struct {
	Logo    string // address of the logo, "" for none
	Chosen  bool   // a colour of their own
	Accent  page.Accent
	OnWhite string // contrasts in words of numbers
	OnDark  string
}

func (f *face) look(v *visit) look {
	var l look
	if v.Account.LogoHash != "" {
		l.Logo = logoPath + "/" + v.Account.LogoHash
	}
	l.Accent, l.Chosen = page.NewAccent(v.Account.Accent)
	if l.Chosen {
		l.OnWhite, l.OnDark = ratio(v.lang, l.Accent.OnWhite), ratio(v.lang, l.Accent.OnDark)
	}
	return l
}

// ratio writes a contrast with one digit after the point, rounded down, because 4.49
// must not look like 4.5, which is enough.
func ratio(lang string, contrast float64) string {
	said := strconv.FormatFloat(float64(int(contrast*10))/10, 'f', 1, 64)
	if lang == "de" {
		said = strings.Replace(said, ".", ",", 1)
	}
	return said
}

// colour reads "0f5c4d", "#ABC" and "#0F5C4D"; anything else stays as it is and
// is a fault.
func colour(typed string) string {
	hex := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(typed), "#"))
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	if hex == "" {
		return ""
	}
	return "#" + hex
}

// maxLogoForm leaves room to say in words that a picture is too large.
const maxLogoForm = 2 << 20

// partLogo is the part of the page with the logo's form.
const partLogo = "bild"

// accountLogo takes a new logo, or takes the old one away.
func (f *face) accountLogo(v *visit) error {
	var body []byte
	if v.PostFormValue("entfernen") == "" {
		var err error
		if _, body, err = uploaded(v, "logo"); err != nil {
			return err
		}
		if len(body) == 0 {
			missing := &typus.Error{Kind: typus.Invalid, Msg: "logo is required", Fields: []typus.Field{{Name: "logo", Code: typus.CodeRequired}}}
			return f.accountAgain(v, partLogo, due{}, missing)
		}
	}
	if form := f.accountForm(v); overtaken(v, form.Logo) {
		return f.accountOvertaken(v, partLogo)
	}
	if err := f.Accounts.SetLogo(v.Context(), v.Account.ID, body, v.actor()); err != nil {
		return f.accountAgain(v, partLogo, due{}, err)
	}
	return f.accountSaved(v, partLogo)
}

// logo serves the account's picture. Its address holds the hash, so browsers may keep
// it. The headers keep them from taking it for anything but a picture.
func (f *face) logo(v *visit) error {
	l, err := f.Store.AccountLogo(v.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	if l.Hash != v.PathValue("hash") {
		return typus.Errorf(typus.NotFound, "there is no such logo")
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
// policy forbids styles inside a page.
func (f *face) accentSheet(v *visit) error {
	hex, css := strings.CutSuffix(v.PathValue("farbe"), ".css")
	a, ok := page.NewAccent("#" + hex)
	if !css || !ok {
		return typus.Errorf(typus.NotFound, "there is no such style sheet")
	}
	page.NewFile("text/css; charset=utf-8", "private, max-age=31536000, immutable", a.Samples()).ServeHTTP(v.w, v.Request)
	return nil
}
