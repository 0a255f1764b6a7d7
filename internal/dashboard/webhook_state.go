package dashboard

import (
	"net/http"

	"typus"
)

// pauseHook stops deliveries to a webhook for a while.
func (f *face) pauseHook(w http.ResponseWriter, r *http.Request, v visitor) error {
	e, err := f.hookInPath(r, v)
	if err != nil {
		return err
	}
	err = f.Accounts.PauseEndpoint(r.Context(), v.Account.ID, e.ID, v.actor(r))
	if typus.Is(err, typus.Conflict) {
		return f.undone(w, r, v, hookPath(e.ID), f.say(v, "webhooks.pause.off"))
	}
	if err != nil {
		return err
	}
	return f.done(w, r, v, hookPath(e.ID), f.say(v, "webhooks.paused"))
}

// resumeHook switches a webhook on again, and sends or drops what was held.
func (f *face) resumeHook(w http.ResponseWriter, r *http.Request, v visitor) error {
	e, err := f.hookInPath(r, v)
	if err != nil {
		return err
	}
	tested, err := f.Accounts.ResumeEndpoint(r.Context(), v.Account.ID, e.ID, r.PostFormValue("held") != "drop", v.actor(r))
	switch {
	case typus.Is(err, typus.Conflict) && e.On():
		return f.undone(w, r, v, hookPath(e.ID), f.say(v, "webhooks.resume.on"))
	case typus.Is(err, typus.Conflict):
		return f.undone(w, r, v, hookPath(e.ID), f.say(v, "webhooks.resume.early"))
	case err != nil:
		return err
	case !tested:
		return f.done(w, r, v, hookPath(e.ID), f.say(v, "webhooks.resumed.untested"))
	}
	return f.done(w, r, v, hookPath(e.ID), f.say(v, "webhooks.resumed"))
}

// hookDeleteView asks whether a webhook is to be deleted.
type hookDeleteView struct {
	frame
	Hook hookRow
}

// Template names the page.
func (hookDeleteView) Template() string { return "webhook-delete" }

func (f *face) askDeleteHook(w http.ResponseWriter, r *http.Request, v visitor) error {
	e, err := f.hookInPath(r, v)
	if err != nil {
		return err
	}
	rates, err := f.rates(r, v)
	if err != nil {
		return err
	}
	view := hookDeleteView{f.settingsFrame(w, r, v, sectionWebhooks), newHookRow(e, rates[e.ID], false)}
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: hooksPath}, {Name: view.Hook.Called(), Path: hookPath(e.ID)}}
	return f.render(w, v, http.StatusOK, view)
}

func (f *face) deleteHook(w http.ResponseWriter, r *http.Request, v visitor) error {
	e, err := f.hookInPath(r, v)
	if err != nil {
		return err
	}
	if err := f.Accounts.DeleteEndpoint(r.Context(), v.Account.ID, e.ID, v.actor(r)); err != nil {
		return err
	}
	return f.done(w, r, v, hooksPath, f.say(v, "webhooks.deleted"))
}
