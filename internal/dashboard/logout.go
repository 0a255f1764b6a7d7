package dashboard

// logout ends the session in whatever state it is. Without a session it leads to the
// login as well.
func (f *face) logout(v *visit) error {
	if v.Session.Hash != "" {
		if err := f.Access.LogOut(v.Context(), v.Session, v.User); err != nil {
			return err
		}
	}
	f.setCookie(v, "typus", "", -1)
	f.setCookie(v, listCookie, "", -1)
	return f.done(v, loginPath, f.say(v, "access.loggedOut"))
}
