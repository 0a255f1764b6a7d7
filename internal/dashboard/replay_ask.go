package dashboard

import (
	"errors"
	"net/http"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/clerk"
	"typus/internal/store"
)

// replayAskView says how many deliveries would be sent again, and asks whether they are to
// be. Without a webhook it asks for one first.
type replayAskView struct {
	frame
	Filter   deliveryFilter
	Zone     typus.Zone  // of its days
	Endpoint endpointRow // zero: none is chosen
	Hook     *field      // to choose one; nil if there is no choice
	State    string      // text keys of what the log is narrowed to, "" for anything
	Outcome  string
	Count    int
	Most     int           // up to which they are counted
	Takes    time.Duration // at the webhook's pace
	Running  int64         // id of a run that has not ended, 0 for none
}

// Template names the page.
func (replayAskView) Template() string { return "replay_ask" }

// First is the first day of a filter that has one.
func (v replayAskView) First() time.Time {
	from, _, _ := v.Zone.Day(v.Filter.From)
	return from
}

// Last is the last day of a filter that has one, which is included.
func (v replayAskView) Last() time.Time {
	last, _, _ := v.Zone.Day(v.Filter.To)
	return last
}

// More reports whether there are more than are counted.
func (v replayAskView) More() bool { return v.Count > v.Most }

// Action is where the form goes: the filter stays in the address.
func (v replayAskView) Action() string { return listPath(replaysPath, v.Filter.values()) }

// Log is the log with the same filter.
func (v replayAskView) Log() string { return listPath(deliveriesPath, v.Filter.values()) }

// Minutes is how long it takes, rounded up.
func (v replayAskView) Minutes() int { return int((v.Takes + time.Minute - 1) / time.Minute) }

// askReplay shows what would be sent again.
func (f *face) askReplay(v *visit) error {
	fl := readDeliveryFilter(v.URL.Query())
	q, sound, err := f.deliveryQuery(v, fl)
	if err != nil {
		return err
	}
	if !sound {
		return f.goOn(v, listPath(deliveriesPath, fl.values())) // which names the fault
	}
	view := replayAskView{frame: f.settingsFrame(v, sectionWebhooks), Filter: fl, Zone: v.Account.Zone, Most: store.ReplayCounted, State: deliveryStateNames[fl.State], Outcome: deliveryOutcomeNames[fl.Outcome]}
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}, {Label: "deliveries.title", Path: view.Log()}}
	if err := f.replayHook(v, &view, &q); err != nil {
		return err
	}
	if view.Endpoint.ID != 0 {
		if err := f.replayCount(v, &view, q); err != nil {
			return err
		}
	}
	return f.render(v, http.StatusOK, view)
}

// replayHook fills in the webhook that the filter names, or the only one there is.
func (f *face) replayHook(v *visit, view *replayAskView, q *store.DeliveryFilter) error {
	endpoints, err := f.Store.Endpoints(v.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	if q.EndpointID == 0 && len(endpoints) == 1 {
		q.EndpointID = endpoints[0].ID
	}
	for _, e := range endpoints {
		if e.ID == q.EndpointID {
			view.Endpoint, view.Filter.Hook = newEndpointRow(e, typus.EndpointRates{}, false), e.ID
			return nil
		}
	}
	if q.EndpointID != 0 {
		return typus.Errorf(typus.NotFound, "there is no such webhook")
	}
	view.Hook = f.hookChoice(v, endpoints, 0)
	view.Hook.Options = view.Hook.Options[1:] // one of them
	return nil
}

// replayCount counts, and looks whether a run goes on.
func (f *face) replayCount(v *visit, view *replayAskView, q store.DeliveryFilter) error {
	last, found, err := f.Store.LastReplayRun(v.Context(), v.Account.ID, q.EndpointID)
	if err != nil {
		return err
	}
	if found && last.State == typus.ReplayRunning {
		view.Running = last.ID
	}
	if told, err := f.toldOf(v, q); err != nil || !told {
		return err
	}
	view.Count, err = f.Store.CountReplayable(v.Context(), v.Account.ID, q, store.ReplayCounted)
	view.Takes = time.Duration(view.Count/max(view.Endpoint.Rate.PerSecond, 1)) * time.Second
	return err
}

// toldOf reports whether the visitor may know of what a filter finds about one person: the
// number of their deliveries says whether they have completed the test.
func (f *face) toldOf(v *visit, q store.DeliveryFilter) (bool, error) {
	if q.CandidateID == 0 {
		return true, nil
	}
	list, _, err := f.Store.DeliveryLog(v.Context(), v.Reader, q, "")
	return len(list) > 0, err
}

// startReplay begins a run.
func (f *face) startReplay(v *visit) error {
	fl := readDeliveryFilter(v.URL.Query())
	q, sound, err := f.deliveryQuery(v, fl)
	if err != nil {
		return err
	}
	ask := listPath(replaysPath, fl.values())
	if !sound {
		return f.goOn(v, ask)
	}
	var view replayAskView
	if err := f.replayHook(v, &view, &q); err != nil {
		return err
	}
	if view.Endpoint.ID == 0 {
		return f.goOn(v, ask)
	}
	told, err := f.toldOf(v, q)
	if err != nil {
		return err
	}
	if !told {
		return f.undone(v, ask, f.say(v, replayObstacles[accounts.ReplayNothing]))
	}
	id, err := f.Accounts.StartReplay(v.Context(), v.Account.ID, q, v.actor())
	if made, before := clerk.SentBefore(err); before {
		return f.goOn(v, replayPath(made))
	}
	if obstacle, there := errors.AsType[accounts.ReplayObstacle](err); there {
		return f.undone(v, ask, f.say(v, replayObstacles[obstacle]))
	}
	if err != nil {
		return err
	}
	return f.goOn(v, replayPath(id))
}
