package dashboard

import (
	"errors"
	"mime"
	"net/http"
	"strings"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/page"
	"typus/internal/store"
	"typus/internal/web"
)

// visitor is who sends a request. Before the login only the language is known.
type visitor struct {
	typus.Session
	User    typus.User
	Account typus.Account
	lang    string
}

// known reports whether somebody is logged in, second factor included.
func (v visitor) known() bool { return v.User.ID != 0 && v.Verified }

// may reports whether the visitor is logged in with at least a role.
func (v visitor) may(least typus.UserRole) bool {
	return least == anyone || v.known() && may(v.User.Role, least)
}

// confirmed reports whether the visitor gave the password within that time, so that
// secrets may be shown without asking for it again. A time in the future, from before
// the clock was set back, does not count.
func (v visitor) confirmed(now time.Time, within time.Duration) bool {
	age := now.Sub(v.ConfirmedAt)
	return age >= 0 && age < within
}

// actor is who asks, as the audit log names them.
func (v *visit) actor() typus.Actor {
	a := typus.Actor{IP: web.ClientIP(v.Context()), RequestID: web.RequestID(v.Context()), Form: formOf(v)}
	if v.known() {
		a.Name, a.UserID = v.User.Email, v.User.ID
	}
	return a
}

// visit is a request with who sends it and what it is answered with.
type visit struct {
	w http.ResponseWriter
	*http.Request
	visitor
}

// handler is a HandlerFunc of a visit.
type handler func(v *visit) error

// maxForm bounds what a form may send unless its route says otherwise.
const maxForm = 64 << 10

// admit calls the handler of a route for those who may use it. Whoever is not logged in
// is led to the login and from there back. Whoever lacks the role is told so.
func (f *face) admit(rt route) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		r.Body = http.MaxBytesReader(w, r.Body, max(rt.max, maxForm))
		who, err := f.visitor(r)
		if err != nil {
			return err
		}
		v := &visit{w, r, who}
		switch {
		case rt.least != anyone && !v.known():
			return f.toLogin(v)
		case !v.may(rt.least):
			return f.refuse(v)
		}
		err = parseForm(r)
		if r.MultipartForm != nil { // the server cleans up after its own request, not after a copy of it
			defer r.MultipartForm.RemoveAll() //nolint:errcheck // what is left behind is temporary
		}
		if err != nil {
			return err
		}
		v.Request = r.WithContext(typus.WithActor(r.Context(), v.actor()))
		err = rt.handle(v)
		if v.known() && typus.Is(err, typus.NotFound) {
			return f.missing(v)
		}
		return err
	}
}

// parseForm reads the body of a POST. A body that is too long (StatusError 413) or
// broken (Invalid) is refused before anything is done with a part of it.
func parseForm(r *http.Request) error {
	if r.Method != http.MethodPost {
		return nil
	}
	err := r.ParseForm()
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil && kind == "multipart/form-data" {
		err = r.ParseMultipartForm(8 << 20)
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return &web.StatusError{Status: http.StatusRequestEntityTooLarge, Msg: "the form is too large"}
	}
	if err != nil {
		return typus.Errorf(typus.Invalid, "the form cannot be read").WithCause(err)
	}
	return nil
}

// seenEvery is how often the last use of a session is noted.
const seenEvery = time.Minute

// visitor finds out who sends the request. It costs one statement, and a second one in
// the first request of a minute.
func (f *face) visitor(r *http.Request) (visitor, error) {
	v := visitor{lang: page.Language(r, "", "")}
	cookie, _ := r.Cookie(f.sessionCookie()) // nil without one
	if cookie == nil || !auth.WellFormedSession(cookie.Value) {
		return v, nil
	}
	hash, now := auth.Hash(cookie.Value), f.now()
	session, user, account, err := f.Store.SessionByToken(r.Context(), hash)
	if typus.Is(err, typus.NotFound) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	if !session.Live(now) {
		return v, nil
	}
	if now.Sub(session.SeenAt) >= seenEvery {
		if err := f.touch(r, session.Hash, now); err != nil {
			return v, err
		}
	}
	return visitor{Session: session, User: user, Account: account, lang: page.Language(r, user.Language, account.Language)}, nil
}

// toLogin leads to the login, and from there back to the page. After a form that comes
// too late it leads back to the page on which the form stood. The form is not sent
// again, and the login says so.
func (f *face) toLogin(v *visit) error {
	back, late := v.URL.RequestURI(), false
	if v.Method != http.MethodGet && v.Method != http.MethodHead {
		back = f.pageAt(f.refererPath(v))
		late = true
	}
	target := "/anmelden"
	if v.User.ID != 0 {
		target = "/anmelden/code"
	}
	if back = ownPath(back); back == "/dashboard" {
		back = "" // it leads there anyway
	}
	if target = withBack(target, back); late {
		target = tooLate(target, "")
	}
	return f.goOn(v, target)
}

// lateMark stands in the address of a login to which a form led that came too late. It
// is not a flash, because a flash would replace a secret that waits for its page: a
// second click can come after the first one has renewed the session.
const lateMark = "spaet"

// tooLate adds lateMark to an address. form is "code" for the form of the second
// factor, and "" for any other.
func tooLate(address, form string) string {
	mark := "?" + lateMark
	if strings.Contains(address, "?") {
		mark = "&" + lateMark
	}
	if form == "" {
		return address + mark
	}
	return address + mark + "=" + form
}

// lateText is the key of the text in which a login says that a form came too late, or
// "".
func lateText(v *visit) string {
	switch q := v.URL.Query(); {
	case !q.Has(lateMark):
		return ""
	case q.Get(lateMark) == "code":
		return "access.codeLate"
	}
	return "access.late"
}

// touch notes that a session is in use.
func (f *face) touch(r *http.Request, hash string, at time.Time) error {
	return f.Store.InTx(r.Context(), func(tx *store.Tx) error {
		return tx.TouchSession(r.Context(), hash, at)
	})
}

// spoken is the visit in the language of whom a link belongs to.
func (v *visit) spoken(o store.LinkOwner) *visit {
	spoken := *v
	spoken.lang = page.Language(v.Request, o.User.Language, o.Account.Language)
	return &spoken
}
