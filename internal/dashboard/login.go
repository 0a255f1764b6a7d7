package dashboard

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/web"
)

// loginView asks for address and password.
type loginView struct {
	frame
	Email, Password field
	Back            string // where to go afterwards, "" for the candidates
	SignUp          bool   // offer to make an account
	Setup           bool   // there is no account yet; say how the first one is made
}

// Commands make the first account and its owner on the server.
func (loginView) Commands() string {
	return "typus account create --name \"Muster GmbH\"\ntypus user create --account 1 \\\n  --email name@example.com"
}

// Template names the page.
func (loginView) Template() string { return "login" }

func (f *face) loginView(w http.ResponseWriter, r *http.Request, v visitor) loginView {
	fr := f.frame(w, r, v, "")
	return loginView{
		frame:    fr,
		Email:    field{Name: "email", Label: "access.email", Type: "email", Autocomplete: "username", First: fr.Flash.Text == ""},
		Password: field{Name: "password", Label: "access.password", Type: "password", Autocomplete: "current-password"},
		Back:     ownPath(r.FormValue("weiter")), SignUp: f.SignUp && f.Mail,
	}
}

func (f *face) loginPage(w http.ResponseWriter, r *http.Request, v visitor) error {
	if v.known() {
		return f.goOn(w, r, "")
	}
	view := f.loginView(w, r, v)
	var err error
	if view.Setup, err = f.unfounded(r.Context()); err != nil {
		return err
	}
	return f.render(w, v, http.StatusOK, view)
}

// unfounded reports whether there is no account yet. Accounts stay, so nobody is
// asked again once there is one.
func (f *face) unfounded(ctx context.Context) (bool, error) {
	if f.founded.Load() {
		return false, nil
	}
	any, err := f.Store.AnyAccount(ctx)
	if any {
		f.founded.Store(true)
	}
	return err == nil && !any, err
}

func (f *face) login(w http.ResponseWriter, r *http.Request, v visitor) error {
	in, err := f.Steps.LogIn(r.Context(), r.PostFormValue("email"), r.PostFormValue("password"), f.device(r))
	if err == nil {
		return f.enter(w, r, v, in)
	}
	view := f.loginView(w, r, v)
	fill(r, &view.Email, &view.Password)
	status, said, err := f.refusal(w, v, err, "access.wrong")
	if err != nil {
		return err
	}
	view.alert(said, &view.Email)
	return f.render(w, v, status, view)
}

// refusal is how a form that asked for a password or a code says that it was the
// wrong one, or that there were too many. Any other error comes back.
func (f *face) refusal(w http.ResponseWriter, v visitor, err error, wrong string) (int, string, error) {
	switch typus.KindOf(err) {
	case typus.Unauthorized:
		return http.StatusUnprocessableEntity, f.say(v, wrong), nil
	case typus.TooMany:
		wait := assess.Wait(err)
		w.Header().Set("Retry-After", strconv.Itoa(seconds(wait)))
		said, textErr := f.waitText(v, wait)
		return http.StatusTooManyRequests, said, textErr
	}
	return 0, "", err
}

// seconds is a wait in whole seconds, rounded up: who comes back then is not too
// early.
func seconds(wait time.Duration) int { return int(math.Ceil(wait.Seconds())) }

// waitText says how long to wait, in whole seconds or minutes, rounded up.
func (f *face) waitText(v visitor, wait time.Duration) (string, error) {
	if wait <= 90*time.Second {
		return f.pages.Count(v.lang, "access.waitSeconds", seconds(wait))
	}
	return f.pages.Count(v.lang, "access.waitMinutes", int(math.Ceil(wait.Minutes())))
}

const (
	deviceCookie = "typus-device"
	deviceLife   = 365 * 24 * time.Hour
)

// device is where a request comes from.
func (f *face) device(r *http.Request) assess.Device {
	d := assess.Device{IP: web.ClientIP(r.Context()), Agent: agentWords(r.UserAgent())}
	if cookie, err := r.Cookie(f.cookieName(deviceCookie)); err == nil {
		d.Cookie = cookie.Value
	}
	return d
}

// begin gives the browser a new session. One that it brought ends: it may have
// been put there by somebody else.
func (f *face) begin(w http.ResponseWriter, r *http.Request, v visitor, in assess.LoggedIn) error {
	if v.Session.Hash != "" {
		if err := f.Steps.LogOut(r.Context(), v.Session, v.User); err != nil {
			return err
		}
	}
	f.keep(w, in)
	return nil
}

// enter is begin that goes on to where somebody wanted to go.
func (f *face) enter(w http.ResponseWriter, r *http.Request, v visitor, in assess.LoggedIn) error {
	if err := f.begin(w, r, v, in); err != nil {
		return err
	}
	back := ownPath(r.FormValue("weiter"))
	if !in.Session.Verified {
		back = withBack("/anmelden/code", back)
	}
	return f.goOn(w, r, back)
}

// keep leaves a session with the browser.
func (f *face) keep(w http.ResponseWriter, in assess.LoggedIn) {
	if in.Token == "" {
		return
	}
	f.setCookie(w, "typus", in.Token, int(typus.SessionLife/time.Second))
	if in.Device != "" {
		f.setCookie(w, deviceCookie, in.Device, int(deviceLife/time.Second))
	}
}

// codeView asks for the second factor.
type codeView struct {
	frame
	Code field
	Back string
}

// Template names the page.
func (codeView) Template() string { return "code" }

func (f *face) codeView(w http.ResponseWriter, r *http.Request, v visitor) codeView {
	view := codeView{
		frame: f.frame(w, r, v, ""),
		Code:  codeField(),
		Back:  ownPath(r.FormValue("weiter")),
	}
	view.Code.First = view.Flash.Text == ""
	return view
}

func codeField() field {
	return field{Name: "code", Label: "access.code", Hint: "access.codeHint", Autocomplete: "one-time-code", First: true}
}

// half reports whether the password was right and the second factor is to come.
func (v visitor) half() bool { return v.User.ID != 0 && !v.Verified }

func (f *face) codePage(w http.ResponseWriter, r *http.Request, v visitor) error {
	switch {
	case v.known():
		return f.goOn(w, r, ownPath(r.FormValue("weiter")))
	case !v.half():
		return f.goOn(w, r, withBack("/anmelden", ownPath(r.FormValue("weiter"))))
	}
	return f.render(w, v, http.StatusOK, f.codeView(w, r, v))
}

func (f *face) enterCode(w http.ResponseWriter, r *http.Request, v visitor) error {
	if v.User.ID == 0 { // the wait for the code is over
		return f.goOn(w, r, tooLate(withBack("/anmelden", ownPath(r.FormValue("weiter"))), "code"))
	}
	if !v.half() {
		return f.codePage(w, r, v)
	}
	in, err := f.Steps.EnterCode(r.Context(), v.Session, r.PostFormValue("code"), f.device(r))
	if err == nil {
		f.keep(w, in)
		return f.goOn(w, r, ownPath(r.FormValue("weiter")))
	}
	view := f.codeView(w, r, v)
	status, said, err := f.refusal(w, v, err, "access.wrongCode")
	if err != nil {
		return err
	}
	view.Code.Fault = said
	f.sum(&view.frame, v, &view.Code)
	return f.render(w, v, status, view)
}

// withBack adds where to go afterwards to an address.
func withBack(path, back string) string {
	if back == "" {
		return path
	}
	return path + "?weiter=" + url.QueryEscape(back)
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

// wrongPassword reports whether err is about the password of a form that asks for
// password and code.
func wrongPassword(err error) bool {
	e, ok := errors.AsType[*typus.Error](err)
	return ok && e.Kind == typus.Unauthorized && len(e.Fields) == 0
}
