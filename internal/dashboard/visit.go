package dashboard

import (
	"errors"
	"mime"
	"net/http"
	"strings"

	"typus"
	"typus/internal/page"
	"typus/internal/store"
	"typus/internal/web"
)

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
// is led to the login and from there back. Whoever lacks the role is told so. Nothing is
// shown in advance.
func (f *face) admit(rt route) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		body, most := r.Body, max(rt.max, maxForm)
		r.Body = http.MaxBytesReader(nil, body, most) // without w, so that what is too much can be read to the end
		if web.Prefetched(r) {                        // none: what a page shows may have to be noted
			w.WriteHeader(http.StatusServiceUnavailable)
			return nil
		}
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
		case rt.method == http.MethodPost && !rt.always && v.Account.Suspended():
			return f.suspended(v)
		}
		if rt.world {
			err = f.enterWorld(v)
			if typus.Is(err, typus.NotFound) {
				return f.goOn(v, worldPath) // where one is made
			}
			if err != nil {
				return err
			}
		}
		err = parseForm(r)
		if r.MultipartForm != nil { // the server cleans up after its own request, not after a copy of it
			defer r.MultipartForm.RemoveAll() //nolint:errcheck // what is left behind is temporary
		}
		if err != nil {
			return f.unread(v, err, body, most)
		}
		v.Request = r.WithContext(typus.WithActor(r.Context(), v.actor()))
		err = rt.handle(v)
		switch {
		case v.known() && typus.Is(err, typus.NotFound):
			return f.missing(v)
		case v.known() && typus.Is(err, typus.Suspended): // since it was let in
			return f.suspended(v)
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

// actor is who asks, as the audit log names them.
func (v *visit) actor() typus.Actor {
	a := typus.Actor{IP: web.ClientIP(v.Context()), RequestID: web.RequestID(v.Context()), Form: formOf(v)}
	if v.known() {
		a.Name, a.UserID = v.User.Email, v.User.ID
	}
	return a
}

// spoken is the visit in the language of whom a link belongs to.
func (v *visit) spoken(o store.LinkOwner) *visit {
	spoken := *v
	spoken.lang = page.Language(v.Request, o.User.Language, o.Account.Language)
	return &spoken
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
	target := loginPath
	if v.User.ID != 0 {
		target = codePath
	}
	if back = ownPath(back); back == homePath {
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
