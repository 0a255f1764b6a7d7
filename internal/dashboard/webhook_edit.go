package dashboard

import (
	"net/http"

	"typus"
)

func (f *face) endpointEditForm(v *visit, e typus.Endpoint) endpointFormView {
	view := f.endpointForm(v)
	view.ID, view.Back = e.ID, endpointPath(e.ID)
	view.URL.Value, view.Description.Value = e.URL, e.Description
	f.showHeader(&view, e)
	view.Seen = seen(view.URL, view.Description, view.HeaderName)
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
	err = f.Accounts.EditEndpoint(v.Context(), v.Account.ID, e.ID, endpointTyped(v), v.actor(), func(now typus.Endpoint) bool {
		view = f.endpointEditForm(v, now)
		late = overtaken(v, view.URL, view.Description, view.HeaderName)
		return !late
	})
	if err != nil {
		view.Seen = v.PostFormValue(seenName)
		return f.faulty(v, view, err)
	}
	if late {
		f.compare(&view.frame, v, view.URL, view.Description, view.HeaderName)
		return f.render(v, http.StatusConflict, view)
	}
	return f.done(v, endpointPath(e.ID), f.say(v, "webhooks.changed"))
}

// showHeader shows the own header of a webhook, its value masked.
func (f *face) showHeader(view *endpointFormView, e typus.Endpoint) {
	if e.StaticHeader == "" {
		return
	}
	view.HeaderOpen = true
	view.DropHeader = &field{Name: "header_drop", Label: "webhooks.header.drop", Type: "checkbox", Optional: true}
	view.HeaderValue.Hint = "webhooks.header.keep"
	own, err := f.Accounts.OwnHeader(e)
	if err != nil {
		view.HeaderValue.Hint = "webhooks.header.lost"
		return
	}
	view.HeaderName.Value = own.Name
	view.HeaderShown = own.Masked()
}
