package mail

import (
	"context"
	"encoding/base64"
	htmltemplate "html/template"
	"log/slog"
	"strings"

	"typus"
	"typus/internal/colour"
	"typus/internal/logo"
)

// Look is whose look a letter wears that is written in the name of an account. The zero Look
// is ours.
type Look struct {
	AccountID  int64  // whose logo stands at the top
	PositionID int64  // whose logo stands there in its place, if it has one; 0 for none
	Accent     string // "#rrggbb" of rule, button and links; "" for ours
}

// LookOf is the look of letters about a test at a position of an account, 0 for at none.
func LookOf(a typus.Account, positionID int64) Look {
	return Look{AccountID: a.ID, PositionID: positionID, Accent: a.Accent}
}

// wearer is what the fields of a letter are that is written in the name of an account. Other
// letters come from us, and look as we do.
type wearer interface{ wears() (Look, string) }

func (i Invitation) wears() (Look, string) { return i.Look, i.AccountName }

// wears holds for an invitation alone: what a user has asked for, and what is said of how they
// log in, comes from us.
func (l UserLetter) wears() (Look, string) {
	if l.Kind == typus.LetterTeamInvitation {
		return l.Look, l.AccountName
	}
	return Look{}, product
}

// palette are the colours of a letter that differ between accounts.
type palette struct{ Light, Dark shades }

// shades are those of a theme: of links and of the edge of a button, of the button, of the
// words on it, and of the line below who writes.
type shades struct{ Link, Fill, Words, Rule string }

// ours are those of tokens.css.
var ours = palette{
	Light: shades{Link: "#0f5c4d", Fill: "#0f5c4d", Words: "#ffffff", Rule: "#0f5c4d"},
	Dark:  shades{Link: "#7fd0b9", Fill: "#7fd0b9", Words: "#08241c", Rule: "#7fd0b9"},
}

// palette is the account's, as its pages have it, or ours.
func (l Look) palette() palette {
	a, ok := colour.NewAccent(l.Accent)
	if !ok {
		return ours
	}
	return palette{
		Light: shades{Link: a.Light.Accent, Fill: a.Fill.Ground, Words: a.Fill.Words, Rule: a.Rule(colour.Light)},
		Dark:  shades{Link: a.Dark.Accent, Fill: a.Fill.Ground, Words: a.Fill.Words, Rule: a.Rule(colour.Dark)},
	}
}

// Between these stands in the HTML of a letter who writes. A logo takes its place when the
// letter is sent or shown, so that no letter is kept with one.
const letterheadBegin, letterheadEnd = "<!--letterhead-->", "<!--/letterhead-->"

// Letterhead is the name of who writes, for the logo to take its place.
func (l letter) Letterhead() (htmltemplate.HTML, error) {
	name, err := partOfLayout("name", l.From)
	return letterheadBegin + name + letterheadEnd, err
}

// partOfLayout writes a template of the layout, which escapes what is filled in.
func partOfLayout(name string, fields any) (htmltemplate.HTML, error) {
	all, err := texts()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = all.html.ExecuteTemplate(&out, name, fields)
	return htmltemplate.HTML(out.String()), err //nolint:gosec // the template has escaped it
}

// withLogo is the HTML with the logo where it says who writes, loaded from src.
func (m Message) withLogo(src string) (string, error) {
	before, rest, begins := strings.Cut(m.HTML, letterheadBegin)
	_, after, ends := strings.Cut(rest, letterheadEnd)
	if m.Logo == nil || !begins || !ends {
		return m.HTML, nil
	}
	picture, err := partOfLayout("logo", struct {
		*logo.Picture
		Src htmltemplate.URL
		Alt string
	}{m.Logo, htmltemplate.URL(src), m.FromName}) //nolint:gosec // ours, with nothing in it that anybody typed
	return before + string(picture) + after, err
}

// Page is the HTML of the letter as a page of its own, which has the logo within itself. An
// error means that our layout is broken.
func (m Message) Page() (string, error) {
	if m.Logo == nil {
		return m.HTML, nil
	}
	return m.withLogo("data:" + m.Logo.MediaType + ";base64," + base64.StdEncoding.EncodeToString(m.Logo.Body))
}

// Logos are where the logo of a letter is found; store.Store has them. What is not there is
// NotFound.
type Logos interface {
	// LogoHash names the logo of a position or else of its account as it is now, "" for none.
	LogoHash(ctx context.Context, accountID, positionID int64) (string, error)
	// Logo reads a logo by its name.
	Logo(ctx context.Context, accountID int64, hash string) (typus.Logo, error)
}

// Letterheads put logos on letters. They may be used concurrently.
type Letterheads struct {
	logos  Logos
	log    *slog.Logger
	drawer logo.Drawer
}

// NewLetterheads makes letterheads with the logos of a store; log nil is slog.Default.
func NewLetterheads(logos Logos, log *slog.Logger) *Letterheads {
	if log == nil {
		log = slog.Default()
	}
	return &Letterheads{logos: logos, log: log}
}

// Put returns a letter with the logo that stands at its top now. A letter without one has the
// name of who writes there. The error is that of the logos, never NotFound: a logo that is
// gone, or cannot be drawn, stops no letter.
func (h *Letterheads) Put(ctx context.Context, m Message) (Message, error) {
	if m.Look.AccountID == 0 {
		return m, nil
	}
	hash, err := h.logos.LogoHash(ctx, m.Look.AccountID, m.Look.PositionID)
	if err != nil || hash == "" {
		return m, unlessGone(err)
	}
	m.Logo, err = h.drawer.Draw(hash, func() (typus.Logo, error) { return h.logos.Logo(ctx, m.Look.AccountID, hash) })
	if typus.Is(err, typus.Internal) {
		h.log.ErrorContext(ctx, "mail: a logo cannot be drawn for letters", "account", m.Look.AccountID, "error", err)
		return m, nil
	}
	return m, unlessGone(err)
}

func unlessGone(err error) error {
	if typus.Is(err, typus.NotFound) {
		return nil
	}
	return err
}
