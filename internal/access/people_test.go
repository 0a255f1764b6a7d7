package access_test

import (
	"strings"

	"typus"
	"typus/internal/access"
	"typus/internal/auth"
)

// passphrase is the password of everybody in these tests who has not chosen another.
const passphrase = "ganz andere Wörter jetzt"

// office is where everybody in these tests logs in.
var office = access.Device{IP: "192.0.2.7", Agent: "Firefox, Linux"}

// user makes somebody of the account who has a password.
func user(w *world, email string, role typus.UserRole) typus.User {
	w.Helper()
	password := passphrase
	id, _, err := w.Access.CreateUser(w.Ctx, typus.User{AccountID: w.Account, Email: email, Role: role}, &password, "operator")
	w.Must(err)
	u, err := w.Store.User(w.Ctx, w.Account, id)
	w.Must(err)
	return u
}

// logIn is a complete login with the passphrase.
func logIn(w *world, email string) access.LoggedIn {
	w.Helper()
	in, err := w.Access.LogIn(w.Ctx, email, passphrase, office)
	w.Must(err)
	if !in.Session.Verified {
		w.Fatalf("the login of %s waits for a second factor", email)
	}
	return in
}

// visits reports whether a token opens a session.
func visits(w *world, in access.LoggedIn) bool {
	w.Helper()
	_, err := w.Store.SessionByToken(w.Ctx, auth.Hash(in.Token))
	if err != nil && !typus.Is(err, typus.NotFound) {
		w.Fatal(err)
	}
	return err == nil
}

// actor is a user as the one who does something.
func actor(u typus.User) typus.Actor { return typus.Actor{UserID: u.ID, Name: u.Email, IP: office.IP} }

// letter is the newest letter of a kind to an address. There is one.
func letter(w *world, kind typus.LetterKind, to string) typus.Letter {
	w.Helper()
	list, err := w.Store.Letters(w.Ctx, w.Account, 100)
	w.Must(err)
	for _, l := range list {
		if l.Kind == kind && l.To == to {
			return l
		}
	}
	w.Fatalf("no letter %s to %s", kind, to)
	return typus.Letter{}
}

// tokenTo is the one-time token of the newest letter of a kind to an address.
func tokenTo(w *world, kind typus.LetterKind, to string) string {
	w.Helper()
	l := letter(w, kind, to)
	plain, err := w.Box.Open(l.Detail, l.DetailAAD())
	w.Must(err)
	return string(plain)
}

// tokenIn is the token at the end of a link that people hand on.
func tokenIn(link string) string { return link[strings.LastIndexByte(link, '/')+1:] }

// lettersTo counts the letters of a kind to an address.
func lettersTo(w *world, kind typus.LetterKind, to string) int {
	w.Helper()
	list, err := w.Store.Letters(w.Ctx, w.Account, 100)
	w.Must(err)
	n := 0
	for _, l := range list {
		if l.Kind == kind && l.To == to {
			n++
		}
	}
	return n
}

// audited counts the lines of the audit log about an action.
func audited(w *world, action typus.AuditAction) int {
	w.Helper()
	list, err := w.Store.Audit(w.Ctx, w.Account, 1000)
	w.Must(err)
	n := 0
	for _, e := range list {
		if e.Action == action {
			n++
		}
	}
	return n
}
