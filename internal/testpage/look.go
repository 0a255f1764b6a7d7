package testpage

import (
	"net/http"
	"strconv"
	"strings"

	"typus"
	"typus/internal/colour"
	"typus/internal/page"
	"typus/internal/web"
)

// keep lets a browser keep a file for good, because its address changes with its
// content.
const keep = "private, max-age=31536000, immutable"

// logo is the address of the picture of the position or the account, "" for none. The hash
// is there for the browser's cache alone.
func (v visit) logo() string { return logoPath(v.base(), v.Account) }

// logoPath is the address of an account's picture below a base, "" for none.
func logoPath(base string, account typus.Account) string {
	if account.LogoHash == "" {
		return ""
	}
	return base + "/logo?v=" + account.LogoHash[:min(12, len(account.LogoHash))]
}

// accentPath is the address of the style sheet of a colour, "" for none.
func accentPath(accent string) string {
	if _, ok := colour.NewAccent(accent); !ok {
		return ""
	}
	return "/t/farbe/" + accent[1:] + ".css"
}

// darkPath is the address of the same picture for a dark page, "" for none.
func darkPath(logo string) string {
	if logo == "" {
		return ""
	}
	return logo + "&auf=dunkel"
}

// logo serves the picture. The headers keep a browser from taking it for anything else.
func (f *face) logo(w http.ResponseWriter, r *http.Request, v visit) error {
	return f.logoOf(w, r, v.Account)
}

func (f *face) logoOf(w http.ResponseWriter, r *http.Request, account typus.Account) error {
	l, err := f.steps.Logo(r.Context(), account)
	if err != nil {
		return err
	}
	l = f.seen(l, r.URL.Query().Get("auf") == "dunkel")
	h := w.Header()
	h.Set("Content-Type", l.MediaType)
	h.Set("Content-Length", strconv.Itoa(len(l.Body)))
	h.Set("Content-Security-Policy", web.DataPolicy+"; sandbox")
	h.Set("Cache-Control", keep)
	_, _ = w.Write(l.Body) // a reader who has gone is no fault
	return nil
}

// seen is a logo on a ground of its own where what lies behind would be seen through it, and
// some of it would be lost: on a dark page any, on a light one white lettering.
func (f *face) seen(l typus.Logo, dark bool) typus.Logo {
	p, err := f.logos.Draw(l.Hash, func() (typus.Logo, error) { return l, nil })
	if err != nil || p == nil || p.Ground == "" || !dark && p.Ground == colour.Light.Surface {
		return l
	}
	return typus.Logo{MediaType: p.MediaType, Hash: l.Hash, Body: p.Body}
}

// accent serves the style sheet of a colour. It depends on the colour alone and
// names nobody.
func (f *face) accent(w http.ResponseWriter, r *http.Request) error {
	hex, css := strings.CutSuffix(r.PathValue("farbe"), ".css")
	a, ok := colour.NewAccent("#" + hex)
	if !css || !ok {
		return typus.Errorf(typus.NotFound, "there is no such style sheet")
	}
	page.NewFile("text/css; charset=utf-8", keep, a.CSS()).ServeHTTP(w, r)
	return nil
}

// welcome is what the account says on the start page, without blank lines.
func welcome(v visit) []string {
	var lines []string
	for line := range strings.Lines(v.Account.Welcome(v.lang)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
