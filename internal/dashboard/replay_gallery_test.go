package dashboard

import (
	"time"

	"typus"
	"typus/internal/page"
	"typus/internal/store"
)

func init() { galleries = append(galleries, replayGallery) }

func replayGallery(f *face, lang string, p persona) map[string]page.View {
	v, shell := speaking(lang), p.shell(areaSettings, sectionWebhooks)
	hook := newEndpointRow(typus.Endpoint{ID: 7, URL: "https://hooks.example.com/typus", Description: p.free, Status: typus.EndpointActive, Rate: typus.Rate{PerSecond: 10, Burst: 20}}, typus.EndpointRates{}, false)
	ask := replayAskView{
		frame: shell, Endpoint: hook, Most: store.ReplayCounted, Count: 1234, Takes: 2 * time.Minute,
		Filter: deliveryFilter{Hook: 7, State: typus.DeliveryExhausted, Outcome: typus.DeliveryTimeout, Person: p.name, From: "2026-04-02", To: "2026-04-07"},
		State:  deliveryStateNames[typus.DeliveryExhausted], Outcome: deliveryOutcomeNames[typus.DeliveryTimeout],
	}
	ask.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}, {Label: "deliveries.title", Path: deliveriesPath}}
	many, none, off, busy, choose, hookless := ask, ask, ask, ask, ask, ask
	many.Count, many.Takes = store.ReplayCounted+1, 167*time.Minute
	none.Count, none.Filter, none.State, none.Outcome = 0, deliveryFilter{}, "", ""
	off.Endpoint = newEndpointRow(typus.Endpoint{ID: 7, URL: "https://hooks.example.com/typus", Status: typus.EndpointPaused}, typus.EndpointRates{}, false)
	busy.Running = 3
	choose.Endpoint, choose.Hook = endpointRow{}, f.hookChoice(v, []typus.Endpoint{hook.Endpoint, off.Endpoint.Endpoint}, 0)
	choose.Hook.Options = choose.Hook.Options[1:]
	hookless.Endpoint, hookless.Hook = endpointRow{}, &field{}
	show := replayShowView{
		frame: shell, Endpoint: hook, Most: store.ReplayCounted, Arrived: 398, Waiting: 20, Failed: 2,
		Run: store.ReplayRun{ID: 7, State: typus.ReplayRunning, Total: 1234, Made: 420, CreatedAt: someTime, Filter: store.DeliveryFilter{EndpointID: 7}},
	}
	show.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}, {Name: hook.Called(), Path: endpointPath(7)}}
	waits, done, cancelled, large := show, show, show, show
	waits.Waits, waits.Held = "replay.waits.failing", 18
	done.Run.State, done.Run.Made, done.Arrived, done.Waiting = typus.ReplayDone, 1230, 1200, 28
	cancelled.Run.State = typus.ReplayCancelled
	large.Run.Total, large.Waits = store.ReplayCounted+1, "replay.waits.off"
	return map[string]page.View{
		"replay-ask": ask, "replay-ask-many": many, "replay-ask-none": none, "replay-ask-off": off, "replay-ask-busy": busy,
		"replay-ask-choose": choose, "replay-ask-no-hook": hookless,
		"replay-running": show, "replay-waits": waits, "replay-done": done, "replay-cancelled": cancelled, "replay-large": large,
	}
}
