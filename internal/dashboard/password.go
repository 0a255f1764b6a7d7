package dashboard

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/clerk"
)

func presentPassword() field {
	return field{Name: "password", Label: "profile.presentPassword", Type: "password", Autocomplete: "current-password"}
}

func newPasswordField(name string) field {
	return field{Name: name, Label: "access.newPassword", Hint: "access.passwordHint", Type: "password", Autocomplete: "new-password"}
}

func codeField() field {
	return field{Name: "code", Label: "access.code", Hint: "access.codeHint", Autocomplete: "one-time-code", First: true}
}

// denied returns the status and the text with which a form says that the password or
// code was wrong, or that there were too many attempts. Any other error is returned.
func (f *face) denied(v *visit, err error, wrong string) (int, string, error) {
	switch typus.KindOf(err) {
	case typus.Unauthorized:
		return http.StatusUnprocessableEntity, f.say(v, wrong), nil
	case typus.TooMany:
		wait := clerk.Wait(err)
		v.w.Header().Set("Retry-After", strconv.Itoa(seconds(wait)))
		return http.StatusTooManyRequests, f.waitText(v, wait), nil
	}
	return 0, "", err
}

// refusalAt says a refusal beside the field that it is about; others are the further
// fields of the form.
func (f *face) refusalAt(fr *frame, v *visit, err error, wrong string, at *field, others ...*field) (int, error) {
	status, said, err := f.denied(v, err, wrong)
	if err != nil {
		return 0, err
	}
	at.Fault = said
	f.sum(fr, v, append(others, at)...)
	return status, nil
}

// wrongPassword reports whether err is about the password of a form that asks for
// password and code.
func wrongPassword(err error) bool {
	e, ok := errors.AsType[*typus.Error](err)
	return ok && e.Kind == typus.Unauthorized && len(e.Fields) == 0
}

// seconds is a wait in whole seconds, rounded up so that nobody comes back too early.
func seconds(wait time.Duration) int { return int(math.Ceil(wait.Seconds())) }

// waitText says how long to wait, in whole seconds or minutes, rounded up.
func (f *face) waitText(v *visit, wait time.Duration) string {
	if wait <= 90*time.Second {
		return f.sayCount(v, "access.waitSeconds", seconds(wait))
	}
	return f.sayCount(v, "access.waitMinutes", int(math.Ceil(wait.Minutes())))
}

// passwordFaults are the words of auth.PasswordFault in the reader's language.
var passwordFaults = map[string]string{
	auth.PasswordTooShort:  "access.passwordTooShort",
	auth.PasswordTooLong:   "access.passwordTooLong",
	auth.PasswordPersonal:  "access.passwordPersonal",
	auth.PasswordCommon:    "access.passwordCommon",
	auth.PasswordMalformed: "access.passwordMalformed",
}

// blamePassword is blame that says in particular what is wrong with a new
// password.
func (f *face) blamePassword(fr *frame, v *visit, err error, password *field, others ...*field) bool {
	e, ok := errors.AsType[*typus.Error](err)
	if !ok || e.Kind != typus.Invalid {
		return false
	}
	rest := *e
	rest.Fields = nil
	for _, fault := range e.Fields {
		if key := passwordFaults[fault.Msg]; fault.Name == password.Name && key != "" {
			password.Fault = f.say(v, key)
			continue
		}
		rest.Fields = append(rest.Fields, fault)
	}
	if len(rest.Fields) == 0 {
		f.sum(fr, v, append(others, password)...)
		return true
	}
	return f.blame(fr, v, &rest, append(others, password)...)
}
