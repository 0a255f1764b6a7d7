package dashboard

import (
	"net/http"

	"typus"
	"typus/internal/store"
)

// replayShowView is how far a run is, and what became of what it has sent off.
type replayShowView struct {
	frame
	Run      store.ReplayRun
	Endpoint endpointRow
	Arrived  int
	Waiting  int    // to be attempted, or under way
	Held     int    // until the webhook is switched on
	Failed   int    // have ended without arriving
	Waits    string // text key: what the run waits for, "" for nothing
	Most     int
}

// Template names the page.
func (replayShowView) Template() string { return "replay_show" }

// Running reports whether the run goes on.
func (v replayShowView) Running() bool { return v.Run.State == typus.ReplayRunning }

// Cancelled reports whether somebody has ended it, or its webhook is deleted.
func (v replayShowView) Cancelled() bool { return v.Run.State == typus.ReplayCancelled }

// More reports whether more were found than are counted.
func (v replayShowView) More() bool { return v.Run.Total > v.Most }

// Max is the end of the bar.
func (v replayShowView) Max() int { return max(v.Run.Total, v.Run.Made) }

// Left is how many of those that were found have not been sent off.
func (v replayShowView) Left() int { return max(0, v.Run.Total-v.Run.Made) }

// replay shows a run.
func (f *face) replay(v *visit) error {
	run, err := f.replayInPath(v)
	if err != nil {
		return err
	}
	e, err := f.Store.Endpoint(v.Context(), v.Account.ID, run.Filter.EndpointID)
	if err != nil {
		return err
	}
	counts, err := f.Store.ReplayOutcomes(v.Context(), v.Account.ID, run.ID)
	if err != nil {
		return err
	}
	view := replayShowView{
		frame: f.settingsFrame(v, sectionWebhooks), Run: run, Endpoint: newEndpointRow(e, typus.EndpointRates{}, false), Most: store.ReplayCounted,
		Arrived: counts[typus.DeliveryDelivered], Waiting: counts[typus.DeliveryPending] + counts[typus.DeliverySending],
		Held: counts[typus.DeliveryHeld], Failed: counts[typus.DeliveryExhausted],
	}
	switch {
	case !view.Running():
	case v.Account.Suspended():
		view.Waits = "replay.waits.idle"
	case !e.On():
		view.Waits = "replay.waits.off"
	case e.Status == typus.EndpointFailing:
		view.Waits = "replay.waits.failing"
	}
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}}
	if e.Status != typus.EndpointDeleted {
		view.Crumbs = append(view.Crumbs, crumb{Name: view.Endpoint.Called(), Path: endpointPath(e.ID)})
	}
	return f.render(v, http.StatusOK, view)
}

func (f *face) replayInPath(v *visit) (store.ReplayRun, error) {
	id, err := pathID(v)
	if err != nil {
		return store.ReplayRun{}, err
	}
	return f.Store.ReplayRun(v.Context(), v.Account.ID, id)
}

// replayProgress says to the page's script how far the run is.
func (f *face) replayProgress(v *visit) error {
	run, err := f.replayInPath(v)
	if err != nil {
		return err
	}
	return f.progress(v, run.State == typus.ReplayRunning, run.Made, f.replayText(v, run))
}

// replayText says how far a run is.
func (f *face) replayText(v *visit, run store.ReplayRun) string {
	if run.Total > store.ReplayCounted {
		return f.say(v, "replay.progress.more", "Made", run.Made, "Total", store.ReplayCounted)
	}
	return f.say(v, "replay.progress", "Made", run.Made, "Total", run.Total)
}

// cancelReplay ends a run.
func (f *face) cancelReplay(v *visit) error {
	run, err := f.replayInPath(v)
	if err != nil {
		return err
	}
	if err := f.Accounts.CancelReplay(v.Context(), v.Account.ID, run.ID, v.actor()); err != nil {
		return err
	}
	return f.goOn(v, replayPath(run.ID))
}
