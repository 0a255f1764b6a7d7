package dashboard

import (
	"net/http"

	"typus"
)

func (f *face) hookEditForm(w http.ResponseWriter, r *http.Request, v visitor, e typus.Endpoint) hookFormView {
	view := f.hookForm(w, r, v)
	view.ID, view.Back = e.ID, hookPath(e.ID)
	view.URL.Value, view.Description.Value = e.URL, e.Description
	view.Crumbs = append(view.Crumbs, crumb{Name: newHookRow(e, typus.EndpointRates{}, false).Called(), Path: hookPath(e.ID)})
	return view
}

func (f *face) editHook(w http.ResponseWriter, r *http.Request, v visitor) error {
	e, err := f.hookInPath(r, v)
	if err != nil {
		return err
	}
	return f.render(w, v, http.StatusOK, f.hookEditForm(w, r, v, e))
}

func (f *face) changeHook(w http.ResponseWriter, r *http.Request, v visitor) error {
	e, err := f.hookInPath(r, v)
	if err != nil {
		return err
	}
	err = f.Accounts.EditEndpoint(r.Context(), v.Account.ID, e.ID, r.PostFormValue("url"), r.PostFormValue("description"), v.actor(r))
	if err != nil {
		return f.faulty(w, r, v, f.hookEditForm(w, r, v, e), err)
	}
	return f.done(w, r, v, hookPath(e.ID), f.say(v, "webhooks.changed"))
}
