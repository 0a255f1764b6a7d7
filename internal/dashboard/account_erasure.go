package dashboard

import (
	"typus"
)

// allowErasure records that an owner allows the deletion of the people whose retention
// is over. Without that word, many people at once are not deleted.
func (f *face) allowErasure(v *visit) error {
	err := f.Accounts.AllowErasure(v.Context(), v.Account.ID, number(v, "personen", 0), v.actor())
	if typus.Is(err, typus.Conflict) {
		return f.undone(v, keepPath, f.say(v, "account.waitsChanged"))
	}
	if err != nil {
		return err
	}
	return f.done(v, keepPath, f.say(v, "account.waitsAllowed"))
}
