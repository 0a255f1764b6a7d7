package dashboard

import (
	"net/http"
	"strings"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/web"
)

func (f *face) cookieName(name string) string {
	if f.links.Secure() {
		return "__Host-" + name
	}
	return name
}

// setCookie sets a cookie of the dashboard; it lasts for maxAge seconds, and
// below 0 it is removed.
func (f *face) setCookie(v *visit, name, value string, maxAge int) {
	http.SetCookie(v.w, &http.Cookie{
		Name: f.cookieName(name), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: f.links.Secure(), SameSite: http.SameSiteLaxMode,
	})
}

// sessionCookie is the name of the session's cookie. Over https it has the prefix that
// binds it to this host and to https (RFC 6265bis); over plain http browsers do not
// accept that prefix.
func (f *face) sessionCookie() string { return f.cookieName("typus") }

const (
	deviceCookie = "typus-device"
	deviceLife   = 365 * 24 * time.Hour
)

// device is where a request comes from.
func (f *face) device(v *visit) access.Device {
	d := access.Device{IP: web.ClientIP(v.Context()), Agent: agentWords(v.UserAgent())}
	if cookie, err := v.Cookie(f.cookieName(deviceCookie)); err == nil {
		d.Cookie = cookie.Value
	}
	return d
}

// agentWords names browser and system of a User-Agent header, such as
// "Firefox, Windows"; "" for what it does not know.
func agentWords(header string) string {
	browser := firstOf(header, [][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"},
		{"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"},
	})
	system := firstOf(header, [][2]string{
		{"Windows", "Windows"}, {"iPhone", "iOS"}, {"iPad", "iPadOS"}, {"Android", "Android"}, {"CrOS", "ChromeOS"},
		{"Mac OS X", "macOS"}, {"Linux", "Linux"},
	})
	return strings.Trim(browser+", "+system, ", ")
}

// firstOf is the name of the first mark that a text holds.
func firstOf(text string, marks [][2]string) string {
	for _, m := range marks {
		if strings.Contains(text, m[0]) {
			return m[1]
		}
	}
	return ""
}

// begin gives the browser a new session. A session that it brought along ends, because
// somebody else may have put it there (session fixation).
func (f *face) begin(v *visit, in access.LoggedIn) error {
	if v.Session.Hash != "" {
		if err := f.Access.LogOut(v.Context(), v.Session, v.User); err != nil {
			return err
		}
	}
	f.keep(v, in)
	return nil
}

// enter is begin that goes on to where somebody wanted to go.
func (f *face) enter(v *visit, in access.LoggedIn) error {
	if err := f.begin(v, in); err != nil {
		return err
	}
	back := ownPath(v.FormValue("weiter"))
	if !in.Session.Verified {
		back = withBack(codePath, back)
	}
	return f.goOn(v, back)
}

// keep leaves a session with the browser.
func (f *face) keep(v *visit, in access.LoggedIn) {
	if in.Token == "" {
		return
	}
	f.setCookie(v, "typus", in.Token, int(typus.SessionLife/time.Second))
	if in.Device != "" {
		f.setCookie(v, deviceCookie, in.Device, int(deviceLife/time.Second))
	}
}
