package dashboard

import "net/http"

// logout ends the session, whatever state it is in. Who has none is led to the
// login all the same.
func (f *face) logout(w http.ResponseWriter, r *http.Request, v visitor) error {
	if v.Session.Hash != "" {
		if err := f.Access.LogOut(r.Context(), v.Session, v.User); err != nil {
			return err
		}
	}
	f.setCookie(w, "typus", "", -1)
	return f.done(w, r, v, "/anmelden", f.say(v, "access.loggedOut"))
}
