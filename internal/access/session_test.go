package access_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/auth"
)

func TestALoginEndsWhereItsUserSaysSo(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		bo := user(w, "bo@example.com", typus.RoleMember)
		here, there, third, theirs := logIn(w, ada.Email), logIn(w, ada.Email), logIn(w, ada.Email), logIn(w, bo.Email)
		w.WantKind(w.Access.EndSession(w.Ctx, bo, there.Session.Hash, "", actor(bo)), typus.NotFound)
		w.Must(w.Access.EndSession(w.Ctx, ada, there.Session.Hash, here.Session.Hash, actor(ada)))
		if visits(w, there) || !visits(w, third) {
			w.Errorf("the ended one opens %t, another %t", visits(w, there), visits(w, third))
		}
		w.Must(w.Access.EndSession(w.Ctx, ada, "", here.Session.Hash, actor(ada)))
		if visits(w, third) || !visits(w, here) || !visits(w, theirs) {
			w.Errorf("third %t, this one %t, another user's %t", visits(w, third), visits(w, here), visits(w, theirs))
		}
		for range 2 { // a second click is no error
			w.Must(w.Access.LogOut(w.Ctx, here.Session, ada))
		}
		if n := audited(w, typus.AuditUserLoggedOut); n != 1 || visits(w, here) {
			w.Errorf("%d lines about a log-out; the session opens %t", n, visits(w, here))
		}
	})
}

func TestTheOldestLoginEndsBeyondFifty(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		first := logIn(w, ada.Email)
		var last access.LoggedIn
		for range 50 {
			w.Later(time.Second)
			last = logIn(w, ada.Email)
		}
		if visits(w, first) || !visits(w, last) {
			w.Errorf("the first opens %t, the last %t", visits(w, first), visits(w, last))
		}
	})
}

// A stranger who guesses from the same network does not lock out who has logged in from a
// device before.
func TestAKnownDeviceIsNotLockedOutByStrangers(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		known := office
		known.Cookie = logIn(w, ada.Email).Device
		var err error
		for typus.KindOf(err) != typus.TooMany {
			_, err = w.Access.LogIn(w.Ctx, ada.Email, "falsch falsch falsch", office)
		}
		_, err = w.Access.LogIn(w.Ctx, ada.Email, passphrase, known)
		w.Must(err)
		for _, made := range []string{"x", known.Cookie + "x", known.Cookie[:len(known.Cookie)-1]} {
			_, err = w.Access.LogIn(w.Ctx, ada.Email, passphrase, access.Device{Cookie: made, IP: office.IP})
			w.WantKind(err, typus.TooMany)
		}
		bo := user(w, "bo@example.com", typus.RoleMember) // whose login the device has never seen
		for err = nil; typus.KindOf(err) != typus.TooMany; {
			_, err = w.Access.LogIn(w.Ctx, bo.Email, "falsch falsch falsch", known)
		}
		_, err = w.Access.LogIn(w.Ctx, bo.Email, passphrase, known)
		w.WantKind(err, typus.TooMany)
	})
}

func TestWhatHasRunOutIsForgotten(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		old := logIn(w, ada.Email)
		w.Must(w.Access.ForgetPassword(w.Ctx, ada.Email, office))
		token := tokenTo(w, typus.LetterPasswordReset, ada.Email)
		w.Later(typus.SessionLife + 48*time.Hour)
		fresh := logIn(w, ada.Email)
		w.Must(w.Access.ForgetLogins(w.Ctx, w.Now()))
		if visits(w, old) || !visits(w, fresh) {
			w.Errorf("the old one opens %t, the fresh one %t", visits(w, old), visits(w, fresh))
		}
		_, err := w.Store.UserLinkByToken(w.Ctx, auth.Hash(token))
		w.WantKind(err, typus.NotFound)
	})
}
