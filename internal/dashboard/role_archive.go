package dashboard

import (
	"errors"

	"typus"
	"typus/internal/accounts"
)

// archiveRole takes an own role profile out of what can be chosen. Where something takes it,
// its page says what.
func (f *face) archiveRole(v *visit) error {
	p, err := f.ownRole(v, v.PathValue("profil"))
	if err != nil {
		return err
	}
	err = f.Accounts.ArchiveRole(v.Context(), v.Account.ID, p.ID, v.actor())
	if own, ok := errors.AsType[*typus.Error](err); ok && own.Kind == typus.Conflict {
		why := "roles.archive.position"
		if own.Fields[0].Code == accounts.CodeOfAccount {
			why = "roles.archive.account"
		}
		return f.undone(v, rolePath(p.Key()), f.say(v, why))
	}
	if err != nil {
		return err
	}
	return f.done(v, rolePath(p.Key()), f.say(v, "roles.archive.done"))
}

// offerRole lets it be chosen again.
func (f *face) offerRole(v *visit) error {
	p, err := f.ownRole(v, v.PathValue("profil"))
	if err != nil {
		return err
	}
	err = f.Accounts.OfferRole(v.Context(), v.Account.ID, p.ID, v.actor())
	if typus.Is(err, typus.Invalid) {
		return f.undone(v, rolePath(p.Key()), f.say(v, "roles.offer.many"))
	}
	if err != nil {
		return err
	}
	return f.done(v, rolePath(p.Key()), f.say(v, "roles.offer.done"))
}
