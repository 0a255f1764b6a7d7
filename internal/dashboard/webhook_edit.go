package dashboard

import (
	"net/http"

	"typus"
)

func (f *face) hookEditForm(v *visit, e typus.Endpoint) hookFormView {
	view := f.hookForm(v)
	view.ID, view.Back = e.ID, hookPath(e.ID)
	view.URL.Value, view.Description.Value = e.URL, e.Description
	view.Crumbs = append(view.Crumbs, crumb{Name: newHookRow(e, typus.EndpointRates{}, false).Called(), Path: hookPath(e.ID)})
	return view
}

func (f *face) editHook(v *visit) error {
	e, err := f.hookInPath(v)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, f.hookEditForm(v, e))
}

func (f *face) changeHook(v *visit) error {
	e, err := f.hookInPath(v)
	if err != nil {
		return err
	}
	err = f.Accounts.EditEndpoint(v.Context(), v.Account.ID, e.ID, v.PostFormValue("url"), v.PostFormValue("description"), v.actor())
	if err != nil {
		return f.faulty(v, f.hookEditForm(v, e), err)
	}
	return f.done(v, hookPath(e.ID), f.say(v, "webhooks.changed"))
}
