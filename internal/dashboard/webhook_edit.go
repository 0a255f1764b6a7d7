package dashboard

import (
	"net/http"

	"typus"
)

func (f *face) endpointEditForm(v *visit, e typus.Endpoint) endpointFormView {
	view := f.endpointForm(v)
	view.ID, view.Back = e.ID, endpointPath(e.ID)
	view.URL.Value, view.Description.Value = e.URL, e.Description
	view.Seen = seen(view.URL, view.Description)
	view.Crumbs = append(view.Crumbs, crumb{Name: newEndpointRow(e, typus.EndpointRates{}, false).Called(), Path: endpointPath(e.ID)})
	return view
}

func (f *face) editEndpoint(v *visit) error {
	e, err := f.endpointInPath(v)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, f.endpointEditForm(v, e))
}

func (f *face) changeEndpoint(v *visit) error {
	e, err := f.endpointInPath(v)
	if err != nil {
		return err
	}
	view := f.endpointEditForm(v, e)
	late := false
	err = f.Accounts.EditEndpoint(v.Context(), v.Account.ID, e.ID, v.PostFormValue("url"), v.PostFormValue("description"), v.actor(), func(now typus.Endpoint) bool {
		view = f.endpointEditForm(v, now)
		late = overtaken(v, view.URL, view.Description)
		return !late
	})
	if err != nil {
		view.Seen = v.PostFormValue(seenName)
		return f.faulty(v, view, err)
	}
	if late {
		f.compare(&view.frame, v, view.URL, view.Description)
		return f.render(v, http.StatusConflict, view)
	}
	return f.done(v, endpointPath(e.ID), f.say(v, "webhooks.changed"))
}
