package access_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/access"
)

const otherPassphrase = "noch einmal ganz neue Worte"

func TestAForgottenPasswordIsSetByTheLinkOfTheNewestLetterOnce(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		old := logIn(w, ada.Email)
		w.Must(w.Access.ForgetPassword(w.Ctx, ada.Email, office))
		first := tokenTo(w, typus.LetterPasswordReset, ada.Email)
		w.Must(w.Access.ForgetPassword(w.Ctx, " ADA@example.com ", office))
		newest := tokenTo(w, typus.LetterPasswordReset, ada.Email)

		_, err := w.Access.SetPasswordByLink(w.Ctx, first, "", otherPassphrase, office)
		w.WantKind(err, typus.NotFound) // the newer letter has ended it
		_, err = w.Access.SetPasswordByLink(w.Ctx, newest, "", "kurz", office)
		w.WantKind(err, typus.Invalid) // and the link still holds
		in, err := w.Access.SetPasswordByLink(w.Ctx, newest, "", otherPassphrase, office)
		w.Must(err)
		_, err = w.Access.SetPasswordByLink(w.Ctx, newest, "", passphrase, office)
		w.WantKind(err, typus.NotFound)

		if !visits(w, in) || visits(w, old) {
			w.Errorf("the new session opens %t, the old one %t", visits(w, in), visits(w, old))
		}
		_, err = w.Access.LogIn(w.Ctx, ada.Email, passphrase, office)
		w.WantKind(err, typus.Unauthorized)
		if n := lettersTo(w, typus.LetterPasswordChanged, ada.Email); n != 1 {
			w.Errorf("%d letters say that the password was changed", n)
		}
	})
}

func TestALinkThatSetsAPasswordRunsOut(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		w.Must(w.Access.ForgetPassword(w.Ctx, ada.Email, office))
		token := tokenTo(w, typus.LetterPasswordReset, ada.Email)
		w.Later(typus.MailLinkLife)
		_, err := w.Access.SetPasswordByLink(w.Ctx, token, "", otherPassphrase, office)
		w.WantKind(err, typus.NotFound)
		link, err := w.Access.NewPasswordLink(w.Ctx, w.Account, ada.Email, "operator")
		w.Must(err)
		w.Later(typus.InviteLinkLife - time.Second)
		_, err = w.Access.SetPasswordByLink(w.Ctx, tokenIn(link), "", otherPassphrase, office)
		w.Must(err)
	})
}

// Whoever asks learns nothing about who has a login, but that too many letters were asked for.
func TestAForgottenPasswordOfNobodyIsAnsweredAlike(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		for _, email := range []string{ada.Email, "nobody@example.com"} {
			from := access.Device{IP: "198.51.100.1"}
			for range 3 {
				w.Must(w.Access.ForgetPassword(w.Ctx, email, from))
			}
			w.WantKind(w.Access.ForgetPassword(w.Ctx, email, from), typus.TooMany)
			w.Later(24 * time.Hour)
		}
		if n := lettersTo(w, typus.LetterPasswordReset, ada.Email); n != 3 {
			w.Errorf("%d letters, want 3", n)
		}
		if n := lettersTo(w, typus.LetterPasswordReset, "nobody@example.com"); n != 0 {
			w.Errorf("%d letters to nobody", n)
		}
	})
}

func TestAChangedPasswordEndsAllOtherSessionsAndRenewsThisOne(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		here, there := logIn(w, ada.Email), logIn(w, ada.Email)
		_, err := w.Access.ChangePassword(w.Ctx, here.Session, ada, "Muster", "falsch falsch falsch", otherPassphrase, actor(ada))
		w.WantKind(err, typus.Unauthorized)
		_, err = w.Access.ChangePassword(w.Ctx, here.Session, ada, "Muster", passphrase, "ada@example.com", actor(ada))
		w.WantKind(err, typus.Invalid)
		if !visits(w, here) || !visits(w, there) {
			w.Error("a refused change has ended a session")
		}
		now, err := w.Access.ChangePassword(w.Ctx, here.Session, ada, "Muster", passphrase, otherPassphrase, actor(ada))
		w.Must(err)
		if !visits(w, now) || visits(w, here) || visits(w, there) {
			w.Errorf("sessions: new %t, old token %t, other %t", visits(w, now), visits(w, here), visits(w, there))
		}
		if n := audited(w, typus.AuditUserPasswordWrong); n != 1 {
			w.Errorf("%d lines about a wrong password, want 1", n)
		}
	})
}

func TestGuessingTheOwnPasswordIsSlowedDown(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		in := logIn(w, ada.Email)
		for range 5 {
			w.WantKind(w.Access.Confirm(w.Ctx, in.Session, "falsch falsch falsch"), typus.Unauthorized)
		}
		w.WantKind(w.Access.Confirm(w.Ctx, in.Session, passphrase), typus.TooMany)
		w.Later(15 * time.Minute)
		w.Must(w.Access.Confirm(w.Ctx, in.Session, passphrase))
	})
}
