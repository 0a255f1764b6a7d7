package dashboard

import (
	"net/http"

	"typus"
)

// allowErasure is an owner's word that those may be deleted whose retention is over:
// so many at once are not deleted unasked.
func (f *face) allowErasure(w http.ResponseWriter, r *http.Request, v visitor) error {
	const page = "/dashboard/einstellungen/konto#aufbewahrung"
	err := f.Accounts.AllowErasure(r.Context(), v.Account.ID, number(r, "personen", 0), v.actor(r))
	if typus.Is(err, typus.Conflict) {
		return f.undone(w, r, v, page, f.say(v, "account.waitsChanged"))
	}
	if err != nil {
		return err
	}
	return f.done(w, r, v, page, f.say(v, "account.waitsAllowed"))
}
