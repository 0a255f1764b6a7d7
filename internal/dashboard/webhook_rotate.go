package dashboard

import (
	"net/http"

	"typus"
)

// rotateSecret makes the next secret of a webhook and shows it this once.
func (f *face) rotateSecret(w http.ResponseWriter, r *http.Request, v visitor) error {
	e, err := f.hookInPath(r, v)
	if err != nil {
		return err
	}
	secret, role, err := f.Steps.RotateSecret(r.Context(), v.Account.ID, e.ID, v.actor(r))
	if sent, err := f.sentBefore(w, r, err, hookPath); sent {
		return err
	}
	if err != nil && typus.KindOf(err) == typus.Conflict {
		return f.undone(w, r, v, hookPath(e.ID), "webhooks.rotate.already")
	}
	if err != nil {
		return err
	}
	said := "webhooks.rotate.made"
	if role == typus.SecretCurrent {
		said = "webhooks.rotate.replaced"
	}
	return f.reveal(w, r, v, hookPath(e.ID), writeShown(map[typus.SecretRole]string{role: secret}), said)
}

// switchSecret makes the next secret the current one.
func (f *face) switchSecret(w http.ResponseWriter, r *http.Request, v visitor) error {
	e, err := f.hookInPath(r, v)
	if err != nil {
		return err
	}
	err = f.Steps.SwitchSecret(r.Context(), v.Account.ID, e.ID, v.actor(r))
	return f.settledAt(w, r, v, hookPath(e.ID), err, "webhooks.rotate.switched", "webhooks.rotate.none")
}

// endRotation drops the next secret, or the previous one once it is switched.
func (f *face) endRotation(w http.ResponseWriter, r *http.Request, v visitor) error {
	e, err := f.hookInPath(r, v)
	if err != nil {
		return err
	}
	err = f.Steps.EndRotation(r.Context(), v.Account.ID, e.ID, v.actor(r))
	return f.settledAt(w, r, v, hookPath(e.ID), err, "webhooks.rotate.ended", "webhooks.rotate.none")
}
