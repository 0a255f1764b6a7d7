package dashboard

import (
	"net/http"

	"typus"
)

// pauseEndpoint stops deliveries to a webhook for a while.
func (f *face) pauseEndpoint(v *visit) error {
	e, err := f.endpointInPath(v)
	if err != nil {
		return err
	}
	err = f.Accounts.PauseEndpoint(v.Context(), v.Account.ID, e.ID, v.actor())
	if typus.Is(err, typus.Conflict) {
		return f.undone(v, endpointPath(e.ID), f.say(v, "webhooks.pause.off"))
	}
	if err != nil {
		return err
	}
	return f.done(v, endpointPath(e.ID), f.say(v, "webhooks.paused"))
}

// resumeEndpoint switches a webhook on again, and sends or drops what was held.
func (f *face) resumeEndpoint(v *visit) error {
	e, err := f.endpointInPath(v)
	if err != nil {
		return err
	}
	tested, err := f.Accounts.ResumeEndpoint(v.Context(), v.Account.ID, e.ID, v.PostFormValue("held") != "drop", v.actor())
	switch {
	case typus.Is(err, typus.Conflict) && e.On():
		return f.undone(v, endpointPath(e.ID), f.say(v, "webhooks.resume.on"))
	case typus.Is(err, typus.Conflict):
		return f.undone(v, endpointPath(e.ID), f.say(v, "webhooks.resume.early"))
	case err != nil:
		return err
	case !tested:
		return f.done(v, endpointPath(e.ID), f.say(v, "webhooks.resumed.untested"))
	}
	return f.done(v, endpointPath(e.ID), f.say(v, "webhooks.resumed"))
}

// endpointDeleteView asks whether a webhook is to be deleted.
type endpointDeleteView struct {
	frame
	Endpoint endpointRow
}

// Template names the page.
func (endpointDeleteView) Template() string { return "webhook_delete" }

func (f *face) askDeleteEndpoint(v *visit) error {
	e, err := f.endpointInPath(v)
	if err != nil {
		return err
	}
	rates, err := f.endpointRates(v)
	if err != nil {
		return err
	}
	view := endpointDeleteView{f.settingsFrame(v, sectionWebhooks), newEndpointRow(e, rates[e.ID], false)}
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}, {Name: view.Endpoint.Called(), Path: endpointPath(e.ID)}}
	return f.render(v, http.StatusOK, view)
}

func (f *face) deleteEndpoint(v *visit) error {
	e, err := f.endpointInPath(v)
	if err != nil {
		return err
	}
	if err := f.Accounts.DeleteEndpoint(v.Context(), v.Account.ID, e.ID, v.actor()); err != nil {
		return err
	}
	return f.done(v, endpointsPath, f.say(v, "webhooks.deleted"))
}
