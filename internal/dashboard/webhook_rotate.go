package dashboard

import (
	"net/http"

	"typus"
)

// rotateSecret makes the next secret of a webhook and shows it this once.
func (f *face) rotateSecret(v *visit) error {
	e, err := f.endpointInPath(v)
	if err != nil {
		return err
	}
	secret, role, err := f.Accounts.RotateSecret(v.Context(), v.Account.ID, e.ID, v.actor())
	if sent, err := f.sentBefore(v, err, endpointPath); sent {
		return err
	}
	if typus.Is(err, typus.Conflict) {
		return f.undone(v, endpointPath(e.ID), f.say(v, "webhooks.rotate.already"))
	}
	if err != nil {
		return err
	}
	said := "webhooks.rotate.made"
	if role == typus.SecretCurrent {
		said = "webhooks.rotate.replaced"
	}
	return f.reveal(v, endpointPath(e.ID), writeShown(map[typus.SecretRole]string{role: secret}), f.say(v, said))
}

// switchSecret makes the next secret the current one.
func (f *face) switchSecret(v *visit) error {
	e, err := f.endpointInPath(v)
	if err != nil {
		return err
	}
	err = f.Accounts.SwitchSecret(v.Context(), v.Account.ID, e.ID, v.actor())
	if typus.Is(err, typus.Conflict) {
		return f.undone(v, endpointPath(e.ID), f.say(v, "webhooks.rotate.none"))
	}
	if err != nil {
		return err
	}
	return f.done(v, endpointPath(e.ID), f.say(v, "webhooks.rotate.switched"))
}

// spareInPath is the webhook in the path, and the role of the secret that ends when the
// rotation is ended: the next one, or the previous one after the switch, or "" if there
// is none.
func (f *face) spareInPath(v *visit) (typus.Endpoint, typus.SecretRole, error) {
	e, err := f.endpointInPath(v)
	if err != nil {
		return e, "", err
	}
	stored, err := f.Store.Secrets(v.Context(), v.Account.ID, e.ID)
	live := typus.LiveSecrets(stored, f.now())
	for _, role := range []typus.SecretRole{typus.SecretNext, typus.SecretPrevious} {
		if _, found := live[role]; found {
			return e, role, err
		}
	}
	return e, "", err
}

// askEndRotation asks whether a secret is to be removed, and says what follows.
func (f *face) askEndRotation(v *visit) error {
	e, role, err := f.spareInPath(v)
	if err != nil {
		return err
	}
	if role == "" {
		return f.goOn(v, endpointPath(e.ID))
	}
	return f.render(v, http.StatusOK, endRotationView(f.settingsFrame(v, sectionWebhooks), newEndpointRow(e, typus.EndpointRates{}, false), role))
}

func endRotationView(fr frame, hook endpointRow, role typus.SecretRole) removalView {
	view := removalView{
		frame: fr, Heading: "webhooks.rotate.cancel", What: "webhooks.rotate.cancelWhat", Do: "webhooks.rotate.cancel", Back: endpointPath(hook.ID),
		Facts: []fact{{Label: "webhooks.hook", Text: hook.Called()}, {Label: "webhooks.url", Text: hook.Address()}},
	}
	if role == typus.SecretPrevious {
		view.Heading, view.What, view.Do = "webhooks.rotate.end", "webhooks.rotate.endWhat", "webhooks.rotate.end"
	}
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}, {Name: hook.Called(), Path: view.Back}}
	return view
}

// endRotation drops the next secret, or after the switch the previous one.
func (f *face) endRotation(v *visit) error {
	e, role, err := f.spareInPath(v)
	if err != nil {
		return err
	}
	err = f.Accounts.EndRotation(v.Context(), v.Account.ID, e.ID, v.actor())
	if typus.Is(err, typus.Conflict) {
		return f.undone(v, endpointPath(e.ID), f.say(v, "webhooks.rotate.none"))
	}
	if err != nil {
		return err
	}
	said := "webhooks.rotate.ended"
	if role == typus.SecretNext {
		said = "webhooks.rotate.cancelled"
	}
	return f.done(v, endpointPath(e.ID), f.say(v, said))
}
