package dashboard

import (
	"net/http"
	"strings"
	"time"

	"typus"
	"typus/internal/auth"
)

// seedShownFor is how long after the password was given a seed is shown. It is enough
// time to install an app for it.
const seedShownFor = 10 * time.Minute

// totpView is the second factor of a user: off, waiting for its first code, or on.
type totpView struct {
	frame
	On       bool
	Pending  bool
	Late     bool // pending for so long that the seed is shown no more
	Left     int  // recovery codes
	QR       qrCode
	Seed     string // in groups, to be typed
	Codes    []string
	Password field
	Code     field
}

// Template names the page.
func (totpView) Template() string { return "totp" }

func (f *face) totpView(v *visit) (totpView, error) {
	view := totpView{frame: f.settingsFrame(v, sectionProfile), On: v.User.HasTOTP, Password: presentPassword(), Code: codeField()}
	view.Crumbs = profileCrumbs()
	view.Code.First, view.Code.Hint = false, ""
	if view.Flash.Secret != "" {
		view.Codes = strings.Fields(view.Flash.Secret)
	}
	if view.On {
		var err error
		view.Left, err = f.Store.RecoveryCodesLeft(v.Context(), v.Account.ID, v.User.ID)
		return view, err
	}
	if !v.confirmed(f.now(), seedShownFor) {
		return view, nil
	}
	seed, err := f.Access.PendingTOTP(v.Context(), v.User)
	if err != nil {
		if typus.Is(err, typus.NotFound) {
			return view, nil
		}
		return view, err
	}
	view.Pending, view.Seed = true, inGroups(seed)
	view.QR, err = newQR(auth.TOTPLink(seed, "Typus", v.User.Email))
	return view, err
}

// inGroups puts a space after every four characters.
func inGroups(text string) string {
	var groups []string
	for len(text) > 4 {
		groups, text = append(groups, text[:4]), text[4:]
	}
	return strings.Join(append(groups, text), " ")
}

func (f *face) totpPage(v *visit) error {
	view, err := f.totpView(v)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

// startTOTP gives the user a seed, after the password.
func (f *face) startTOTP(v *visit) error {
	err := f.Access.StartTOTP(v.Context(), v.Session, v.User, v.PostFormValue("password"))
	if err == nil || typus.Is(err, typus.Conflict) {
		return f.goOn(v, totpPath)
	}
	return f.totpFailed(v, err, false)
}

// totpFailed shows the form again with the fault beside the password or the code. While
// a seed waits for its first code, the user may go on trying codes without a time
// limit. The seed itself is not shown again without the password, but the app has it.
func (f *face) totpFailed(v *visit, err error, waits bool) error {
	view, viewErr := f.totpView(v)
	if viewErr != nil {
		return viewErr
	}
	view.Late = waits && !view.On && !view.Pending
	at, other, wrong := &view.Code, &view.Password, "access.wrongCode"
	if wrongPassword(err) || !view.On && !view.Pending && !view.Late {
		at, other, wrong = &view.Password, &view.Code, "profile.wrongPassword"
	}
	status, err := f.refusalAt(&view.frame, v, err, wrong, at, other)
	if err != nil {
		return err
	}
	return f.render(v, status, view)
}

// turnOnTOTP makes the second factor count, by its first code.
func (f *face) turnOnTOTP(v *visit) error {
	codes, in, err := f.Access.TurnOnTOTP(v.Context(), v.Session, v.User, v.PostFormValue("code"), v.actor())
	if typus.Is(err, typus.NotFound) {
		// A second click: the page shows the codes of the first one, which wait in its flash.
		return f.goOn(v, totpPath)
	}
	if err != nil {
		return f.totpFailed(v, err, true)
	}
	f.keep(v, in)
	return f.reveal(v, totpPath, strings.Join(codes, " "), f.say(v, "profile.totpOn"))
}

// changeTOTP turns the second factor off or makes new recovery codes, after
// password and code.
func (f *face) changeTOTP(v *visit) error {
	password, code := v.PostFormValue("password"), v.PostFormValue("code")
	if v.PostFormValue("was") == "codes" {
		codes, err := f.Access.RenewRecoveryCodes(v.Context(), v.Session, v.User, password, code, v.actor())
		if sent, err := f.sentBefore(v, err, to(totpPath)); sent {
			return err
		}
		if err != nil {
			return f.totpFailed(v, err, false)
		}
		return f.reveal(v, totpPath, strings.Join(codes, " "), f.say(v, "profile.codesMade"))
	}
	in, err := f.Access.TurnOffTOTP(v.Context(), v.Session, v.User, password, code, v.actor())
	if err != nil {
		return f.totpFailed(v, err, false)
	}
	f.keep(v, in)
	return f.done(v, profilePath, f.say(v, "profile.totpOff"))
}
