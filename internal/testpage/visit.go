package testpage

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/page"
	"typus/internal/web"
)

// visit is a request to a test that exists.
type visit struct {
	assess.Test
	token string
	lang  string
	path  string // of this page, below the test's own address: "frage/12"
}

// handler is a HandlerFunc that is given the visit.
type handler func(w http.ResponseWriter, r *http.Request, v visit) error

// maxForm bounds what a form of these pages may send.
const maxForm = 16 << 10

// known calls h for every test that exists. All links that lead to no test get the same
// page after the same work, whatever the token looks like.
func (f *face) known(h handler) web.HandlerFunc { return f.knownUpTo(maxForm, h) }

// knownUpTo is known for forms that may send more.
func (f *face) knownUpTo(most int64, h handler) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		r.Body = http.MaxBytesReader(w, r.Body, most)
		v, err := f.visit(r)
		if typus.Is(err, typus.NotFound) {
			return f.unknown(w, r)
		}
		if err != nil {
			return err
		}
		return h(w, r, v)
	}
}

// visit reads the test that the address names. NotFound when it names none.
func (f *face) visit(r *http.Request) (visit, error) {
	token := r.PathValue("token")
	test, err := f.steps.Test(r.Context(), token)
	if err != nil {
		return visit{}, err
	}
	chosen := ""
	if test.Candidate.ChoseLanguage {
		chosen = test.Candidate.Language
	}
	v := visit{Test: test, token: token, lang: page.PersonsLanguage(r, chosen, test.Account.Language)}
	v.path = strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, v.base()), "/")
	return v, nil
}

// live calls h while the test can still be worked on. A finished one leads to
// its last page; a withdrawn or expired one says so.
func (f *face) live(h handler) web.HandlerFunc { return f.known(f.ifLive(h)) }

func (f *face) ifLive(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request, v visit) error {
		switch v.Stand {
		case typus.StandFinished:
			return v.redirect(w, r, "fertig")
		case typus.StandWithdrawn, typus.StandExpired:
			return f.closed(w, r, v)
		}
		return h(w, r, v)
	}
}

// begun calls h once the notice is acknowledged, unless the candidate has declined.
// Otherwise it leads to the page where the candidate can begin.
func (f *face) begun(h handler) web.HandlerFunc { return f.known(f.ifBegun(h)) }

func (f *face) ifBegun(h handler) handler {
	return f.ifLive(func(w http.ResponseWriter, r *http.Request, v visit) error {
		switch v.Stand {
		case typus.StandDeclined:
			return v.redirect(w, r, "absage")
		case typus.StandOpen:
			return v.redirect(w, r, "")
		}
		return orFirstPage(h)(w, r, v)
	})
}

// orFirstPage calls h. If the test has changed since it was read, because another tab
// declined it or the account withdrew it, it leads to the first page, which says how
// the test stands.
func orFirstPage(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request, v visit) error {
		err := h(w, r, v)
		if typus.Is(err, typus.Conflict) || typus.Is(err, typus.Gone) {
			return v.redirect(w, r, "")
		}
		return err
	}
}

// items are the statements in the order of the version that the candidate takes.
func (v visit) items() []instrument.Item { return v.Instrument.Items() }

// base is the address of the test, the link of the invitation.
func (v visit) base() string { return typus.GuestLinks{}.Test(v.token) }

// redirect sends the browser to another page of the test, with GET.
func (v visit) redirect(w http.ResponseWriter, r *http.Request, to string) error {
	target := v.base()
	if to != "" {
		target += "/" + to
	}
	http.Redirect(w, r, target, http.StatusSeeOther)
	return nil
}

// frame is what all pages of a test show besides their content.
type frame struct {
	page.Frame
	Base    string // address of the test
	Key     string // under which the browser keeps answers on their way
	Over    bool   // nothing can be answered any more: what the browser kept goes
	Account string
	Contact string // e-mail address for questions, may be empty
	Leave   bool   // offer "I do not want to take part"
}

func (v visit) frame() frame {
	return frame{
		Frame: page.Frame{
			Brand: v.Account.Name, Logo: v.logo(), LogoDark: darkPath(v.logo()), Accent: accentPath(v.Account.Accent), World: v.Account.IsWorld(), Times: page.TimesOf(v.Account),
			Switch: page.Switch{Action: v.base() + "/sprache", Page: v.path},
		},
		Base: v.base(), Key: storageKey(v.token), Account: v.Account.Name, Contact: v.Account.ContactEmail,
	}
}

// storageKey names a test in the browser's storage. It does not reveal the link,
// because other people may use the same device.
func storageKey(token string) string {
	sum := sha256.Sum256([]byte("typus storage " + token))
	return hex.EncodeToString(sum[:8])
}

// next is the page where the test goes on: the first statement that is neither
// answered nor skipped, or the end.
func (v visit) next() string {
	if v.Position >= len(v.items()) {
		return "abgabe"
	}
	return itemPath(v.Position)
}

// itemPath is the page of the item at a position. People count from 1.
func itemPath(position int) string { return fmt.Sprintf("frage/%d", position+1) }
