package access_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/access"
)

const newAddress = "ada.new@example.com"

// askToMove has a user ask for another address and returns the token of the letter there.
func askToMove(w *world, u typus.User) (access.LoggedIn, string) {
	w.Helper()
	in := logIn(w, u.Email)
	w.Must(w.Access.ChangeEmail(w.Ctx, in.Session, u, newAddress, passphrase, actor(u)))
	return in, tokenTo(w, typus.LetterEmailChange, newAddress)
}

func TestAnAddressIsMovedByWhoReadsItAndIsLoggedIn(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		in, token := askToMove(w, ada)
		logIn(w, ada.Email) // nothing has changed yet
		_, err := w.Access.ConfirmEmail(w.Ctx, token, in.Session, "", "", office)
		w.Must(err)
		logIn(w, newAddress)
		_, err = w.Access.LogIn(w.Ctx, ada.Email, passphrase, office)
		w.WantKind(err, typus.Unauthorized)
		_, err = w.Access.ConfirmEmail(w.Ctx, token, in.Session, "", "", office)
		w.WantKind(err, typus.NotFound)
		letter(w, typus.LetterEmailChanged, ada.Email)
	})
}

// A letter to a mistyped address reaches a stranger, who has nothing but the link.
func TestTheLinkAloneMovesNoAddress(t *testing.T) {
	run(t, func(w *world) {
		ada, bo := user(w, "ada@example.com", typus.RoleOwner), user(w, "bo@example.com", typus.RoleMember)
		_, token := askToMove(w, ada)
		strangers := access.Device{IP: "198.51.100.9"}
		for _, try := range []struct{ present, password string }{
			{"", ""}, {ada.Email, "falsch falsch falsch"}, {bo.Email, passphrase}, {newAddress, passphrase},
		} {
			_, err := w.Access.ConfirmEmail(w.Ctx, token, typus.Session{}, try.present, try.password, strangers)
			w.WantKind(err, typus.Unauthorized)
		}
		_, err := w.Access.ConfirmEmail(w.Ctx, token, logIn(w, bo.Email).Session, "", "", office)
		w.WantKind(err, typus.Unauthorized)
		_, err = w.Access.ConfirmEmail(w.Ctx, token, typus.Session{}, ada.Email, passphrase, access.Device{IP: "203.0.113.4"})
		w.Must(err)
	})
}

func TestAnAddressThatIsALoginAlreadyIsNotTaken(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		in, token := askToMove(w, ada) // the answer does not tell
		user(w, newAddress, typus.RoleMember)
		_, err := w.Access.ConfirmEmail(w.Ctx, token, in.Session, "", "", office)
		w.WantKind(err, typus.Conflict)
		logIn(w, ada.Email)
		w.WantKind(w.Access.ChangeEmail(w.Ctx, in.Session, ada, "ADA@example.com", passphrase, actor(ada)), typus.Invalid)
		w.WantKind(w.Access.ChangeEmail(w.Ctx, in.Session, ada, "third@example.com", "falsch falsch falsch", actor(ada)), typus.Unauthorized)
	})
}

// Whoever reads the former address takes the login back from an intruder, with all that
// the intruder has set up.
func TestAMovedLoginIsTakenBack(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		in, token := askToMove(w, ada)
		moved, err := w.Access.ConfirmEmail(w.Ctx, token, in.Session, "", "", office)
		w.Must(err)
		_, _, intruder := secondFactor(w, moved)
		back := tokenTo(w, typus.LetterEmailChanged, ada.Email)
		w.Later(typus.TakeBackLife - time.Hour)
		_, err = w.Access.TakeBackEmail(w.Ctx, back, "kurz", office)
		w.WantKind(err, typus.Invalid)
		mine, err := w.Access.TakeBackEmail(w.Ctx, back, otherPassphrase, office)
		w.Must(err)
		if !mine.Session.Verified || !visits(w, mine) || visits(w, intruder) {
			w.Errorf("mine is complete %t, opens %t; the intruder's opens %t", mine.Session.Verified, visits(w, mine), visits(w, intruder))
		}
		_, err = w.Access.LogIn(w.Ctx, newAddress, passphrase, office)
		w.WantKind(err, typus.Unauthorized)
		_, err = w.Access.TakeBackEmail(w.Ctx, back, otherPassphrase, office)
		w.WantKind(err, typus.NotFound)
	})
}

// After the operator has let somebody in, a former address is no way back: an intruder may
// read it.
func TestARescuedLoginGivesNoWayBack(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		link, err := w.Access.NewPasswordLink(w.Ctx, w.Account, ada.Email, "operator")
		w.Must(err)
		_, err = w.Access.SetPasswordByLink(w.Ctx, tokenIn(link), "", passphrase, office)
		w.Must(err)
		in, token := askToMove(w, ada)
		_, err = w.Access.ConfirmEmail(w.Ctx, token, in.Session, "", "", office)
		w.Must(err)
		if l := letter(w, typus.LetterEmailMoved, ada.Email); l.Detail != nil {
			w.Error("the letter to the former address has a link")
		}
		if n := lettersTo(w, typus.LetterEmailChanged, ada.Email); n != 0 {
			w.Errorf("%d letters with a way back", n)
		}
	})
}
