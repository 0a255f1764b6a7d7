package dashboard

import (
	"net/http"

	"typus"
)

// pauseHook stops deliveries to a webhook for a while.
func (f *face) pauseHook(v *visit) error {
	e, err := f.hookInPath(v)
	if err != nil {
		return err
	}
	err = f.Accounts.PauseEndpoint(v.Context(), v.Account.ID, e.ID, v.actor())
	if typus.Is(err, typus.Conflict) {
		return f.undone(v, hookPath(e.ID), f.say(v, "webhooks.pause.off"))
	}
	if err != nil {
		return err
	}
	return f.done(v, hookPath(e.ID), f.say(v, "webhooks.paused"))
}

// resumeHook switches a webhook on again, and sends or drops what was held.
func (f *face) resumeHook(v *visit) error {
	e, err := f.hookInPath(v)
	if err != nil {
		return err
	}
	tested, err := f.Accounts.ResumeEndpoint(v.Context(), v.Account.ID, e.ID, v.PostFormValue("held") != "drop", v.actor())
	switch {
	case typus.Is(err, typus.Conflict) && e.On():
		return f.undone(v, hookPath(e.ID), f.say(v, "webhooks.resume.on"))
	case typus.Is(err, typus.Conflict):
		return f.undone(v, hookPath(e.ID), f.say(v, "webhooks.resume.early"))
	case err != nil:
		return err
	case !tested:
		return f.done(v, hookPath(e.ID), f.say(v, "webhooks.resumed.untested"))
	}
	return f.done(v, hookPath(e.ID), f.say(v, "webhooks.resumed"))
}

// hookDeleteView asks whether a webhook is to be deleted.
type hookDeleteView struct {
	frame
	Hook hookRow
}

// Template names the page.
func (hookDeleteView) Template() string { return "webhook-delete" }

func (f *face) askDeleteHook(v *visit) error {
	e, err := f.hookInPath(v)
	if err != nil {
		return err
	}
	rates, err := f.rates(v)
	if err != nil {
		return err
	}
	view := hookDeleteView{f.settingsFrame(v, sectionWebhooks), newHookRow(e, rates[e.ID], false)}
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: hooksPath}, {Name: view.Hook.Called(), Path: hookPath(e.ID)}}
	return f.render(v, http.StatusOK, view)
}

func (f *face) deleteHook(v *visit) error {
	e, err := f.hookInPath(v)
	if err != nil {
		return err
	}
	if err := f.Accounts.DeleteEndpoint(v.Context(), v.Account.ID, e.ID, v.actor()); err != nil {
		return err
	}
	return f.done(v, hooksPath, f.say(v, "webhooks.deleted"))
}
